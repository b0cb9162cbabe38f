/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restricts a copy to what another map calls finished. */
#include <errno.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "session/session_private.h"

DEFINE_CLEANUP(map, struct map *, map_destroy)

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

void session_name_domain(struct session *session, const char *path)
{
	text_copy(session->plan->domain, sizeof(session->plan->domain), path);
}

int session_domain(const char *path, const struct endpoint *source, struct range_list *ranges,
		   struct error *reterr)
{
	CLEANUP(map) struct map *map = NULL;
	struct range_list left = { 0 };
	uint32_t sector = source->logical_sector_size;
	int r = map_load(path, &map, NULL, reterr);

	if (r < 0)
		return r;
	if (ranges->count == 0)
		r = range_list_add(ranges, (struct range){ 0, source->size / sector });
	for (size_t i = 0; r == 0 && i < ranges->count; i++)
		r = add_finished(map, ranges->items[i], sector, &left);
	if (r < 0) {
		range_list_done(&left);
		return error_nomem(reterr);
	}
	range_list_done(ranges);
	*ranges = left;
	if (left.count == 0)
		return error_set(reterr, ERROR_CLASS_USAGE, -ENODATA, "plan", path,
				 _("Nothing of what is to be copied is in the domain %s."), path);
	return 0;
}
