/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of screen 1 and its details both say of a disk or partition. */
#ifndef CLONEDECK_UI_TEXT_DISKS_H
#define CLONEDECK_UI_TEXT_DISKS_H

#include "ui/disks/model.h"

const char *text_or_dash(const char *text);
/* The name of a device node without its folder. */
const char *text_base_name(const char *node);
/* File system and label, or what the table calls the partition, cut to size. */
void text_contents(const struct partition *p, char *buffer, size_t size);

#endif
