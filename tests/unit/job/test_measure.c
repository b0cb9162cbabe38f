/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a running job agree with each other and with the machine. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "rig.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static struct rig rig;

UNIT_CASE(.teardown = rig_teardown, .timeout = 60);

/*
 * Little's law: requests in flight = completions per second x time each takes.
 * The three are counted at different places, so a request that is lost or
 * counted twice anywhere breaks it.
 */
TEST(littles_law_holds)
{
	double reads = 0, writes = 0;
	int samples = 0;

	rig_new(&rig, 24 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 16 * KIB, .queue_depth = 8, .lanes = 1 });
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .delay_ns = 20 * MS);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_WRITES, .delay_ns = 10 * MS);
	rig_start(&rig);
	rig_until_written(&rig, MIB);

	struct job_snapshot first = rig_look(&rig), s;

	struct job_snapshot last = first;

	do {
		/* Out of step with the ten a second of the coordinator. */
		usleep(103000);
		s = rig_look(&rig);
		if (s.state != JOB_COPYING || s.written > 22 * MIB)
			break;
		reads += s.source.in_flight;
		writes += s.destination.in_flight;
		samples++;
		last = s;
	} while (samples < 40);
	ck_assert_int_ge(samples, 8);
	s = last;

	double seconds = (double)(s.elapsed - first.elapsed) / NSEC_PER_SEC;
	double read_rate = (double)(s.source.requests - first.source.requests) / seconds;
	double write_rate = (double)(s.destination.requests - first.destination.requests) / seconds;

	rig_wait(&rig);
	s = rig_look(&rig);

	double expected_reads = read_rate * (double)s.source.latency.mean / NSEC_PER_SEC;
	double expected_writes = write_rate * (double)s.destination.latency.mean / NSEC_PER_SEC;

	printf("# reads %.2f in flight, %.2f expected; writes %.2f, %.2f expected\n",
	       reads / samples, expected_reads, writes / samples, expected_writes);
	ck_assert_double_eq_tol(reads / samples, expected_reads, 1.0 + 0.25 * expected_reads);
	ck_assert_double_eq_tol(writes / samples, expected_writes, 1.0 + 0.25 * expected_writes);
	/* The slower end is kept at its depth, as it should be. */
	ck_assert_double_ge(reads / samples, 6.5);
	ck_assert_uint_eq(s.source.depth, 8);
	ck_assert_uint_ge(s.source.latency.p50, 20 * MS);
}

/* Reads of one MiB of the source take longer, and nothing fails. */
TEST(a_weak_zone_of_the_source_is_found)
{
	rig_new(&rig, 24 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .queue_depth = 4, .lanes = 1 });
	rig_faults(&rig, &io_uring_backend, &io_uring_backend);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = 5 * MIB, .length = MIB,
		  .delay_ns = 120 * MS);
	rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .delay_ns = 4 * MS);

	struct job_snapshot s = rig_run(&rig);
	const struct slow_zone *slow = &s.zones.slowest;

	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert(slow->weak);
	/* Reads that are done at once count as the first of them: the ends are not sharp. */
	ck_assert_uint_ge(slow->first, 5 * MIB);
	ck_assert_uint_le(slow->first + slow->bytes, 6 * MIB);
	ck_assert_uint_ge(slow->bytes, MIB / 2);
	ck_assert_uint_ge(slow->max, 120 * MS);
	ck_assert_double_ge(slow->factor, 4);
	ck_assert_uint_eq(s.zones.count * s.zones.cell, 24 * MIB);
}

static const struct io_recovered trouble[] = {
	{ .lba = 7, .sense = { .known = true, .key = 1, .asc = 0x17 } },
	{ .lba = 8, .sense = { .known = true, .key = 1, .asc = 0x18 } },
};

static void tell(const struct io_handle *handle, struct io_stats *ret)
{
	*ret = (struct io_stats){ .known = true,
				  .direct = 1,
				  .indirect = 2,
				  .recovered = 2,
				  .retried = 3,
				  .waited = 4,
				  .advice = "Do it another way.",
				  .first = trouble };
}

/* What the handles tell is summed over the lanes, outlives them, and is said once an end. */
TEST(what_the_drivers_did_is_told)
{
	struct io_backend telling = io_threads_backend;
	struct job_event events[JOB_EVENTS_MAX];
	unsigned advice = 0, recovered = 0, rest = 0;

	telling.stats = tell;
	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &(struct plan_options){ .chunk = 64 * KIB, .lanes = 6 });
	rig.setup.source_backend = &telling;
	rig.setup.destination_backend = &io_threads_backend;

	struct job_snapshot s = rig_run_to(&rig, JOB_RESULT_COMPLETE);

	ck_assert(s.source.stats.known);
	ck_assert_uint_eq(s.source.stats.direct, s.lane_count);
	ck_assert_uint_eq(s.source.stats.indirect, 2 * s.lane_count);
	ck_assert_uint_eq(s.source.stats.recovered, 2 * s.lane_count);
	ck_assert_uint_eq(s.source.stats.retried, 3 * s.lane_count);
	ck_assert_uint_eq(s.source.stats.waited, 4 * s.lane_count);
	ck_assert_ptr_null(s.source.stats.first);
	ck_assert(!s.destination.stats.known);

	size_t n = job_events(rig.job, 0, events, JOB_EVENTS_MAX);

	for (size_t i = 0; i < n; i++) {
		advice += strstr(events[i].text, "another way") != NULL;
		recovered += strstr(events[i].text, "recovered error: ") != NULL;
		rest += strstr(events[i].text, "are counted, not listed") != NULL;
	}
	ck_assert_uint_eq(advice, 1);
	ck_assert_uint_eq(recovered, 8);
	ck_assert_uint_eq(rest, 1);
}

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void make_virtual(uint64_t size, struct plan **retplan, struct job_setup *setup,
			 const struct plan_options *options)
{
	struct endpoint a = { .kind = ENDPOINT_DISK,
			      .node = "/dev/virtual-a",
			      .size = size,
			      .logical_sector_size = 512,
			      .exists = true };
	struct endpoint b = a;
	struct error error = { 0 };

	strcpy(b.node, "/dev/virtual-b");
	ck_assert_msg(plan_new(&a, &b, NULL, NULL, NULL, options, retplan, &error) == 0, "%s",
		      error.sentence);
	*setup = (struct job_setup){
		.plan = *retplan,
		.source = { .fd = -1,
			    .name = (*retplan)->source.node,
			    .size = size,
			    .logical_sector_size = 512,
			    .kind = DISK_OTHER },
		.destination = { .fd = -1,
				 .name = (*retplan)->destinations[0].node,
				 .size = size,
				 .writable = true,
				 .logical_sector_size = 512,
				 .kind = DISK_OTHER },
	};
}

static const uint64_t sizes[] = { 1ULL << 30, 20000000000000ULL / 512 * 512 };

TEST_ROWS(memory_does_not_grow_with_the_disk, 2)
{
	struct plan_options options = { .source_backend = BACKEND_NULL,
					.destination_backend = BACKEND_NULL };
	struct job_setup setup;
	struct job_snapshot s;
	CLEANUP(plan) struct plan *plan = NULL;
	struct job *job;
	struct error error = { 0 };
	uint64_t most = 0, start;

	make_virtual(sizes[_i], &plan, &setup, &options);
	ck_assert_msg(job_new(&setup, &job, &error) == 0, "%s", error.sentence);
	ck_assert_int_eq(job_start(job, NULL), 0);
	start = clock_monotonic();
	do {
		uint64_t now = resident_bytes();

		most = now > most ? now : most;
		usleep(10000);
		job_snapshot(job, &s);
	} while (s.state != JOB_ENDED &&
		 (clock_monotonic() - start < NSEC_PER_SEC || s.written == 0));
	job_stop(job);
	job_wait(job, NULL);
	job_snapshot(job, &s);
	printf("# %.1f GiB virtual, %.1f GiB copied, resident %.1f MiB\n",
	       (double)sizes[_i] / (1 << 30), (double)s.written / (1 << 30),
	       (double)most / (1 << 20));
	ck_assert_uint_gt(s.written, 0);
	if (!SANITIZED)
		ck_assert_uint_le(most, 16 * MIB);
	job_destroy(job);
}

TEST(an_idle_job_sleeps)
{
	struct rusage before, after;
	uint64_t start;
	double switches;

	rig_new(&rig, 8 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .rate = 8 * MIB, .lanes = 4 });
	rig_start(&rig);
	rig_until_written(&rig, MIB);
	job_pause(rig.job, true);
	rig_until_state(&rig, JOB_PAUSED);
	rig_until_still(&rig);
	start = clock_monotonic();
	getrusage(RUSAGE_SELF, &before);
	sleep(1);
	getrusage(RUSAGE_SELF, &after);
	switches = (double)(after.ru_nvcsw - before.ru_nvcsw) /
		   ((double)(clock_monotonic() - start) / NSEC_PER_SEC);
	printf("# %.0f wake-ups in a second of pause\n", switches);
	ck_assert_double_le(switches, 40);
	job_stop(rig.job);
	rig_wait(&rig);
}

/* Shares of the processor are differences between two looks, a second apart. */
static bool all_is_measured(const struct job_snapshot *s)
{
	return s->lane_count == 2 && s->lanes[0].cpu.known && s->cpu_process.known &&
	       s->cpu_system.known && s->cpu_coordinator.known &&
	       s->lanes[0].rate + s->lanes[1].rate > 0 && s->now_write > 0;
}

TEST(cpu_and_lanes_are_shown)
{
	struct job_snapshot s;

	rig_new(&rig, 32 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .rate = 2 * MIB, .lanes = 2 });
	rig_start(&rig);
	do {
		usleep(20000);
		s = rig_look(&rig);
		ck_assert_int_ne(s.state, JOB_ENDED);
	} while (!all_is_measured(&s));
	ck_assert_int_eq(s.state, JOB_COPYING);
	ck_assert_uint_eq(s.lane_count, 2);
	ck_assert(s.lanes[0].alive && s.lanes[1].alive);
	/* A slow machine may stay below the limit; nothing shows more. */
	ck_assert_double_le(s.now_write, 3.0 * MIB);
	ck_assert_double_le(s.lanes[0].rate + s.lanes[1].rate, 3.0 * MIB);
	ck_assert_double_gt(s.average, 0);
	ck_assert_double_le(s.average, 3.0 * MIB);
	ck_assert_uint_gt(s.buffers, 0);
	ck_assert_uint_gt(strlen(s.engine), 0);
	ck_assert_double_gt(s.process_cpu_user + s.process_cpu_system, 0);
	if (!SANITIZED)
		ck_assert_double_le((double)(s.cpu_coordinator.user + s.cpu_coordinator.system),
				    0.05);

	struct rates rates;

	job_rates(rig.job, &rates);
	ck_assert_uint_ge(rates.seconds, 1);
	job_stop(rig.job);
	rig_wait(&rig);
}

/* It has figures and a graph of its own; at the end they are those of the copy again. */
TEST(reading_back_is_measured_for_itself)
{
	struct job_snapshot s;
	struct rates rates;

	rig_new(&rig, 8 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL,
		 &(struct plan_options){ .chunk = 64 * KIB, .rate = 2 * MIB, .lanes = 1 });
	rig.plan->options.verify = VERIFY_AFTER;
	rig_start(&rig);
	do {
		usleep(20000);
		s = rig_look(&rig);
		ck_assert_int_ne(s.state, JOB_ENDED);
		job_rates(rig.job, &rates);
	} while (s.pass != PASS_VERIFY || !rates.seconds || s.average <= 0 || s.lanes[0].rate <= 0);
	ck_assert_uint_lt(rates.written, 8 * MIB);
	ck_assert_float_gt(rates.history[0].read, 0);
	ck_assert_double_le(s.average, 3.0 * MIB);
	ck_assert_double_le(s.lanes[0].rate, 3.0 * MIB);
	job_set_rate(rig.job, 0);
	s = rig_wait(&rig);
	job_rates(rig.job, &rates);
	ck_assert_uint_eq(rates.written, 8 * MIB);
	ck_assert_double_le(s.average, 3.0 * MIB);
}

TEST(temperatures_come_from_their_files)
{
	char path[160];
	struct job_snapshot s;
	int fd;

	const struct plan_options slow = { .rate = 4 * MIB };

	rig_new(&rig, 4 * MIB, 512);
	rig_plan(&rig, NULL, 0, NULL, &slow);
	snprintf(path, sizeof(path), "%s/temp1_input", rig.dir);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, "38500\n", 6), 6);
	close(fd);
	rig.setup.source_hwmon = path;
	rig.setup.destination_hwmon = "/nonexistent";
	s = rig_run(&rig);
	ck_assert(s.source.temperature_known);
	ck_assert_int_eq(s.source.temperature, 38);
	ck_assert(!s.destination.temperature_known);
}
