/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options from a file: the same as on the command line, from nobody but the user and root. */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

static char home[] = "/tmp/test-defaults.XXXXXX", path[64];
static struct cli_defaults defaults;

static void set_up(void)
{
	char folder[64];

	ck_assert_ptr_nonnull(mkdtemp(home));
	snprintf(folder, sizeof(folder), "%s/clonedeck", home);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/config", folder);
	setenv("XDG_CONFIG_HOME", home, 1);
}

static void tear_down(void)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "%s/clonedeck", home);
	unlink(path);
	rmdir(folder);
	rmdir(home);
}

static int of_bytes(const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(text, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
	return cli_read_defaults(&defaults);
}

static int of(const char *text)
{
	return of_bytes(text, strlen(text));
}

UNIT_CASE(.setup = set_up, .teardown = tear_down);

TEST(options_are_taken)
{
	ck_assert_int_eq(
		of("# looks\n\n  theme =\tlight \r\nglyphs=ascii\nno-mouse\ncolor = never\n"
		   "simple\nsize = 100x30\nlog-dir = /srv/two words\n"
		   "notify = logger -t \"a = b\""),
		0);
	ck_assert_int_eq(defaults.looks.theme, THEME_LIGHT);
	ck_assert_int_eq(defaults.looks.glyphs, GLYPHS_ASCII);
	ck_assert_int_eq(defaults.looks.color, COLOR_NEVER);
	ck_assert(defaults.looks.no_mouse && defaults.simple);
	ck_assert_int_eq(defaults.looks.cols, 100);
	ck_assert_str_eq(defaults.notify, "logger -t \"a = b\"");
	ck_assert_str_eq(defaults.log_dir, "/srv/two words");
	ck_assert_int_eq(of(""), 0);
	ck_assert_int_eq(defaults.looks.theme, THEME_AUTO);
	ck_assert_ptr_null(defaults.notify);
}

/* What permits a write, or is no option, is no line of the file. */
TEST(nothing_else_is)
{
	static const char *const wrong[] = {
		"allow = source-mounted",
		"practice = /tmp",
		"confirm = 456789",
		"theme",
		"theme = blue",
		"theme light",
		"no-mouse = yes",
		"-theme = light",
		"= light",
		"notify = a\nnotify = b",
		"log-dir = ~/clones",
		"log-dir =",
		"light",
		"-",
		"them = light",
		"help",
		"--",
		"on-vanish = stop",
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_msg(of(wrong[i]) == EXIT_USAGE, "%s", wrong[i]);
}

TEST(hostile_files)
{
	char text[CLI_DEFAULTS_MAX + 1];

	memset(text, '\n', sizeof(text));
	ck_assert_int_eq(of_bytes(text, CLI_DEFAULTS_MAX), 0);
	ck_assert_int_eq(of_bytes(text, CLI_DEFAULTS_MAX + 1), EXIT_USAGE);
	for (size_t i = 0; i < sizeof(text); i += 2)
		text[i] = 'x';
	ck_assert_int_eq(of_bytes(text, CLI_DEFAULTS_MAX), EXIT_USAGE);
	ck_assert_int_eq(of_bytes("theme = light\0", 14), EXIT_USAGE);
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(cli_read_defaults(&defaults), 0);
	unlink(path);
	ck_assert_int_eq(symlink("/dev/zero", path), 0);
	ck_assert_int_eq(cli_read_defaults(&defaults), 0);
	unlink(path);
	ck_assert_int_eq(symlink("/", path), 0);
	ck_assert_int_eq(cli_read_defaults(&defaults), 0);
}

/* Whoever could write it could have a program of theirs run. */
TEST(not_believed)
{
	ck_assert_int_eq(of("theme = light"), 0);
	ck_assert_int_eq(defaults.looks.theme, THEME_LIGHT);
	ck_assert_int_eq(chmod(path, 0620), 0);
	ck_assert_int_eq(cli_read_defaults(&defaults), 0);
	ck_assert_int_eq(defaults.looks.theme, THEME_AUTO);
	ck_assert_int_eq(chmod(path, 0602), 0);
	ck_assert_int_eq(cli_read_defaults(&defaults), 0);
	ck_assert_int_eq(defaults.looks.theme, THEME_AUTO);
	ck_assert_int_eq(chmod(path, 0600), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 12345, -1), 0);
		ck_assert_int_eq(cli_read_defaults(&defaults), 0);
		ck_assert_int_eq(defaults.looks.theme, THEME_AUTO);
	}
}
