/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job frozen in the middle of a copy with one bad area, until it is stopped. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "job/overall.h"

#include "fake.h"

struct job {
	int event_fd;
	enum job_state state;
	uint64_t total, rate;
	bool verifies, compares;
	struct plan plan;
	unsigned events;
	uint64_t since; /* when it began, on the monotonic clock; 0: it stands still */
};

static bool moving, proving, rolling, completes, ailing;

static bool hangs;

void fake_hangs(void)
{
	hangs = true;
}

void fake_moves(void)
{
	moving = true;
}

/* 2026-09-21 14:12:20 UTC */
#define STARTED 1790000000
#define SECOND  UINT64_C(1000000000)

/* Takes the place of libc's, so that no screen looks different on another day. */
time_t time(time_t *ret)
{
	const time_t now = STARTED + 5625;

	if (ret)
		*ret = now;
	return now;
}

void fake_proves(void)
{
	proving = true;
}

void fake_completes(void)
{
	completes = true;
}

void fake_ails(void)
{
	ailing = true;
}

void fake_rolls(void)
{
	rolling = true;
}

struct job *fake_job_new(const struct plan *plan, int event_fd)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		abort();
	job->event_fd = event_fd;
	job->state = JOB_COPYING;
	job->events = 2;
	job->total = plan_bytes(plan);
	job->plan = *plan;
	job->since = moving ? clock_monotonic() : 0;
	eventfd_write(event_fd, 1);
	return job;
}

struct job *fake_job_verify(const struct plan *plan, bool compares, int event_fd)
{
	struct job *job = fake_job_new(plan, event_fd);

	job->verifies = true;
	job->compares = compares;
	job->state = JOB_VERIFYING;
	return job;
}

void fake_job_free(struct job *job)
{
	free(job);
}

static void latency(struct latency_summary *l, uint64_t ms)
{
	const double shares[LATENCY_COARSE] = { 0, 0, 0.01, 0.1, 0.6, 0.2, 0.07, 0.02, 0, 0 };

	*l = (struct latency_summary){ .count = 100000,
				       .mean = ms * 1000000,
				       .p50 = ms * 1000000,
				       .p90 = 2 * ms * 1000000,
				       .p99 = 3 * ms * 1000000,
				       .p999 = 10 * ms * 1000000,
				       .max = 55 * ms * 1000000 };
	memcpy(l->coarse, shares, sizeof(shares));
}

static void lanes(struct job_snapshot *s)
{
	s->lane_count = 2;
	for (unsigned i = 0; i < s->lane_count; i++)
		s->lanes[i] = (struct job_lane){
			.alive = true,
			.cpu = { .known = true, .user = 0.07f, .system = 0.01f },
			.rate = i ? 100e6 : 93e6,
			.in_flight = 2,
		};
	s->cpu_system = (struct cpu_share){ true, 0.06f, 0.03f, 0.12f, 0.79f };
	s->cpu_process = (struct cpu_share){ true, 0.14f, 0.03f, 0, 0 };
	s->cpu_coordinator = (struct cpu_share){ true, 0.005f, 0.005f, 0, 0 };
}

/* Something between -1 and 1 that is another one each time. */
static double noise(uint64_t at, unsigned which)
{
	return (double)((at * 7919 + which * 104729) % 2001) / 1000 - 1;
}

/* Half of the source was read; nothing failed, but one place took long. */
static void places(struct job_snapshot *s)
{
	struct zones_shown *zones = &s->zones;

	*zones = (struct zones_shown){ .cell = s->total / ZONES_MAX, .count = ZONES_MAX };
	for (uint32_t i = 0; i < ZONES_MAX / 2; i++) {
		uint32_t us = i / 4 == 20 ? 340000 : 21000 + 40 * i;

		zones->cells[i] = (struct zone_latency){ us, us * 2 };
	}
	zones->slowest = (struct slow_zone){ .known = true,
					     .first = zones->cell * 80,
					     .bytes = zones->cell * 4,
					     .median = 340000000,
					     .max = 680000000,
					     .rest = 22000000,
					     .factor = 15.5 };
}

/* A healthy copy at 190 MB/s: every figure trembles as real ones do, four times a second. */
static void move(const struct job *job, struct job_snapshot *s)
{
	uint64_t ns = clock_monotonic() - job->since, quarter = ns / (SECOND / 4);

	s->elapsed += ns;
	s->written += ns / 1000 * 186;
	s->read = s->position = s->written + (4 << 20);
	s->rescue.non_tried -= s->written - s->rescue.rescued;
	s->rescue.rescued = s->written;
	s->now_read = s->now_write = 190e6 * (1 + 0.02 * noise(quarter / 4, 1));
	s->source.in_flight = 3 + quarter % 2;
	s->destination.in_flight = 2 + quarter % 3;
	s->buffers_in_use = 13 + (uint32_t)(quarter % 4);
	s->cpu_system.user += 0.02f * (float)noise(quarter / 4, 2);
	s->cpu_process.user += 0.02f * (float)noise(quarter / 4, 3);
	for (unsigned i = 0; i < s->lane_count; i++) {
		s->lanes[i].cpu.user += 0.02f * (float)noise(quarter / 4, 4 + i);
		s->lanes[i].rate *= 1 + 0.02 * noise(quarter / 4, 6 + i);
	}
	s->source.latency.p99 += (uint64_t)(2e6 * (1 + noise(quarter / 4, 8)));
	s->destination.latency.p50 += (uint64_t)(1e6 * (1 + noise(quarter / 4, 9)));
}

/* One area of it. */
static void differ(struct job_proof *proof)
{
	proof->complete = false;
	proof->verified -= 4096;
	proof->areas = proof->shown = 1;
	proof->bytes = 4096;
	proof->mismatches[0] = (struct job_mismatch){
		.kind = MISMATCH_DESTINATION,
		.lba = 300000000,
		.sectors = 8,
		.destination_lba = 300000000,
		.partition = 3,
		.has_byte = true,
		.byte = 17,
		.at_source = 0x5a,
		.at_destination = 0x5b,
		.has_digests = true,
		.region_lba = 299999232,
		.region_sectors = 2048,
		.expected = "6f5a2c9be0d14478a3c1f09d5e7b8842",
		.found = "b1907d3e42fa4c65983c0de7a6124f58",
	};
}

/* A quarter of what was written is read back, and one area of it differs. */
static void prove(struct job_snapshot *s)
{
	s->written = s->read = s->position = s->total - s->bad_bytes;
	s->flushed = true;
	s->state = JOB_VERIFYING;
	s->pass = PASS_VERIFY;
	s->pass_count = 3;
	s->passes[0].done = s->passes[0].total;
	s->passes[1] = (struct job_pass){ .kind = PASS_FLUSH, .rounds = 1 };
	s->passes[2] = (struct job_pass){
		.kind = PASS_VERIFY,
		.rounds = 1,
		.ns = 2700 * SECOND,
		.done = s->total / 4,
		.total = s->written,
	};
	s->now_write = 0;
	latency(&s->read_back, 18);
	s->proof = (struct job_proof){ .asked = true, .verified = s->total / 4 };
	differ(&s->proof);
}

static void ail(struct job_snapshot *s)
{
	s->map_safe = false;
	s->map_failed = s->log_failed = true;
	s->hang = (struct job_hang){ .count = 2, .lba = 1602117632, .ns = 35 * SECOND };
}

/* No trouble any more, and all of it is there. */
static void complete(const struct job *job, struct job_snapshot *s)
{
	s->result = job->state == JOB_ENDED ? JOB_RESULT_COMPLETE : JOB_RESULT_NONE;
	s->written = s->read = s->position = s->total;
	s->flushed = s->digests_saved = true;
	latency(&s->read_back, 18);
	s->errors = s->retries = s->slow_reads = 0;
	s->bad_shown = s->bad_areas = s->bad_bytes = 0;
	s->rescue = (struct job_rescue){ .rescued = s->total };
	s->passes[0] = (struct job_pass){
		.kind = PASS_COPY, .rounds = 1, .done = s->total, .total = s->total
	};
	s->proof = (struct job_proof){ .asked = true, .complete = true, .verified = job->total };
}

/* A quarter of it, until it is stopped: then all of it, and it is right. */
static void read_back(const struct job *job, struct job_snapshot *s)
{
	bool ended = job->state == JOB_ENDED;
	uint64_t done = ended ? s->total : s->total / 4;
	enum pass_kind pass = job->compares ? PASS_COMPARE : PASS_VERIFY;

	complete(job, s);
	s->started_at += 1;
	s->state = job->state;
	s->only_reads = true;
	s->pass = ended ? PASS_NONE : pass;
	s->pass_count = 1;
	s->passes[0] = (struct job_pass){
		.kind = pass, .rounds = 1, .ns = 2700 * SECOND, .done = done, .total = s->total
	};
	s->now_write = 0;
	s->proof.complete = ended;
	s->proof.verified = done;
	if (job->compares)
		s->proof.compared = done;
	if (proving && ended) {
		s->result = JOB_RESULT_MISMATCH;
		differ(&s->proof);
	}
}

/* As the coordinator does it. */
static void estimate(const struct job *job, struct job_snapshot *s)
{
	const struct eta copying = { .known = s->state != JOB_VERIFYING,
				     .finish = STARTED + 5625 + 5130 };
	struct overall overall = { 0 };

	s->now_pass = s->state == JOB_VERIFYING ? s->now_read
		      : s->state == JOB_COPYING ? s->now_write
						: 0;
	overall_show(&overall, &copying, &job->plan, STARTED + (int64_t)(s->elapsed / SECOND), s);
}

void job_snapshot(struct job *job, struct job_snapshot *s)
{
	bool ended = job->state == JOB_ENDED;

	*s = (struct job_snapshot){
		.state = job->state,
		.result = ended ? JOB_RESULT_STOPPED : JOB_RESULT_NONE,
		.flushed = ended,
		.started_at = STARTED,
		.ended_at = ended ? STARTED + 5625 : 0,
		.flushed_at = ended ? STARTED + 5625 : 0,
		.elapsed = 5625 * SECOND,
		.copy_ns = 5625 * SECOND,
		.total = job->total,
		.read = job->total / 1000 * 523,
		.written = job->total / 1000 * 523,
		.position = job->total / 1000 * 524,
		.now_read = 193e6,
		.now_write = 193e6,
		.minute = 190e6,
		.average = 186e6,
		.peak = 211e6,
		.source = { .backend = "uring",
			    .depth = 4,
			    .in_flight = 4,
			    .requests = 998000,
			    .temperature = 38,
			    .temperature_known = true },
		.destination = { .backend = "uring",
				 .depth = 4,
				 .in_flight = 3,
				 .requests = 998000 },
		.chunk = 1 << 20,
		.buffers = 16,
		.buffers_in_use = 16,
		.process_cpu_user = 41,
		.process_cpu_system = 9,
		.rate_limit = job->rate,
		.errors = 2,
		.retries = 5,
		.slow_reads = 3,
		.bad_shown = 3,
		.bad_areas = 3,
		.bad_bytes = 13 * 512,
		.rescue = { .trouble = true,
			    .rescued = job->total / 1000 * 523,
			    .non_tried = job->total - job->total / 1000 * 523 - 65536 - 13 * 512,
			    .non_trimmed = 65536,
			    .bad_sector = 13 * 512,
			    .bad_areas = 4,
			    .read_errors = 2,
			    .good_read_known = true,
			    .since_good_read = SECOND / 10 },
		.events = job->events,
		.map_safe = true,
		.map_saved_at = STARTED + 5600,
		.engine = "io_uring, 2 lanes, depth 4, 1 MiB",
	};
	s->bad[0] = (struct job_bad_area){ .lba = 1602117632,
					   .sectors = 8,
					   .partition = 3,
					   .sense = { true, 3, 0x11, 0, true, 1602117632 } };
	s->bad[1] = (struct job_bad_area){
		.lba = 1602117760, .sectors = 4, .partition = 3, .code = -EIO
	};
	s->bad[2] = (struct job_bad_area){ .lba = 1700000000,
					   .sectors = 1,
					   .partition = 3,
					   .sense = { true, 0xb, 0x47, 3, false, 0 } };
	s->pass = ended ? PASS_NONE : PASS_COPY;
	s->pass_count = ended ? 2 : 1;
	s->passes[0] = (struct job_pass){
		.kind = PASS_COPY,
		.rounds = 1,
		.ns = 5625 * SECOND,
		.done = s->written,
		.total = s->total,
		.errors = 2,
	};
	s->passes[1] = (struct job_pass){ .kind = PASS_FLUSH, .rounds = 1 };
	latency(&s->source.latency, 22);
	latency(&s->destination.latency, 21);
	latency(&s->source.recent, 20);
	latency(&s->destination.recent, 19);
	places(s);
	for (unsigned i = 0; i < 20; i++)
		s->source.temperatures[s->source.temperature_count++] = (int16_t)(28 + i / 2);
	s->source.hot = 60;
	lanes(s);
	if (job->since)
		move(job, s);
	s->proof.asked = !ended;
	if (rolling && !ended)
		s->proof = (struct job_proof){ .asked = true,
					       .rolling = true,
					       .verified = job->total / 1000 * 498,
					       .early = job->total / 1000 * 498 };
	if (proving && !ended)
		prove(s);
	if (ailing && !ended)
		ail(s);
	if (completes && ended)
		complete(job, s);
	if (job->verifies)
		read_back(job, s);
	estimate(job, s);
}

void job_pause(struct job *job, bool pause)
{
	if (job->state == JOB_COPYING || job->state == JOB_PAUSED)
		job->state = pause ? JOB_PAUSED : JOB_COPYING;
	if (ailing)
		job->events = 4;
	eventfd_write(job->event_fd, 1);
}

bool job_pause_wanted(struct job *job)
{
	return job->state == JOB_PAUSED;
}

void job_stop(struct job *job)
{
	job->state = hangs ? JOB_STOPPING : JOB_ENDED;
	eventfd_write(job->event_fd, 1);
}

void job_set_rate(struct job *job, uint64_t bytes_per_second)
{
	job->rate = bytes_per_second;
	eventfd_write(job->event_fd, 1);
}

void job_rates(struct job *job, struct rates *r)
{
	memset(r, 0, sizeof(*r));
	r->seconds = RATES_HISTORY;
	for (unsigned i = 0; i < RATES_HISTORY; i++) {
		float rate = i % 40 < 30 ? 190e6f : 120e6f + 1e6f * (float)(i % 10);

		r->history[i] = (struct rate_sample){ rate, rate };
	}
	for (unsigned i = 0; i < RATES_PROFILE / 2; i++)
		r->profile[i] = 210e6f - 1e6f * (float)i;
	if (job->since) {
		/* One more second of a rate that trembles, each second. */
		r->seconds += (clock_monotonic() - job->since) / SECOND;
		for (unsigned i = 0; i < RATES_HISTORY; i++) {
			float rate = 190e6f * (1 + 0.05f * (float)noise(i, 10));

			r->history[i] = (struct rate_sample){ rate, rate };
		}
	}
	r->total = job->total;
	r->read = r->written = job->total / 1000 * 523;
}

size_t job_events(struct job *job, uint64_t after, struct job_event *ret, size_t max)
{
	static const char *const texts[] = { "started",
					     "read error sda LBA 1602117632 (medium error)",
					     "sda has not answered for 20 seconds", "paused" };
	static const enum log_level levels[] = { LOG_LEVEL_INFO, LOG_LEVEL_ERROR, LOG_LEVEL_WARNING,
						 LOG_LEVEL_INFO };
	size_t count = 0;

	for (uint64_t number = after + 1;
	     number <= (job->verifies ? 1 : job->events) && count < max; number++) {
		ret[count] = (struct job_event){ .number = number,
						 .time = STARTED + (int64_t)number * 4000,
						 .level = levels[number - 1] };
		text_copy(ret[count].text, sizeof(ret[count].text), texts[number - 1]);
		count++;
	}
	return count;
}

static char cell(const struct job *job, uint64_t from, uint64_t to)
{
	struct job_snapshot s;

	job_snapshot((struct job *)job, &s);
	for (size_t i = 0; i < s.bad_shown; i++)
		if (s.bad[i].lba * 512 < to && (s.bad[i].lba + s.bad[i].sectors) * 512 > from)
			return '-';
	if (s.position >= from && s.position < to && job->state != JOB_ENDED)
		return '>';
	return to <= s.written ? '+' : '?';
}

void job_map_cells(struct job *job, uint64_t start, uint64_t size, int cells, char *out)
{
	for (int i = 0; i < cells; i++) {
		double from = (double)start + (double)size * i / cells;

		out[i] = cell(job, (uint64_t)from, (uint64_t)(from + (double)size / cells));
	}
	out[cells] = '\0';
}

int job_set_map_path(struct job *job, const char *path, dev_t beneath, struct error *reterr)
{
	return 0;
}
