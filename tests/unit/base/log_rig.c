/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "log_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

char dir[64], path[128];
struct log *logfile;
struct error error;

void log_setup(void)
{
	strcpy(dir, "/tmp/clonedeck-log-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.log", dir);
	logfile = NULL;
	error = (struct error){ 0 };
}

void log_teardown(void)
{
	log_close(logfile);
	unlink(path);
	rmdir(dir);
}

void settle(void)
{
	ck_assert(log_settle(logfile, clock_monotonic() + 100 * NSEC_PER_SEC));
}

char *content(void)
{
	static char text[1 << 20];

	settle();

	FILE *file = fopen(path, "re");

	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

void check_line(const char *line, const char *rest)
{
	ck_assert_int_eq(line[4], '-');
	ck_assert_int_eq(line[10], 'T');
	ck_assert_int_eq(line[22], ':');
	ck_assert_int_eq(line[25], ' ');
	ck_assert_msg(strncmp(line + 26, rest, strlen(rest)) == 0, "'%s' is not '%s'", line, rest);
	ck_assert_int_eq(line[26 + strlen(rest)], '\n');
}

void move_away(const char *moved)
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
