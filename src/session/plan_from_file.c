/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/plan_from_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/saved_tables.h"
#include "report/mask.h"
#include "report/report.h"
#include "session/ends.h"

/* ---- a map to go on from ---- */

/* The map will be saved often: find out now if that is not possible. */
static int check_writable(const char *map_path, struct error *reterr)
{
	if (access(map_path, W_OK) == 0)
		return 0;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "resume", map_path,
			 _("The map %s cannot be written (%s), so the copy could not be resumed "
			   "another time. Copy it to a writable place."),
			 map_path, error_phrase(errno));
}

/* One that is gone for good has left its tables, if they were saved beside the map: with them the
 * copy can be ended, and the guard asks for that (rule source-gone). */
static int find_source(const struct disk_list *disks, const struct plan *recorded,
		       const char *map_path, struct endpoint *ret, struct held *retheld,
		       struct error *reterr)
{
	char path[PATH_MAX];
	int r = ends_find(disks, &recorded->source, &recorded->destinations[0], false, ret, reterr);

	if (r != -ENODEV && r != -ENOENT)
		return r;
	saved_tables_path(map_path, path);
	if (saved_tables_load(path, recorded, NULL, NULL, retheld, NULL) < 0)
		return r;
	*ret = recorded->source;
	endpoint_set_gone(ret);
	return 0;
}

static int load_ours(const struct wish *wish, const struct disk_list *disks, struct loaded *ret,
		     struct error *reterr)
{
	const char *map_path = wish->map;
	CLEANUP(plan) struct plan *recorded = NULL;
	CLEANUP(map) struct map *map = NULL;
	struct endpoint source, destination;
	int r = map_load(map_path, &map, &recorded, reterr);

	if (r < 0)
		return r;
	if (!recorded)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "resume", map_path,
				 _("The map %s does not name its disks: another program made it. "
				   "Name them with -s and -d."),
				 map_path);
	r = check_writable(map_path, reterr);
	if (r == 0)
		r = find_source(disks, recorded, map_path, &source, &ret->held, reterr);
	if (r == 0)
		r = ends_find(disks, &recorded->destinations[0], &recorded->source, true,
			      &destination, reterr);
	if (r == 0 && wish->rescue)
		plan_options_merge(&recorded->options, wish->rescue, wish->given);
	if (r == 0)
		r = plan_from_extents(&source, &destination, recorded->extents,
				      recorded->extent_count, recorded->free_places,
				      &recorded->options, &ret->plan, reterr);
	if (r < 0)
		return r;
	if (plan_follow(ret->plan, recorded) < 0)
		return error_nomem(reterr);
	ret->resume = cleanup_steal(map);
	return 0;
}

/* A new image has nothing of what the map calls finished. */
static int check_exists(const struct endpoint *destination, const char *map_path,
			struct error *reterr)
{
	if (destination->kind != ENDPOINT_IMAGE || destination->exists)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -ENOENT, "resume", map_path,
			 _("%s does not exist, so nothing of it can be finished as the map says."),
			 destination->node);
}

/* ddrescue's map of a disk is as long as the disk; if ddrescue did not know the size, it ends here
 * or later, with a non-tried block. */
#define NO_DISK (1ULL << 60)

static int check_size(const struct map *map, const struct endpoint *source, const char *map_path,
		      struct error *reterr)
{
	struct map_block block = { 0 };
	uint64_t end = 0;

	while (map_at(map, end, &block))
		end = block.start + block.size;
	if (end == source->size ||
	    (end >= NO_DISK && block.status == MAP_NON_TRIED && block.start <= source->size))
		return 0;
	if (end > source->size)
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ERANGE, "resume", map_path,
			_("The map %s goes beyond the end of %s: it belongs to a larger disk."),
			map_path, source->node);
	return error_set(
		reterr, ERROR_CLASS_REFUSED, -ERANGE, "resume", map_path,
		_("The map %s ends before %s does: it belongs to a smaller disk, or was cut off."),
		map_path, source->node);
}

static int load_other(const struct wish *wish, struct loaded *ret, struct error *reterr)
{
	CLEANUP(plan) struct plan *recorded = NULL;
	CLEANUP(map) struct map *map = NULL;
	int r = map_load(wish->map, &map, &recorded, reterr);

	if (r == 0 && recorded)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "resume", wish->map,
				 _("The map %s names its disks itself: leave out -s and -d."),
				 wish->map);
	if (r == 0)
		r = check_writable(wish->map, reterr);
	if (r == 0)
		r = check_size(map, &wish->source, wish->map, reterr);
	if (r == 0)
		r = check_exists(&wish->destination, wish->map, reterr);
	if (r == 0)
		r = plan_new(&wish->source, &wish->destination, NULL, NULL, NULL, &wish->options,
			     &ret->plan, reterr);
	if (r == 0)
		ret->resume = cleanup_steal(map);
	return r;
}

static int load_resume(struct wish *wish, const struct disk_list *disks, struct loaded *ret,
		       struct error *reterr)
{
	char named[sizeof(wish->map)];

	text_copy(named, sizeof(named), wish->map);
	(void)file_follow(named, wish->map, sizeof(wish->map));
	return wish->ends ? load_other(wish, ret, reterr) : load_ours(wish, disks, ret, reterr);
}

/* ---- a domain ---- */

/* Adds the whole sectors of a range that the map calls finished. */
static int add_finished(const struct map *map, struct range range, uint32_t sector,
			struct range_list *ret)
{
	uint64_t pos = range.start * sector, end = (range.start + range.count) * sector, from;
	struct map_block block;

	for (; pos < end && map_next(map, pos, MAP_FINISHED, &block) && block.start < end;
	     pos = block.start + block.size) {
		uint64_t low = block.start > pos ? block.start : pos;
		uint64_t high = block.start + block.size < end ? block.start + block.size : end;
		int r = 0;

		if (u64_align_up(low, sector, &from) && from < high)
			r = range_list_add(ret, (struct range){ from / sector,
								high / sector - from / sector });
		if (r < 0)
			return r;
	}
	return 0;
}

/* Reduces the ranges (none: everything) to what is finished in the domain. */
static int restrict_ranges(struct wish *wish, struct error *reterr)
{
	CLEANUP(map) struct map *map = NULL;
	struct range_list left = { 0 }, *ranges = &wish->ranges;
	uint32_t sector = wish->source.logical_sector_size;
	int r = map_load(wish->domain, &map, NULL, reterr);

	if (r < 0)
		return r;
	if (ranges->count == 0)
		r = range_list_add(ranges, (struct range){ 0, wish->source.size / sector });
	for (size_t i = 0; r == 0 && i < ranges->count; i++)
		r = add_finished(map, ranges->items[i], sector, &left);
	if (r < 0) {
		range_list_done(&left);
		return error_nomem(reterr);
	}
	range_list_done(ranges);
	*ranges = left;
	if (left.count == 0)
		return error_set(reterr, ERROR_CLASS_USAGE, -ENODATA, "plan", wish->domain,
				 _("Nothing of what is to be copied is in the domain %s."),
				 wish->domain);
	return 0;
}

static int load_domain(struct wish *wish, struct loaded *ret, struct error *reterr)
{
	/* Without a sector size there are no ranges; the plan says why there is none. */
	bool known = wish->source.logical_sector_size != 0;
	int r = known ? restrict_ranges(wish, reterr) : 0;

	if (r == 0)
		r = plan_new(&wish->source, &wish->destination,
			     wish->ranges.count ? &wish->ranges : NULL,
			     wish->moved ? &wish->destination_lba : NULL, NULL, &wish->options,
			     &ret->plan, reterr);
	if (r == 0)
		text_copy(ret->plan->domain, sizeof(ret->plan->domain), wish->domain);
	return r;
}

/* ---- a report ---- */

/* In a masked identity, only the part that is shown can be compared. */
static bool same_disk(const struct recorded_copy *recorded, const struct endpoint *destination)
{
	const struct endpoint *was = &recorded->plan->destinations[0];
	struct identity identity = destination->identity;

	if (recorded->masked)
		report_mask_identity(&identity);
	return was->kind == destination->kind && was->size == destination->size &&
	       was->start == destination->start && was->identity.nsid == identity.nsid &&
	       strcmp(was->identity.serial, identity.serial) == 0 &&
	       strcmp(was->identity.model, identity.model) == 0 &&
	       strcmp(was->identity.wwn, identity.wwn) == 0;
}

static int check_destination(const struct recorded_copy *recorded,
			     const struct endpoint *destination, const char *path,
			     struct error *reterr)
{
	const struct endpoint *was = &recorded->plan->destinations[0];
	bool image = was->kind == ENDPOINT_IMAGE || destination->kind == ENDPOINT_IMAGE;
	const struct extent *last = &recorded->plan->extents[recorded->plan->extent_count - 1];
	uint64_t end = (last->destination_lba + last->sectors) * recorded->plan->sector_size;

	if (destination->size < end)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ENOSPC, "verify", destination->node,
				 _("%s is smaller than the copy in %s: it cannot be that copy."),
				 destination->node, path);
	if (!image && !same_disk(recorded, destination))
		return error_set(reterr, ERROR_CLASS_REFUSED, -ENXIO, "verify", destination->node,
				 _("%s is not the disk of %s: that was %s, serial number %s."),
				 destination->node, path, was->node,
				 was->identity.serial[0] ? was->identity.serial : _("none"));
	return 0;
}

static int load_report(const struct wish *wish, struct loaded *ret, struct error *reterr)
{
	struct plan_options options = { .retries = PLAN_RETRIES_DEFAULT,
					.checksums = wish->options.checksums };
	struct recorded_copy *recorded = &ret->recorded;
	struct report_reference reference;
	int r = report_reference(wish->report, &reference, reterr);

	if (r == 0)
		r = recorded_copy_load(reference.list, recorded, reterr);
	if (r < 0)
		return r;
	if (strcmp(recorded->id, reference.plan_id) != 0)
		return error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "verify", reference.list,
			_("The list of digests %s belongs to another copy than the report %s."),
			reference.list, wish->report);
	r = check_destination(recorded, &wish->destination, wish->report, reterr);
	options.free = recorded->plan->options.free;
	if (r == 0)
		r = plan_from_extents(&recorded->plan->source, &wish->destination,
				      recorded->plan->extents, recorded->plan->extent_count,
				      recorded->plan->free_places, &options, &ret->plan, reterr);
	return r;
}

int load_plan(struct wish *wish, const struct disk_list *disks, struct loaded *ret,
	      struct error *reterr)
{
	if (plan_options_make_table(&wish->options) &&
	    (wish->domain[0] || (wish->map[0] && wish->ends)))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", wish->map, "%s",
				 _("A table is made to fit only in a new copy of a whole disk, "
				   "without a map of another program."));
	if (wish->map[0])
		return load_resume(wish, disks, ret, reterr);
	if (wish->report[0])
		return load_report(wish, ret, reterr);
	return load_domain(wish, ret, reterr);
}

void loaded_done(struct loaded *loaded)
{
	plan_destroy(loaded->plan);
	map_destroy(loaded->resume);
	held_done(&loaded->held);
	recorded_copy_done(&loaded->recorded);
	*loaded = (struct loaded){ 0 };
}

/* ---- maps for others ---- */

/* As far as discovery looks from the ends of a disk or partition. */
#define EDGE (8ULL << 20)

static bool is_at_edge(const struct disk *disk, struct range place, uint64_t start,
		       uint64_t sectors)
{
	uint64_t edge = EDGE / disk->identity.logical_sector_size;
	uint64_t end = start + sectors;

	return place.start < end && place.start + place.count > start &&
	       (place.start < start + edge || place.start + place.count + edge > end);
}

static bool may_be_looked_at(const struct disk *disk, struct range place)
{
	if (!disk || is_at_edge(disk, place, 0, disk_sectors(disk)))
		return true;
	for (size_t i = 0; i < disk->partition_count; i++)
		if (is_at_edge(disk, place, disk->partitions[i].start, disk->partitions[i].sectors))
			return true;
	return false;
}

int load_bad(const struct map *map, const struct disk *disk, const struct endpoint *source,
	     struct range_list *ret)
{
	static const enum map_status statuses[] = { MAP_BAD, MAP_NON_SCRAPED, MAP_NON_TRIMMED };
	uint32_t sector = source->logical_sector_size;
	uint64_t first = source->start / sector;
	struct map_block block;
	int r = 0;

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		for (uint64_t pos = 0; r == 0 && map_next(map, pos, statuses[i], &block);
		     pos = block.start + block.size) {
			struct range place = { first + block.start / sector,
					       (block.size + sector - 1) / sector };

			if (may_be_looked_at(disk, place))
				r = range_list_add(ret, place);
		}
	if (r < 0)
		range_list_done(ret);
	return r;
}
