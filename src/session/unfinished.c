/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a power failure: which copy was under way? Its map is the newest one among the records. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/worker.h"
#include "discover/running.h"
#include "session/session_private.h"

/* Whoever asks waits for a key to be answered. */
#define WAIT_AT_MOST (NSEC_PER_SEC / 10)

struct search {
	char directory[512];
	struct session_unfinished found; /* map "": none */
};

static bool is_map(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, ".map") == 0;
}

/* Records are named by date and time. */
static bool find_newest(const char *directory, char name[static 256])
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	name[0] = '\0';
	if (!dir)
		return false;
	while ((entry = readdir(dir)))
		if (is_map(entry->d_name) && strcmp(entry->d_name, name) > 0)
			text_copy(name, 256, entry->d_name);
	closedir(dir);
	return name[0] != '\0';
}

/* The first line that is no comment tells the state, '+' when nothing is left to do. */
static bool is_unfinished(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512], state = '+';

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file))
		if (line[0] != '#') {
			if (sscanf(line, "%*s %c", &state) != 1)
				state = '+';
			break;
		}
	fclose(file);
	return state != '+';
}

/* As far as the map tells. */
static void describe(struct session_unfinished *found)
{
	struct plan *plan = NULL;
	struct map *map = NULL;
	struct stat st;

	if (stat(found->map, &st) == 0)
		found->at = st.st_mtime;
	if (map_load(found->map, &map, &plan, NULL) == 0 && plan) {
		found->source = plan->source;
		found->destination = plan->destination;
		found->finished = map_bytes(map, MAP_FINISHED);
		found->total = plan_bytes(plan);
	}
	plan_destroy(plan);
	map_destroy(map);
}

static void search(void *data)
{
	struct search *search = data;
	struct session_unfinished *found = &search->found;
	char name[256];

	if (!find_newest(search->directory, name) ||
	    (size_t)snprintf(found->map, sizeof(found->map), "%s/%s", search->directory, name) >=
		    sizeof(found->map) ||
	    !is_unfinished(found->map))
		found->map[0] = '\0';
	else
		describe(found);
}

static void tell_running(const char *map, char told[static 160])
{
	struct running *running = calloc(RUNNING_MAX, sizeof(*running));
	size_t count = running ? running_list(NULL, running) : 0;

	for (size_t i = 0; i < count; i++)
		if (strcmp(running[i].map, map) == 0)
			snprintf(told, 160, _("clonedeck, process %ld, is copying: %u %%"),
				 (long)running[i].pid, (unsigned)running[i].percent);
	free(running);
}

bool session_unfinished(const struct session *session, struct session_unfinished *ret)
{
	struct search *asked = calloc(1, sizeof(*asked));
	struct worker *worker;

	*ret = (struct session_unfinished){ 0 };
	if (!asked)
		return false;
	text_copy(asked->directory, sizeof(asked->directory), session->log_dir);
	const struct worker_order order = {
		.body = search,
		.destroy = free,
		.data = asked,
		.name = "maps",
	};

	if (worker_start(&order, &worker) < 0) {
		free(asked);
		return false;
	}
	if (worker_wait(worker, clock_monotonic() + WAIT_AT_MOST))
		*ret = asked->found;
	worker_abandon(worker);
	if (ret->map[0])
		tell_running(ret->map, ret->running);
	return ret->map[0] != '\0';
}
