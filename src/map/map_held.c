/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/map_held.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/range.h"
#include "base/text.h"
#include "map/map_plan.h"
#include "plan/held.h"

/* Areas are cut where regions end, of which none is smaller. */
#define READINGS_MAX (HELD_BYTES_MAX / DIGEST_REGION_MIN + 2ULL * HELD_AREAS_MAX)

void map_held_done(struct map_held *held)
{
	range_list_done(&held->wiped);
	free(held->first);
	*held = (struct map_held){ 0 };
}

int map_held_copy(const struct map_held *from, struct map_held *ret)
{
	*ret = (struct map_held){ .arming = from->arming, .cleared = from->cleared };
	ret->first = array_copy(from->first, from->first_count);
	if (!ret->first || range_list_copy(&from->wiped, &ret->wiped) < 0) {
		map_held_done(ret);
		return -ENOMEM;
	}
	ret->first_count = from->first_count;
	return 0;
}

void map_held_print(const struct map_held *held, FILE *file)
{
	char digest[DIGEST_TEXT_MAX], weighted[DIGEST_TEXT_MAX];

	if (held->wiped.count)
		fputs("# wiped=LBA,SECTORS: written last, zeros until then; arming: being "
		      "written\n",
		      file);
	for (size_t i = 0; i < held->wiped.count; i++)
		fprintf(file, MAP_COMMENT_PREFIX "wiped=%" PRIu64 ",%" PRIu64 "\n",
			held->wiped.items[i].start, held->wiped.items[i].count);
	if (held->arming)
		fputs(MAP_COMMENT_PREFIX "arming=yes\n", file);
	if (held->cleared)
		fprintf(file, MAP_COMMENT_PREFIX "cleared=%" PRIu64 "\n", held->cleared);
	if (held->first_count)
		fputs("# first=LBA,SECTORS,DIGEST,WEIGHTED: of the source, before the copy\n",
		      file);
	for (size_t i = 0; i < held->first_count; i++)
		fprintf(file, MAP_COMMENT_PREFIX "first=%" PRIu64 ",%" PRIu64 ",%s,%s\n",
			held->first[i].sectors.start, held->first[i].sectors.count,
			digest_print(held->first[i].sum.digest, digest),
			digest_print(held->first[i].sum.weighted, weighted));
}

bool map_take_range(const char **p, char between, char stop, struct range *ret)
{
	uint64_t end;

	return text_take_number(p, between, &ret->start) &&
	       text_take_number(p, stop, &ret->count) && ret->count > 0 && range_end(*ret, &end);
}

static int read_wiped(struct map_held *held, const char *p)
{
	struct range r;

	if (held->wiped.count >= HELD_AREAS_MAX || !map_take_range(&p, ',', '\0', &r) ||
	    range_list_overlaps(&held->wiped, r))
		return -EINVAL;
	return range_list_add(&held->wiped, r);
}

static int read_first(struct map_held *held, const char *p)
{
	struct map_reading reading = { 0 };

	if (held->first_count >= READINGS_MAX || !map_take_range(&p, ',', ',', &reading.sectors) ||
	    !digest_take(&p, ',', &reading.sum.digest) ||
	    !digest_take(&p, '\0', &reading.sum.weighted))
		return -EINVAL;
	reading.sum.sectors = reading.sectors.count;
	return array_append(held->first, held->first_count, reading);
}

int map_held_read(struct map_held *held, const char *key, const char *value)
{
	if (strcmp(key, "wiped") == 0)
		return read_wiped(held, value);
	if (strcmp(key, "first") == 0)
		return read_first(held, value);
	if (strcmp(key, "cleared") == 0)
		return text_take_number(&value, '\0', &held->cleared) ? 0 : -EINVAL;
	if (strcmp(key, "arming") != 0)
		return -ENOENT;
	held->arming = true;
	return strcmp(value, "yes") == 0 ? 0 : -EINVAL;
}

/* Perhaps over several extents that are neighbours on the source. */
static bool is_inside(struct range sectors, const struct plan *plan)
{
	for (size_t i = 0; sectors.count && i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];
		uint64_t skip = sectors.start - extent->source_lba, part;

		if (sectors.start < extent->source_lba || skip >= extent->sectors)
			continue;
		part = extent->sectors - skip;
		part = part < sectors.count ? part : sectors.count;
		sectors.start += part;
		sectors.count -= part;
	}
	return sectors.count == 0;
}

bool map_held_fits(const struct map_held *held, const struct plan *plan)
{
	bool fits = true;

	for (size_t i = 0; i < held->wiped.count; i++)
		fits = fits && is_inside(held->wiped.items[i], plan);
	for (size_t i = 0; i < held->first_count; i++)
		fits = fits && is_inside(held->first[i].sectors, plan);
	return fits;
}
