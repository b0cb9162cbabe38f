/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clonedeck: which command, or the deck. */
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/process.h"
#include "cli/cli.h"
#include "discover/running.h"
#include "ui/deck.h"

#define SIZE_MAX_CELLS 10000

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "list", cli_list, N_("show the disks and what uses them") },
	{ "show", cli_show, N_("show one disk or image and its partition table in sectors") },
	{ "clone", cli_clone, N_("copy a disk, a partition, ranges or an image") },
	{ "resume", cli_resume, N_("resume a copy from its map") },
	{ "verify", cli_verify, N_("compare a copy with its source or its digests") },
	{ "jobs", cli_jobs, N_("show the copies that run") },
	{ "attach", cli_attach, N_("bring the deck of a copy that runs to this terminal") },
	{ "bench", cli_bench, N_("measure a disk and the way to it") },
};

enum deck_option {
	OPTION_GLYPHS = 256,
	OPTION_COLOR,
	OPTION_THEME,
	OPTION_SIZE,
	OPTION_SIMPLE,
	OPTION_PRACTICE,
	OPTION_ALLOW,
	OPTION_ON_VANISH,
	OPTION_ON_HANGUP,
	OPTION_NOTIFY,
	OPTION_HELP,
	OPTION_VERSION,
	OPTION_JSON
};

static const struct option deck_long[] = {
	{ "glyphs", required_argument, NULL, OPTION_GLYPHS },
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ "theme", required_argument, NULL, OPTION_THEME },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "simple", no_argument, NULL, OPTION_SIMPLE },
	{ "practice", required_argument, NULL, OPTION_PRACTICE },
	{ "allow", required_argument, NULL, OPTION_ALLOW },
	{ "on-vanish", required_argument, NULL, OPTION_ON_VANISH },
	{ "on-hangup", required_argument, NULL, OPTION_ON_HANGUP },
	{ "notify", required_argument, NULL, OPTION_NOTIFY },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};

static int print_help(void)
{
	fputs(_("Usage: clonedeck [options]            open the deck\n"
		"       clonedeck COMMAND [options]    work without a screen\n"
		"\n"
		"Commands (see also COMMAND --help):\n"),
	      stdout);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		printf("  %-8s %s\n", commands[i].name, _(commands[i].summary));
	fputs(_("\n"
		"Options of the deck:\n"
		"  --glyphs=auto|braille|block|half|acs|ascii\n"
		"                                          characters that draw the graphs\n"
		"  --color=auto|never|always\n"
		"  --theme=auto|dark|light|high            colours for that background; high:\n"
		"                                          as much contrast as there is\n"
		"  --size COLUMNSxROWS                     for terminals that do not report it\n"
		"  --simple                                lines for screen readers, no panes\n"
		"  --on-vanish=wait|ask|stop               if a disk of the copy is unplugged\n"
		"  --on-hangup=continue|stop               if a copy loses its terminal\n"
		"  --notify COMMAND                        run it at the end of a copy and if a\n"
		"                                          disk is gone\n"
		"  --practice DIR                          only loop devices on files in DIR\n"
		"  --allow RULE                            turn the refusal of one check into a\n"
		"                                          warning; may be given several times\n"
		"  --help, --version [--json]\n"),
	      stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

static int set_glyphs(struct deck_options *options)
{
	static const char *const words[] = { "auto", "braille", "block", "half",
					     "acs",  "ascii",   NULL };
	int i = cli_choose("", "glyphs", optarg, words);

	if (i < 0)
		return EXIT_USAGE;
	options->glyphs = (enum deck_glyphs)i;
	return 0;
}

static int set_color(struct deck_options *options)
{
	static const char *const words[] = { "auto", "never", "always", NULL };
	int i = cli_choose("", "color", optarg, words);

	if (i < 0)
		return EXIT_USAGE;
	options->color = (enum deck_color)i;
	return 0;
}

static int set_theme(struct deck_options *options)
{
	static const char *const words[] = { "auto", "dark", "light", "high", NULL };
	int i = cli_choose("", "theme", optarg, words);

	if (i < 0)
		return EXIT_USAGE;
	options->theme = (enum deck_theme)i;
	return 0;
}

static int set_size(struct deck_options *options)
{
	char columns[8], *x = strchr(optarg, 'x');
	uint32_t cols, rows;

	if (x && (size_t)(x - optarg) < sizeof(columns)) {
		memcpy(columns, optarg, (size_t)(x - optarg));
		columns[x - optarg] = '\0';
		if (cli_parse_number(columns, SIZE_MAX_CELLS, &cols) &&
		    cli_parse_number(x + 1, SIZE_MAX_CELLS, &rows)) {
			options->cols = (int)cols;
			options->rows = (int)rows;
			return 0;
		}
	}
	return cli_usage("", _("--size %s: not a size. Example: 80x24."), optarg);
}

static int set_on_vanish(struct deck_options *options)
{
	static const char *const words[] = { "wait", "ask", "stop", NULL };
	int i = cli_choose("", "on-vanish", optarg, words);

	if (i < 0)
		return EXIT_USAGE;
	options->on_vanish = (enum session_vanish)i;
	return 0;
}

/* -1: go on with the options. */
static int take_option(char **argv, int c, struct deck_options *options, struct cli_allow *allow)
{
	int r = 0;

	switch (c) {
	case OPTION_GLYPHS:
		r = set_glyphs(options);
		break;
	case OPTION_COLOR:
		r = set_color(options);
		break;
	case OPTION_THEME:
		r = set_theme(options);
		break;
	case OPTION_SIZE:
		r = set_size(options);
		break;
	case OPTION_SIMPLE:
		options->simple = true;
		break;
	case OPTION_PRACTICE:
		options->practice_dir = optarg;
		break;
	case OPTION_ALLOW:
		r = cli_add_allow("", optarg, allow);
		break;
	case OPTION_ON_VANISH:
		r = set_on_vanish(options);
		break;
	case OPTION_ON_HANGUP:
		r = cli_set_on_hangup("", optarg, &options->stop_on_hangup);
		break;
	case OPTION_NOTIFY:
		options->notify = optarg;
		break;
	case OPTION_HELP:
		return print_help();
	default:
		return cli_bad_option(argv, c);
	}
	return r ? r : -1;
}

/* Of a copy that runs already and has a deck; NULL: there is none. */
static const char *news_of_copies(char *buffer, size_t size)
{
	struct running *jobs = calloc(RUNNING_MAX, sizeof(*jobs));
	size_t count = jobs ? running_list(NULL, jobs) : 0;
	const char *news = NULL;

	for (size_t i = 0; i < count && !news; i++) {
		if (!jobs[i].has_deck)
			continue;
		snprintf(buffer, size, _("A copy runs: q, then 'clonedeck attach %ld', shows it."),
			 (long)jobs[i].pid);
		news = buffer;
	}
	free(jobs);
	return news;
}

static int run_deck(int argc, char **argv)
{
	struct cli_allow allow = { 0 };
	struct deck_options options = { .allow = allow.rules };
	bool version = false, json = false;
	char folder[512], news[256];
	int c;

	opterr = 0;
	if (!cli_long_options_exact(argc, argv, deck_long, ":"))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, ":", deck_long, NULL)) != -1) {
		int r = -1;

		if (c == OPTION_VERSION)
			version = true;
		else if (c == OPTION_JSON)
			json = true;
		else
			r = take_option(argv, c, &options, &allow);
		if (r >= 0)
			return r;
	}
	if (optind < argc)
		return cli_usage("", _("Unexpected argument \"%s\": the command comes first."),
				 argv[optind]);
	if (version)
		return cli_version(json);
	if (json)
		return cli_usage("", _("The deck has no --json; --version and commands do."));
	if (running_folder(folder, sizeof(folder)))
		options.folder = folder;
	if (!options.practice_dir)
		options.news = news_of_copies(news, sizeof(news));
	return deck_run(&options);
}

int main(int argc, char **argv)
{
	if (standard_fill() < 0)
		return EXIT_ENVIRONMENT;
#ifdef M_ARENA_MAX
	/* Discovery reads each disk in a thread of its own, and glibc would keep a slowly growing
	 * heap for each. The copy itself allocates nothing, so one heap is enough. */
	mallopt(M_ARENA_MAX, 1);
#endif
#ifdef M_MMAP_THRESHOLD
	/* What is large (a map of very many areas, its text, a table of digests) goes back to the
	 * system when it is freed. By itself, glibc would keep ever larger pieces in the heap. */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
	/* Where a limit is set to the size of files, a write that fails says so. */
	signal(SIGXFSZ, SIG_IGN);
	setlocale(LC_ALL, "");
#if ENABLE_NLS
	/* All text is handled as UTF-8; where the terminal cannot show that, it stays English. */
	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
		bindtextdomain(PACKAGE_NAME, LOCALEDIR);
		textdomain(PACKAGE_NAME);
	}
#endif
	if (argc < 2 || argv[1][0] == '-') {
		char no_command[] = "";

		if (argc > 0)
			argv[0] = no_command;
		return run_deck(argc, argv);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (dd_speaks(argv[1]))
		return dd_translate(argc - 1, argv + 1);
	return cli_usage("", _("There is no command \"%s\"."), argv[1]);
}
