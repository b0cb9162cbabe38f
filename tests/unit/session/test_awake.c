/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds off the sleep of the machine lives as long as it is wanted, and no longer; and who is
 * told of trouble. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/heartbeat.h"

static char folder[64], program[128], told[128];

/* Tells what it was given, and runs what stands last, as the real one does. */
static void setup(void)
{
	FILE *file;

	snprintf(folder, sizeof(folder), "/tmp/clonedeck-awake.%d", (int)getpid());
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(told, sizeof(told), "%s/told", folder);
	file = fopen(program, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "#!/bin/sh\necho \"$*\" >%s.new\nmv %s.new %s\ncat\necho over >>%s\n", told,
		told, told, told);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(program, 0700), 0);
}

static void teardown(void)
{
	unlink(program);
	unlink(told);
	rmdir(folder);
}

static void read_told(char *buffer, size_t size)
{
	FILE *file;

	while (!(file = fopen(told, "r")))
		usleep(1000);
	buffer[fread(buffer, 1, size - 1, file)] = '\0';
	fclose(file);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(test_held_and_let_go)
{
	struct awake awake = { 0 };
	char text[512];
	pid_t pid;

	ck_assert_int_eq(awake_begin(program, &awake), 0);
	pid = awake.pid;
	read_told(text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "sleep"));
	ck_assert_ptr_nonnull(strstr(text, "--mode=block cat"));
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	awake_end(&awake);
	ck_assert_int_eq(awake.pid, 0);
	/* Waited for: it is nobody's child any more. */
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	awake_end(&awake);
}

/* However the copy's process ends. */
TEST(test_ends_with_the_pipe)
{
	struct awake awake = { 0 };
	char text[512];
	int status;

	ck_assert_int_eq(awake_begin(program, &awake), 0);
	read_told(text, sizeof(text));
	close(awake.pipe);
	ck_assert_int_eq(waitpid(awake.pid, &status, 0), awake.pid);
	ck_assert_int_eq(status, 0);
	read_told(text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "over"));
}

TEST(test_a_program_that_is_not_there)
{
	struct awake awake = { 0 };

	ck_assert_int_lt(awake_begin("/nonexistent/program", &awake), 0);
	ck_assert_int_eq(awake.pid, 0);
	awake_end(&awake);
}

/* How often that is in what was told so far; a command writes when it gets to it. */
static int times(const char *word)
{
	char text[8192] = "";
	FILE *file = fopen(told, "r");
	int count = 0;

	if (!file)
		return 0;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

static void wait_for(const char *word, int wanted)
{
	while (times(word) < wanted)
		usleep(1000);
}

TEST(test_trouble_is_told_once_of_each_kind)
{
	char command[256];
	struct job_snapshot job = { .state = JOB_COPYING };
	struct notifier notifier = { .command = command };

	snprintf(command, sizeof(command), "echo \"$1: $2\" >>%s", told);
	notify_follow(&notifier, SESSION_STARTING, "", NULL);
	notify_trouble(&notifier, &job);
	job.errors = 3;
	notify_trouble(&notifier, &job);
	job.errors = 4;
	job.map_failed = true;
	notify_trouble(&notifier, &job);
	job.hang = (struct job_hang){ .count = 1 };
	notify_trouble(&notifier, &job);
	notify_trouble(&notifier, &job);
	notify_follow(&notifier, SESSION_WAITING, "the source", NULL);
	wait_for("gone: the source", 1);
	wait_for("trouble: A request has failed: ", 1);
	wait_for("errors 3", 1);
	wait_for("trouble: The map cannot be saved", 1);
	wait_for("trouble: A disk does not answer", 1);
	ck_assert_int_eq(times("trouble: "), 3);
	/* Of the next copy it is told again. */
	notify_follow(&notifier, SESSION_STARTING, "", NULL);
	notify_trouble(&notifier, &job);
	wait_for("trouble: ", 6);
}
