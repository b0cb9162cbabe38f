/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures of disks as rows of cells, one letter a cell: the map under the
 * ranges, and the before and after of the destination on its own scale. Pure
 * functions; the deck and the dry run print the same rows.
 *
 * Cell letters: digit or letter = partition (1-9, then a-z, '#' beyond),
 * 'G' table area, '.' in no partition, ' ' beyond the end of the disk.
 * A cell that holds several things shows the smallest partition in it, so no
 * partition is ever invisible unless there are more partitions than cells.
 */
#ifndef CLONEDECK_PLAN_PICTURE_H
#define CLONEDECK_PLAN_PICTURE_H

#include "base/range.h"
#include "discover/disk.h"
#include "plan/plan.h"

/* `cells` letters and a NUL into out; scale in bytes is what the row stands for. */
void picture_disk(const struct disk *disk, uint64_t scale, int cells, char *out);
/* '=' under cells that a range touches. */
void picture_ranges(const struct disk *disk, const struct range_list *ranges, int cells, char *out);
/* What the destination's disk will hold; source_disk may be NULL (image). Partitions of
 * a replaced table vanish; see picture_lost(). */
void picture_after(const struct plan *plan, const struct disk *source_disk,
		   const struct disk *destination_disk, int cells, char *out);
/* 'x' overwritten, '-' not touched, ' ' beyond the end. */
void picture_touched(const struct plan *plan, const struct disk *destination_disk, int cells,
		     char *out);

enum lost_how { LOST_OVERWRITTEN, LOST_PARTLY, LOST_FROM_TABLE };

struct lost {
	const struct partition *partition; /* borrowed from destination_disk */
	enum lost_how how;
};

/* Partitions of the destination's disk that the plan destroys, in disk order; malloc'd array. */
int picture_lost(const struct plan *plan, const struct disk *destination_disk, struct lost **ret,
		 size_t *retcount);

#endif
