/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk in one row, with what its partitions are. */
#pragma once

#include "discover/disk.h"

#include "ui/core/draw.h"

/* Draws the cells of plan/picture.h between two lines. A line stands where a partition begins, and
 * behind it, as far as there is room, its number and what it holds. named: the disk whose
 * partitions these are; NULL: only their numbers are told. */
void picture_draw(struct draw *draw, struct rect area, int row, int col, const char *cells,
		  const struct disk *named);
