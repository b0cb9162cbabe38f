/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/recorded_copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "map/map_plan.h"
#include "digest/list.h"

struct loader {
	struct map_plan_reader *reader;
	bool masked;
};

static int plan_line(void *user, const char *line, const char **retwhy)
{
	struct loader *loader = user;

	if (strcmp(line, MAP_MASKED_LINE) != 0)
		return map_plan_read_line(loader->reader, line, retwhy);
	map_plan_expect_masked(loader->reader);
	loader->masked = true;
	return 0;
}

int recorded_map(const struct plan *plan, const struct range_list *left_out, struct map **ret,
		 struct error *reterr)
{
	static const struct range_list none;
	const struct range_list *places = plan_left_out(plan);
	uint32_t sector = plan->sector_size;
	struct range_list bad = { 0 };
	struct plan_walk walk = { 0 };
	struct extent part;
	int r = map_new(plan, ret, NULL);

	while (r == 0 && plan_walk(plan, &walk, &part))
		r = map_set(*ret, part.source_lba * sector, part.sectors * sector, MAP_FINISHED);
	/* Free places that are left out are not in the map at all. */
	if (r == 0)
		r = range_list_without(left_out, places ? places : &none, &bad);
	for (size_t i = 0; r == 0 && i < bad.count; i++)
		r = map_set(*ret, bad.items[i].start * sector, bad.items[i].count * sector,
			    MAP_BAD);
	range_list_done(&bad);
	return r < 0 ? error_nomem(reterr) : 0;
}

static int make(const struct digest_list *list, struct map_plan_reader *reader, const char *path,
		struct recorded_copy *ret, struct error *reterr)
{
	int r;

	if (!map_plan_present(reader))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "load", path,
				 _("The list of digests %s names no plan."), path);
	r = map_plan_finish(reader, path, &ret->plan, reterr);
	if (r == 0)
		r = digests_fill(list, ret->plan, path, &ret->digests, reterr);
	if (r < 0)
		return r;
	text_copy(ret->id, sizeof(ret->id), map_plan_recorded_id(reader));
	return recorded_map(ret->plan, &list->left_out, &ret->map, reterr);
}

int recorded_copy_load(const char *path, struct recorded_copy *ret, struct error *reterr)
{
	struct loader loader = { .reader = map_plan_reader_new(NULL) };
	struct digest_list list;
	int r;

	*ret = (struct recorded_copy){ 0 };
	if (!loader.reader)
		return error_nomem(reterr);
	r = digest_list_load(path, plan_line, &loader, &list, reterr);
	if (r == 0) {
		ret->masked = loader.masked;
		r = make(&list, loader.reader, path, ret, reterr);
		digest_list_done(&list);
	}
	map_plan_reader_destroy(loader.reader);
	if (r < 0)
		recorded_copy_done(ret);
	return r;
}

void recorded_copy_done(struct recorded_copy *recorded)
{
	map_destroy(recorded->map);
	digests_destroy(recorded->digests);
	plan_destroy(recorded->plan);
	*recorded = (struct recorded_copy){ 0 };
}

/* ---- the digests of a copy that is not finished, beside its map ---- */

#define MAP_ENDING ".map"

void map_name_beside(const char *map_path, const char *ending, char path[static PATH_MAX])
{
	size_t length = strlen(map_path), own = strlen(MAP_ENDING);

	if (length > own && strcmp(map_path + length - own, MAP_ENDING) == 0 &&
	    map_path[length - own - 1] != '/')
		length -= own;
	/* A name that is too long cannot be opened either. */
	if (snprintf(path, PATH_MAX, "%.*s%s", (int)length, map_path, ending) >= PATH_MAX)
		path[0] = '\0';
}

void partial_digests_path(const char *map_path, char path[static PATH_MAX])
{
	map_name_beside(map_path, ".digests", path);
}

/* The part of [pos, end), from pos on, that is finished, or that is not. */
static bool run_at(const struct map *map, uint64_t pos, uint64_t end, uint64_t *retend)
{
	struct map_block block;
	bool finished = false;

	*retend = end;
	if (!map_at(map, pos, &block) || block.start >= end)
		return false;
	if (block.start > pos) {
		*retend = block.start;
		return false;
	}
	finished = block.status == MAP_FINISHED;
	if (block.start + block.size < end)
		*retend = block.start + block.size;
	return finished;
}

uint64_t region_finished_bytes(const struct map *map, const struct digest_region *region)
{
	uint64_t end = region->source + region->length, bytes = 0, to;

	for (uint64_t pos = region->source; pos < end; pos = to)
		if (run_at(map, pos, end, &to))
			bytes += to - pos;
	return bytes;
}

static int leave_out(struct range_list *left_out, const struct map *map,
		     const struct digest_region *region, uint32_t sector, bool all)
{
	uint64_t end = region->source + region->length, to;
	int r = 0;

	for (uint64_t pos = region->source; r == 0 && pos < end; pos = to)
		if (!run_at(map, pos, end, &to) || all)
			r = range_list_add(left_out,
					   (struct range){ pos / sector, (to - pos) / sector });
	return r;
}

/* Returns the number of regions with a known digest, or -ENOMEM. */
static int sort_out(struct digests *digests, const struct map *map, uint32_t sector,
		    struct range_list *left_out)
{
	int known = 0;

	for (size_t i = 0; i < digests_count(digests); i++) {
		uint64_t taken = digests_sum(digests, i).sectors;

		struct digest_region region = digests_region(digests, i);

		bool right = taken == region_finished_bytes(map, &region) / sector;

		if (!right)
			digests_clear(digests, i);
		if (leave_out(left_out, map, &region, sector, !right) < 0)
			return -ENOMEM;
		known += right && taken > 0;
	}
	return known;
}

int digests_save_with_plan(const struct digests *digests, const struct plan *plan,
			   const char *masked_id, const struct range_list *left_out,
			   const char *path, struct file_timeout *timeout, struct error *reterr)
{
	CLEANUP(free) char *lines = NULL;
	struct text_stream stream;

	if (text_stream_begin(&stream)) {
		map_plan_print(plan, masked_id, stream.out);
		lines = text_stream_end(&stream);
	}
	return lines ? digest_list_save(digests, plan->sector_size, lines, left_out, path, timeout,
					reterr)
		     : error_nomem(reterr);
}

int partial_digests_save(struct digests *digests, const struct plan *plan, const char *masked_id,
			 const struct map *map, const char *path, struct file_timeout *timeout,
			 struct error *reterr)
{
	struct range_list left_out = { 0 };
	int known = sort_out(digests, map, plan->sector_size, &left_out), r = 0;

	if (known < 0)
		r = error_nomem(reterr);
	else if (known > 0)
		r = digests_save_with_plan(digests, plan, masked_id, &left_out, path, timeout,
					   reterr);
	else if ((r = file_remove(timeout, path)) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
			      _("The list of digests %s of an earlier copy cannot be removed: %s."),
			      path, file_phrase(r));
	range_list_done(&left_out);
	return r;
}

static bool same_finished(const struct map *a, const struct map *b,
			  const struct digest_region *region)
{
	uint64_t end = region->source + region->length;

	for (uint64_t pos = region->source; pos < end;) {
		uint64_t to_a, to_b;

		if (run_at(a, pos, end, &to_a) != run_at(b, pos, end, &to_b))
			return false;
		pos = to_a < to_b ? to_a : to_b;
	}
	return true;
}

void partial_digests_restore(struct digests *digests, const struct map *map,
			     const struct recorded_copy *earlier)
{
	for (size_t i = 0; i < digests_count(digests); i++) {
		struct digest_region region = digests_region(digests, i);

		if (!same_finished(map, earlier->map, &region))
			continue;
		digests_set(digests, i, digests_sum(earlier->digests, i));
	}
}
