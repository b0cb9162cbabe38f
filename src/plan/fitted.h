/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partition table that fits a destination of another size: what is written there
 * instead of what the source has at these places. Whoever reads the source for the
 * plan sees these bytes, so that the copy, its digests and its verification are all of
 * them. Plain data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define FITTED_UNIT 512U  /* bytes; divides every sector */
#define FITTED_MAX  8192U /* both copies of the largest table that is accepted */

#define FITTED_PARTS_MAX 64

struct fitted_unit {
	uint64_t at; /* bytes of the source, a multiple of FITTED_UNIT */
	unsigned char bytes[FITTED_UNIT];
};

/* A partition that lies elsewhere on the destination, or has another size there; or that lies
 * behind such a one. In sectors. */
struct fitted_part {
	unsigned number;
	uint64_t start, sectors; /* on the source */
	uint64_t to, size;       /* on the destination */
};

struct fitted {
	unsigned grown;         /* the partition that becomes larger, by most; 0: none */
	uint64_t start;         /* its first sector, on the destination */
	uint64_t before, after; /* its sectors */
	uint64_t backup;        /* LBA of the backup GPT's header on the destination; 0: none */
	uint32_t sector; /* bytes, of the destination and its table (and the unit of `backup`),
			    where the source has others; else 0. All other LBAs are the source's. */
	struct fitted_part parts[FITTED_PARTS_MAX]; /* in the order of the disk */
	size_t part_count;
	struct fitted_unit *units; /* ascending */
	size_t count;
};

/* What became of the file system in the partition that has grown. */
struct grown_fs {
	enum grown_fs_state {
		GROWN_FS_NOT_ASKED,
		GROWN_FS_DONE,    /* and found sound before and after */
		GROWN_FS_BY_HAND, /* there is no tool for it, or it is not installed */
		GROWN_FS_FAILED,
		GROWN_FS_HANGS, /* the tool was ended */
	} state;
	char fs[32], node[80];    /* node "": the system does not know the partition */
	char uuid[UUID_TEXT_MAX]; /* that a Btrfs must get back, as a tool was killed; "" */
	char said[128];           /* the last words of the tool that failed */
};

/* -EINVAL: too many, or out of order; -ENOMEM. */
int fitted_add(struct fitted *fitted, uint64_t at, const void *bytes);
/* -ENOMEM; *ret is empty then. */
int fitted_copy(const struct fitted *from, struct fitted *ret);
void fitted_done(struct fitted *fitted);
/* NULL: the partition with this number stays where it is, and as large; or grows. */
const struct fitted_part *fitted_find(const struct fitted *fitted, unsigned number);
/* Of the same table, and with the same bytes wherever `some` has any? */
bool fitted_contains(const struct fitted *all, const struct fitted *some);
/* Where a partition lies on the destination, and how large it is there: changes what is given, or
 * leaves it. */
void fitted_place(const struct fitted *fitted, unsigned number, uint64_t *start, uint64_t *sectors);
/* These bytes were read from the source; now they are what the destination gets. */
void fitted_apply(const struct fitted *fitted, uint64_t at, void *buffer, uint32_t length);

/* What becomes of the table, translated: "backup GPT at LBA 819199, partition 2 grows from 157M to
 * 396M". What does not fit into the buffer is left out. sector: bytes. */
const char *fitted_print(const struct fitted *fitted, uint32_t sector, char *buffer, size_t size);
