/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partitions of a disk that gets a table that fits, and where they come to lie when some of
 * them are asked to lie elsewhere, or to have another size. Arithmetic only: nothing is read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "plan/plan.h"

/* Bytes: where partitions begin and end, as all tools do it. */
#define LAYOUT_ALIGNMENT (1U << 20)

struct layout_part {
	unsigned number;
	uint64_t start, sectors; /* on the source */
	uint64_t to, size;       /* on the destination */

	/* Only once what is in it was looked at. */
	uint64_t least;    /* sectors, so that what is in it is whole */
	const char *fixed; /* why it must stay where it is, translated; NULL: it may move */
	char fs[32];       /* libblkid's TYPE; "" unknown */
};

/* The partitions where they lie if no option moves them. */
struct layout_table {
	struct layout_part parts[FITTED_PARTS_MAX]; /* in the order of the disk */
	size_t count;                               /* 0: not known */
	uint32_t sector;                            /* bytes, of the source */
	uint64_t sectors, room;                     /* of source and destination */
	uint64_t first, usable; /* LBAs of the destination: where partitions may begin, and the
				   first one that is not for them */
	bool movable;           /* else all must stay as they are */
};

/* Puts partitions where `options` asks for, and moves others as far as that is needed; `to` and
 * `size` say where they begin. They may use the sectors before `usable`. With what is in the way:
 * -ENOSPC, or -EINVAL where it is not the room; `to` and `size` are not valid then. */
int layout_arrange(struct layout_part *parts, size_t count, uint32_t sector, uint64_t usable,
		   bool movable, const struct plan_options *options, struct error *reterr);

/* What would make room on a smaller disk: a file system that becomes smaller first. */
struct layout_shrink {
	unsigned number; /* its partition; 0: there is none, or it is not known */
	char fs[32];
	uint64_t start, length; /* bytes of the partition */
	uint64_t bytes;         /* the file system is not to be larger than that */
};

static inline bool part_changes(const struct layout_part *part)
{
	return part->to != part->start || part->size != part->sectors;
}
