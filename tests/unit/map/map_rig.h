/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For the tests of map files: a directory, a file in it, and a plan with something in every field.
 */
#pragma once

#include "map/map.h"

extern char map_dir[64], map_path[128];

/* As a fixture around each test. */
void map_rig_make_dir(void);
void map_rig_remove_dir(void);
struct plan *map_rig_plan(const struct extent *extents, size_t count);
/* As map_path, with the status letter `state`. */
void map_rig_save(const struct map *map, char state);
