/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the pictures: a disk laid out on a row of cells. Allocates
 * nothing; the placement is recomputed while walking over the disk.
 */
#ifndef CLONEDECK_PLAN_ROW_H
#define CLONEDECK_PLAN_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "discover/disk.h"
#include "plan/plan.h"

/* What to draw: a disk as it is, or as it will be. Borrows everything. */
struct scene {
	const struct disk *disk;      /* its partitions and table areas; NULL: none */
	uint64_t size;                /* bytes up to the end of the disk that is drawn */
	bool hide_logical;            /* the chain of extended tables is broken */
	const struct plan *copied_by; /* only table areas that this plan copies in place */
};

struct row {
	const struct scene *scene;
	uint64_t scale; /* bytes that all cells stand for */
	int cells;
	int used;             /* cells that the disk reaches into */
	bool keep_partitions; /* each has a cell of its own */
	bool keep_tables;
	unsigned kept; /* things that have one */
};

/* Bytes of a disk as a half-open interval; never empty, inside the row. */
struct row_bytes {
	uint64_t start, end;
};

void row_init(struct row *row, const struct scene *scene, uint64_t scale, int cells);

/* The letters, row->cells of them and a NUL. */
void row_draw_letters(const struct row *row, char *out);
/* What `mark` says of each cell, ' ' beyond the end of the disk. */
void row_draw_marks(const struct row *row, char (*mark)(const void *what, struct row_bytes bytes),
		    const void *what, char *out);

/* The part of the partition or region below `size`, in bytes; false if there is none. */
bool row_clip(const struct disk *disk, uint64_t start, uint64_t sectors, uint64_t size,
	      struct row_bytes *ret);
/* A logical partition of an MS-DOS table: it is found through the extended ones only. */
bool row_is_logical(const struct disk *disk, const struct partition *partition);
/* Does the plan copy these sectors of its source to the same LBAs? */
bool row_copied_in_place(const struct plan *plan, uint64_t start, uint64_t sectors);

#endif
