/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/unplug.h"

#include <errno.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "map/map.h"

/* A healthy disk never takes so long; the kernel itself waits 30 s or more. */
#define SILENCE (20 * NSEC_PER_SEC)
/* Longer than any kernel takes from the first failed request to removing an unplugged disk. Sectors
 * that were really bad will be found again. */
#define DOUBTFUL (5 * NSEC_PER_SEC)

bool unplug_found(const struct unplug *unplug, unsigned end, struct error *ret)
{
	const struct io_end *io = unplug->ends[end].end;

	if (!unplug->present || unplug->present(unplug->user, end > 0))
		return false;
	error_set(ret, end > 0 ? ERROR_CLASS_DESTINATION : ERROR_CLASS_SOURCE, -ENODEV,
		  end > 0 ? "write" : "read", io->name,
		  io->regular_file
			  ? _("%s is gone: the disk that it lies on was unplugged, or has lost its "
			      "power or its link.")
			  : _("%s is gone: it was unplugged, has lost its power or its link, or "
			      "shows less than its size."),
		  io->name);
	return true;
}

void unplug_watch(struct unplug *unplug, unsigned end, uint64_t answers, uint64_t in_flight,
		  uint64_t now)
{
	struct unplug_end *e = &unplug->ends[end];
	bool silent = answers == e->answers && in_flight > 0, tell;

	e->answers = answers;
	if (!silent)
		e->silent_since = 0;
	else if (!e->silent_since)
		e->silent_since = now;
	tell = silent && now - e->silent_since >= SILENCE;
	if (tell && !e->told)
		events_add(unplug->events, LOG_LEVEL_WARNING,
			   _("%s has not answered for %u seconds. The kernel may recover it, or "
			     "give it up."),
			   e->end->name, (unsigned)((now - e->silent_since) / NSEC_PER_SEC));
	else if (!silent && e->told)
		events_add(unplug->events, LOG_LEVEL_INFO, _("%s answers again."), e->end->name);
	e->told = tell;
}

void unplug_doubt(struct unplug *unplug, uint64_t start, uint64_t length)
{
	struct unplug_doubt *last =
		unplug->doubts ? &unplug->doubt[(unplug->doubts - 1) % UNPLUG_DOUBTS] : NULL;
	uint64_t now = clock_monotonic();

	if (last && last->start + last->length == start && now - last->time < NSEC_PER_SEC) {
		last->length += length;
		return;
	}
	unplug->doubt[unplug->doubts++ % UNPLUG_DOUBTS] =
		(struct unplug_doubt){ .time = now, .start = start, .length = length };
}

bool unplug_take_back(struct unplug *unplug, struct map *map)
{
	uint64_t oldest = unplug->doubts > UNPLUG_DOUBTS ? unplug->doubts - UNPLUG_DOUBTS : 0;
	bool any = false;

	for (uint64_t i = oldest; i < unplug->doubts; i++) {
		const struct unplug_doubt *doubt = &unplug->doubt[i % UNPLUG_DOUBTS];

		/* If memory is short, it stays bad, and a retry pass can read it again. */
		if (doubt->time + DOUBTFUL >= unplug->since)
			any |= map_set(map, doubt->start, doubt->length, MAP_NON_TRIED) == 0;
	}
	unplug->doubts = 0;
	return any;
}
