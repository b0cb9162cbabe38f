/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log on a disk that is full, pulled, or without the file: told once, and not a line is lost.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_rig.h"

static void limit_file_size(rlim_t bytes)
{
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

LOG_CASE;

/* A file system that is full and later is not: a limit on the size of files does the same. */
TEST(a_failure_is_told_until_it_is_over)
{
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	limit_file_size(60); /* in the middle of the second line */
	log_line(logfile, LOG_LEVEL_INFO, "io", "second");
	log_line(logfile, LOG_LEVEL_INFO, "io", "third");
	settle();
	ck_assert(log_failing(logfile, &error));
	ck_assert_int_eq(error.code, -EFBIG);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	limit_file_size(RLIM_INFINITY);
	log_line(logfile, LOG_LEVEL_INFO, "io", "fourth");
	log_line(logfile, LOG_LEVEL_INFO, "io", "fifth");
	settle();
	ck_assert(!log_failing(logfile, &error));

	/* The torn line is gone, and nothing is missing. */
	char *line = content();

	check_line(line, "info    io: first");

	for (const char **rest =
		     (const char *[]){ "info    io: second", "info    io: third",
				       "info    io: fourth", "info    io: fifth", NULL };
	     *rest; rest++) {
		line = strchr(line, '\n') + 1;
		check_line(line, *rest);
	}
}

/* Nobody has to say anything for that. */
TEST(what_failed_is_tried_again)
{
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	limit_file_size(0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	ck_assert(log_failing(logfile, &error));
	limit_file_size(RLIM_INFINITY);
	while (log_failing(logfile, &error))
		usleep(10000);
	check_line(content(), "info    io: first");
}

/* A disk that has lost one of its files. */
static _Atomic ino_t stale;

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	struct stat status;

	if (stale && fstat(fd, &status) == 0 && status.st_ino == stale) {
		errno = ESTALE;
		return -1;
	}
	return __real_write(fd, data, size);
}

/* As when its file system was unmounted under it, and is mounted again. */
TEST(a_file_that_comes_back_is_opened_again)
{
	struct stat status;
	char old[160];
	FILE *file;

	snprintf(old, sizeof(old), "%s.old", path);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	ck_assert_int_eq(stat(path, &status), 0);
	stale = status.st_ino;
	ck_assert_int_eq(rename(path, old), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "second");
	settle();
	ck_assert(log_failing(logfile, &error));
	ck_assert_int_eq(error.code, -ESTALE);
	/* It is opened, never made: what is at this place now may be another file system. */
	log_line(logfile, LOG_LEVEL_INFO, "io", "third");
	settle();
	ck_assert_int_eq(access(path, F_OK), -1);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	log_line(logfile, LOG_LEVEL_INFO, "io", "fourth");
	settle();
	ck_assert(!log_failing(logfile, &error));

	char *line = content();

	check_line(line, "info    io: second");
	line = strchr(line, '\n') + 1;
	check_line(line, "info    io: third");
	check_line(strchr(line, '\n') + 1, "info    io: fourth");
	unlink(old);
}

TEST(another_place_takes_what_failed)
{
	struct stat status;
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	ck_assert_int_eq(stat(path, &status), 0);
	stale = status.st_ino;
	log_line(logfile, LOG_LEVEL_INFO, "io", "second");
	settle();
	ck_assert(log_failing(logfile, &error));
	move_away(moved);
	ck_assert_int_eq(stat(moved, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
}

/* A stick that is pulled: the page cache takes lines, and only a sync tells, once. What was not on
 * the medium by then is holes. */
static atomic_bool pulled;
static atomic_uint syncs;
static off_t on_medium;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

static void lose_the_rest(int fd)
{
	static const char nothing[4096];
	char name[64];
	struct stat status;
	int other;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	other = open(name, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(other, 0);
	ck_assert_int_eq(fstat(other, &status), 0);
	for (off_t at = on_medium; at < status.st_size; at++)
		ck_assert_int_eq(pwrite(other, nothing, 1, at), 1);
	on_medium = status.st_size;
	close(other);
}

int __wrap_fdatasync(int fd)
{
	struct stat status;

	ck_assert_int_eq(fstat(fd, &status), 0);
	syncs++;
	if (pulled && status.st_size > on_medium) {
		lose_the_rest(fd);
		errno = EIO;
		return -1;
	}
	on_medium = status.st_size;
	return __real_fdatasync(fd);
}

static void pull_with(const char *first, const char *second)
{
	on_medium = 0;
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "%s", first);
	settle();
	pulled = true;
	log_line(logfile, LOG_LEVEL_INFO, "io", "%s", second);
	settle();
	ck_assert(log_failing(logfile, &error));
	ck_assert_int_eq(error.code, -EIO);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
}

static void check_content(const char *const *rest)
{
	char *line = content();

	for (; *rest; rest++) {
		check_line(line, *rest);
		line = strchr(line, '\n') + 1;
	}
	ck_assert_str_eq(line, "");
}

TEST(what_the_medium_did_not_take_is_written_again)
{
	struct stat status;

	pull_with("first", "second");
	log_line(logfile, LOG_LEVEL_INFO, "io", "third");
	settle();
	ck_assert(log_failing(logfile, &error));
	pulled = false;
	settle();
	ck_assert(!log_failing(logfile, &error));
	check_content((const char *[]){ "info    io: first", "info    io: second",
					"info    io: third", NULL });
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq((size_t)status.st_size, strlen(content()));
}

/* Mounted again, it is another file to the program. What the medium had of the lines that were on
 * the way is in it, and written once all the same; what is longer than we made it is not touched.
 */
static void comes_back_with(const char *more, const char *const *rest)
{
	char old[160], line[128];
	struct stat status;
	FILE *file;

	pull_with("first", "second");
	snprintf(old, sizeof(old), "%s.old", path);
	ck_assert_int_eq(stat(path, &status), 0);
	stale = status.st_ino;
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_int_eq(rename(path, old), 0);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%s%s", line, more);
	fclose(file);
	pulled = false;
	log_line(logfile, LOG_LEVEL_INFO, "io", "third");
	settle();
	ck_assert(!log_failing(logfile, &error));
	unlink(old);
	check_content(rest);
}

TEST(a_stick_that_comes_back_has_every_line_once)
{
	comes_back_with("2026-09-21T1", (const char *[]){ "info    io: first", "info    io: second",
							  "info    io: third", NULL });
}

TEST(what_others_wrote_is_not_cut_off)
{
	static const char others[] = "2026-09-21T14:12:20+02:00 info    other: 123456789 123456789 "
				     "123456789 123456789 123456789";

	comes_back_with(others,
			(const char *[]){ "info    io: first", others + 26, "info    io: second",
					  "info    io: third", NULL });
}

TEST(many_lines_are_one_sync)
{
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	syncs = 0;
	for (int i = 0; i < 1000; i++)
		log_line(logfile, LOG_LEVEL_INFO, "io", "line %d", i);
	/* Nobody has to ask for it. */
	for (int i = 0; i < 2000 && syncs == 0; i++)
		usleep(10000);
	ck_assert_uint_ge(syncs, 1);
	settle();
	ck_assert_uint_lt(syncs, 20);
}

TEST(another_place_takes_what_the_medium_did_not)
{
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	pull_with("first", "second");
	pulled = false;
	move_away(moved);
}

TEST(nobodys_file_is_taken_for_the_log)
{
	char moved[160], text[16] = "";
	FILE *file;

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	file = fopen(moved, "we");
	ck_assert_ptr_nonnull(file);
	fputs("precious", file);
	fclose(file);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	ck_assert_int_eq(log_move(logfile, moved, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	ck_assert(log_failing(logfile, &error));
	ck_assert_int_eq(error.code, -EEXIST);
	ck_assert_ptr_nonnull(strstr(error.sentence, moved));
	/* And on to a third. */
	unlink(path);
	ck_assert_int_eq(log_move(logfile, path, &error), 0);
	check_line(content(), "info    io: first");
	file = fopen(moved, "re");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	ck_assert_str_eq(text, "precious");
	unlink(moved);
}
