/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile of modelled spinning disks, in a time of their own: what it takes here, and what else
 * runs on this machine, changes no figure. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "rig.h"
#include "unit.h"

#define SIZE   (1ULL << 30)
#define SECTOR 512
#define FD     1000        /* of the disk; never open */
#define CACHE  (16U << 20) /* all that is read at a place: its readers may overtake each other */
#define CALL   500         /* ns: what a look at the clock takes */

/* The disk: one actuator. turn 0: its cache has whatever is read again. */
static struct {
	double outer, inner; /* bytes per second */
	uint64_t turn, seek; /* ns */
	uint64_t head;       /* where the last read ended */
	uint64_t slow;       /* from here on, for an eighth of it, a third of that; 0: nowhere */
} disk;
static uint64_t now = NSEC_PER_SEC;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	if (id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, ret);
	pthread_mutex_lock(&lock);
	now += CALL;
	ret->tv_sec = (time_t)(now / NSEC_PER_SEC);
	ret->tv_nsec = (long)(now % NSEC_PER_SEC);
	pthread_mutex_unlock(&lock);
	return 0;
}

static double rate_at(uint64_t offset)
{
	double rate = disk.outer - (disk.outer - disk.inner) * (double)offset / (double)SIZE;

	return disk.slow && offset >= disk.slow && offset < disk.slow + SIZE / 8 ? rate / 3 : rate;
}

/* What lies near the head is in the disk's cache, but for what was read last; else the head moves,
 * and the sector has to come by. */
ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
	uint64_t offset = (uint64_t)at;

	ck_assert_int_eq(fd, FD);
	ck_assert_uint_le(offset + size, SIZE);
	pthread_mutex_lock(&lock);
	bool again = offset + size == disk.head;
	bool near = offset < disk.head + CACHE && disk.head < offset + CACHE;

	if (!near)
		now += disk.seek;
	if (disk.turn && (again || !near))
		now += disk.turn - (now - offset / SECTOR * 1000) % disk.turn;
	now += (uint64_t)((double)size / rate_at(offset) * 1e9);
	disk.head = offset + size;
	pthread_mutex_unlock(&lock);
	return (ssize_t)size;
}

static void set_up(void)
{
	rig_set_up();
	memset(&disk, 0, sizeof(disk));
	disk.outer = 200e6;
	disk.inner = 100e6;
	disk.seek = 4 * NSEC_PER_MSEC;
	/* Of a kind that is read by the calling thread. */
	run.end = (struct io_end){ .fd = FD,
				   .sg_fd = -1,
				   .direct = true,
				   .name = "/dev/sdx",
				   .size = SIZE,
				   .logical_sector_size = SECTOR,
				   .kind = DISK_RAM,
				   .rotational = YES };
	run.size = CACHE;
	run.ns = NSEC_PER_SEC;
	run.rounds = 1;
	options.positions = 16;
}

static void profile(void)
{
	struct error error = { 0 };

	ck_assert_msg(bench_profile.run(&run, &error) == 0, "%s", error.sentence);
	ck_assert_uint_eq(bad_places, 0);
}

static double found(const char *table, const char *row, const char *column)
{
	const struct bench_figure *figure = figure_at(table, row, column);

	ck_assert_msg(figure != NULL, "no %s of %s", column, row);
	return figure->median;
}

static void check_near(double value, double expected)
{
	ck_assert_msg(fabs(value - expected) < 0.02 * expected, "%g, not %g", value, expected);
}

static const struct turn {
	const char *name;
	uint64_t ns;
} turns[] = { { "5400 a minute", 11111111 },
	      { "7200", 8333333 },
	      { "10000", 6000000 },
	      { "15000", 4000000 } };

UNIT_CASE(.setup = set_up, .teardown = rig_tear_down);

TEST_ROWS(the_rotation_is_found, ARRAY_SIZE(turns))
{
	disk.turn = turns[_i].ns;
	profile();
	check_near(found("facts", "rotation", "value"), (double)turns[_i].ns / 1e9);
}

TEST(what_a_cache_answers_is_no_rotation)
{
	profile();
	ck_assert_ptr_null(figure_at("facts", "rotation", "value"));
}

TEST(what_does_not_turn_is_not_asked)
{
	disk.turn = turns[1].ns;
	run.end.rotational = NO;
	profile();
	ck_assert_ptr_null(figure_at("facts", "rotation", "value"));
}

TEST(zones_are_found)
{
	disk.turn = turns[1].ns;
	disk.slow = SIZE / 2;
	profile();
	for (unsigned i = 0; i < 16; i++) {
		/* Of what is read there, the middle. */
		double middle = result.rows[i].position + CACHE / 2.0;

		check_near(found("speed", result.rows[i].key, "read"), rate_at((uint64_t)middle));
	}
	double whole = found("facts", "whole", "value"), expected = 0;

	for (uint64_t at = 0; at < SIZE; at += SIZE / 1024)
		expected += (double)SIZE / 1024 / rate_at(at);
	ck_assert_msg(fabs(whole - expected) < 0.05 * expected, "%g, not %g", whole, expected);
}

TEST(reaching_a_place_takes_a_move_and_half_a_turn)
{
	disk.turn = turns[1].ns;
	profile();
	double half = found("access", "random", "p50");

	ck_assert_msg(half > 0.0065 && half < 0.0100, "%g", half);
	ck_assert(found("access", "random", "max") <= 0.0125);
}

TEST(a_small_disk_has_fewer_places)
{
	options.positions = 0;
	run.end.size = 10U << 20;
	profile();
	ck_assert_ptr_nonnull(figure_at("speed", "9437184", "read"));
	ck_assert_ptr_nonnull(figure_at("facts", "whole", "value"));
	/* Smaller than one request of a copy. */
	bench_result_done(&result);
	run.end.size = 300 << 10;
	profile();
	ck_assert_ptr_nonnull(figure_at("speed", "0", "read"));
	/* Asked for by number, it is refused, and nothing is shown. */
	bench_result_done(&result);
	options.positions = 64;
	ck_assert_int_eq(bench_profile.run(&run, NULL), -ERANGE);
	ck_assert_uint_eq(result.table_count, 0);
}

/* As the five blocks of the text. */
TEST(places_are_where_they_were_asked_for)
{
	static const uint64_t sectors[] = { 3, 1000000, 2000000 };
	static const uint64_t late[] = { 0, SIZE / SECTOR - 1 };

	options.positions = 3;
	options.sectors = sectors;
	profile();
	ck_assert_uint_eq(result.tables[0].row_count, 3);
	check_near(found("speed", "1536", "read"), rate_at(CACHE / 2));
	check_near(found("speed", "512000000", "read"), rate_at(512000000 + CACHE / 2));
	check_near(found("speed", "1024000000", "read"), rate_at(1024000000 + CACHE / 2));
	bench_result_done(&result);
	options.positions = 2;
	options.sectors = late;
	ck_assert_int_eq(bench_profile.run(&run, NULL), -ERANGE);
	ck_assert_uint_eq(result.table_count, 0);
}
