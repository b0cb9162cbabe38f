/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures of disks as rows of cells, one letter a cell: the map under the
 * ranges, and the before and after of the destination on its own scale. Pure
 * functions; the deck and the dry run print the same rows.
 *
 * Cell letters: digit or letter = partition (1-9, then a-z, '#' beyond),
 * 'G' table area, '.' in no partition, '?' not known (the table could not be
 * read), ' ' beyond the end of the disk.
 * A cell that holds several things shows the smallest partition in it. Where that
 * would hide one, it gets a cell of its own beside its place, so no partition is
 * ever invisible unless there are more partitions than cells; table areas too as
 * long as there is room for both. The rows of marks stay with the letters: a moved
 * cell is marked for what it shows.
 */
#pragma once

#include "base/range.h"
#include "discover/disk.h"
#include "plan/plan.h"

/* Of a partition by its number. */
char picture_letter(unsigned number);

/* All of these write `cells` letters and a NUL into out. */

/* scale: the bytes that the row stands for. */
void picture_disk(const struct disk *disk, uint64_t scale, int cells, char *out);
/* '=' under cells that a range touches, ' ' under others; on the scale of the disk, ranges in
 * its logical sectors. */
void picture_ranges(const struct disk *disk, const struct range_list *ranges, int cells, char *out);
/* What the destination's disk will hold. source_disk and destination_disk: for an image what it
 * holds, NULL where that is not known or it is still to be made. Partitions of a replaced table
 * vanish; see picture_lost(). */
void picture_after(const struct plan *plan, const struct disk *source_disk,
		   const struct disk *destination_disk, int cells, char *out);
/* 'x' overwritten, '+' overwritten and already copied in full, '-' not touched, ' ' beyond the end.
 * Drawn below picture_disk() of the destination's disk, on the same scale. finished: bytes of the
 * source that are copied already; NULL: none. */
void picture_touched(const struct plan *plan, const struct range_list *finished,
		     const struct disk *destination_disk, int cells, char *out);

enum lost_how {
	LOST_OVERWRITTEN, /* all of it */
	LOST_PARTLY,      /* some of its sectors */
	LOST_FROM_TABLE,  /* its sectors stay, but the table no longer knows it */
};

struct lost {
	const struct partition *partition; /* borrowed from destination_disk */
	enum lost_how how;
};

/* Partitions of the destination's disk that the plan destroys, in disk order; malloc'd array,
 * NULL when there are none. Extended partitions are not listed, the logical ones in them are.
 * half_made_of: the source of the copy that the plan resumes; what the destination has from it is
 * the half-made copy, and not lost. NULL: a new copy, or a source that is not known. -ENOMEM. */
int picture_lost(const struct plan *plan, const struct disk *destination_disk,
		 const struct disk *half_made_of, struct lost **ret, size_t *retcount);
