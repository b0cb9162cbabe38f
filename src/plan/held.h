/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The held areas of a copy of a whole disk, written last: the places that make a disk
 * bootable, mountable or a member of something. They are wiped before the first
 * data is written and copied when everything else is safe, so that a half-made
 * clone is a disk on which nobody finds anything. No system calls here.
 *
 * Unit: plan->sector_size of the source. On the destination each area lies where the plan puts
 * it: with a table that fits, its backup and partitions that move lie elsewhere.
 */
#pragma once

#include "base/range.h"
#include "discover/disk.h"
#include "plan/plan.h"

/* More would not be read and written in a few seconds at the end. */
#define HELD_AREAS_MAX 256U
#define HELD_BYTES_MAX (64ULL << 20)

#define HELD_KEYS 2

struct held {
	struct range_list areas; /* left out until the end */
	/* Of a failing source, of which nothing is left out: what comes first. */
	struct range_list first;
	/*
	 * The parts of them that come last of all, one behind the other, each when all before it
	 * is on the medium: without them nobody finds the others. With a table that is its first
	 * sector; then the blocks by which the disk as a whole is recognised, as a file system or
	 * as a member of something, at whichever end they are. Where nothing is known, the
	 * beginning of the disk, and its first sector behind that. Either may be empty, not both.
	 */
	struct range_list key[HELD_KEYS];
	/* The current signatures of the destination, wiped before all else. Any part of the
	 * plan. */
	struct range_list found;
	struct range_list old; /* where the destination's old partitions had their signatures:
				* only wiped, the copy overwrites them on its way; none of
				* them in `areas` */
};

/*
 * The areas of a plan: both ends of the source, its table with the copies and links that it has,
 * the beginning of each partition (superblocks, boot sectors, labels), and its end (md, ZFS, the
 * second boot sector of NTFS). Where the limits do not hold all, tables come first, then
 * beginnings. Nothing for plans that are not to be armed last: plan_arms_last(); where these
 * spare a failing source (plan/preset.h), its table and the beginnings are `first`.
 *
 * source, destination: the disks of the ends, NULL where unknown: then only both ends of the
 * source are known places. Of an image file that is the source table, whole_fs and signatures. All
 * areas lie inside the plan. -ENOMEM, *ret is empty then.
 */
int held_find(const struct plan *plan, const struct disk *source, const struct disk *destination,
	      struct held *ret);
void held_done(struct held *held);
