/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/recorded_copy.h"

#include <errno.h>
#include <string.h>

#include "base/i18n.h"
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

/* Everything was read, except what the list leaves out. */
static int make_map(const struct plan *plan, const struct range_list *left_out, struct map **ret)
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
	return r;
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
	return make_map(ret->plan, &list->left_out, &ret->map) < 0 ? error_nomem(reterr) : 0;
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
