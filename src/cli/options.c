/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common to all commands: exact options, and how errors are printed. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "ui/deck.h"

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

static bool are_exact(int argc, char **argv, const struct option *options,
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

/* Which option getopt_long() stumbled over. */
static int bad_option(char **argv, int c)
{
	const char *given = argv[optind - 1];

	if (c == ':')
		return cli_usage(argv[0], _("The option %s needs a value."), given);
	if (optopt && strncmp(given, "--", 2) != 0)
		return cli_usage(argv[0], _("There is no option -%c."), optopt);
	return cli_usage(argv[0], _("The option %s takes no value."), given);
}

/* The options as getopt_long() takes them. */
struct option_table {
	struct option options[CLI_OPTIONS_MAX + 1];
	char letters[2 * CLI_OPTIONS_MAX + 2];
};

/* The first value of getopt_long() for options without a letter. */
#define NO_LETTER (UCHAR_MAX + 1)

static void fill_table(const struct cli_option *known, unsigned command, struct option_table *ret)
{
	struct option *next = ret->options;
	char *letter = ret->letters;

	*letter++ = ':';
	for (size_t i = 0; known[i].name; i++) {
		if (command && !(known[i].commands & command))
			continue;
		*next++ = (struct option){
			.name = known[i].name,
			.has_arg = known[i].has_arg,
			.val = known[i].letter ? known[i].letter : NO_LETTER + (int)i,
		};
		if (!known[i].letter)
			continue;
		*letter++ = known[i].letter;
		if (known[i].has_arg == required_argument)
			*letter++ = ':';
	}
}

/* NULL: there is none of that. */
static const struct cli_option *find(const struct cli_option *known, int c)
{
	if (c >= NO_LETTER)
		return &known[c - NO_LETTER];
	for (; known->name; known++)
		if (known->letter && known->letter == c)
			return known;
	return NULL;
}

static int set_text(const char *command, const struct cli_option *option, const char *value,
		    const char **ret)
{
	/* It is printed on the certificate: half of it is worse than none. */
	if (option->most && strlen(value) > option->most)
		return cli_usage(command, _("--%s: at most %d bytes of text."), option->name,
				 (int)option->most);
	/* The second one would silently win. */
	if (*ret)
		return cli_usage(command, _("The option --%s is given twice."), option->name);
	if (!value[0])
		return cli_usage(command, _("The option --%s needs a value."), option->name);
	*ret = value;
	return 0;
}

static int set_word(const char *command, const struct cli_option *option, const char *value,
		    unsigned *ret)
{
	int i = value ? cli_choose(command, option->name, value, option->words) : 0;

	if (i < 0)
		return EXIT_USAGE;
	*ret = option->values ? option->values[i] : (unsigned)i;
	return 0;
}

static int take(const char *command, const struct cli_option *option, void *ret)
{
	void *member = (char *)ret + option->member;

	switch (option->kind) {
	case CLI_SWITCH:
		*(bool *)member = true;
		return 0;
	case CLI_TEXT:
		return set_text(command, option, optarg, member);
	case CLI_NUMBER:
		if (cli_parse_number(optarg, option->most, member))
			return 0;
		return cli_usage(command, _("--%s %s: not a whole number from 1 to %u."),
				 option->name, optarg, option->most);
	case CLI_WORD:
		return set_word(command, option, optarg, member);
	case CLI_OWN:
		break;
	}
	return option->set(command, option->name, optarg, member);
}

int cli_parse(int argc, char **argv, const struct cli_option *options, unsigned command, void *ret,
	      uint64_t *retgiven)
{
	struct option_table table = { 0 };
	uint64_t given = 0;
	int c, r = 0;

	fill_table(options, command, &table);
	opterr = 0;
	if (!are_exact(argc, argv, table.options, table.letters))
		return EXIT_USAGE;
	while (r == 0 && (c = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		const struct cli_option *option = find(options, c);

		if (!option)
			return bad_option(argv, c);
		given |= 1ULL << (option - options);
		r = take(argv[0], option, ret);
	}
	if (retgiven)
		*retgiven = given;
	return r;
}

int cli_help(const char *text)
{
	fputs(text, stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

int cli_set_on_hangup(const char *command, const char *name, const char *value, void *member)
{
	static const char *const words[] = { "continue", "stop", NULL };
	int i = cli_choose(command, name, value, words);

	if (i < 0)
		return EXIT_USAGE;
	*(bool *)member = i == 1;
	return 0;
}

int cli_add_allow(const char *command, const char *name, const char *value, void *member)
{
	struct cli_allow *allow = member;

	if (allow->count == CLI_ALLOW_MAX)
		return cli_usage(command, _("--%s is given more than %d times."), name,
				 CLI_ALLOW_MAX);
	allow->rules[allow->count++] = value;
	return 0;
}

__attribute__((format(printf, 2, 0))) static void print(const char *before, const char *format,
							va_list args)
{
	char text[1024], printable[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "%s%s\n", before,
		text_show(printable, sizeof(printable), text_drop_ending(text, "\n")));
}

void cli_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print("", format, args);
	va_end(args);
}

int cli_usage(const char *command, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	print("clonedeck: ", format, args);
	va_end(args);
	if (command[0])
		fprintf(stderr, _("See: clonedeck %s --help\n"), command);
	else
		fputs(_("See: clonedeck --help\n"), stderr);
	return EXIT_USAGE;
}

int cli_error(const struct error *error)
{
	fflush(stdout);
	text_paragraph(stderr, 0, "clonedeck: ", error->sentence);
	return error_exit_code(error);
}

void cli_warning(const char *sentence)
{
	char text[1200];

	snprintf(text, sizeof(text), _("clonedeck: warning: %s\n"), sentence);
	text_paragraph(stderr, 0, "", text_drop_ending(text, "\n"));
}

int cli_choose(const char *command, const char *option, const char *value, const char *const *words)
{
	char choice[160];
	int i = text_find(value, words);

	if (i < 0)
		cli_usage(command, _("--%s %s: choose %s."), option, value,
			  text_choice(choice, sizeof(choice), words));
	return i;
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

#define SIZE_MAX_CELLS 10000

int cli_set_size(const char *command, const char *name, const char *value, void *member)
{
	struct deck_looks *looks = member;
	char columns[8];
	const char *x = strchr(value, 'x');
	uint32_t cols, rows;

	if (x && (size_t)(x - value) < sizeof(columns)) {
		text_copy(columns, (size_t)(x - value) + 1, value);
		if (cli_parse_number(columns, SIZE_MAX_CELLS, &cols) &&
		    cli_parse_number(x + 1, SIZE_MAX_CELLS, &rows)) {
			looks->cols = (int)cols;
			looks->rows = (int)rows;
			return 0;
		}
	}
	return cli_usage(command, _("--%s %s: not a size. Example: 80x24."), name, value);
}
