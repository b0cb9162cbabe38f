/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partition table that a destination of another size should get: made by libfdisk
 * in memory from the table of the source, then handed over as what the plan writes.
 * Nothing is written here.
 */
#pragma once

#include "base/error.h"
#include "layout/arrange.h"
#include "plan/plan.h"

#define LAYOUT_EXTENTS_MAX (FITTED_PARTS_MAX + 2)

struct layout {
	/* What is copied to where: all up to the end of the smaller disk, or up to the first
	 * partition that moves or is cut, and from there on partitions only; and, of a GPT, the end
	 * of the source to the end of the destination, where the backup has its place. */
	struct extent extents[LAYOUT_EXTENTS_MAX];
	size_t extent_count;
	struct fitted fitted;
	/* Before anything of the options was done to it; it stays where layout_fit() refuses them,
	 * and where what is in the partitions cannot be read, it is empty. */
	struct layout_table table;
	/* Where layout_fit() refuses for lack of room. */
	struct layout_shrink shrink;
};

/*
 * plan: its ends, which must be whole disks or images of known size. fd: of its source, for
 * reading; may be O_DIRECT. grow: as in struct plan_options.
 *
 * On a smaller destination, partitions are cut where the file system inside is small enough and in
 * order, and moved together as far as that is needed: never the first one, nor what boot code finds
 * by its place. Where that is not enough, the sentence says what to shrink, and how. On a larger
 * one, those behind the partition that grows are moved to the end, if they may. With
 * plan->options.places, partitions are as asked for there.
 *
 * -ENOTSUP, -EINVAL and others, with a sentence: the table is damaged, of a kind that is not
 * understood, has no room on the destination, or the partition cannot grow. *ret is empty then,
 * but for its table.
 */
int layout_fit(const struct plan *plan, int fd, uint32_t grow, struct layout *ret,
	       struct error *reterr);
void layout_done(struct layout *layout);
