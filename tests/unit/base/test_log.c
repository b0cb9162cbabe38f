/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log: whole lines from many threads, no links followed. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_rig.h"

LOG_CASE;

TEST(writes_lines)
{
	struct stat status;

	umask(0);
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0600);
	log_line(logfile, LOG_LEVEL_INFO, "scan", "found %d disks", 5);
	log_line(logfile, LOG_LEVEL_WARNING, "io", "label '%s'", "a\033[2J\nforged line");

	char *text = content();

	check_line(text, "info    scan: found 5 disks");
	text = strchr(text, '\n') + 1;
	check_line(text, "warning io: label 'a%1B[2J%0Aforged line'");
	ck_assert_str_eq(strchr(text, '\n'), "\n");
	ck_assert(!log_failing(logfile, &error));
}

TEST(appends)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(log_open(path, &logfile, &error), 0);
		log_line(logfile, LOG_LEVEL_ERROR, "io", "line");
		log_close(logfile);
	}
	logfile = NULL;

	char *text = content();

	check_line(text, "error   io: line");
	check_line(strchr(text, '\n') + 1, "error   io: line");
}

TEST(errors)
{
	struct error failure;

	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	error_set(&failure, ERROR_CLASS_SOURCE, -EIO, "read", "/dev/sda", "%s", "It failed.");
	log_error(logfile, "copy", &failure);
	failure.sense = (struct sense){ .known = true, .key = 3, .asc = 0x11, .ascq = 4 };
	log_error(logfile, "copy", &failure);

	char *text = content();

	check_line(text, "error   copy: It failed. (read, errno 5)");
	check_line(strchr(text, '\n') + 1,
		   "error   copy: It failed. (read, errno 5, sense 3/11/04)");
}

TEST(long_lines_stay_lines)
{
	char longer[5000];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
	log_line(logfile, LOG_LEVEL_INFO, longer, "%s", longer);
	log_line(logfile, LOG_LEVEL_INFO, "io", "next");

	char *text = content();

	ck_assert_uint_lt((size_t)(strchr(text, '\n') - text), 2300);
	check_line(strchr(text, '\n') + 1, "info    io: next");
}

TEST(nothing_without_a_log)
{
	log_line(NULL, LOG_LEVEL_ERROR, "io", "%s", "x");
	log_error(NULL, "io", &(struct error){ 0 });
	ck_assert(!log_failing(NULL, &error));
	ck_assert(log_settle(NULL, 0));
	ck_assert_int_eq(log_move(NULL, "/none", &error), 0);
	log_close(NULL);
}

TEST(follows_no_link)
{
	char victim[128];

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ck_assert_int_eq(symlink(victim, path), 0);
	ck_assert_int_eq(log_open(path, &logfile, &error), -ELOOP);
	ck_assert_int_eq(access(victim, F_OK), -1);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	ck_assert_int_eq(error_exit_code(&error), EXIT_ENVIRONMENT);
}

TEST(only_regular_files)
{
	ck_assert_int_lt(log_open("/dev/null", &logfile, &error), 0);
	ck_assert_int_lt(log_open(dir, &logfile, &error), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	/* With a reader it could be opened, without one it must not hang. */
	ck_assert_int_lt(log_open(path, &logfile, &error), 0);

	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	ck_assert_int_eq(log_open(path, &logfile, &error), -EINVAL);
	close(reader);
	ck_assert_int_eq(log_open("/no/such/folder/a.log", &logfile, &error), -ENOENT);
	ck_assert_int_eq(log_open("/no/such/folder/a.log", &logfile, NULL), -ENOENT);
	ck_assert_ptr_null(logfile);
}

static void *chatter(void *arg)
{
	for (int i = 0; i < 200; i++)
		log_line(logfile, LOG_LEVEL_INFO, arg, "%s %d", "abcdefghijklmnopqrstuvwxyz", i);
	return NULL;
}

TEST(threads_do_not_mix)
{
	static char names[4][4] = { "aa", "bb", "cc", "dd" };
	pthread_t threads[4];
	int lines = 0;

	ck_assert_int_eq(log_open(path, &logfile, &error), 0);
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
