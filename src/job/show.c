/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the snapshot together that front ends get. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/thread.h"
#include "job/hang.h"
#include "job/job_private.h"
#include "job/pass.h"

/* Does the time that it takes count as that of verifying? */
static bool is_verification(enum pass_kind kind)
{
	return kind == PASS_VERIFY || kind == PASS_COMPARE || kind == PASS_RECHECK;
}

static void fill_times(const struct job *job, uint64_t now, struct job_snapshot *s)
{
	const struct keeper *k = &job->keeper;
	uint64_t paused = k->paused_ns + (k->paused_since ? now - k->paused_since : 0);

	s->state = k->state;
	s->result = k->result;
	s->started_at = k->started_at;
	s->flushed_at = k->flushed_at;
	s->ended_at = k->ended_at;
	s->flushed = k->flushed_at != 0;
	if (!k->started)
		return;
	s->elapsed = (k->ended ? k->ended : now) - k->started;
	s->paused_ns = paused;
	s->copy_ns = k->copied ? k->copied - k->started - k->copied_paused_ns
			       : now - k->started - paused;
	for (unsigned i = 0; i < s->pass_count; i++)
		if (s->passes[i].kind == PASS_FLUSH)
			s->flush_ns += s->passes[i].ns;
		else if (is_verification(s->passes[i].kind) ||
			 (job->proof && s->passes[i].kind == PASS_LOOK))
			s->verify_ns += s->passes[i].ns;
}

static double now_in_pass(const struct job *job, const struct job_snapshot *s)
{
	const struct measure *m = &job->keeper.measure;

	switch (job->pass ? job->pass->kind : PASS_NONE) {
	case PASS_NONE:
	case PASS_COPY:
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
	const struct keeper *k = &job->keeper;
	const struct measure *m = &job->keeper.measure;
	uint64_t last = k->copied ? m->rates.last : now;
	bool moving = k->state == JOB_COPYING || k->state == JOB_STOPPING;

	if (!k->started)
		return;
	s->now_read = moving ? m->rates.now_read : 0;
	s->now_write = moving ? m->rates.now_write : 0;
	s->now_back = moving ? m->back_rate : 0;
	/* What these passes write is no part of the copy. */
	if (moving && job->pass && (job->pass->kind == PASS_PROBE || job->pass->kind == PASS_WIPE))
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
	if (k->state == JOB_VERIFYING)
		s->now_read = m->handled_rate;
	if (moving || k->state == JOB_VERIFYING)
		s->now_pass = now_in_pass(job, s);
}

/* When everything else is filled in. */
static void fill_overall(struct job *job, uint64_t now, struct job_snapshot *s)
{
	struct keeper *k = &job->keeper;
	int64_t unix_now = (int64_t)time(NULL);
	struct eta copying;

	rates_eta(&k->measure.rates, now, unix_now, &copying);
	overall_show(&k->overall, &copying, job->plan->options.retry_passes > 0, unix_now, s);
}

static void show_end(const struct job *job, bool source, struct job_snapshot *s)
{
	struct job_end *end = source ? &s->source : &s->destination;
	const struct keeper *k = &job->keeper;
	const struct measure *m = &job->keeper.measure;

	*end = (struct job_end){
		.backend = (source ? job->choice.source : job->choice.destination)->name,
		.latency = source ? m->read_latency : m->write_latency,
		.stats = k->io_sums.ends[!source].stats,
		.temperature = m->temperature[!source].degrees,
		.temperature_known = m->temperature[!source].known,
	};
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct lane *lane = job->lanes[i];
		const struct lane_counters *c = &lane->counters;

		end->depth += source ? lane->depth_read : lane->depth_write;
		end->in_flight += counter_get32(source ? &c->at_source : &c->at_destination);
		end->bytes_in_flight +=
			counter_get(source ? &c->bytes_at_source : &c->bytes_at_destination);
		end->requests += counter_get(source ? &c->reads : &c->writes);
	}
}

static void fill_counts(const struct job *job, struct job_snapshot *s)
{
	s->read = MEASURE_SUM(job, read);
	s->written = job->already + MEASURE_SUM(job, written) - proof_rewritten(job->proof);
	s->errors = MEASURE_SUM(job, errors);
	s->retries = MEASURE_SUM(job, retries);
	s->slow_reads = MEASURE_SUM(job, slow_reads);
}

static void fill_rescue(const struct job *job, uint64_t now, struct job_snapshot *s)
{
	struct rescue_figures figures;
	bool known = keeper_rescue_figures(job, now, &figures);

	s->rescue = (struct job_rescue){
		.trouble = figures.read_errors || figures.bad_areas,
		.non_tried = map_bytes(job->map, MAP_NON_TRIED),
		.rescued = map_bytes(job->map, MAP_FINISHED),
		.non_trimmed = map_bytes(job->map, MAP_NON_TRIMMED),
		.non_scraped = map_bytes(job->map, MAP_NON_SCRAPED),
		.bad_sector = map_bytes(job->map, MAP_BAD),
		.bad_areas = figures.bad_areas,
		.read_errors = figures.read_errors,
		.error_rate = figures.error_rate,
		.good_read_known = known,
		.since_good_read = figures.since_good_read,
	};
	s->refused_bytes = job->keeper.refused_bytes;
}

static void fill_map(const struct job *job, struct job_snapshot *s)
{
	const struct keeper *k = &job->keeper;

	bad_areas_show(&k->bad_areas, job->map, s);
	s->map_safe = k->map_safe;
	s->map_failed = k->map_warned;
	s->map_saved_at = k->map_saved_at;
	s->log_failed = job->events.log_failing;
	s->digests_saved = k->digests_saved;
}

/* Only the keeper builds it; the lock protects the copying. */
void show_publish(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;
	struct measure_view view;
	struct job_snapshot s = { 0 };

	keeper_view(job, &view);
	pass_show(job, now, &s);
	proof_show(job, &s);
	recheck_show(job, &s);
	look_show(job, &s);
	sums_show(job, &s);
	fill_times(job, now, &s);
	fill_rates(job, view.reads_back, now, &s);
	show_end(job, true, &s);
	show_end(job, false, &s);
	s.read_back = k->measure.back_latency;
	fill_counts(job, &s);
	measure_show(&k->measure, &view, &s);
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
	s.armed = k->armed;
	s.source_in_use = job->setup.source_in_use;
	s.rate_limit = rate_limit_get(&job->limit);
	fill_overall(job, now, &s);
	memcpy(s.engine, job->choice.reason, sizeof(s.engine));
	pthread_mutex_lock(&job->failure_lock);
	s.error = job->failure_error;
	pthread_mutex_unlock(&job->failure_lock);
	s.events = events_newest(&job->events);

	pthread_mutex_lock(&job->shown_lock);

	/* For an event the descriptor was signalled earlier; do it again, now that it is in the
	 * snapshot. */
	bool changed = job->shown.state != s.state || job->shown.events != s.events;

	job->shown = s;
	job->shown_rates = view.reads_back ? k->measure.proving : k->measure.rates;
	if (s.state == JOB_ENDED)
		pthread_cond_broadcast(&job->shown_cond);
	pthread_mutex_unlock(&job->shown_lock);
	if (changed)
		eventfd_signal(job->events.fd);
}
