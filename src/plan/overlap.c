/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the two ends of a plan meet on one disk or file? */
#include <string.h>

#include "plan/plan.h"

/*
 * Two nodes of one disk by what the disk says of itself: two cables of a SAS
 * disk, two paths of a SAN. The serial has to agree too, some makers give one
 * WWN to all their disks; and 0x3… are local assignments (NAA 3), as USB bridges
 * make them up, the same in each.
 */
static bool same_by_wwn(const struct identity *a, const struct identity *b)
{
	return a->wwn[0] && strncmp(a->wwn, "0x3", 3) != 0 && strcmp(a->wwn, b->wwn) == 0 &&
	       strcmp(a->serial, b->serial) == 0 && a->size == b->size;
}

bool plan_same_disk(const struct plan *plan)
{
	const struct endpoint *a = &plan->source;
	const struct endpoint *b = &plan->destination;

	if (a->kind == ENDPOINT_NONE || b->kind == ENDPOINT_NONE)
		return false;
	if (a->kind == ENDPOINT_IMAGE || b->kind == ENDPOINT_IMAGE)
		return a->kind == b->kind && a->exists && b->exists &&
		       a->identity.devno == b->identity.devno &&
		       a->identity.inode == b->identity.inode;
	if (a->disk_node[0] && strcmp(a->disk_node, b->disk_node) == 0)
		return true;
	/* Equal serials of two nodes are no proof: cheap bridges share them. */
	if (a->identity.devno != 0 && b->identity.devno != 0)
		return a->identity.devno == b->identity.devno ||
		       same_by_wwn(&a->identity, &b->identity);
	return identity_same(&a->identity, &b->identity);
}

bool plan_overlaps_itself(const struct plan *plan)
{
	size_t i = 0, j = 0;

	if (!plan_same_disk(plan))
		return false;
	/* Both lists ascend: walk them together, always advancing the one that ends first. */
	while (i < plan->extent_count && j < plan->extent_count) {
		struct range from, to;
		uint64_t unused;

		plan_extent_bytes(plan, i, &from.start, &unused, &from.count);
		plan_extent_bytes(plan, j, &unused, &to.start, &to.count);
		from.start += plan->source.start;
		to.start += plan->destination.start;
		if (range_overlaps(from, to))
			return true;
		if (from.start < to.start)
			i++;
		else
			j++;
	}
	return false;
}
