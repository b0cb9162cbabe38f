/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU shares: a thread that computes shows, one that sleeps does not. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "stats/cpu.h"

static atomic_bool stop;
static atomic_int worker_tid;

/* Nanoseconds of CPU time, from another clock than the one under test reads. */
static uint64_t process_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static void *burn(void *arg)
{
	atomic_store(&worker_tid, gettid());
	while (!atomic_load(&stop))
		;
	return NULL;
}

TEST(a_busy_thread_is_seen)
{
	struct cpu_reader *reader;
	struct cpu_share share;
	pthread_t thread;

	ck_assert_int_eq(cpu_reader_new(&reader, NULL), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, burn, NULL), 0);
	while (!atomic_load(&worker_tid))
		usleep(1000);

	cpu_reader_thread(reader, 3, atomic_load(&worker_tid), &share);
	ck_assert(!share.known);
	cpu_reader_process(reader, &share);
	ck_assert(!share.known);
	cpu_reader_system(reader, &share);
	ck_assert(!share.known);

	uint64_t cpu = process_cpu(), wall = clock_monotonic();

	usleep(400000);
	double real = (double)(process_cpu() - cpu) / (double)(clock_monotonic() - wall);

	cpu_reader_thread(reader, 3, atomic_load(&worker_tid), &share);
	ck_assert(share.known);
	ck_assert_double_eq_tol((double)(share.user + share.system), real, 0.25);
	ck_assert_double_gt((double)share.user, (double)share.system);
	cpu_reader_process(reader, &share);
	ck_assert(share.known);
	ck_assert_double_eq_tol((double)(share.user + share.system), real, 0.25);
	cpu_reader_system(reader, &share);
	ck_assert(share.known);
	ck_assert_double_eq_tol((double)(share.user + share.system + share.iowait + share.idle), 1,
				0.01);

	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	cpu_reader_destroy(reader);
}

TEST(a_thread_that_is_gone_is_unknown)
{
	struct cpu_reader *reader;
	struct cpu_share share = { .known = true };

	ck_assert_int_eq(cpu_reader_new(&reader, NULL), 0);
	for (int i = 0; i < 2; i++) {
		cpu_reader_thread(reader, 0, 0x3fffffff, &share);
		ck_assert(!share.known);
		cpu_reader_thread(reader, 64, gettid(), &share);
		ck_assert(!share.known);
		cpu_reader_thread(reader, 1, 0, &share);
		ck_assert(!share.known);
	}
	cpu_reader_destroy(reader);
	cpu_reader_destroy(NULL);
}

TEST(there_is_a_cpu)
{
	ck_assert_uint_ge(cpu_count(), 1);
}
