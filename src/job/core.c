/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/core.h"

#include "base/thread.h"

int job_gate(const struct job *job)
{
	return atomic_load(&job->gate);
}

void job_gate_raise(struct job *job, enum gate gate)
{
	int old = atomic_load(&job->gate);

	do {
		if (old >= GATE_STOP && (int)gate < old)
			return;
	} while (!atomic_compare_exchange_weak(&job->gate, &old, (int)gate));
	/* A lane that the coordinator is just adding is woken by being started. */
	for (unsigned i = 0; i < atomic_load(&job->lane_count); i++)
		lane_wake(job->lanes[i]);
}

void job_kick(struct job *job)
{
	eventfd_signal(job->wake);
}

void job_fail(struct job *job, enum failure_kind kind, const struct error *error)
{
	bool first;

	pthread_mutex_lock(&job->failure_lock);
	first = job->failure == FAILURE_NONE;
	if (first) {
		job->failure = kind;
		job->failure_error = *error;
	}
	pthread_mutex_unlock(&job->failure_lock);
	if (first)
		job_event_add(job, LOG_LEVEL_ERROR, "%s", error->sentence);
	/* What was read before the source failed is good and is still written. */
	job_gate_raise(job,
		       kind == FAILURE_BAD_SECTOR || kind == FAILURE_SOURCE || kind == FAILURE_LIMIT
			       ? GATE_STOP
			       : GATE_ABANDON);
	job_kick(job);
}

enum failure_kind job_failure(struct job *job, struct error *ret)
{
	SCOPED_LOCK(&job->failure_lock);
	if (ret)
		*ret = job->failure_error;
	return job->failure;
}

int job_make_work(struct job *job, const char *statuses, uint32_t chunk, bool descending)
{
	return job_make_work_of(job, stages_domain(&job->stages), statuses, chunk, descending);
}

int job_make_work_of(struct job *job, const struct range_list *parts, const char *statuses,
		     uint32_t chunk, bool descending)
{
	SCOPED_LOCK(&job->map_lock);
	return work_init(&job->work, job->plan, job->map, parts, statuses, chunk, descending);
}

bool job_nothing_left(const struct job *job)
{
	return !job->fill_due &&
	       map_bytes(job->map, MAP_FINISHED) + map_bytes(job->map, MAP_BAD) == job->total;
}
