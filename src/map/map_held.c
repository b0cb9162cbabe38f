/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/map_held.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
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

static bool take_range(const char **p, char stop, struct range *ret)
{
	uint64_t end;

	return map_take_number(p, ',', &ret->start) && map_take_number(p, stop, &ret->count) &&
	       ret->count > 0 && range_end(*ret, &end);
}

static int read_wiped(struct map_held *held, const char *p)
{
	struct range r;

	if (held->wiped.count >= HELD_AREAS_MAX || !take_range(&p, '\0', &r) ||
	    range_list_overlaps(&held->wiped, r))
		return -EINVAL;
	return range_list_add(&held->wiped, r);
}

static bool take_digest(const char *text, char stop, struct digest *ret)
{
	char digits[DIGEST_TEXT_MAX];

	if (strlen(text) < DIGEST_TEXT_MAX - 1 || text[DIGEST_TEXT_MAX - 1] != stop)
		return false;
	memcpy(digits, text, DIGEST_TEXT_MAX - 1);
	digits[DIGEST_TEXT_MAX - 1] = '\0';
	return digest_parse(digits, ret);
}

static int read_first(struct map_held *held, const char *p)
{
	struct map_reading reading = { 0 };

	if (held->first_count >= READINGS_MAX || !take_range(&p, ',', &reading.sectors) ||
	    !take_digest(p, ',', &reading.sum.digest) ||
	    !take_digest(p + DIGEST_TEXT_MAX, '\0', &reading.sum.weighted))
		return -EINVAL;
	reading.sum.sectors = reading.sectors.count;
	return array_append(held->first, held->first_count, reading);
}

static const char *value_of(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) == 0 ? line + n : NULL;
}

int map_held_read_line(struct map_held *held, const char *line, const char **retwhy)
{
	const char *value;
	int r;

	line = value_of(line, MAP_COMMENT_PREFIX);
	if (!line)
		return 0;
	if ((value = value_of(line, "wiped="))) {
		r = read_wiped(held, value);
	} else if ((value = value_of(line, "first="))) {
		r = read_first(held, value);
	} else if ((value = value_of(line, "arming="))) {
		held->arming = true;
		r = strcmp(value, "yes") == 0 ? 0 : -EINVAL;
	} else if ((value = value_of(line, "cleared="))) {
		r = map_take_number(&value, '\0', &held->cleared) ? 0 : -EINVAL;
	} else {
		return 0;
	}
	if (r < 0 && r != -ENOMEM)
		*retwhy = _("the value cannot be right");
	return r < 0 ? r : 1;
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
