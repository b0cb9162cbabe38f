/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about which disk is which. */
#include <string.h>

#include "base/i18n.h"
#include "guard/rules_private.h"

void rule_source_gone(const struct rule_context *c, struct verdict *ret)
{
	ret->liftable = c->source->gone[0] && !c->source_disk;
	if (ret->liftable && c->source->kind == ENDPOINT_IMAGE)
		rule_say(
			ret, VERDICT_REFUSE,
			_("The source %s does not exist any more, or its disk is not attached. If "
			  "it is lost: only its tables, boot sectors and superblocks are written, "
			  "as they were saved at the start, and what was not read of it stays out. "
			  "To accept that: --allow source-gone."),
			c->source_name);
	else if (ret->liftable)
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is not attached. If it is lost: only its tables, boot "
			   "sectors and superblocks are written, as they were saved at the start, "
			   "and what was not read of it stays out. To accept that: --allow "
			   "source-gone."),
			 c->source_name);
	else if (c->source->gone[0])
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is attached again. Resume again, and it is read."),
			 c->source_name);
	else if (endpoint_is_device(c->source) && !c->source_disk)
		rule_say(ret, VERDICT_REFUSE,
			 _("The source %s is no longer attached, or another disk is in its place. "
			   "Look at the list of disks again."),
			 c->source_name);
}

void rule_destination_gone(const struct rule_context *c, struct verdict *ret)
{
	if (endpoint_is_device(c->destination) && !c->destination_disk)
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is no longer attached, or another disk is in its "
			   "place. Look at the list of disks again."),
			 c->destination_name);
}

static bool same_device(const struct rule_context *c)
{
	if (!endpoint_is_device(c->source) || !endpoint_is_device(c->destination))
		return false;
	if (c->source->devno == c->destination->devno)
		return true;
	return c->source->kind == ENDPOINT_DISK && c->destination->kind == ENDPOINT_DISK &&
	       c->source_disk && c->source_disk == c->destination_disk;
}

/* Every sector onto itself. */
static bool in_place(const struct plan *plan)
{
	for (size_t i = 0; i < plan->extent_count; i++)
		if (plan->extents[i].source_lba != plan->extents[i].destination_lba)
			return false;
	return true;
}

void rule_source_is_destination(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (c->facts->same_storage)
		rule_say(
			ret, VERDICT_REFUSE,
			_("%s and %s lead to the same file or device. Choose another destination."),
			c->source->node, c->destination->node);
	else if (same_device(c) && plan_overlaps_itself(plan) && in_place(plan))
		rule_say(ret, VERDICT_REFUSE,
			 _("Source and destination are the same device, %s. Choose another "
			   "destination."),
			 c->destination_name);
}

void rule_same_disk_overlap(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;

	if (c->facts->same_storage || !plan_overlaps_itself(plan))
		return;
	if (!same_device(c))
		rule_say(ret, VERDICT_REFUSE,
			 _("%s would be read and overwritten in the same place: %s and %s overlap "
			   "on that disk."),
			 c->destination->disk_node[0] ? c->destination->disk_node
						      : c->destination->node,
			 c->source->node, c->destination_name);
	else if (!in_place(plan))
		rule_say(ret, VERDICT_REFUSE,
			 _("What is read of %s and what is written to it overlap. Let the first "
			   "range start at another LBA of the destination (--at), or choose "
			   "shorter ranges."),
			 c->destination_name);
}

void rule_same_wwn(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *a = c->source_disk, *b = c->destination_disk;

	if (!a || !b || a == b || !a->identity.wwn[0])
		return;
	if (strcmp(a->identity.wwn, b->identity.wwn) == 0)
		rule_say(ret, VERDICT_REFUSE,
			 _("%s and %s have the same WWN, %s: most likely they are one disk reached "
			   "by two paths. Only if you can see two disks: --allow same-wwn."),
			 a->node, b->node, a->identity.wwn);
}

/* Loop devices and the like have model names that say nothing. */
static bool has_model(const struct disk *disk)
{
	return disk->identity.model[0] && disk->kind != DISK_LOOP && disk->kind != DISK_RAM &&
	       disk->kind != DISK_DM && disk->kind != DISK_MD;
}

void rule_same_model(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *destination = c->destination_disk;
	const struct disk_list *disks = c->facts->disks;
	char list[RULE_LIST_MAX] = "", one[RULE_NAME_MAX], name[RULE_NAME_MAX];
	bool same_serial = false; /* or neither has one */

	if (!destination || !has_model(destination))
		return;
	for (size_t i = 0; i < disks->count; i++) {
		const struct disk *disk = &disks->disks[i];

		if (disk == destination || !has_model(disk) ||
		    strcmp(disk->identity.model, destination->identity.model) != 0)
			continue;
		rule_list_add(list, "%s", rule_disk_name(disk, one));
		if (strcmp(disk->identity.serial, destination->identity.serial) == 0)
			same_serial = true;
	}
	if (list[0])
		rule_say(ret, VERDICT_WARN,
			 same_serial ? _("The same model %s as the destination %s is attached more "
					 "than once: %s. No serial number tells them apart: "
					 "compare size, WWN and connector.")
				     : _("The same model %s as the destination %s is attached more "
					 "than once: %s. Compare the serial numbers with the "
					 "labels on the disks."),
			 destination->identity.model, rule_disk_name(destination, name), list);
}

void rule_destination_serial(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *destination = c->destination_disk;

	if (!destination)
		return;
	if (!destination->identity.serial[0])
		rule_say(ret, VERDICT_WARN,
			 _("%s reports no serial number, so nothing on its label proves that it is "
			   "the right disk. Check size, model and connector; its full path "
			   "confirms it."),
			 destination->node);
	else if (destination->shares_serial && destination->identity.nsid)
		rule_say(ret, VERDICT_WARN,
			 _("%s is name space %u of a controller that gives the serial number %s to "
			   "others as well. Check its size and contents; the full path confirms "
			   "it."),
			 destination->node, destination->identity.nsid,
			 destination->identity.serial);
	else if (destination->shares_serial)
		rule_say(ret, VERDICT_WARN,
			 _("Another attached disk reports the serial number %s of %s too, as some "
			   "USB bridges do. Check the connector; the full path confirms it."),
			 destination->identity.serial, destination->node);
	else
		rule_say(ret, VERDICT_OK,
			 _("%s is known by its serial %s and is checked again before the first "
			   "write"),
			 destination->node, destination->identity.serial);
}

void rule_destination_on_source(const struct rule_context *c, struct verdict *ret)
{
	const struct guard_place *below = &c->facts->destination_below;

	if (!c->destination_disk)
		return;
	/* A file on the source is another matter: see image-on-source-disk. */
	if (c->destination_disk->kind == DISK_LOOP ? facts_made_of(below, c->source)
						   : facts_place_on(below, c->source))
		rule_say(ret, VERDICT_REFUSE,
			 _("The destination %s is made of the source %s: what is read would be "
			   "overwritten on the way."),
			 c->destination->node, c->source_name);
}

/* The n-th disk that an end is on: its own, then those below; NULL after the last. */
static const char *nth_disk(const struct endpoint *endpoint, const struct guard_place *below,
			    size_t n)
{
	if (n == 0)
		return endpoint->disk_node;
	return n <= below->below_count ? below->below[n - 1].disk : NULL;
}

/* The first disk below both ends: two logical volumes on one disk, or one and its disk. NULL when
 * there is none, or when files lie between: see image-on-source-disk. */
static const char *shared_disk(const struct rule_context *c)
{
	const struct guard_place *from = &c->facts->source_below;
	const struct guard_place *to = &c->facts->destination_below;
	const char *a, *b;

	if (!c->source_disk || c->source_disk->kind == DISK_LOOP || !c->destination_disk ||
	    c->destination_disk->kind == DISK_LOOP)
		return NULL;
	for (size_t i = 0; (a = nth_disk(c->source, from, i)); i++)
		for (size_t j = 0; (b = nth_disk(c->destination, to, j)); j++)
			if (strcmp(a, b) == 0)
				return a;
	return NULL;
}

void rule_same_physical_disk(const struct rule_context *c, struct verdict *ret)
{
	const struct plan *plan = c->plan;
	const struct disk *a = c->source_disk, *b = c->destination_disk;
	const char *shared = shared_disk(c);

	if (plan_overlaps_itself(plan) || c->facts->same_storage)
		return;
	if (plan_same_disk(plan))
		rule_say(ret, VERDICT_WARN,
			 _("Source and destination are on one disk, %s: reading and writing share "
			   "it, and a failing disk takes both with it."),
			 c->destination->disk_node[0] ? c->destination->disk_node
						      : c->destination->node);
	else if (a && b && a != b && a->physical_parent[0] &&
		 strcmp(a->physical_parent, b->physical_parent) == 0)
		rule_say(ret, VERDICT_WARN,
			 _("%s and %s are parts of one physical device: the copy is slow there, "
			   "and a failing device takes both with it."),
			 a->node, b->node);
	else if (shared)
		rule_say(ret, VERDICT_WARN,
			 _("Source and destination both lie on %s: reading and writing share it, "
			   "and a failing disk takes both with it."),
			 shared);
}

/* The first array, of an end or below it, that runs without some of its disks; NULL: none. */
static const struct disk *degraded_array(const struct rule_context *c,
					 const struct endpoint *endpoint,
					 const struct guard_place *below)
{
	const struct disk *disk;
	const char *node;

	for (size_t i = 0; (node = nth_disk(endpoint, below, i)); i++) {
		disk = disk_list_find(c->facts->disks, node);
		if (disk && disk->missing_members > 0)
			return disk;
	}
	return NULL;
}

void rule_degraded_array(const struct rule_context *c, struct verdict *ret)
{
	const struct disk *array = degraded_array(c, c->destination, &c->facts->destination_below);

	if (!array)
		array = degraded_array(c, c->source, &c->facts->source_below);
	if (array)
		rule_say(ret, VERDICT_WARN,
			 _("Disks that are missing from the array %s: %u. If another one fails, "
			   "everything on it may be lost."),
			 array->node, array->missing_members);
}
