/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log: whole lines from many threads, no links followed, failures told once. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static char dir[64], path[128];
static struct log *logfile;
static struct error error;

static void setup(void)
{
	strcpy(dir, "/tmp/clonedeck-log-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.log", dir);
	logfile = NULL;
	error = (struct error){ 0 };
}

static void teardown(void)
{
	log_close(logfile);
	unlink(path);
	rmdir(dir);
}

static void settle(void)
{
	ck_assert(log_settle(logfile, clock_monotonic() + 100 * NSEC_PER_SEC));
}

static char *content(void)
{
	static char text[1 << 20];

	settle();

	FILE *file = fopen(path, "re");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* "2026-09-21T14:12:20+02:00 error   io: …" */
static void check_line(const char *line, const char *rest)
{
	ck_assert_int_eq(line[4], '-');
	ck_assert_int_eq(line[10], 'T');
	ck_assert_int_eq(line[22], ':');
	ck_assert_int_eq(line[25], ' ');
	ck_assert_msg(strncmp(line + 26, rest, strlen(rest)) == 0, "'%s' is not '%s'", line, rest);
	ck_assert_int_eq(line[26 + strlen(rest)], '\n');
}

START_TEST(writes_lines)
{
	struct stat status;

	umask(0);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0600);
	log_line(logfile, LOG_LEVEL_INFO, "scan", "found %d disks", 5);
	log_line(logfile, LOG_LEVEL_DEBUG, "scan", "not wanted");
	log_line(logfile, LOG_LEVEL_WARNING, "io", "label '%s'", "a\033[2J\nforged line");

	char *text = content();

	check_line(text, "info    scan: found 5 disks");
	text = strchr(text, '\n') + 1;
	check_line(text, "warning io: label 'a?[2J?forged line'");
	ck_assert_str_eq(strchr(text, '\n'), "\n");
	ck_assert(!log_failing(logfile, &error));
}
END_TEST

START_TEST(appends)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
		log_line(logfile, LOG_LEVEL_ERROR, "io", "line");
		log_close(logfile);
	}
	logfile = NULL;

	char *text = content();

	check_line(text, "error   io: line");
	check_line(strchr(text, '\n') + 1, "error   io: line");
}
END_TEST

START_TEST(debug_by_module)
{
	ck_assert_int_eq(log_open(path, "scan,io", &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_DEBUG, "io", "one");
	log_line(logfile, LOG_LEVEL_DEBUG, "i", "no");
	log_line(logfile, LOG_LEVEL_DEBUG, "iox", "no");
	log_line(logfile, LOG_LEVEL_DEBUG, "copy", "no");
	log_line(logfile, LOG_LEVEL_DEBUG, "scan", "two");
	ck_assert_ptr_null(strstr(content(), "no"));
	ck_assert_ptr_nonnull(strstr(content(), "io: one"));
	ck_assert_ptr_nonnull(strstr(content(), "scan: two"));
	log_close(logfile);
	ck_assert_int_eq(log_open(path, ",all", &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_DEBUG, "copy", "three");
	ck_assert_ptr_nonnull(strstr(content(), "debug   copy: three"));
}
END_TEST

START_TEST(errors)
{
	struct error failure;

	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
	error_set(&failure, ERROR_CLASS_SOURCE, -EIO, "read", "/dev/sda", "%s", "It failed.");
	log_error(logfile, "copy", &failure);
	failure.sense = (struct sense){ .known = true, .key = 3, .asc = 0x11, .ascq = 4 };
	log_error(logfile, "copy", &failure);

	char *text = content();

	check_line(text, "error   copy: It failed. (read, errno 5)");
	check_line(strchr(text, '\n') + 1,
		   "error   copy: It failed. (read, errno 5, sense 3/11/04)");
}
END_TEST

START_TEST(long_lines_stay_lines)
{
	char longer[5000];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, longer, "%s", longer);
	log_line(logfile, LOG_LEVEL_INFO, "io", "next");

	char *text = content();

	ck_assert_uint_lt((size_t)(strchr(text, '\n') - text), 1300);
	check_line(strchr(text, '\n') + 1, "info    io: next");
}
END_TEST

START_TEST(nothing_without_a_log)
{
	log_line(NULL, LOG_LEVEL_ERROR, "io", "%s", "x");
	log_error(NULL, "io", &(struct error){ 0 });
	ck_assert(!log_failing(NULL, &error));
	ck_assert(log_settle(NULL, 0));
	ck_assert_int_eq(log_move(NULL, "/none", &error), 0);
	log_close(NULL);
}
END_TEST

START_TEST(follows_no_link)
{
	char victim[128];

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ck_assert_int_eq(symlink(victim, path), 0);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), -ELOOP);
	ck_assert_int_eq(access(victim, F_OK), -1);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	ck_assert_int_eq(error_exit_code(&error), EXIT_ENVIRONMENT);
}
END_TEST

START_TEST(only_regular_files)
{
	ck_assert_int_lt(log_open("/dev/null", NULL, &logfile, &error), 0);
	ck_assert_int_lt(log_open(dir, NULL, &logfile, &error), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	/* With a reader it could be opened, without one it must not hang. */
	ck_assert_int_lt(log_open(path, NULL, &logfile, &error), 0);

	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), -EINVAL);
	close(reader);
	ck_assert_int_eq(log_open("/no/such/folder/a.log", NULL, &logfile, &error), -ENOENT);
	ck_assert_int_eq(log_open("/no/such/folder/a.log", NULL, &logfile, NULL), -ENOENT);
	ck_assert_ptr_null(logfile);
}
END_TEST

static void limit_file_size(rlim_t bytes)
{
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ bytes, RLIM_INFINITY }), 0);
}

/* A file system that is full and later is not: a limit on the size of files does the same. */
START_TEST(a_failure_is_told_until_it_is_over)
{
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

/* Nobody has to say anything for that. */
START_TEST(what_failed_is_tried_again)
{
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
	limit_file_size(0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "first");
	settle();
	ck_assert(log_failing(logfile, &error));
	limit_file_size(RLIM_INFINITY);
	while (log_failing(logfile, &error))
		usleep(10000);
	check_line(content(), "info    io: first");
}
END_TEST

/* The disk: hangs, then does not; or has lost one of its files. */
static pthread_mutex_t disk = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool hangs;
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
	if (!hangs)
		return __real_write(fd, data, size);
	pthread_mutex_lock(&disk);
	pthread_mutex_unlock(&disk);
	return __real_write(fd, data, size);
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
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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

START_TEST(what_the_medium_did_not_take_is_written_again)
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
END_TEST

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

START_TEST(a_stick_that_comes_back_has_every_line_once)
{
	comes_back_with("2026-09-21T1", (const char *[]){ "info    io: first", "info    io: second",
							  "info    io: third", NULL });
}
END_TEST

START_TEST(what_others_wrote_is_not_cut_off)
{
	static const char others[] = "2026-09-21T14:12:20+02:00 info    other: 123456789 123456789 "
				     "123456789 123456789 123456789";

	comes_back_with(others,
			(const char *[]){ "info    io: first", others + 26, "info    io: second",
					  "info    io: third", NULL });
}
END_TEST

START_TEST(many_lines_are_one_sync)
{
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

/* As when its file system was unmounted under it, and is mounted again. */
START_TEST(a_file_that_comes_back_is_opened_again)
{
	struct stat status;
	char old[160];
	FILE *file;

	snprintf(old, sizeof(old), "%s.old", path);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

/* Nothing of what the old place has not taken is missing in the new one. */
static void move_away(const char *moved)
{
	char old[sizeof(path)];

	strcpy(old, path);
	snprintf(path, sizeof(path), "%s", moved);
	ck_assert_int_eq(log_move(logfile, moved, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, "io", "third");

	char *line = content();

	ck_assert(!log_failing(logfile, &error));
	check_line(line, "info    io: second");
	check_line(strchr(line, '\n') + 1, "info    io: third");
	unlink(old);
}

START_TEST(another_place_takes_what_failed)
{
	struct stat status;
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

START_TEST(another_place_takes_what_the_medium_did_not)
{
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	pull_with("first", "second");
	pulled = false;
	move_away(moved);
}
END_TEST

START_TEST(another_place_takes_what_hangs)
{
	char moved[160];

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

START_TEST(nobodys_file_is_taken_for_the_log)
{
	char moved[160], text[16] = "";
	FILE *file;

	snprintf(moved, sizeof(moved), "%s/b.log", dir);
	file = fopen(moved, "we");
	ck_assert_ptr_nonnull(file);
	fputs("precious", file);
	fclose(file);
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

/* Far more than is kept in memory. */
#define LINES 20000

START_TEST(nobody_waits_for_a_disk_that_hangs)
{
	unsigned kept = 0, lost = 0;

	hangs = true;
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

/* Whoever closes it does not wait for ever, and what was said is written if the disk comes back. */
START_TEST(a_log_that_hangs_is_left_alone)
{
	uint64_t before = clock_monotonic();

	hangs = true;
	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
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
END_TEST

static void *chatter(void *arg)
{
	for (int i = 0; i < 200; i++)
		log_line(logfile, LOG_LEVEL_INFO, arg, "%s %d", "abcdefghijklmnopqrstuvwxyz", i);
	return NULL;
}

START_TEST(threads_do_not_mix)
{
	static char names[4][4] = { "aa", "bb", "cc", "dd" };
	pthread_t threads[4];
	int lines = 0;

	ck_assert_int_eq(log_open(path, NULL, &logfile, &error), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, chatter, names[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (char *line = content(); *line; line = strchr(line, '\n') + 1) {
		char name;
		int number;

		ck_assert_int_eq(sscanf(line + 26, "info %c%*c: abcdefghijklmnopqrstuvwxyz %d\n",
					&name, &number),
				 2);
		lines++;
	}
	ck_assert_int_eq(lines, 800);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("log");
	TCase *tests = tcase_create("log");

	tcase_set_timeout(tests, 120);

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, writes_lines);
	tcase_add_test(tests, appends);
	tcase_add_test(tests, debug_by_module);
	tcase_add_test(tests, errors);
	tcase_add_test(tests, long_lines_stay_lines);
	tcase_add_test(tests, nothing_without_a_log);
	tcase_add_test(tests, follows_no_link);
	tcase_add_test(tests, only_regular_files);
	tcase_add_test(tests, a_failure_is_told_until_it_is_over);
	tcase_add_test(tests, what_failed_is_tried_again);
	tcase_add_test(tests, a_file_that_comes_back_is_opened_again);
	tcase_add_test(tests, another_place_takes_what_failed);
	tcase_add_test(tests, what_the_medium_did_not_take_is_written_again);
	tcase_add_test(tests, a_stick_that_comes_back_has_every_line_once);
	tcase_add_test(tests, what_others_wrote_is_not_cut_off);
	tcase_add_test(tests, many_lines_are_one_sync);
	tcase_add_test(tests, another_place_takes_what_the_medium_did_not);
	tcase_add_test(tests, another_place_takes_what_hangs);
	tcase_add_test(tests, nobodys_file_is_taken_for_the_log);
	tcase_add_test(tests, nobody_waits_for_a_disk_that_hangs);
	tcase_add_test(tests, a_log_that_hangs_is_left_alone);
	tcase_add_test(tests, threads_do_not_mix);
	suite_add_tcase(suite, tests);
	return suite;
}
