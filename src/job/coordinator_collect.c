/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper collects the reports of the lanes, and updates the map and the bad areas. */
#include <errno.h>

#include "base/i18n.h"
#include "job/job_private.h"
#include "job/pass.h"

/* False: no memory for the map. The report stays in its ring, lanes halt when their rings are full,
 * and nothing is lost. */
static bool take_report(struct job *job, const struct report *report)
{
	int r;

	if (report->kind == REPORT_REFUSED) {
		job->keeper.refused_bytes += report->length;
		bad_areas_note(&job->keeper.bad_areas, report);
		return true;
	}
	if (report->kind == REPORT_PASS) {
		job->pass->collect(job, report);
		return true;
	}
	pthread_mutex_lock(&job->map_lock);
	r = map_set(job->map, report->source, report->length, report->status);
	pthread_mutex_unlock(&job->map_lock);
	if (r == -ENOMEM)
		return false;
	if (r < 0) {
		struct error error;

		error_set(&error, ERROR_CLASS_INTERNAL, r, "map", job->setup.source.name,
			  _("A part of %s was copied that is not in the plan. This is a defect "
			    "of the program; please report it."),
			  job->setup.source.name);
		job_fail(job, FAILURE_INTERNAL, &error);
	}
	job->keeper.map_changed = true;
	proof_collect(job->proof, report);
	recheck_collect_copied(job, report);
	if (report->status == MAP_BAD && !report->filled &&
	    job->plan->options.on_error == ON_ERROR_MAP && job->plan->options.fill != FILL_LEAVE)
		job->keeper.fill_due = true;
	if (report->status == MAP_BAD)
		bad_areas_note(&job->keeper.bad_areas, report);
	if (report->status != MAP_FINISHED)
		unplug_doubt(&job->keeper.unplug, report->source, report->length);
	return true;
}

void keeper_pause_for_memory(struct job *job)
{
	job_event_add(job, LOG_LEVEL_ERROR,
		      _("There is no memory left for the map of bad areas. The copy is paused; "
			"free some memory, then continue it."));
	job_pause(job, true);
}

static bool source_was_unplugged(struct job *job)
{
	pthread_mutex_lock(&job->failure_lock);

	bool gone = job->failure == FAILURE_SOURCE && job->failure_error.code == -ENODEV;

	pthread_mutex_unlock(&job->failure_lock);
	return gone;
}

/* What was found bad in the seconds before the source was gone. */
static void take_back_doubtful(struct job *job)
{
	struct keeper *k = &job->keeper;
	bool changed;

	if (!k->unplug.doubts || !source_was_unplugged(job))
		return;
	if (!k->unplug.since)
		k->unplug.since = clock_monotonic();
	/* In these passes the saver reads the map itself, not a copy. */
	if (job->pass && job->pass->traits & PASS_NO_LANES && !saver_idle(job->saver))
		return;
	pthread_mutex_lock(&job->map_lock);
	changed = unplug_take_back(&k->unplug, job->map);
	pthread_mutex_unlock(&job->map_lock);
	if (!changed)
		return;
	k->map_changed = k->flush_due = true;
	job_event_add(job, LOG_LEVEL_INFO,
		      _("Sectors that failed in the seconds before that will be read again "
			"later."));
}

void keeper_collect(struct job *job)
{
	bool short_of_memory = false;

	for (unsigned i = 0; i < job->lane_count; i++) {
		struct ring *ring = &job->lanes[i]->ring;
		const struct report *report;

		while ((report = ring_peek(ring))) {
			if (!take_report(job, report)) {
				short_of_memory = true;
				/* A copy that stops does not wait for memory; what is missing in
				 * the map is copied again. */
				if (job_gate(job) < GATE_STOP)
					break;
			}
			ring_pop(ring);
		}
	}
	take_back_doubtful(job);
	if (job_gate(job) >= GATE_STOP)
		short_of_memory = false;
	if (short_of_memory && !job->keeper.memory_short)
		keeper_pause_for_memory(job);
	job->keeper.memory_short = short_of_memory;
}
