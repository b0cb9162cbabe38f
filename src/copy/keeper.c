/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper's thread: ten times a second, or when it is kicked, it takes in
 * what the lanes did, measures, saves the map when it is time, and decides the
 * state of the job. It never waits for a device: the saver does.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/core.h"
#include "copy/pass.h"

#define TICK         (NSEC_PER_SEC / 10)
#define MAP_INTERVAL (30 * NSEC_PER_SEC)
/* Longer than requests take that come back at all. */
#define SAVE_SOON (2 * NSEC_PER_SEC)
/* After a pause as long as this the destination is checked again before it is written. */
#define CHECK_AFTER (10 * NSEC_PER_SEC)

void keeper_init(struct job *job)
{
	job->keeper.state = JOB_READY;
	measure_publish(job, clock_monotonic());
}

static bool map_path(struct job *job, char path[static PATH_MAX])
{
	pthread_mutex_lock(&job->path_lock);
	snprintf(path, PATH_MAX, "%s", job->map_path);
	pthread_mutex_unlock(&job->path_lock);
	return path[0] != '\0';
}

static struct io_handle *flush_handle(const struct job *job)
{
	return job->lane_count ? job->lanes[0]->destination : NULL;
}

static void ask_saver(struct job *job, const struct saver_order *order, uint64_t now)
{
	struct keeper *k = &job->keeper;

	k->next_save = now + (job->setup.map_interval ? job->setup.map_interval : MAP_INTERVAL);
	k->map_changed = false;
	if (order->map || order->flush)
		saver_ask(job->saver, order);
}

/* Without memory for them a resumed copy is compared with its source instead. */
static void add_digests(const struct job *job, struct saver_order *order)
{
	order->plan = job->plan;
	if (order->map && !job->setup.verify_only)
		order->digests = proof_copy_taken(job->proof);
}

/* A copy of the map shows what was complete before the flush begins; what the lanes add
 * meanwhile belongs to the next time. */
static void save_on_the_way(struct job *job, bool flush, uint64_t now)
{
	char path[PATH_MAX];
	struct saver_order order = { .path = path };

	if (map_path(job, path) && map_copy(job->map, &order.owned, NULL) < 0)
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("The map could not be saved for want of memory; it is tried "
				"again."));
	order.map = order.owned;
	order.state = (struct map_state){
		.pos = work_position(&job->work),
		.status = job->pass ? job->pass->letter : '?',
		.pass = pass_number(job),
	};
	add_digests(job, &order);
	if (order.map && flush)
		order.flush = flush_handle(job);
	ask_saver(job, &order, now);
}

void keeper_flush(struct job *job)
{
	const struct saver_order order = {
		.flush = flush_handle(job),
		.forget = job->proof ? &job->setup.destination : NULL,
	};

	saver_ask(job->saver, &order);
}

/* Nothing changes the map meanwhile, so it needs no copy, and no memory for one. */
void keeper_flush_and_save(struct job *job, char letter, uint64_t now)
{
	char path[PATH_MAX];
	struct saver_order order = {
		.map = map_path(job, path) ? job->map : NULL,
		.flush = flush_handle(job),
		.forget = job->proof ? &job->setup.destination : NULL,
		.path = path,
		.state = { .pos = work_position(&job->work), .status = letter, .pass = 1 },
	};

	add_digests(job, &order);
	ask_saver(job, &order, now);
}

static void tell_digests(struct job *job, const struct saver_result *result)
{
	if (result->digests_code < 0 && !job->keeper.digests_warned)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", result->digests_error.sentence);
	job->keeper.digests_warned = result->digests_code < 0;
}

void keeper_flush_window(struct job *job)
{
	struct saver_order order = { .flush = flush_handle(job) };

	if (map_copy(job->map, &order.owned, NULL) == 0)
		saver_ask(job->saver, &order);
}

static void tell_map(struct job *job, const struct saver_result *result)
{
	struct keeper *k = &job->keeper;

	if (result->saved) {
		if (k->map_warned)
			job_event_add(job, LOG_LEVEL_INFO, _("The map is saved again."));
		k->map_safe = true;
		k->map_warned = false;
		k->map_saved_at = (int64_t)time(NULL);
	} else if (result->code < 0) {
		k->map_safe = false;
		if (!k->map_warned)
			job_event_add(job, LOG_LEVEL_WARNING, "%s", result->error.sentence);
		k->map_warned = true;
	}
}

/* What may be gone on with from another job, even where the file could not be written. */
static void take_confirmed(struct job *job, const struct saver_result *result)
{
	struct keeper *k = &job->keeper;
	struct map *map = result->confirmed;

	if (!map && result->flushed && job->pass && job->pass->traits & PASS_NO_LANES &&
	    map_copy(job->map, &map, NULL) < 0)
		return;
	if (!map)
		return;
	rolling_open(job);
	map_destroy(k->confirmed);
	k->confirmed = map;
}

static void take_saver_result(struct job *job)
{
	struct keeper *k = &job->keeper;
	struct saver_result result;

	if (!saver_take_result(job->saver, &result))
		return;
	tell_map(job, &result);
	tell_digests(job, &result);
	take_confirmed(job, &result);
	if (result.flush_code < 0) {
		k->map_changed = true;
		if (!gone_is_why(job))
			job_fail(job, FAILURE_DESTINATION, &result.flush_error);
	}
	/* One on the way says nothing of what was written since. */
	if (job->pass && job->pass->traits & PASS_NO_LANES && result.flushed)
		k->flushed_at = (int64_t)time(NULL);
}

void keeper_set_state(struct job *job, enum job_state state, uint64_t now)
{
	job->keeper.state = state;
	measure_publish(job, now);
}

static bool check_claim(struct job *job)
{
	struct error error = { 0 };
	int r = job->setup.check ? job->setup.check(job->setup.check_user, &error) : 0;

	if (r >= 0)
		return true;
	if (error.code == 0)
		error_set(&error, ERROR_CLASS_REFUSED, r, "check", job->setup.destination.name,
			  _("%s is not what it was when it was chosen: %s. Nothing more is "
			    "written to it."),
			  job->setup.destination.name, error_phrase(r));
	job_fail(job, FAILURE_REFUSED, &error);
	return false;
}

static void begin(struct job *job, uint64_t now)
{
	char id[9], bytes[UNITS_TEXT_MAX];

	measure_start(job, now);
	if (!check_claim(job)) {
		keeper_set_state(job, JOB_STOPPING, now);
		return;
	}
	job_event_add(
		job, LOG_LEVEL_INFO,
		job->setup.verify_only ? _("Verifying %s of %s on %s, plan %s.")
				       : _("Copying %s from %s to %s, plan %s."),
		units_print_long(job->setup.verify_only ? job->total : job->total - job->already,
				 UNITS_SI, 512, bytes),
		job->setup.source.name, job->setup.destination.name, plan_id(job->plan, id));
	rolling_tell(job);
	job->keeper.ever_copied = true;
	/* Also where nothing is left to copy: what the map calls finished may be in a cache. */
	job->keeper.flush_due = true;
	/* Tells before the first byte whether the map has a place. */
	save_on_the_way(job, false, now);
	keeper_set_state(job, JOB_COPYING, now);
	job_gate_raise(job, atomic_load(&job->want_pause) ? GATE_PAUSE : GATE_RUN);
}

static void pause_or_go_on(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;
	bool want = atomic_load(&job->want_pause);

	if (want && k->state != JOB_PAUSED) {
		job_event_add(job, LOG_LEVEL_INFO, _("Paused."));
		k->paused_since = now;
		keeper_set_state(job, JOB_PAUSED, now);
		job_gate_raise(job, GATE_PAUSE);
	} else if (!want && k->state == JOB_PAUSED) {
		uint64_t length = now - k->paused_since;

		k->paused_ns += length;
		k->paused_since = 0;
		if (length > CHECK_AFTER && (!job->pass || job->pass->traits & PASS_WRITES) &&
		    !check_claim(job))
			return;
		job_event_add(job, LOG_LEVEL_INFO, _("Going on."));
		k->reading_since = now;
		keeper_set_state(job, job->pass ? job->pass->state : JOB_COPYING, now);
		job_gate_raise(job, GATE_RUN);
	} else if (!want && job_gate(job) == GATE_PAUSE) {
		/* Paused and let go on between two ticks. */
		job_gate_raise(job, GATE_RUN);
	}
}

static enum failure_kind failure(struct job *job)
{
	pthread_mutex_lock(&job->failure_lock);

	enum failure_kind kind = job->failure;

	pthread_mutex_unlock(&job->failure_lock);
	return kind;
}

static bool lanes_at_work(const struct job *job)
{
	return job->pass && !(job->pass->traits & PASS_NO_LANES);
}

/* One more where one is at its limit. That it cannot be had is no failure of the copy. */
static void add_lane(struct job *job)
{
	unsigned n = job->lane_count;
	uint32_t slots = job->choice.buffers_per_lane / 2;
	struct error error = { 0 };

	if (n >= job->lanes_max || !lanes_at_work(job) || job->pass->traits & PASS_ONE_LANE ||
	    job->keeper.state != job->pass->state || !measure_lanes_busy(job))
		return;
	if (lane_new(job, n, slots < 2 ? 2 : slots, &job->lanes[n], &error) < 0)
		goto out;
	atomic_store(&job->lanes[n]->state, LANE_RUNNING);
	if (lane_start(job->lanes[n], &error) < 0) {
		lane_destroy(job->lanes[n]);
		job->lanes[n] = NULL;
		goto out;
	}
	atomic_store(&job->lane_count, n + 1);
	/* The gate may have changed while it was not in the list of those to wake. */
	lane_wake(job->lanes[n]);
	job_event_add(job, LOG_LEVEL_INFO,
		      _("Lane %u is at its limit: another one helps from now on."), n - 1);
	return;
out:
	job->lanes_max = n;
	job_event_add(job, LOG_LEVEL_WARNING, _("No other lane could be started: %s"),
		      error.sentence);
}

static enum job_result judge(struct job *job)
{
	switch (failure(job)) {
	case FAILURE_NONE:
		break;
	case FAILURE_BAD_SECTOR:
	case FAILURE_LIMIT:
		return JOB_RESULT_STOPPED;
	default:
		return JOB_RESULT_FAILED;
	}
	if (proof_differs(job->proof) && (job_nothing_left(job) || job_gate(job) < GATE_STOP))
		return JOB_RESULT_MISMATCH;
	/* What the destination did not take is a hole, however often the job is resumed. */
	if (job->keeper.refused_bytes && job_gate(job) < GATE_STOP)
		return JOB_RESULT_PARTIAL;
	if (!job_nothing_left(job))
		return JOB_RESULT_STOPPED;
	if (!proof_complete(job) || (job_gate(job) >= GATE_STOP && sums_are_due(job)))
		return JOB_RESULT_STOPPED;
	return map_bytes(job->map, MAP_BAD) ? JOB_RESULT_PARTIAL : JOB_RESULT_COMPLETE;
}

static void tell_end(struct job *job)
{
	switch (job->keeper.result) {
	case JOB_RESULT_COMPLETE:
		job_event_add(job, LOG_LEVEL_INFO,
			      job->proof ? _("Everything is copied, flushed and verified.")
					 : _("Everything is copied and flushed."));
		break;
	case JOB_RESULT_MISMATCH:
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("The destination is not what the source was."));
		break;
	case JOB_RESULT_PARTIAL:
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("Everything but the bad areas is copied and flushed."));
		break;
	case JOB_RESULT_STOPPED:
		job_event_add(job, LOG_LEVEL_WARNING,
			      job->keeper.map_safe
				      ? _("Stopped. The copy can be resumed from its map.")
				      : _("Stopped. There is no map to resume from."));
		break;
	default:
		job_event_add(job, LOG_LEVEL_ERROR,
			      job->failure_error.code == -ENODEV
				      ? _("The copy ends here, for its disk is gone.")
				      : _("The copy failed."));
		break;
	}
}

/* Every pass is through, but something was left out. */
static void check_all_done(struct job *job)
{
	struct error error;

	/* What differs is not armed, so something may be left then. */
	if (job_gate(job) >= GATE_STOP || job->keeper.refused_bytes || proof_differs(job->proof) ||
	    (job_nothing_left(job) && proof_complete(job)))
		return;
	error_set(&error, ERROR_CLASS_INTERNAL, -EPROTO, "copy", job->setup.source.name,
		  job_nothing_left(job)
			  ? _("The lanes ended before all of %s was verified. This is a defect of "
			      "the program; please report it.")
			  : _("The lanes ended before all of %s was copied. This is a defect of "
			      "the program; please report it."),
		  job->setup.source.name);
	job_fail(job, FAILURE_INTERNAL, &error);
}

static void check_not_removed(struct job *job)
{
	const struct io_end *end = &job->setup.destination;
	struct error error;

	if (job->nameless || !io_is_removed(end))
		return;
	error_set(&error, ERROR_CLASS_DESTINATION, -ENOENT, "close", end->name,
		  _("%s was removed while it was written: what was copied is lost with it."),
		  end->name);
	job_fail(job, FAILURE_DESTINATION, &error);
}

/* The proof stands without the list; only later ones need it. */
static void save_digests(struct job *job)
{
	struct error error;

	if (!job->proof || !job->setup.digests_path)
		return;
	if (proof_save(job, job->setup.digests_path, &job->keeper.digests_saved, &error) < 0)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", error.sentence);
}

/* The threads are gone and the handles closed before the job is called ended. */
static void end(struct job *job)
{
	struct keeper *k = &job->keeper;

	check_all_done(job);
	check_not_removed(job);
	proof_sum(job);
	sums_judge(job);
	k->result = judge(job);
	k->armed = job->stages.count > 0 && job_nothing_left(job) && k->flushed_at;
	save_digests(job);
	job_gate_raise(job, GATE_EXIT);
	for (unsigned i = 0; i < job->lane_count; i++)
		lane_join(job->lanes[i]);
	measure_leave_disks(job);
	saver_destroy(job->saver);
	job->saver = NULL;
	tell_end(job);
	k->ended = clock_monotonic();
	k->ended_at = (int64_t)time(NULL);
	keeper_set_state(job, JOB_ENDED, k->ended);
}

static bool save_due(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;

	if (!lanes_at_work(job) || !saver_idle(job->saver))
		return false;
	if (atomic_exchange(&job->want_save, false))
		return true;
	/* A flush of a destination that hangs keeps the process from ending, even when it is left.
	 */
	if (k->state == JOB_STOPPING && k->presence.silent_since[1])
		return false;
	return k->map_changed && now >= k->next_save;
}

static void take_rate(struct job *job)
{
	char rate[UNITS_TEXT_MAX];
	uint64_t limit;

	if (!atomic_exchange(&job->rate_changed, false))
		return;
	limit = limit_get(&job->limit);
	rates_forget_trend(&job->keeper.measured.rates);
	if (limit)
		job_event_add(job, LOG_LEVEL_INFO, _("The rate is limited to %s."),
			      units_print_rate((double)limit, rate));
	else
		job_event_add(job, LOG_LEVEL_INFO, _("The rate is not limited any more."));
}

/* The end saves the map, but a source that hangs may never let it come. */
static void begin_stopping(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;

	keeper_set_state(job, JOB_STOPPING, now);
	if (k->next_save > now + SAVE_SOON)
		k->next_save = now + SAVE_SOON;
}

/* False: the job has ended. */
static bool tick(struct job *job, uint64_t now)
{
	keeper_collect(job);
	take_saver_result(job);
	rolling_tick(job);
	measure_tick(job, now);
	take_rate(job);
	gone_look(job, now);
	/* Between two passes it may be memory that the next one waits for. */
	if ((lanes_at_work(job) || !job->pass) && job->keeper.state != JOB_STOPPING) {
		pause_or_go_on(job, now);
		if (job_gate(job) >= GATE_STOP)
			begin_stopping(job, now);
		if (job->pass)
			abort_check(job, now);
	}
	add_lane(job);
	if (save_due(job, now))
		save_on_the_way(job, true, now);
	if (pass_is_through(job) && !pass_next(job, now)) {
		end(job);
		return false;
	}
	measure_publish(job, now);
	return true;
}

static void wait_kick(struct job *job, uint64_t until)
{
	uint64_t now = clock_monotonic();
	struct pollfd fd = { .fd = job->keeper_wake, .events = POLLIN };
	int ms = until > now ? (int)((until - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;

	if (poll(&fd, 1, ms) > 0)
		eventfd_clear(job->keeper_wake);
}

void *keeper_main(void *arg)
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
