/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper measures: turns the counters of the lanes into rates, latencies and shares, and
 * publishes the snapshot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "job/job_private.h"
#include "copy/pass.h"
#include "health/sensor.h"

#define KEEPER_SLOT       63 /* index in the CPU reader, after the lanes */
#define TEMPERATURE_EVERY (5 * NSEC_PER_SEC)
/* A lane is at its limit if it computes, or is inside a driver's submit, for this share of so many
 * spans in a row. */
#define BUSY_SHARE   0.7
#define BUSY_SPAN    (NSEC_PER_SEC / 10)
#define BUSY_SPANS   3
#define SLOW_SECONDS 10

static void process_seconds(double *retuser, double *retsystem)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	*retuser = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	*retsystem = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
}

int measure_init(struct job *job, struct error *reterr)
{
	struct measured *m = &job->keeper.measured;

	sensor_open(job->setup.source_hwmon, &m->sensor[0]);
	sensor_open(job->setup.destination_hwmon, &m->sensor[1]);
	return cpu_reader_new(&m->cpu, reterr);
}

void measure_leave_disks(struct job *job)
{
	struct measured *m = &job->keeper.measured;

	for (int i = 0; i < 2; i++) {
		sensor_close(m->sensor[i]);
		m->sensor[i] = NULL;
	}
}

void measure_done(struct job *job)
{
	measure_leave_disks(job);
	cpu_reader_destroy(job->keeper.measured.cpu);
}

void measure_start(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;
	struct measured *m = &job->keeper.measured;

	k->started = now;
	k->started_at = (int64_t)time(NULL);
	m->next_second = m->next_temperature = m->busy_since = now;
	k->next_save = now;
	process_seconds(&m->process_user, &m->process_system);
	rates_start(&m->rates, now, job->total, job->already);
}

uint64_t measure_sum(const struct job *job, size_t offset)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < job->lane_count; i++) {
		const char *counters = (const char *)&job->lanes[i]->counters;

		total += counter_get((const uint64_t *)(const void *)(counters + offset));
	}
	return total;
}

static void summarise_latency(struct job *job)
{
	struct measured *m = &job->keeper.measured;
	struct latency read = { 0 }, write = { 0 }, back = { 0 };

	for (unsigned i = 0; i < job->lane_count; i++) {
		latency_merge(&read, &job->lanes[i]->read_latency);
		latency_merge(&write, &job->lanes[i]->write_latency);
		latency_merge(&back, &job->lanes[i]->back_latency);
	}
	latency_summarise(&read, &m->read_latency);
	latency_summarise(&write, &m->write_latency);
	latency_summarise(&back, &m->back_latency);
}

/* Is everything read back now, so that this is the rate to be shown? */
static bool is_proving(const struct job *job)
{
	return job->pass && job->stages.now == 0 &&
	       (job->pass->kind == PASS_VERIFY || job->pass->kind == PASS_COMPARE);
}

static void measure_lane(struct job *job, unsigned i, double seconds)
{
	struct measured *m = &job->keeper.measured;
	struct lane *lane = job->lanes[i];
	struct job_lane *shown = &m->shown_lanes[i];
	uint64_t bytes =
		counter_get(is_proving(job) ? &lane->counters.handled : &lane->counters.written);

	shown->alive = atomic_load(&lane->state) == LANE_RUNNING;
	/* If another counter is shown from now on, its first second is not complete yet. */
	shown->rate = bytes < m->lane_bytes[i] || m->lanes_proving != is_proving(job)
			      ? 0
			      : (double)(bytes - m->lane_bytes[i]) / seconds;
	cpu_reader_thread(m->cpu, i, atomic_load(&lane->tid), &shown->cpu);
	m->lane_bytes[i] = bytes;
}

/* Nanoseconds on a processor; 0 if unknown. */
static uint64_t thread_ran(pthread_t thread)
{
	struct timespec ran;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &ran) < 0)
		return 0;
	return (uint64_t)ran.tv_sec * NSEC_PER_SEC + (uint64_t)ran.tv_nsec;
}

static bool lane_is_busy(struct job *job, unsigned i, uint64_t span)
{
	struct measured *m = &job->keeper.measured;
	const struct lane *lane = job->lanes[i];
	uint64_t ran = thread_ran(lane->thread);
	uint64_t submit = counter_get(&lane->counters.submit_ns);
	uint64_t most = submit - m->lane_submit[i];

	if (ran > m->lane_ran[i] && ran - m->lane_ran[i] > most)
		most = ran - m->lane_ran[i];
	m->lane_ran[i] = ran;
	m->lane_submit[i] = submit;
	return (double)most > BUSY_SHARE * (double)span;
}

static void measure_busy(struct job *job, uint64_t now)
{
	struct measured *m = &job->keeper.measured;
	uint64_t span = now - m->busy_since;
	bool busy = false;

	if (span < BUSY_SPAN)
		return;
	for (unsigned i = 0; i < job->lane_count; i++)
		busy |= lane_is_busy(job, i, span);
	m->busy_spans = busy && job->keeper.state == JOB_COPYING ? m->busy_spans + 1 : 0;
	m->busy_since = now;
}

/* A disk that takes three seconds to give up a sector would show nothing most of the time. */
static void measure_slowly(struct job *job)
{
	struct measured *m = &job->keeper.measured;

	if (m->slow_since != job->keeper.course.pass_started)
		m->slow_rate = m->handled_rate;
	m->slow_since = job->keeper.course.pass_started;
	m->slow_rate += (m->handled_rate - m->slow_rate) / SLOW_SECONDS;
}

static void each_second(struct job *job, uint64_t now)
{
	struct measured *m = &job->keeper.measured;
	double seconds = (double)(now - m->next_second + NSEC_PER_SEC) / (double)NSEC_PER_SEC;

	for (unsigned i = 0; i < job->lane_count; i++)
		measure_lane(job, i, seconds);
	m->lanes_proving = is_proving(job);
	rescue_measure(job, seconds);
	cpu_reader_system(m->cpu, &m->cpu_system);
	cpu_reader_process(m->cpu, &m->cpu_process);
	cpu_reader_thread(m->cpu, KEEPER_SLOT, gettid(), &m->cpu_keeper);
	summarise_latency(job);
	m->handled_rate = (double)(MEASURE_SUM(job, handled) - m->handled_then) / seconds;
	m->handled_then = MEASURE_SUM(job, handled);
	measure_slowly(job);
	m->back_rate = (double)(MEASURE_SUM(job, read_back) - m->read_back_then) / seconds;
	m->read_back_then = MEASURE_SUM(job, read_back);
	m->next_second = now + NSEC_PER_SEC;
}

bool measure_lanes_busy(struct job *job)
{
	bool busy = job->keeper.measured.busy_spans >= BUSY_SPANS;

	if (busy)
		job->keeper.measured.busy_spans = 0;
	return busy;
}

static void measure_temperatures(struct keeper *k, uint64_t now)
{
	bool due = now >= k->measured.next_temperature;

	for (int i = 0; i < 2; i++) {
		struct temperature *temperature = &k->measured.temperature[i];

		struct sensor *sensor = k->measured.sensor[i];

		if (!sensor)
			continue;
		temperature->known = sensor_read(sensor, &temperature->degrees);
		if (due)
			sensor_ask(sensor);
	}
	if (due)
		k->measured.next_temperature = now + TEMPERATURE_EVERY;
}

/* Averages are made of written bytes, so it counts as written. */
static void measure_proving(struct job *job, uint64_t now)
{
	struct measured *m = &job->keeper.measured;
	uint64_t handled = MEASURE_SUM(job, handled);

	if (m->proving_since != job->keeper.course.pass_started) {
		m->proving_since = job->keeper.course.pass_started;
		m->proving_before = handled;
		rates_start(&m->proving, now, job->total, 0);
	}
	handled -= m->proving_before;
	rates_update(&m->proving, now, handled, handled, job->keeper.state == JOB_PAUSED);
}

void measure_tick(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;
	bool copying =
		k->state == JOB_COPYING || k->state == JOB_PAUSED || k->state == JOB_STOPPING;

	/* What is armed last may come hours later, if the rest is verified first. */
	if (copying && k->measured.resting)
		rates_skip(&k->measured.rates, now);
	k->measured.resting = !copying;
	if (copying)
		rates_update(&k->measured.rates, now, MEASURE_SUM(job, read),
			     MEASURE_SUM(job, written), k->state == JOB_PAUSED);
	if (is_proving(job))
		measure_proving(job, now);
	io_stats_collect(job);
	measure_busy(job, now);
	if (now >= k->measured.next_second)
		each_second(job, now);
	measure_temperatures(k, now);
}

void measure_end(struct job *job, uint64_t now)
{
	measure_tick(job, now);
	summarise_latency(job);
}

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
	const struct measured *m = &job->keeper.measured;

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

static void fill_rates(const struct job *job, uint64_t now, struct job_snapshot *s)
{
	const struct keeper *k = &job->keeper;
	const struct measured *m = &job->keeper.measured;
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
	if (is_proving(job)) {
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
	struct measured *m = &job->keeper.measured;
	int64_t unix_now = (int64_t)time(NULL);
	struct eta copying;

	rates_eta(&m->rates, now, unix_now, &copying);
	overall_show(&m->overall, &copying, job->plan->options.retry_passes > 0, unix_now, s);
}

static void fill_end(const struct job *job, bool source, struct job_snapshot *s)
{
	struct job_end *end = source ? &s->source : &s->destination;
	const struct keeper *k = &job->keeper;
	const struct measured *m = &job->keeper.measured;

	*end = (struct job_end){
		.backend = (source ? job->choice.source : job->choice.destination)->name,
		.latency = source ? m->read_latency : m->write_latency,
		.stats = k->io_stats[!source],
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

static void fill_lanes(const struct job *job, struct job_snapshot *s)
{
	s->lane_count = job->lane_count;
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct lane *lane = job->lanes[i];

		s->lanes[i] = job->keeper.measured.shown_lanes[i];
		s->lanes[i].in_flight = counter_get32(&lane->counters.at_source) +
					counter_get32(&lane->counters.at_destination);
		s->buffers += lane->slot_count;
		s->buffers_in_use += counter_get32(&lane->counters.buffers_in_use);
	}
	s->read = MEASURE_SUM(job, read);
	s->written = job->already + MEASURE_SUM(job, written) - proof_rewritten(job->proof);
	s->errors = MEASURE_SUM(job, errors);
	s->retries = MEASURE_SUM(job, retries);
	s->slow_reads = MEASURE_SUM(job, slow_reads);
}

static void fill_map(const struct job *job, struct job_snapshot *s)
{
	const struct keeper *k = &job->keeper;

	bad_areas_show(job, s);
	s->map_safe = k->map_safe;
	s->map_failed = k->map_warned;
	s->map_saved_at = k->map_saved_at;
	s->log_failed = k->log_failing;
	s->digests_saved = k->digests_saved;
}

/* Times before the start and after the end do not belong to the job. */
static void fill_cpu(const struct job *job, struct job_snapshot *s)
{
	const struct keeper *k = &job->keeper;
	const struct measured *m = &job->keeper.measured;
	double user, system;

	s->cpu_system = m->cpu_system;
	s->cpu_process = m->cpu_process;
	s->cpu_keeper = m->cpu_keeper;
	if (!k->started)
		return;
	process_seconds(&user, &system);
	s->process_cpu_user = user - m->process_user;
	s->process_cpu_system = system - m->process_system;
}

/* Only the keeper builds it; the lock protects the copying. */
void measure_publish(struct job *job, uint64_t now)
{
	struct keeper *k = &job->keeper;
	struct job_snapshot s = { 0 };

	pass_show(job, now, &s);
	proof_show(job, &s);
	recheck_show(job, &s);
	look_show(job, &s);
	sums_show(job, &s);
	fill_times(job, now, &s);
	fill_rates(job, now, &s);
	fill_end(job, true, &s);
	fill_end(job, false, &s);
	s.read_back = k->measured.back_latency;
	fill_lanes(job, &s);
	fill_map(job, &s);
	rescue_show(job, now, &s);
	hang_show(job, now, &s.hang);
	fill_cpu(job, &s);
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
	pthread_mutex_lock(&job->events.lock);
	s.events = job->events.newest;
	pthread_mutex_unlock(&job->events.lock);

	pthread_mutex_lock(&job->shown_lock);

	/* For an event the descriptor was signalled earlier; do it again, now that it is in the
	 * snapshot. */
	bool changed = job->shown.state != s.state || job->shown.events != s.events;

	job->shown = s;
	job->shown_rates = is_proving(job) ? k->measured.proving : k->measured.rates;
	if (s.state == JOB_ENDED)
		pthread_cond_broadcast(&job->shown_cond);
	pthread_mutex_unlock(&job->shown_lock);
	if (changed)
		eventfd_signal(job->event_fd);
}
