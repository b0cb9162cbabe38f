/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/past_copies.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "session/files.h"

/* Records are named by date and time, so their order is that of their names. */
static int newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_of_copy(const struct dirent *entry)
{
	return text_has_ending(entry->d_name, ".json") || text_has_ending(entry->d_name, ".map");
}

/* When two reports share a map, only the newer one says how far the copy is. */
static bool knows_map(const struct past *past, const char *map)
{
	for (size_t i = 0; i < past->count; i++)
		if (strcmp(past->items[i].map, map) == 0)
			return true;
	return false;
}

static void take_end(const struct endpoint *end, struct past_end *ret)
{
	text_copy(ret->node, sizeof(ret->node), end->node);
	text_copy(ret->model, sizeof(ret->model), end->identity.model);
	text_copy(ret->serial, sizeof(ret->serial), end->identity.serial);
}

/* A copy that never came to its end, after a power failure. */
static bool load_map(const char *path, struct past_copy *ret)
{
	struct session_unfinished found;

	*ret = (struct past_copy){ .unfinished = true };
	if (!files_describe(path, &found))
		return false;
	text_copy(ret->map, sizeof(ret->map), path);
	ret->at = found.at;
	ret->copied = found.finished;
	ret->total = found.total;
	take_end(&found.source, &ret->source);
	take_end(&found.destination, &ret->destination);
	return true;
}

/* Of one that was stopped while it was verified, the map alone calls all of it finished. */
static bool can_go_on(const struct past_copy *copy)
{
	return files_is_unfinished(copy->map) ||
	       (strcmp(copy->result, "STOPPED") == 0 && access(copy->map, R_OK) == 0);
}

static bool load(struct past *past, const char *name, struct past_copy *ret)
{
	char path[sizeof(ret->report)];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", past->directory, name) >= sizeof(path))
		return false;
	if (text_has_ending(name, ".map"))
		return !knows_map(past, path) && load_map(path, ret);
	if (!past_load(path, ret))
		return false;
	ret->unfinished = ret->map[0] && !knows_map(past, ret->map) && can_go_on(ret);
	return true;
}

static int latest_first(const void *a, const void *b)
{
	const struct past_copy *one = a, *other = b;

	if (one->at != other->at)
		return one->at < other->at ? 1 : -1;
	return strcmp(other->report[0] ? other->report : other->map,
		      one->report[0] ? one->report : one->map);
}

/* The reports come first: a map without one is of a copy that never came to its end. */
void past_read(void *data)
{
	struct past *past = data;
	struct dirent **entries = NULL;
	int count = scandir(past->directory, &entries, is_of_copy, newest_first);

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < count && past->count < SESSION_PAST_MAX; i++)
			if (text_has_ending(entries[i]->d_name, pass ? ".map" : ".json") &&
			    load(past, entries[i]->d_name, &past->items[past->count]))
				past->count++;
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
	qsort(past->items, past->count, sizeof(past->items[0]), latest_first);
}

void past_free(struct past *past)
{
	for (size_t i = 0; past && i < past->count; i++)
		past_done(&past->items[i]);
	free(past);
}
