/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table that fits the destination, in the comments of a map:
 *
 *   # clonedeck fitted=PARTITION,START,BEFORE,AFTER,BACKUP   as in struct fitted
 *   # clonedeck fitted_part=NUMBER,START,SECTORS,TO,SIZE   one that moves or is cut
 *   # clonedeck fitted_bytes=AT,HEX                          without zeros at the end
 */
#ifndef CLONEDECK_MAP_MAP_FITTED_H
#define CLONEDECK_MAP_MAP_FITTED_H

#include <stdio.h>

#include "plan/fitted.h"

void map_fitted_print(const struct fitted *fitted, FILE *file);
/* -ENOENT: no key of these; -EINVAL, -ENOMEM. */
int map_fitted_read(struct fitted *fitted, const char *key, const char *value);

#endif
