/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log on a disk that hangs: nobody waits for it, and what is missing is said. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#include "log_rig.h"

/* The disk: hangs while it is locked. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool hangs;

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (hangs) {
		pthread_mutex_lock(&disk);
		pthread_mutex_unlock(&disk);
	}
	return __real_write(fd, data, size);
}

LOG_CASE;

TEST(another_place_takes_what_hangs)
{
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	hangs = true;
	pthread_mutex_lock(&disk);
	log_line(logfile, LOG_LEVEL_INFO, "io", "second");
	ck_assert(!log_settle(logfile, clock_monotonic() + NSEC_PER_SEC / 10));
	hangs = false;
	move_away(moved);
	/* Whoever ends the program is told that somebody still waits for the old one. */
	ck_assert(!log_close(logfile));
	logfile = NULL;
	pthread_mutex_unlock(&disk);
}

/* Far more than is kept in memory. */
#define LINES 20000

TEST(nobody_waits_for_a_disk_that_hangs)
{
	unsigned kept = 0, lost = 0;

	hangs = true;
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	pthread_mutex_lock(&disk);
	for (int i = 0; i < LINES; i++)
		log_line(logfile, LOG_LEVEL_INFO, "io", "line %d", i);
	ck_assert(!log_settle(logfile, clock_monotonic() + NSEC_PER_SEC / 10));
	while (!log_failing(logfile, &error))
		usleep(100000);
	ck_assert_int_eq(error.code, -ETIMEDOUT);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	pthread_mutex_unlock(&disk);
	settle();
	ck_assert(!log_failing(logfile, &error));
	log_line(logfile, LOG_LEVEL_INFO, "io", "after");

	/* In order, and what is missing is said where it is. */
	char *line = content();

	for (int i; sscanf(line + 26, "info io: line %d", &i) == 1; line = strchr(line, '\n') + 1)
		ck_assert_int_eq(i, kept++);
	ck_assert_int_eq(sscanf(line + 26, "warning log: %u lines are missing here", &lost), 1);
	ck_assert_uint_gt(kept, 100);
	ck_assert_uint_gt(lost, 0);
	ck_assert_uint_eq(kept + lost, LINES);
	check_line(strchr(line, '\n') + 1, "info    io: after");
}

/* Whoever closes it does not wait for ever, and what was said is written if the disk comes back. */
TEST(a_log_that_hangs_is_left_alone)
{
	uint64_t before = clock_monotonic();

	hangs = true;
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	pthread_mutex_lock(&disk);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	log_line(logfile, LOG_LEVEL_INFO, "io", "second");
	log_close(logfile);
	logfile = NULL;
	ck_assert_uint_ge(clock_monotonic() - before, 20 * NSEC_PER_SEC);
	ck_assert_uint_eq(strlen(content()), 0);
	pthread_mutex_unlock(&disk);
	while (!strstr(content(), "second"))
		usleep(10000);
	check_line(content(), "info    io: first");
}
