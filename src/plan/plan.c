/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Making a plan, and what follows from it. All arithmetic on positions is checked here once; who
 * obeys a plan may multiply and add its numbers freely.
 */
#include "plan/plan.h"

#include "base/array.h"
#include "discover/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

static int check_ends(const struct endpoint *source, const struct endpoint *destination,
		      struct error *reterr)
{
	if (source->kind == ENDPOINT_NONE)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL, "%s",
				 _("There is no source yet. Choose what to copy from."));
	if (destination->kind == ENDPOINT_NONE)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL, "%s",
				 _("There is no destination yet. Choose what to copy to."));
	if (source->logical_sector_size == 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EINVAL, "plan", source->node,
				 _("The sector size of the source %s is not known, so nothing can "
				   "be copied from it."),
				 source->node);
	if (source->size == 0)
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, -EINVAL, "plan", source->node,
			_("The source %s is empty or has no medium: there is nothing to copy."),
			source->node);
	return 0;
}

static int beyond_source(const struct endpoint *source, uint64_t start, uint64_t sectors,
			 struct error *reterr)
{
	uint32_t sector = source->logical_sector_size;

	return error_set_at(
		reterr, ERROR_CLASS_USAGE, -ERANGE, "plan", source->node, start, sectors,
		_("The range of %s sectors from LBA %llu ends beyond the source %s, which has %s. "
		  "Choose a range inside it."),
		UNITS_COUNT(sectors), (unsigned long long)start, source->node,
		UNITS_LONG(source->size, UNITS_SECTORS, sector));
}

static int beyond_addresses(const struct endpoint *destination, uint64_t start, uint64_t sectors,
			    struct error *reterr)
{
	return error_set_at(reterr, ERROR_CLASS_USAGE, -EOVERFLOW, "plan", destination->node, start,
			    sectors,
			    _("The destination would reach %s sectors from LBA %llu of %s: no disk "
			      "can be that large. Choose a lower destination LBA."),
			    UNITS_COUNT(sectors), (unsigned long long)start, destination->node);
}

/* Does [lba, lba + sectors) end within what a file offset can express, on the node and on
 * the disk that it lies on? */
static bool addressable(const struct endpoint *endpoint, uint64_t lba, uint64_t sectors,
			uint32_t sector, uint64_t *retend)
{
	uint64_t end, on_disk;

	if (!u64_add(lba, sectors, &end) || !u64_mul(end, sector, &end) ||
	    !u64_add(end, endpoint->start, &on_disk) || on_disk > INT64_MAX)
		return false;
	*retend = end;
	return true;
}

static int check_extent(const struct plan *plan, const struct extent *extent, struct error *reterr)
{
	const struct endpoint *source = &plan->source;
	uint32_t sector = source->logical_sector_size;
	struct range all = { 0, source->size / sector };
	uint64_t end;

	if (extent->sectors == 0)
		return error_set_at(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node,
			extent->source_lba, 0,
			_("The range at LBA %llu of %s is empty: there is nothing to copy."),
			(unsigned long long)extent->source_lba, source->node);
	if (!range_contains(all, (struct range){ extent->source_lba, extent->sectors }) ||
	    !addressable(source, extent->source_lba, extent->sectors, sector, &end))
		return beyond_source(source, extent->source_lba, extent->sectors, reterr);
	for (size_t i = 0; i < plan->destination_count; i++)
		if (!addressable(&plan->destinations[i], extent->destination_lba, extent->sectors,
				 sector, &end))
			return beyond_addresses(&plan->destinations[i], extent->destination_lba,
						extent->sectors, reterr);
	return 0;
}

/* Both were checked for themselves. */
static int check_order(const struct endpoint *source, const struct extent *before,
		       const struct extent *extent, struct error *reterr)
{
	if (extent->source_lba >= before->source_lba + before->sectors &&
	    extent->destination_lba >= before->destination_lba + before->sectors)
		return 0;
	return error_set_at(
		reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node, extent->source_lba,
		extent->sectors,
		_("The ranges at LBA %llu and LBA %llu of %s overlap or are out of order."),
		(unsigned long long)before->source_lba, (unsigned long long)extent->source_lba,
		source->node);
}

static void append(struct plan *plan, const struct extent *extent)
{
	struct extent *last = plan->extent_count ? &plan->extents[plan->extent_count - 1] : NULL;

	if (last && last->source_lba + last->sectors == extent->source_lba &&
	    last->destination_lba + last->sectors == extent->destination_lba)
		last->sectors += extent->sectors;
	else
		plan->extents[plan->extent_count++] = *extent;
	plan->chosen_sectors += extent->sectors;
}

static bool is_whole(const struct plan *plan)
{
	const struct extent *first = plan->extents;

	return plan->fitted.count == 0 && plan->extent_count == 1 && first->source_lba == 0 &&
	       first->destination_lba == 0 &&
	       first->sectors == plan->source.size / plan->sector_size &&
	       plan->source.size % plan->sector_size == 0;
}

static uint64_t size_after(const struct plan *plan)
{
	const struct endpoint *destination = &plan->destinations[0];
	const struct extent *last = &plan->extents[plan->extent_count - 1];
	uint64_t end = (last->destination_lba + last->sectors) * plan->sector_size;

	if (destination->kind != ENDPOINT_IMAGE)
		return destination->size;
	return end > destination->size ? end : destination->size;
}

static struct plan *allocate(size_t extents)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->extents = calloc(extents, sizeof(*plan->extents));
	if (!plan->extents) {
		free(plan);
		return NULL;
	}
	return plan;
}

static int take_extents(struct plan *plan, const struct extent *extents, size_t count,
			struct error *reterr)
{
	for (size_t i = 0; i < count; i++) {
		int error = check_extent(plan, &extents[i], reterr);

		if (error == 0 && i > 0)
			error = check_order(&plan->source, &extents[i - 1], &extents[i], reterr);
		if (error < 0)
			return error;
		append(plan, &extents[i]);
	}
	plan->total_sectors = plan->chosen_sectors;
	plan->whole = is_whole(plan);
	plan->destination_size_after = size_after(plan);
	return 0;
}

static int nothing_chosen(const struct endpoint *source, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node,
			 _("No range of %s is chosen: there is nothing to copy."), source->node);
}

static int take_free_places(struct plan *plan, const struct free_places *wanted, bool cut,
			    struct error *reterr)
{
	const char *node = plan->source.node;
	int r = free_places_take(wanted, plan, cut, &plan->free_places);

	if (r == -ENOMEM)
		return error_nomem(reterr);
	if (r < 0)
		return error_set(
			reterr, ERROR_CLASS_USAGE, r, "plan", node,
			_("The free places of %s overlap, or lie outside of what is copied."),
			node);
	if (plan_left_out(plan))
		plan->total_sectors -= range_list_total(plan_left_out(plan));
	return plan->total_sectors ? 0 : nothing_chosen(&plan->source, reterr);
}

void plan_take_fitted(struct plan *plan, struct fitted *fitted)
{
	uint32_t other = plan->destinations[0].logical_sector_size;

	fitted_done(&plan->fitted);
	plan->fitted = *fitted;
	*fitted = (struct fitted){ 0 };
	/* A map does not keep it: both ends are known. */
	plan->fitted.sector = plan->fitted.count && other && other != plan->sector_size ? other : 0;
	plan->whole = is_whole(plan);
}

int plan_follow(struct plan *plan, const struct plan *from)
{
	struct fitted fitted;

	plan->source.identity.modified = from->source.identity.modified;
	plan->source_time_differs = from->source_time_differs;
	text_copy(plan->source_writer, sizeof(plan->source_writer), from->source_writer);
	text_copy(plan->domain, sizeof(plan->domain), from->domain);
	if (fitted_copy(&from->fitted, &fitted) < 0)
		return -ENOMEM;
	plan_take_fitted(plan, &fitted);
	return 0;
}

int plan_fit(struct plan *plan, const struct extent *extents, size_t count, struct fitted *fitted,
	     struct error *reterr)
{
	struct extent *room = reallocarray(NULL, count, sizeof(*room));
	struct free_places *places = plan->free_places;
	int r;

	if (!room)
		return error_nomem(reterr);
	free(plan->extents);
	plan->extents = room;
	plan->extent_count = 0;
	plan->chosen_sectors = 0;
	plan->free_places = NULL;
	plan_take_fitted(plan, fitted);
	r = take_extents(plan, extents, count, reterr);
	if (r == 0)
		r = take_free_places(plan, places, true, reterr);
	free_places_drop(places);
	return r;
}

static int make(const struct endpoint *source, const struct endpoint *destination,
		const struct extent *extents, size_t count, const struct free_places *free_places,
		bool cut, const struct plan_options *options, struct plan **ret,
		struct error *reterr)
{
	int error = check_ends(source, destination, reterr);

	if (error == 0 && options)
		error = plan_options_check(options, source, destination, reterr);
	if (error < 0)
		return error;
	if (count == 0)
		return nothing_chosen(source, reterr);

	struct plan *plan = allocate(count);

	if (!plan)
		return error_nomem(reterr);
	plan->source = *source;
	plan->destinations[plan->destination_count++] = *destination;
	plan->sector_size = source->logical_sector_size;
	if (options)
		plan->options = *options;
	if (plan->options.table == TABLE_KEEP &&
	    (plan->options.grow || plan->options.places[0].number))
		plan->options.table = TABLE_FIT;
	/* Only SCSI commands reach a disk without a block node. */
	if (endpoint_is_sg_only(source) && plan->options.source_backend == BACKEND_AUTO)
		plan->options.source_backend = BACKEND_SG;
	error = take_extents(plan, extents, count, reterr);
	if (error == 0)
		error = take_free_places(plan, free_places, cut, reterr);
	if (error < 0) {
		plan_destroy(plan);
		return error;
	}
	*ret = plan;
	return 0;
}

int plan_from_extents(const struct endpoint *source, const struct endpoint *destination,
		      const struct extent *extents, size_t count,
		      const struct free_places *free_places, const struct plan_options *options,
		      struct plan **ret, struct error *reterr)
{
	return make(source, destination, extents, count, free_places, false, options, ret, reterr);
}

/* The whole source as one range, which must be all of it: a last part of a sector would be
 * left out in silence. */
static int everything(const struct endpoint *source, struct range *ret, struct error *reterr)
{
	uint32_t sector = source->logical_sector_size;

	if (source->size % sector != 0)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node,
				 _("The source %s has %s bytes, which is no multiple of its "
				   "sectors of %u bytes. Pad it with zeros (truncate -s %%%u), or "
				   "choose a range of whole sectors."),
				 source->node, UNITS_COUNT(source->size), sector, sector);
	*ret = (struct range){ 0, source->size / sector };
	return 0;
}

/* One extent for each of the ascending ranges. */
static int place_ranges(const struct endpoint *destination, const struct range *ranges,
			size_t count, const uint64_t *destination_lba, struct extent *extents,
			struct error *reterr)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t place = ranges[i].start;

		if (destination_lba &&
		    !u64_add(*destination_lba, ranges[i].start - ranges[0].start, &place))
			return beyond_addresses(destination, *destination_lba, ranges[i].count,
						reterr);
		extents[i] = (struct extent){ ranges[i].start, place, ranges[i].count };
	}
	return 0;
}

int plan_new(const struct endpoint *source, const struct endpoint *destination,
	     const struct range_list *ranges, const uint64_t *destination_lba,
	     const struct free_places *free_places, const struct plan_options *options,
	     struct plan **ret, struct error *reterr)
{
	struct range whole = { 0 };
	const struct range *items = ranges ? ranges->items : &whole;
	size_t count = ranges ? ranges->count : 1;
	int error = check_ends(source, destination, reterr);

	if (error == 0 && !ranges)
		error = everything(source, &whole, reterr);
	if (error < 0)
		return error;

	struct extent *extents = calloc(count ? count : 1, sizeof(*extents));

	if (!extents)
		return error_nomem(reterr);
	error = place_ranges(destination, items, count, destination_lba, extents, reterr);
	if (error == 0 && options && (ranges || (destination_lba && *destination_lba)) &&
	    plan_options_make_table(options))
		error = error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node, "%s",
				  _("A table is made to fit only where all of a disk is copied, "
				    "to the same places: leave out ranges and a destination LBA, "
				    "or keep the table."));
	if (error == 0)
		error = make(source, destination, extents, count, free_places, true, options, ret,
			     reterr);
	free(extents);
	return error;
}

uint64_t plan_bytes_left_out(const struct plan *plan, size_t *retareas)
{
	uint64_t left = 0, pos = 0;

	*retareas = 0;
	for (size_t i = 0; i <= plan->extent_count; i++) {
		struct extent_bytes e = { .source = plan->source.size };

		if (i < plan->extent_count)
			e = plan_extent_bytes(plan, i);
		if (e.source > pos) {
			left += e.source - pos;
			++*retareas;
		}
		pos = e.source + e.length;
	}
	return left;
}

int plan_copy(const struct plan *plan, struct plan **ret)
{
	struct plan *copy = malloc(sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	*copy = *plan;
	copy->extents = array_copy(plan->extents, plan->extent_count);
	if (!copy->extents || fitted_copy(&plan->fitted, &copy->fitted) < 0) {
		free(copy->extents);
		free(copy);
		return -ENOMEM;
	}
	copy->free_places = free_places_share(plan->free_places);
	*ret = copy;
	return 0;
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	free(plan->extents);
	free_places_drop(plan->free_places);
	fitted_done(&plan->fitted);
	free(plan);
}

uint64_t plan_bytes(const struct plan *plan)
{
	return plan->total_sectors * plan->sector_size;
}

uint64_t plan_chosen_bytes(const struct plan *plan)
{
	return plan->chosen_sectors * plan->sector_size;
}

uint64_t plan_bytes_left_alone(const struct plan *plan)
{
	const struct endpoint *destination = &plan->destinations[0];
	uint64_t left = destination->size;

	if (!destination->exists)
		return 0;
	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);
		struct range taken;

		/* What is added to a file had no contents before. */
		if (range_intersect((struct range){ e.destination, e.length },
				    (struct range){ 0, destination->size }, &taken))
			left -= taken.count;
	}
	return left;
}

bool plan_arms_last(const struct plan *plan)
{
	return (plan->whole || plan->options.table != TABLE_KEEP) && !plan->options.arm_at_once &&
	       plan->source.kind != ENDPOINT_PARTITION &&
	       plan->destinations[0].kind == ENDPOINT_DISK;
}

bool plan_probes(const struct plan *plan, const struct disk *destination)
{
	if (plan->destinations[0].kind == ENDPOINT_IMAGE || plan->options.probe == PROBE_NO)
		return false;
	if (plan->options.probe == PROBE_YES)
		return true;
	return destination &&
	       (destination->removable == YES || !strcmp(destination->transport, "usb") ||
		!strcmp(destination->transport, "mmc"));
}

enum rolling_how plan_rolling(const struct plan *plan, const struct disk *destination)
{
	if (plan->options.verify == VERIFY_ROLLING)
		return ROLLING_ASKED;
	if (plan->options.verify != VERIFY_DIGEST || plan->destinations[0].kind == ENDPOINT_IMAGE ||
	    plan_same_disk(plan))
		return ROLLING_NO;
	return destination && destination->rotational == NO ? ROLLING_SPARE : ROLLING_NO;
}

size_t plan_extent_from(const struct plan *plan, uint64_t source)
{
	size_t behind = array_first(plan->extent_count, i,
				    plan->extents[i].source_lba > source / plan->sector_size);

	return behind ? behind - 1 : 0;
}

struct extent_bytes plan_extent_bytes(const struct plan *plan, size_t i)
{
	const struct extent *extent = &plan->extents[i];

	return (struct extent_bytes){
		.source = extent->source_lba * plan->sector_size,
		.destination = extent->destination_lba * plan->sector_size,
		.length = extent->sectors * plan->sector_size,
	};
}

bool plan_extent_at(const struct plan *plan, uint64_t source, struct extent_bytes *ret)
{
	if (plan->extent_count == 0)
		return false;
	*ret = plan_extent_bytes(plan, plan_extent_from(plan, source));
	return source >= ret->source && source - ret->source < ret->length;
}

uint64_t plan_destination_end(const struct plan *plan)
{
	uint64_t end = 0;

	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (e.destination + e.length > end)
			end = e.destination + e.length;
	}
	return end;
}

/* ---- both ends on one disk ---- */

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
	const struct endpoint *b = &plan->destinations[0];

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
		struct extent_bytes a = plan_extent_bytes(plan, i), b = plan_extent_bytes(plan, j);
		struct range from = { plan->source.start + a.source, a.length };
		struct range to = { plan->destinations[0].start + b.destination, b.length };

		if (range_overlaps(from, to))
			return true;
		if (from.start < to.start)
			i++;
		else
			j++;
	}
	return false;
}

static bool partition_holds(const struct partition *p, uint64_t lba)
{
	return !p->extended && lba >= p->start && lba - p->start < p->sectors;
}

unsigned plan_partition_at(const struct plan *plan, const struct disk *disk, uint64_t lba)
{
	if (plan->source.kind == ENDPOINT_PARTITION)
		return plan->source.partition;
	for (size_t i = 0; disk && i < disk->partition_count; i++)
		if (partition_holds(&disk->partitions[i], lba))
			return disk->partitions[i].number;
	return 0;
}
