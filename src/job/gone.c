/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that are unplugged. While a disk is being unplugged, reads and writes
 * fail with the same EIO as on a bad sector, and for a moment, before the
 * kernel removes the disk, nothing tells the two apart. So the presence of the
 * disk is checked after every failed request, and what was found bad in the
 * last few seconds before a source disappeared counts as non-tried.
 */
#include <errno.h>

#include "base/i18n.h"
#include "job/job_private.h"
#include "copy/pass.h"

#define LOOK_EVERY NSEC_PER_SEC
/* A healthy disk never takes so long; the kernel itself waits 30 s or more. */
#define SILENCE (20 * NSEC_PER_SEC)
/* Longer than any kernel takes from the first failed request to removing an unplugged disk. Sectors
 * that were really bad will be found again. */
#define DOUBTFUL (5 * NSEC_PER_SEC)

static bool is_gone(struct job *job, bool destination)
{
	const struct job_setup *setup = &job->setup;

	return setup->present && !setup->present(setup->check_user, destination);
}

static void fail(struct job *job, bool destination)
{
	const struct io_end *end = destination ? &job->setup.destination : &job->setup.source;
	struct error error;

	error_set(&error, destination ? ERROR_CLASS_DESTINATION : ERROR_CLASS_SOURCE, -ENODEV,
		  destination ? "write" : "read", end->name,
		  end->regular_file ? _("%s is gone: the disk that it lies on was unplugged, or "
					"has lost its power or its link.")
				    : _("%s is gone: it was unplugged, or has lost its power or "
					"its link."),
		  end->name);
	job_fail(job, destination ? FAILURE_DESTINATION : FAILURE_SOURCE, &error);
}

void gone_ask(struct lane *lane, struct slot *slot)
{
	int code = slot->request.result;

	if (code >= 0 || code == -ECANCELED || !is_gone(lane->job, slot->at_destination))
		return;
	fail(lane->job, slot->at_destination);
	/* Not one of the codes that may concern one place only. */
	slot->request.result = -ENODEV;
}

bool gone_is_why(struct job *job)
{
	if (!is_gone(job, true))
		return false;
	fail(job, true);
	return true;
}

static uint32_t in_flight(const struct job *job, bool destination)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct lane_counters *c = &job->lanes[i]->counters;

		sum += counter_get32(destination ? &c->at_destination : &c->at_source);
	}
	return sum;
}

/* A disk that hangs reports nothing, so tell the user which of the two it is. */
static void tell_silence(struct job *job, bool destination, uint64_t now)
{
	struct presence *p = &job->keeper.presence;
	const char *name = destination ? job->setup.destination.name : job->setup.source.name;
	uint64_t answers = destination ? MEASURE_SUM(job, writes) + MEASURE_SUM(job, read_back)
				       : MEASURE_SUM(job, reads);
	uint64_t since = p->silent_since[destination];
	bool silent = answers == p->answers[destination] && in_flight(job, destination) > 0;

	p->answers[destination] = answers;
	if (silent && since && now - since >= SILENCE && !p->silence_told[destination])
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("%s has not answered for %u seconds. The kernel may recover it, or "
				"give it up."),
			      name, (unsigned)((now - since) / NSEC_PER_SEC));
	else if (!silent && p->silence_told[destination])
		job_event_add(job, LOG_LEVEL_INFO, _("%s answers again."), name);
	p->silence_told[destination] = silent && since && now - since >= SILENCE;
	if (!silent)
		p->silent_since[destination] = 0;
	else if (!since)
		p->silent_since[destination] = now;
}

void gone_look(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;

	if (!k->ever_copied || now < k->presence.next_look)
		return;
	k->presence.next_look = now + LOOK_EVERY;
	tell_silence(job, false, now);
	tell_silence(job, true, now);
	if (!job->setup.present || job_gate(job) >= GATE_STOP)
		return;
	for (int destination = 0; destination < 2; destination++)
		if (is_gone(job, destination))
			fail(job, destination);
}

void gone_remember(struct job *job, const struct report *report)
{
	struct presence *p = &job->keeper.presence;
	struct doubt *last = p->doubts ? &p->doubt[(p->doubts - 1) % GONE_DOUBTS] : NULL;
	uint64_t now = clock_monotonic();

	if (last && last->start + last->length == report->source &&
	    now - last->time < NSEC_PER_SEC) {
		last->length += report->length;
		return;
	}
	p->doubt[p->doubts++ % GONE_DOUBTS] =
		(struct doubt){ .time = now, .start = report->source, .length = report->length };
}

static bool source_is_gone(struct job *job)
{
	pthread_mutex_lock(&job->failure_lock);

	bool gone = job->failure == FAILURE_SOURCE && job->failure_error.code == -ENODEV;

	pthread_mutex_unlock(&job->failure_lock);
	return gone;
}

/* In these passes the saver reads the map itself, not a copy. */
static bool is_being_saved(const struct job *job)
{
	return job->pass && job->pass->traits & PASS_NO_LANES && !saver_idle(job->saver);
}

void gone_take_back(struct job *job)
{
	struct keeper *k = &job->keeper;
	struct presence *p = &job->keeper.presence;
	uint64_t oldest = p->doubts > GONE_DOUBTS ? p->doubts - GONE_DOUBTS : 0;
	bool any = false;

	if (!p->doubts || !source_is_gone(job))
		return;
	if (!p->source_gone)
		p->source_gone = clock_monotonic();
	if (is_being_saved(job))
		return;
	for (uint64_t i = oldest; i < p->doubts; i++) {
		const struct doubt *doubt = &p->doubt[i % GONE_DOUBTS];

		if (doubt->time + DOUBTFUL < p->source_gone)
			continue;
		pthread_mutex_lock(&job->map_lock);
		/* If memory is short, it stays bad, and a retry pass can read it again. */
		any |= map_set(job->map, doubt->start, doubt->length, MAP_NON_TRIED) == 0;
		pthread_mutex_unlock(&job->map_lock);
	}
	p->doubts = 0;
	if (any) {
		k->map_changed = k->flush_due = true;
		job_event_add(job, LOG_LEVEL_INFO,
			      _("Sectors that failed in the seconds before that will be read again "
				"later."));
	}
}
