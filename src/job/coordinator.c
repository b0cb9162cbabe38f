/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The coordinator's thread: ten times a second, or when kicked, it collects the lanes'
 * reports, measures, saves the map when it is time, and decides the state of the
 * job. It never waits for a device; that is left to the saver.
 */
#include <errno.h>
#include <poll.h>
#include <time.h>

#include "base/i18n.h"
#include "base/thread.h"
#include "base/units.h"
#include "job/coordinator_private.h"
#include "job/hang.h"
#include "job/job.h"
#include "job/pass.h"
#include "verify/recheck.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

#define TICK (NSEC_PER_SEC / 10)
/* Requests that complete at all do so sooner. */
#define SAVE_SOON (2 * NSEC_PER_SEC)
/* After a longer pause the destination is checked again before anything is written. */
#define CHECK_AFTER (10 * NSEC_PER_SEC)
/* A request that takes longer hangs, if the plan sets no limit. */
#define WORTH_TELLING (5 * NSEC_PER_SEC)
#define HANGS_TOLD    16
/* The coordinator runs ten times a second; after a longer gap, the machine was asleep. */
#define SUSPENDED (2 * NSEC_PER_SEC)

void coordinator_view(const struct job *job, struct measure_view *ret)
{
	const struct pass *pass = job->pass;

	*ret = (struct measure_view){
		.lanes = job->lanes,
		.lane_count = job->lane_count,
		.zones = job->zones,
		.state = job->coordinator->state,
		.total = job->total,
		.reads_back = pass && job->stages.now == 0 &&
			      (pass->kind == PASS_VERIFY || pass->kind == PASS_COMPARE),
		.pass_started = job->coordinator->course.pass_started,
	};
}

void coordinator_measure(struct job *job, bool last, uint64_t now)
{
	struct measure_view view;

	coordinator_view(job, &view);
	io_sums_collect(&job->coordinator->io_sums, job->lanes, job->lane_count);
	measure_tick(&job->coordinator->measure, &view, now);
	if (last)
		measure_latency(&job->coordinator->measure, &view);
}

void coordinator_set_state(struct job *job, enum job_state state, uint64_t now)
{
	job->coordinator->state = state;
	show_publish(job, now);
}

/* False: no memory for the map. The report stays in its ring, lanes halt when their rings are full,
 * and nothing is lost. */
static bool take_report(struct job *job, const struct lane_report *report)
{
	int r;

	if (report->kind == REPORT_REFUSED) {
		job->refused_bytes += report->length;
		bad_areas_note(&job->coordinator->bad_areas, report);
		return true;
	}
	if (report->kind == REPORT_PASS) {
		job->pass->collect(&job->verification, report);
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
			  _("A part of %s was copied that is not in the plan. This is a defect of "
			    "the program; please report it."),
			  job->setup.source.name);
		job_fail(job, FAILURE_INTERNAL, &error);
	}
	job->map_changed = true;
	proof_collect(job->verification.proof, report);
	recheck_collect_copied(&job->verification, report);
	if (report->status == MAP_BAD && !report->filled &&
	    job->plan->options.on_error == ON_ERROR_MAP && job->plan->options.fill != FILL_LEAVE)
		job->fill_due = true;
	if (report->status == MAP_BAD)
		bad_areas_note(&job->coordinator->bad_areas, report);
	if (report->status != MAP_FINISHED)
		unplug_doubt(&job->coordinator->unplug, report->source, report->length);
	return true;
}

void coordinator_tell_memory(struct job *job)
{
	job_event_add(job, LOG_LEVEL_ERROR,
		      _("There is not enough memory to go on. The copy is paused until there "
			"is."));
}

/* Takes back the bad areas that were found in the seconds before the source was gone. */
static void take_back_doubtful(struct job *job)
{
	struct coordinator *co = job->coordinator;
	struct error error;
	bool changed;

	if (!co->unplug.doubts || job_failure(job, &error) != FAILURE_SOURCE ||
	    error.code != -ENODEV)
		return;
	if (!co->unplug.since)
		co->unplug.since = clock_monotonic();
	/* In these passes the saver reads the map itself, not a copy. */
	if (job->pass && job->pass->traits & PASS_NO_LANES && !saver_idle(job->saver))
		return;
	pthread_mutex_lock(&job->map_lock);
	changed = unplug_take_back(&co->unplug, job->map);
	pthread_mutex_unlock(&job->map_lock);
	if (!changed)
		return;
	job->map_changed = job->flush_due = true;
	job_event_add(
		job, LOG_LEVEL_INFO,
		_("Sectors that failed in the seconds before that will be read again later."));
}

void coordinator_collect(struct job *job)
{
	bool short_of_memory = false;

	for (unsigned i = 0; i < job->lane_count; i++) {
		struct ring *ring = &job->lanes[i]->ring;
		const struct lane_report *report;

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
	if (short_of_memory && !job->coordinator->memory_short)
		coordinator_tell_memory(job);
	job->coordinator->memory_short = short_of_memory;
}

static bool check_claim(struct job *job)
{
	struct error error = { 0 };
	int r = job->setup.check ? job->setup.check(job->setup.check_user, &error) : 0;

	if (r >= 0)
		return true;
	if (error.code == 0)
		error_set(&error, ERROR_CLASS_REFUSED, r, "check", job->setup.destination.name,
			  _("%s is not what it was when it was chosen: %s. Nothing more is written "
			    "to it."),
			  job->setup.destination.name, error_phrase(r));
	job_fail(job, FAILURE_REFUSED, &error);
	return false;
}

static void begin(struct job *job, uint64_t now)
{
	job->coordinator->started = job->coordinator->next_save = now;
	job->coordinator->started_at = (int64_t)time(NULL);
	measure_start(&job->coordinator->measure, job->total, job->already, now);
	if (!check_claim(job)) {
		coordinator_set_state(job, JOB_STOPPING, now);
		return;
	}
	job_event_add(job, LOG_LEVEL_INFO,
		      job->setup.verify_only ? _("Verifying %s of %s on %s, plan %s.")
					     : _("Copying %s from %s to %s, plan %s."),
		      UNITS_LONG(job->setup.verify_only ? job->total : job->total - job->already,
				 UNITS_SI, 512),
		      job->setup.source.name, job->setup.destination.name, PLAN_ID(job->plan));
	rolling_tell(&job->verification);
	job->coordinator->ever_copied = true;
	/* Even if nothing is left to copy: what the map calls finished may still be in a cache. */
	job->flush_due = true;
	/* Shows before the first byte whether the map can be saved. */
	coordinator_save_on_the_way(job, false, now);
	coordinator_set_state(job, JOB_COPYING, now);
	job_gate_raise(job, atomic_load(&job->coordinator->want_pause) ? GATE_PAUSE : GATE_RUN);
}

static void pause_or_go_on(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	/* For memory nobody has to continue it: a copy without a deck could not be. */
	bool want = atomic_load(&co->want_pause) || co->memory_short || co->pass_waits;

	if (want && co->state != JOB_PAUSED) {
		job_event_add(job, LOG_LEVEL_INFO, _("Paused."));
		co->paused_since = now;
		coordinator_set_state(job, JOB_PAUSED, now);
		job_gate_raise(job, GATE_PAUSE);
	} else if (!want && co->state == JOB_PAUSED) {
		uint64_t length = now - co->paused_since;

		co->paused_ns += length;
		co->paused_since = 0;
		if (length > CHECK_AFTER && (!job->pass || job->pass->traits & PASS_WRITES) &&
		    !check_claim(job))
			return;
		job_event_add(job, LOG_LEVEL_INFO, _("Going on."));
		co->reading_since = now;
		coordinator_set_state(job, job->pass ? job->pass->state : JOB_COPYING, now);
		job_gate_raise(job, GATE_RUN);
	} else if (!want && job_gate(job) == GATE_PAUSE) {
		/* Paused and resumed between two ticks. */
		job_gate_raise(job, GATE_RUN);
	}
}

static bool lanes_at_work(const struct job *job)
{
	return job->pass && !(job->pass->traits & PASS_NO_LANES);
}

/* Adds a lane when one is at its limit. The copy does not fail if that is not possible. */
static void add_lane(struct job *job)
{
	unsigned n = job->lane_count;
	uint32_t slots = job->choice.buffers_per_lane / 2;
	struct error error = { 0 };

	if (n >= job->coordinator->lanes_max || !lanes_at_work(job) ||
	    job->pass->traits & PASS_ONE_LANE || job->coordinator->state != job->pass->state ||
	    !measure_lanes_busy(&job->coordinator->measure))
		return;
	if (lane_new(&job->copy, n, slots < 2 ? 2 : slots, job->lanes[0], &job->lanes[n], &error) <
	    0)
		goto out;
	atomic_store(&job->lanes[n]->state, LANE_RUNNING);
	if (lane_start(job->lanes[n], &error) < 0) {
		lane_destroy(job->lanes[n]);
		job->lanes[n] = NULL;
		goto out;
	}
	atomic_store(&job->lane_count, n + 1);
	/* The gate may have changed before it was in the list of lanes to wake. */
	lane_wake(job->lanes[n]);
	job_event_add(job, LOG_LEVEL_INFO,
		      _("Thread %u is at its limit; another thread was started."), n - 1);
	return;
out:
	job->coordinator->lanes_max = n;
	job_event_add(job, LOG_LEVEL_WARNING, _("No other thread could be started: %s"),
		      error.sentence);
}

static bool save_due(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;

	if (!lanes_at_work(job) || !saver_idle(job->saver))
		return false;
	if (atomic_exchange(&job->coordinator->want_save, false))
		return true;
	/* Flushing a destination that hangs would keep the process from ending, even if the flush
	 * is abandoned. */
	if (co->state == JOB_STOPPING && co->unplug.ends[1].silent_since)
		return false;
	return job->map_changed && now >= co->next_save;
}

/* Failed requests ask whether the disk is there; this notices the loss of a disk that is idle or
 * does not answer. */
static void look_for_unplugged(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	struct error error;

	if (!co->ever_copied || now < co->next_look)
		return;
	co->next_look = now + NSEC_PER_SEC;
	for (unsigned end = 0; end < JOB_ENDS_MAX; end++) {
		unplug_watch(&co->unplug, end,
			     end > 0 ? JOB_SUM(job, writes) + JOB_SUM(job, read_back)
				     : JOB_SUM(job, reads),
			     end > 0 ? JOB_SUM(job, at_destination) : JOB_SUM(job, at_source), now);
		if (job_gate(job) < GATE_STOP && unplug_found(&co->unplug, end, &error))
			job_fail(job, end > 0 ? FAILURE_DESTINATION : FAILURE_SOURCE, &error);
	}
}

/* The copy skips what follows it, and goes on where the disk may answer. */
static void leave_hanging(struct job *job, const struct hang *hang)
{
	if (!job->plan->options.slow_limit || !job->pass || !job->pass->hangs ||
	    job_gate(job) != GATE_RUN)
		return;
	job->pass->hangs(job, hang->tag);
	if (job->coordinator->hangs_told++ >= HANGS_TOLD)
		return;
	job_event_add(job, LOG_LEVEL_WARNING,
		      _("A read of %s at LBA %llu has not come back for %u s. What follows it is "
			"left for later."),
		      job->setup.source.name,
		      (unsigned long long)(hang->offset / job->plan->sector_size),
		      job->plan->options.slow_limit);
}

static void look_for_hanging(struct job *job, uint64_t now)
{
	uint64_t limit = job->plan->options.slow_limit * NSEC_PER_SEC;
	struct hang hang;

	while (hang_find(job->lanes, job->lane_count, limit ? limit : WORTH_TELLING, now, &hang))
		leave_hanging(job, &hang);
}

static uint64_t last_good_read(const struct job *job)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < job->lane_count; i++) {
		uint64_t read = counter_get(&job->lanes[i]->counters.last_read);

		if (read > last)
			last = read;
	}
	return last;
}

bool coordinator_rescue_figures(const struct job *job, uint64_t now, struct rescue_figures *ret)
{
	uint64_t good = last_good_read(job), last = good;

	if (last < job->coordinator->reading_since)
		last = job->coordinator->reading_since;
	*ret = (struct rescue_figures){
		.read_errors = JOB_SUM(job, read_errors),
		.bad_areas = map_damaged_areas(job->map),
		.error_rate = job->coordinator->measure.error_rate,
		.since_good_read = last && now > last ? now - last : 0,
	};
	return good != 0;
}

/* Stops the copy if there are more errors than the plan allows. */
static void check_limits(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	const char *name = job->setup.source.name;
	struct rescue_figures figures;
	struct error error;
	char why[256];

	/* While the program was suspended, it could not read anything. */
	if (now - co->looked > SUSPENDED)
		co->reading_since = now;
	co->looked = now;
	if (co->state != JOB_COPYING || job_gate(job) != GATE_RUN || job->pass->kind == PASS_FILL)
		return;
	coordinator_rescue_figures(job, now, &figures);
	if (!rescue_limit_exceeded(&job->plan->options, &figures, name, why, sizeof(why)))
		return;
	error_set(&error, ERROR_CLASS_SOURCE, -ECANCELED, "read", name,
		  _("%s The copy stops there, as its options say."), why);
	job_fail(job, FAILURE_LIMIT, &error);
}

static void take_rate(struct job *job)
{
	uint64_t limit;

	if (!atomic_exchange(&job->coordinator->rate_changed, false))
		return;
	limit = rate_limit_get(&job->limit);
	rates_forget_trend(&job->coordinator->measure.rates);
	if (limit)
		job_event_add(job, LOG_LEVEL_INFO, _("The rate is limited to %s."),
			      UNITS_RATE((double)limit));
	else
		job_event_add(job, LOG_LEVEL_INFO, _("The rate is not limited any more."));
}

/* The map is saved at the end, but a hanging source may delay that for ever: save it soon. */
static void begin_stopping(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;

	coordinator_set_state(job, JOB_STOPPING, now);
	if (co->next_save > now + SAVE_SOON)
		co->next_save = now + SAVE_SOON;
}

/* False: the job has ended. */
static bool tick(struct job *job, uint64_t now)
{
	coordinator_collect(job);
	coordinator_take_saved(job);
	coordinator_verify_beside(job);
	coordinator_measure(job, false, now);
	take_rate(job);
	look_for_unplugged(job, now);
	look_for_hanging(job, now);
	events_look_at_log(&job->events);
	/* Between two passes too: the next one may be waiting for memory. */
	if ((lanes_at_work(job) || !job->pass) && job->coordinator->state != JOB_STOPPING) {
		pause_or_go_on(job, now);
		if (job_gate(job) >= GATE_STOP)
			begin_stopping(job, now);
		if (job->pass)
			check_limits(job, now);
	}
	add_lane(job);
	if (save_due(job, now))
		coordinator_save_on_the_way(job, true, now);
	if (pass_is_through(job) && !pass_next(job, now)) {
		coordinator_end(job);
		return false;
	}
	show_publish(job, now);
	return true;
}

static void wait_kick(struct job *job, uint64_t until)
{
	uint64_t now = clock_monotonic();
	struct pollfd fd = { .fd = job->wake, .events = POLLIN };
	int ms = until > now ? (int)((until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;

	if (poll(&fd, 1, ms) > 0)
		eventfd_clear(job->wake);
}

void *coordinator_main(void *arg)
{
	struct job *job = arg;
	uint64_t next = clock_monotonic() + TICK;

	begin(job, clock_monotonic());
	while (tick(job, clock_monotonic())) {
		wait_kick(job, next);

		uint64_t now = clock_monotonic();

		if (now >= next)
			next = now + TICK;
	}
	return NULL;
}
