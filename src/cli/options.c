/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common to all commands: exact options, and how errors are printed. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"

static const struct option *find_option(const struct option *options, const char *name,
					size_t length)
{
	for (; options->name; options++)
		if (strlen(options->name) == length && strncmp(options->name, name, length) == 0)
			return options;
	return NULL;
}

/* Does the short option cluster end in one whose value is the next argument? */
static bool takes_next(const char *cluster, const char *short_options)
{
	for (const char *c = cluster; *c; c++) {
		const char *known = *c == ':' ? NULL : strchr(short_options, *c);

		if (known && known[1] == ':')
			return c[1] == '\0';
	}
	return false;
}

bool cli_long_options_exact(int argc, char **argv, const struct option *options,
			    const char *short_options)
{
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i] + 2;
		const struct option *option;

		if (strcmp(argv[i], "--") == 0)
			return true;
		if (argv[i][0] != '-')
			continue;
		if (argv[i][1] != '-') {
			if (takes_next(argv[i] + 1, short_options))
				i++;
			continue;
		}
		option = find_option(options, name, strcspn(name, "="));
		if (!option) {
			cli_usage(argv[0],
				  _("There is no option --%.*s (options are not abbreviated)."),
				  (int)strcspn(name, "="), name);
			return false;
		}
		if (option->has_arg == required_argument && !strchr(name, '='))
			i++;
	}
	return true;
}

int cli_bad_option(char **argv, int c)
{
	const char *given = argv[optind - 1];

	if (c == ':')
		return cli_usage(argv[0], _("The option %s needs a value."), given);
	if (optopt && strncmp(given, "--", 2) != 0)
		return cli_usage(argv[0], _("There is no option -%c."), optopt);
	return cli_usage(argv[0], _("The option %s takes no value."), given);
}

int cli_set_on_hangup(const char *command, const char *value, bool *retstop)
{
	static const char *const words[] = { "continue", "stop", NULL };
	int i = cli_choose(command, "on-hangup", value, words);

	if (i < 0)
		return EXIT_USAGE;
	*retstop = i == 1;
	return 0;
}

int cli_add_allow(const char *command, const char *value, struct cli_allow *ret)
{
	if (ret->count == CLI_ALLOW_MAX)
		return cli_usage(command, _("--allow is given more than %d times."), CLI_ALLOW_MAX);
	ret->rules[ret->count++] = value;
	return 0;
}

int cli_usage(const char *command, const char *format, ...)
{
	char text[1024], printable[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fflush(stdout);
	fprintf(stderr, "clonedeck: %s\n", text_show(printable, sizeof(printable), text));
	if (command[0])
		fprintf(stderr, _("See: clonedeck %s --help\n"), command);
	else
		fputs(_("See: clonedeck --help\n"), stderr);
	return EXIT_USAGE;
}

int cli_error(const struct error *error)
{
	fflush(stdout);
	fprintf(stderr, "clonedeck: %s\n", error->sentence);
	return error_exit_code(error);
}

int cli_choose(const char *command, const char *option, const char *value, const char *const *words)
{
	char choice[160];

	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	cli_usage(command, _("--%s %s: choose %s."), option, value,
		  text_choice(choice, sizeof(choice), words));
	return -1;
}

bool cli_parse_number(const char *text, uint32_t max, uint32_t *ret)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);

	if (errno || *end || value == 0 || value > max)
		return false;
	*ret = (uint32_t)value;
	return true;
}

int cli_finish_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno != EPIPE)
		fprintf(stderr, _("clonedeck: Standard output could not be written: %s.\n"),
			error_phrase(errno));
	return code == EXIT_COMPLETE ? EXIT_ENVIRONMENT : code;
}
