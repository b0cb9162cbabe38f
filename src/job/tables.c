/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "copy/held_memory.h"
#include "job/core.h"

static void put(void *user, uint64_t offset, uint32_t length, const void *data)
{
	held_memory_put(user, offset, length, data);
}

void tables_load(struct job *job)
{
	struct tables *tables = job->tables;
	struct error error;
	char path[PATH_MAX];

	if (!job->copy.held || !job->setup.resume || !job->setup.map_path)
		return;
	saved_tables_path(job->setup.map_path, path);
	if (saved_tables_load(path, job->plan, put, job->copy.held, NULL, &error) < 0) {
		if (error.code != -ENOENT)
			job_event_add(job, LOG_LEVEL_WARNING, "%s", error.sentence);
		return;
	}
	/* Saved again only where the map goes to another place. */
	tables->read = true;
	text_copy(tables->path, sizeof(tables->path), path);
}

void tables_read(struct job *job)
{
	job->tables->read = true;
	job->tables->path[0] = '\0';
}

/* -ENOMEM. */
static int collect(const struct job *job, struct saved_tables *kept)
{
	struct saved_area area;

	for (uint64_t at = 0; held_memory_next(job->copy.held, at, &area.sectors, &area.data);
	     at = area.sectors.start + area.sectors.count)
		if (array_append(kept->areas, kept->area_count, area) < 0)
			return -ENOMEM;
	kept->stages = &job->stages.domain[1];
	kept->stage_count = job->stages.count - 1;
	return 0;
}

void tables_order(struct job *job, struct saver_order *order)
{
	struct tables *tables = job->tables;
	char path[PATH_MAX];

	if (!order->map || !job->copy.held || !tables->read)
		return;
	saved_tables_path(order->place.path, path);
	if (!path[0] || strcmp(path, tables->path) == 0)
		return;
	tables_done(tables);
	if (collect(job, &tables->kept) < 0)
		return;
	text_copy(tables->path, sizeof(tables->path), path);
	order->tables = &tables->kept;
}

void tables_take_saved(struct job *job, const struct saver_result *result)
{
	struct tables *tables = job->tables;

	/* Tried again with the next map, told once. */
	if (result->tables_code < 0)
		tables->path[0] = '\0';
	if (result->tables_code < 0 && !tables->warned)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", result->tables_error.sentence);
	tables->warned = result->tables_code < 0;
}

void tables_remove(struct job *job, struct file_timeout *timeout)
{
	const char *path = job->tables->path;
	int r = path[0] ? file_remove(timeout, path) : 0;

	if (r < 0)
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("The tables of the source in %s are no longer needed, but cannot "
				"be removed: %s."),
			      path, file_phrase(r));
}

void tables_done(struct tables *tables)
{
	free(tables->kept.areas);
	tables->kept = (struct saved_tables){ 0 };
}

int tables_known(const struct job *job, const struct range_list *list, struct range_list *ret)
{
	struct range known, part;
	const void *data;
	int r = 0;

	*ret = (struct range_list){ 0 };
	if (!job->copy.held)
		return 0;
	for (uint64_t at = 0; held_memory_next(job->copy.held, at, &known, &data);
	     at = known.start + known.count)
		for (size_t i = 0; r == 0 && i < list->count; i++)
			if (range_intersect(known, list->items[i], &part))
				r = range_list_add(ret, part);
	return r;
}
