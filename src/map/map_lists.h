/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is long in a plan, in the comments of a map: its free places, and the table that fits the
 * destination:
 *
 *   # clonedeck fitted=PARTITION,START,BEFORE,AFTER,BACKUP   as in struct fitted
 *   # clonedeck fitted_part=NUMBER,START,SECTORS,TO,SIZE   one that moves or is cut
 *   # clonedeck fitted_bytes=AT,HEX                          without zeros at the end
 */
#pragma once

#include <stdio.h>

#include "plan/plan.h"

void map_fitted_print(const struct fitted *fitted, FILE *file);
/* -ENOENT: no key of these; -EINVAL, -ENOMEM. */
int map_fitted_read(struct fitted *fitted, const char *key, const char *value);

void map_places_print(const struct free_places *places, FILE *file); /* NULL is fine */
/* Adds the places of one line. -EINVAL, -ENOMEM. */
int map_places_read(struct range_list *list, const char *value);
