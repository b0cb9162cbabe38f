/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The free places of a plan in the comments of a map file. */
#ifndef CLONEDECK_MAP_MAP_PLACES_H
#define CLONEDECK_MAP_MAP_PLACES_H

#include <stdio.h>

#include "plan/plan.h"

void map_places_print(const struct free_places *places, FILE *file); /* NULL is fine */
/* Adds the places of one line. -EINVAL, -ENOMEM. */
int map_places_read(struct range_list *list, const char *value);

#endif
