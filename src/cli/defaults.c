/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file with default options of the deck. Options that let something be written to a disk are
 * not taken from it. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/i18n.h"
#include "cli/cli.h"

#define SYSTEM_FILE "/etc/clonedeck.conf"
#define LINES_MAX   32
#define BLANKS      " \t\r"

static const struct cli_option options[] = {
	CLI_LOOKS(struct cli_defaults, looks),
	{ "simple", 0, 0, CLI_SWITCH(struct cli_defaults, simple) },
	{ "notify", 0, 0, CLI_TEXT(struct cli_defaults, notify, 0) },
	{ "log-dir", 0, 0, CLI_TEXT(struct cli_defaults, log_dir, 0) },
	{ NULL },
};

/* The user's own. False: there is no place for it. */
static bool own_file(char ret[static PATH_MAX])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = -1;

	if (config && config[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/clonedeck/config", config);
	else if (home && home[0] == '/')
		n = snprintf(ret, PATH_MAX, "%s/.config/clonedeck/config", home);
	return n > 0 && n < PATH_MAX;
}

static char *without_blanks(char *text)
{
	size_t n;

	text += strspn(text, BLANKS);
	for (n = strlen(text); n > 0 && strchr(BLANKS, text[n - 1]); n--)
		;
	text[n] = '\0';
	return text;
}

/* "theme = light" as "--theme=light", at *at, which moves on behind it. NULL: nothing stands there.
 */
static char *as_option(char *line, char **at)
{
	char *option = *at, *value;

	line = without_blanks(line);
	if (line[0] == '\0' || line[0] == '#')
		return NULL;
	value = strchr(line, '=');
	if (value)
		*value++ = '\0';
	*at += 1 + sprintf(option, "--%s%s%s", without_blanks(line), value ? "=" : "",
			   value ? without_blanks(value) : "");
	return option;
}

static int read_lines(char *text, const char *path, struct cli_defaults *ret)
{
	char no_command[] = "", *argv[LINES_MAX + 2] = { no_command }, *at = ret->text, *line;
	int argc = 1, r;

	while ((line = strsep(&text, "\n"))) {
		char *option = as_option(line, &at);

		if (!option)
			continue;
		if (argc > LINES_MAX)
			return cli_usage("", _("%s has more than %d options."), path, LINES_MAX);
		argv[argc++] = option;
	}
	r = cli_parse(argc, argv, options, 0, ret, NULL);
	if (r == 0 && optind < argc)
		r = EXIT_USAGE;
	/* Nobody knows which folder the deck will be started in, and no shell reads a ~. */
	if (r == 0 && ret->log_dir && ret->log_dir[0] != '/')
		r = cli_usage("", _("The value of %s must begin with \"/\"."), "log-dir");
	/* The command line is parsed next. */
	optind = 0;
	if (r != 0)
		fprintf(stderr, _("clonedeck: That stands in %s.\n"), path);
	return r;
}

/* -ENOENT: there is none, or none that may be believed. Else 0 or an exit code. */
static int read_file(const char *path, struct cli_defaults *ret)
{
	char text[CLI_DEFAULTS_MAX + 1];
	int r = file_read_trusted(path, text, sizeof(text));

	switch (r) {
	case 0:
		return read_lines(text, path, ret);
	case -ENOENT:
	case -ENOTDIR:
		return -ENOENT;
	case -EPERM:
	case -EACCES:
		fprintf(stderr,
			_("clonedeck: %s is not read: it has to be a file of yours or of root, and "
			  "nobody else may be able to write it.\n"),
			path);
		return -ENOENT;
	case -EFBIG:
		return cli_usage("", _("%s has more than %d bytes."), path, CLI_DEFAULTS_MAX);
	case -EILSEQ:
		return cli_usage("", _("%s is no text."), path);
	default:
		return cli_usage("", _("%s cannot be read: %s."), path, error_phrase(-r));
	}
}

int cli_read_defaults(struct cli_defaults *ret)
{
	char path[PATH_MAX];
	int r = -ENOENT;

	*ret = (struct cli_defaults){ 0 };
	if (own_file(path))
		r = read_file(path, ret);
	if (r == -ENOENT)
		r = read_file(SYSTEM_FILE, ret);
	return r == -ENOENT ? 0 : r;
}
