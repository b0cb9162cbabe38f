/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/measure.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "health/sensor.h"

#define COORDINATOR_SLOT  63 /* index in the CPU reader, after the lanes */
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

int measure_init(struct measure *measure, const char *const hwmon[static 2], struct error *reterr)
{
	for (int i = 0; i < 2; i++)
		sensor_open(hwmon[i], &measure->sensor[i]);
	return cpu_reader_new(&measure->cpu, reterr);
}

void measure_leave_disks(struct measure *measure)
{
	for (int i = 0; i < 2; i++) {
		sensor_close(measure->sensor[i]);
		measure->sensor[i] = NULL;
	}
}

void measure_done(struct measure *measure)
{
	measure_leave_disks(measure);
	cpu_reader_destroy(measure->cpu);
}

void measure_start(struct measure *measure, uint64_t total, uint64_t already, uint64_t now)
{
	measure->next_second = measure->next_temperature = measure->busy_since = now;
	process_seconds(&measure->process_user, &measure->process_system);
	rates_start(&measure->rates, now, total, already);
}

#define SUM(view, member) lanes_sum((view)->lanes, (view)->lane_count, member)

static void merge_latency(const struct measure_view *view, struct latency now[MEASURE_KINDS])
{
	for (unsigned i = 0; i < view->lane_count; i++) {
		latency_merge(&now[0], &view->lanes[i]->read_latency);
		latency_merge(&now[1], &view->lanes[i]->write_latency);
		latency_merge(&now[2], &view->lanes[i]->back_latency);
	}
}

void measure_latency(struct measure *m, const struct measure_view *view)
{
	struct latency now[MEASURE_KINDS] = { 0 }, between;
	struct latency *then = m->then[m->second % MEASURE_SECONDS];

	merge_latency(view, now);
	for (int kind = 0; kind < MEASURE_KINDS; kind++) {
		latency_summarise(&now[kind], &m->latency[kind]);
		latency_between(&then[kind], &now[kind], &between);
		latency_summarise(&between, &m->recent[kind]);
	}
	zones_show(view->zones, &m->zones);
}

/* What the next ten seconds are compared with: the oldest one makes room. */
static void keep_latency(struct measure *m, const struct measure_view *view)
{
	struct latency *then = m->then[m->second++ % MEASURE_SECONDS];

	memset(then, 0, sizeof(m->then[0]));
	merge_latency(view, then);
}

static void measure_lane(struct measure *m, const struct measure_view *view, unsigned i,
			 double seconds)
{
	struct lane *lane = view->lanes[i];
	struct job_lane *shown = &m->shown_lanes[i];
	uint64_t bytes =
		counter_get(view->reads_back ? &lane->counters.handled : &lane->counters.written);

	shown->alive = atomic_load(&lane->state) == LANE_RUNNING;
	/* Where another counter is shown than before, its first second is not complete yet. */
	shown->rate = bytes < m->lane_bytes[i] || m->lanes_proving != view->reads_back
			      ? 0
			      : (double)(bytes - m->lane_bytes[i]) / seconds;
	cpu_reader_thread(m->cpu, i, atomic_load(&lane->tid), &shown->cpu);
	m->lane_bytes[i] = bytes;
	for (int end = 0; end < 2; end++) {
		shown->waiting[end] =
			m->samples ? (float)(m->waiting[i][end] / (double)m->samples) : 0;
		m->waiting[i][end] = 0;
	}
}

/* Where the requests of each lane are, at each tick: what its thread waits for. */
static void sample_waiting(struct measure *m, const struct measure_view *view)
{
	for (unsigned i = 0; i < view->lane_count; i++) {
		const struct lane_counters *c = &view->lanes[i]->counters;

		m->waiting[i][0] += (double)counter_get(&c->at_source);
		m->waiting[i][1] += (double)counter_get(&c->at_destination);
	}
	m->samples++;
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

static bool lane_is_busy(struct measure *m, const struct measure_view *view, unsigned i,
			 uint64_t span)
{
	const struct lane *lane = view->lanes[i];
	uint64_t ran = thread_ran(lane->thread);
	uint64_t submit = counter_get(&lane->counters.submit_ns);
	uint64_t most = submit - m->lane_submit[i];

	if (ran > m->lane_ran[i] && ran - m->lane_ran[i] > most)
		most = ran - m->lane_ran[i];
	m->lane_ran[i] = ran;
	m->lane_submit[i] = submit;
	return (double)most > BUSY_SHARE * (double)span;
}

static void measure_busy(struct measure *m, const struct measure_view *view, uint64_t now)
{
	uint64_t span = now - m->busy_since;
	bool busy = false;

	if (span < BUSY_SPAN)
		return;
	for (unsigned i = 0; i < view->lane_count; i++)
		busy |= lane_is_busy(m, view, i, span);
	m->busy_spans = busy && view->state == JOB_COPYING ? m->busy_spans + 1 : 0;
	m->busy_since = now;
}

/* A disk that takes three seconds to give up a sector would show nothing most of the time. */
static void measure_slowly(struct measure *m, const struct measure_view *view)
{
	if (m->slow_since != view->pass_started)
		m->slow_rate = m->handled_rate;
	m->slow_since = view->pass_started;
	m->slow_rate += (m->handled_rate - m->slow_rate) / SLOW_SECONDS;
}

static void each_second(struct measure *m, const struct measure_view *view, uint64_t now)
{
	double seconds = (double)(now - m->next_second + NSEC_PER_SEC) / (double)NSEC_PER_SEC;

	for (unsigned i = 0; i < view->lane_count; i++)
		measure_lane(m, view, i, seconds);
	m->samples = 0;
	m->lanes_proving = view->reads_back;
	m->error_rate = (double)(SUM(view, error_bytes) - m->errors_then) / seconds;
	m->errors_then = SUM(view, error_bytes);
	cpu_reader_system(m->cpu, &m->cpu_system);
	cpu_reader_process(m->cpu, &m->cpu_process);
	cpu_reader_thread(m->cpu, COORDINATOR_SLOT, gettid(), &m->cpu_coordinator);
	measure_latency(m, view);
	keep_latency(m, view);
	m->handled_rate = (double)(SUM(view, handled) - m->handled_then) / seconds;
	m->handled_then = SUM(view, handled);
	measure_slowly(m, view);
	m->back_rate = (double)(SUM(view, read_back) - m->read_back_then) / seconds;
	m->read_back_then = SUM(view, read_back);
	m->next_second = now + NSEC_PER_SEC;
}

bool measure_lanes_busy(struct measure *measure)
{
	bool busy = measure->busy_spans >= BUSY_SPANS;

	if (busy)
		measure->busy_spans = 0;
	return busy;
}

static void keep_temperature(struct measure *m, int end, uint64_t now)
{
	int16_t *kept = m->temperatures[end];

	if (!m->temperature[end].known || now < m->next_kept[end])
		return;
	if (m->temperature_count[end] == JOB_TEMPERATURES)
		memmove(kept, kept + 1, (--m->temperature_count[end]) * sizeof(*kept));
	kept[m->temperature_count[end]++] = (int16_t)m->temperature[end].degrees;
	m->next_kept[end] = now + JOB_TEMPERATURE_STEP * NSEC_PER_SEC;
}

static void measure_temperatures(struct measure *m, uint64_t now)
{
	bool due = now >= m->next_temperature;

	for (int i = 0; i < 2; i++) {
		struct temperature *temperature = &m->temperature[i];
		struct sensor *sensor = m->sensor[i];

		if (!sensor)
			continue;
		temperature->known = sensor_read(sensor, &temperature->degrees);
		keep_temperature(m, i, now);
		if (due)
			sensor_ask(sensor);
	}
	if (due)
		m->next_temperature = now + TEMPERATURE_EVERY;
}

/* Averages are made of written bytes, so it counts as written. */
static void measure_proving(struct measure *m, const struct measure_view *view, uint64_t now)
{
	uint64_t handled = SUM(view, handled);

	if (m->proving_since != view->pass_started) {
		m->proving_since = view->pass_started;
		m->proving_before = handled;
		rates_start(&m->proving, now, view->total, 0);
	}
	handled -= m->proving_before;
	rates_update(&m->proving, now, handled, handled, view->state == JOB_PAUSED);
}

void measure_tick(struct measure *m, const struct measure_view *view, uint64_t now)
{
	bool paused = view->state == JOB_PAUSED;
	bool copying = paused || view->state == JOB_COPYING || view->state == JOB_STOPPING;

	/* The tables are written last, which may be hours later if the rest is verified first. */
	if (copying && m->resting)
		rates_skip(&m->rates, now);
	m->resting = !copying;
	if (copying)
		rates_update(&m->rates, now, SUM(view, read), SUM(view, written), paused);
	if (view->reads_back)
		measure_proving(m, view, now);
	measure_busy(m, view, now);
	sample_waiting(m, view);
	if (now >= m->next_second)
		each_second(m, view, now);
	measure_temperatures(m, now);
}

static void show_cpu(const struct measure *m, struct job_snapshot *ret)
{
	double user, system;

	ret->cpu_system = m->cpu_system;
	ret->cpu_process = m->cpu_process;
	ret->cpu_coordinator = m->cpu_coordinator;
	/* Times before the start do not belong to the job. */
	if (!m->next_second)
		return;
	process_seconds(&user, &system);
	ret->process_cpu_user = user - m->process_user;
	ret->process_cpu_system = system - m->process_system;
}

static void show_end(const struct measure *m, int end, struct job_end *ret)
{
	ret->latency = m->latency[end];
	ret->recent = m->recent[end];
	ret->temperature = m->temperature[end].degrees;
	ret->temperature_known = m->temperature[end].known;
	ret->temperature_count = m->temperature_count[end];
	memcpy(ret->temperatures, m->temperatures[end], sizeof(ret->temperatures));
	ret->hot = sensor_hot(m->sensor[end]);
}

void measure_show(const struct measure *m, const struct measure_view *view,
		  struct job_snapshot *ret)
{
	ret->lane_count = view->lane_count;
	for (unsigned i = 0; i < view->lane_count; i++) {
		const struct lane *lane = view->lanes[i];
		const struct lane_counters *c = &lane->counters;

		ret->lanes[i] = m->shown_lanes[i];
		ret->lanes[i].in_flight =
			(uint32_t)(counter_get(&c->at_source) + counter_get(&c->at_destination));
		ret->buffers += lane->slot_count;
		ret->buffers_in_use += (uint32_t)counter_get(&c->buffers_in_use);
	}
	show_cpu(m, ret);
	show_end(m, 0, &ret->source);
	show_end(m, 1, &ret->destination);
	ret->read_back = m->latency[2];
	ret->recent_back = m->recent[2];
}
