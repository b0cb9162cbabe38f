/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of partition types: GPT GUIDs and MS-DOS numbers, as technicians meet them. */
#ifndef CLONEDECK_DISCOVER_TYPES_H
#define CLONEDECK_DISCOVER_TYPES_H

#include <stdbool.h>

/* "c12a7328-…" or "0x83" -> "EFI System", translated; "" for one that is not in the table. */
const char *type_name(const char *type);
/* Lower case, in place: the form in which types are compared and shown. */
void type_tidy(char *type);
/* An MS-DOS container for logical partitions. */
bool type_is_extended(const char *type);

#endif
