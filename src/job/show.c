/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the snapshot together that front ends get. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "copy/held_memory.h"
#include "job/coordinator_private.h"
#include "job/hang.h"
#include "job/pass.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

/* Does the time that it takes count as that of verifying? */
static bool is_verification(enum pass_kind kind)
{
	return kind == PASS_VERIFY || kind == PASS_COMPARE || kind == PASS_RECHECK ||
	       kind == PASS_CLEAR_CHECK;
}

static void fill_times(const struct job *job, uint64_t now, struct job_snapshot *s)
{
	const struct coordinator *co = job->coordinator;
	uint64_t paused = co->paused_ns + (co->paused_since ? now - co->paused_since : 0);

	s->state = co->state;
	s->result = co->result;
	s->started_at = co->started_at;
	s->flushed_at = co->flushed_at;
	s->ended_at = co->ended_at;
	s->flushed = co->flushed_at != 0;
	if (!co->started)
		return;
	s->elapsed = (co->ended ? co->ended : now) - co->started;
	s->paused_ns = paused;
	s->copy_ns = co->copied ? co->copied - co->started - co->copied_paused_ns
				: now - co->started - paused;
	for (unsigned i = 0; i < s->pass_count; i++)
		if (s->passes[i].kind == PASS_FLUSH)
			s->flush_ns += s->passes[i].ns;
		else if (is_verification(s->passes[i].kind) ||
			 (job->verification.proof && s->passes[i].kind == PASS_LOOK))
			s->verify_ns += s->passes[i].ns;
}

static double now_in_pass(const struct job *job, const struct job_snapshot *s)
{
	const struct measure *m = &job->coordinator->measure;

	switch (job->pass ? job->pass->kind : PASS_NONE) {
	case PASS_NONE:
	case PASS_COPY:
	case PASS_COPY_FREE:
		return s->now_write;
	case PASS_TRIM:
	case PASS_SCRAPE:
	case PASS_RETRY:
		return m->slow_rate;
	default:
		return m->handled_rate;
	}
}

static void fill_rates(const struct job *job, bool reads_back, uint64_t now, struct job_snapshot *s)
{
	const struct coordinator *co = job->coordinator;
	const struct measure *m = &job->coordinator->measure;
	uint64_t last = co->copied ? m->rates.last : now;
	bool moving = co->state == JOB_COPYING || co->state == JOB_STOPPING;

	if (!co->started)
		return;
	s->now_read = moving ? m->rates.now_read : 0;
	s->now_write = moving ? m->rates.now_write : 0;
	s->now_back = moving ? m->back_rate : 0;
	/* What these passes write is no part of the copy. */
	if (moving && job->pass &&
	    (job->pass->kind == PASS_PROBE || job->pass->kind == PASS_WIPE ||
	     job->pass->kind == PASS_CLEAR))
		s->now_write = m->handled_rate;
	if (reads_back) {
		s->minute = rates_minute(&m->proving, now);
		s->average = rates_average(&m->proving, now);
	} else {
		s->minute = rates_minute(&m->rates, last);
		s->average = rates_average(&m->rates, last);
	}
	/* Some second was at least as fast as the average, even if none was measured completely. */
	s->peak = fmax(m->rates.peak, m->rates.peak > 0 ? rates_average(&m->rates, last) : 0);
	if (co->state == JOB_VERIFYING)
		s->now_read = m->handled_rate;
	if (moving || co->state == JOB_VERIFYING)
		s->now_pass = now_in_pass(job, s);
}

/* When everything else is filled in. */
static void fill_overall(struct job *job, uint64_t now, struct job_snapshot *s)
{
	struct coordinator *co = job->coordinator;
	int64_t unix_now = (int64_t)time(NULL);
	struct eta copying;

	rates_eta(s->pass == PASS_VERIFY || s->pass == PASS_COMPARE ? &co->measure.proving
								    : &co->measure.rates,
		  now, unix_now, &copying);
	overall_show(&co->overall, &copying, job->plan, unix_now, s);
}

static void show_end(const struct job *job, bool source, struct job_snapshot *s)
{
	struct job_end *end = source ? &s->source : &s->destination;

	*end = (struct job_end){
		.backend = (source ? job->choice.source : job->choice.destination)->name,
		.stats = job->coordinator->io_sums.ends[!source].stats,
	};
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct lane *lane = job->lanes[i];
		const struct lane_counters *c = &lane->counters;

		end->depth += source ? lane->depth_read : lane->depth_write;
		end->in_flight +=
			(uint32_t)counter_get(source ? &c->at_source : &c->at_destination);
		end->requests += counter_get(source ? &c->reads : &c->writes);
	}
}

static void fill_counts(const struct job *job, struct job_snapshot *s)
{
	s->read = JOB_SUM(job, read);
	s->written =
		job->already + JOB_SUM(job, written) - proof_rewritten(job->verification.proof);
	s->errors = JOB_SUM(job, errors);
	s->retries = JOB_SUM(job, retries);
	s->slow_reads = JOB_SUM(job, slow_reads);
}

static void fill_rescue(const struct job *job, uint64_t now, struct job_snapshot *s)
{
	struct rescue_figures figures;
	bool known = coordinator_rescue_figures(job, now, &figures);

	s->rescue = (struct job_rescue){
		.trouble = figures.read_errors || figures.bad_areas,
		.non_tried = map_bytes(job->map, MAP_NON_TRIED),
		.rescued = map_bytes(job->map, MAP_FINISHED),
		.non_trimmed = map_bytes(job->map, MAP_NON_TRIMMED),
		.non_scraped = map_bytes(job->map, MAP_NON_SCRAPED),
		.bad_sector = map_bytes(job->map, MAP_BAD),
		.bad_areas = figures.bad_areas,
		.read_errors = figures.read_errors,
		.good_read_known = known,
		.since_good_read = figures.since_good_read,
	};
	s->refused_bytes = job->refused_bytes;
}

static void fill_map(const struct job *job, struct job_snapshot *s)
{
	const struct coordinator *co = job->coordinator;

	bad_areas_show(&co->bad_areas, job->map, s);
	s->map_safe = co->map_safe;
	s->map_failed = co->map_warned;
	s->map_saved_at = co->map_saved_at;
	s->log_failed = job->events.log_failing;
	s->digests_saved = co->digests_saved;
	s->digests_code = co->digests_code;
}

/* Only the coordinator builds it; the lock protects the copying. */
void show_publish(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	struct measure_view view;
	struct job_snapshot s = { 0 };

	coordinator_view(job, &view);
	pass_show(job, now, &s);
	proof_show(&job->verification, &s.proof);
	recheck_show(&job->verification, &s.proof);
	look_show(&job->verification, &s.look, &s.proof);
	checksums_show(&job->verification, &s.sums);
	clearing_show(job, &s);
	fill_times(job, now, &s);
	fill_rates(job, view.reads_back, now, &s);
	show_end(job, true, &s);
	show_end(job, false, &s);
	s.zones = co->measure.zones;
	fill_counts(job, &s);
	measure_show(&co->measure, &view, &s);
	fill_map(job, &s);
	fill_rescue(job, now, &s);
	hang_show(job->lanes, job->lane_count, now, &s.hang);
	s.hang.lba /= io_sector_size(s.hang.write ? &job->setup.destination : &job->setup.source);
	s.only_reads = job->setup.verify_only;
	s.total = job->total;
	s.already = job->already;
	s.position = work_position(&job->work);
	s.chunk = job->choice.chunk;
	s.held_areas = job->stages.areas;
	s.held_bytes = job->stages.bytes;
	s.held_from_memory = job->copy.held ? held_memory_given(job->copy.held) : 0;
	s.armed = co->armed;
	s.source_in_use = job->setup.source_in_use;
	s.rate_limit = rate_limit_get(&job->limit);
	fill_overall(job, now, &s);
	memcpy(s.engine, job->choice.reason, sizeof(s.engine));
	job_failure(job, &s.error);
	s.events = events_newest(&job->events);

	pthread_mutex_lock(&job->coordinator->shown_lock);

	/* For an event the descriptor was signalled earlier; do it again, now that it is in the
	 * snapshot. */
	bool changed = job->coordinator->shown.state != s.state ||
		       job->coordinator->shown.events != s.events;

	job->coordinator->shown = s;
	job->coordinator->shown_rates = view.reads_back ? co->measure.proving : co->measure.rates;
	if (s.state == JOB_ENDED)
		pthread_cond_broadcast(&job->coordinator->shown_cond);
	pthread_mutex_unlock(&job->coordinator->shown_lock);
	if (changed)
		eventfd_signal(job->events.fd);
}
