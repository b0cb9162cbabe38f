/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clonedeck: which command, or the deck. */
#include <langinfo.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/process.h"
#include "cli/cli.h"
#include "discover/running.h"
#include "ui/deck.h"

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

static int print_help(void)
{
	fputs(_("Usage: clonedeck [options]            open the deck\n"
		"       clonedeck COMMAND [options]    work without a screen\n"
		"\n"
		"Commands (see also COMMAND --help):\n"),
	      stdout);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].name, _(commands[i].summary));
	fputs(_("\n"
		"Options of the deck:\n"
		"  --glyphs=auto|braille|block|half|acs|ascii\n"
		"                                          characters that draw the graphs\n"
		"  --color=auto|never|always\n"
		"  --theme=auto|dark|light|high            colours for that background; high:\n"
		"                                          as much contrast as there is\n"
		"  --no-mouse                              leave the mouse to the terminal\n"
		"  --size COLUMNSxROWS                     for terminals that do not report it\n"
		"  --simple                                lines for screen readers, no panes\n"
		"  --on-vanish=wait|ask|stop               if a disk of the copy is unplugged\n"
		"  --on-hangup=continue|stop               if a copy loses its terminal\n"
		"  --notify COMMAND                        run it when a copy ends or in trouble\n"
		"  --log-dir DIR                           where logs, maps and reports go\n"
		"  --practice DIR                          only loop devices on files in DIR\n"
		"  --allow RULE                            turn the refusal of one check into a\n"
		"                                          warning; may be given several times\n"
		"  --help, --version [--json]\n"),
	      stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

struct command_line {
	struct deck_options deck;
	struct cli_allow allow;
	bool help, version, json;
};

#define DECK(kind, member, ...) kind(struct command_line, member, ##__VA_ARGS__)

static const struct cli_option deck_options[] = {
	CLI_LOOKS(struct command_line, deck.looks),
	{ "simple", 0, 0, DECK(CLI_SWITCH, deck.simple) },
	{ "practice", 0, 0, DECK(CLI_TEXT, deck.session.practice_dir, 0) },
	{ "allow", 0, 0, DECK(CLI_OWN, allow, required_argument, cli_add_allow) },
	{ "on-vanish", 0, 0, DECK(CLI_WORD, deck.session.on_vanish, "wait", "ask", "stop") },
	{ "on-hangup", 0, 0,
	  DECK(CLI_OWN, deck.stop_on_hangup, required_argument, cli_set_on_hangup) },
	{ "notify", 0, 0, DECK(CLI_TEXT, deck.session.notify, 0) },
	{ "log-dir", 0, 0, DECK(CLI_TEXT, deck.session.log_dir, 0) },
	{ "help", 0, 0, DECK(CLI_SWITCH, help) },
	{ "version", 0, 0, DECK(CLI_SWITCH, version) },
	{ "json", 0, 0, DECK(CLI_SWITCH, json) },
	{ NULL },
};

static int run_deck(int argc, char **argv)
{
	struct cli_defaults defaults;
	int unusable = cli_read_defaults(&defaults), r;
	struct command_line line = {
		.deck = { .looks = defaults.looks,
			  .simple = defaults.simple,
			  .session.allow = line.allow.rules },
	};
	char folder[512];

	r = cli_parse(argc, argv, deck_options, 0, &line, NULL);
	if (r != 0)
		return r;
	if (line.help)
		return print_help();
	if (optind < argc)
		return cli_usage("", _("Unexpected argument \"%s\": the command comes first."),
				 argv[optind]);
	if (line.version)
		return cli_version(line.json);
	if (line.json)
		return cli_usage("", _("The deck has no --json; --version and commands do."));
	if (unusable)
		return unusable;
	if (!line.deck.session.notify)
		line.deck.session.notify = defaults.notify;
	/* Practice copies keep their logs apart from those of real ones. */
	if (!line.deck.session.log_dir && !line.deck.session.practice_dir)
		line.deck.session.log_dir = defaults.log_dir;
	if (running_folder(folder, sizeof(folder)))
		line.deck.folder = folder;
	return deck_run(&line.deck);
}

static void choose_language(void)
{
	setlocale(LC_ALL, "");
	const char *point = nl_langinfo(RADIXCHAR);

	/* What makes JSON, ours and json-c, knows a point and a comma. */
	if (strcmp(point, ".") != 0 && strcmp(point, ",") != 0)
		setlocale(LC_NUMERIC, "C");
	/* All text is handled as UTF-8; where the terminal cannot show that, it stays English. */
	bool english = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;

#if ENABLE_NLS
	if (!english) {
		const char *terminal = getenv("TERM");

		bindtextdomain(PACKAGE_NAME, LOCALEDIR);
		textdomain(PACKAGE_NAME);
		english = !i18n_fits_terminal(terminal ? terminal : "", true);
	}
#endif
	/* What the C library says of an error, too: in another character set it would be no text
	 * here, and no JSON. */
	if (english)
		setlocale(LC_MESSAGES, "C");
}

int main(int argc, char **argv)
{
	struct error error;
	int r;

	choose_language();
	r = standard_fill();
	if (r < 0) {
		error_set(&error, ERROR_CLASS_ENVIRONMENT, r, "open", "/dev/null",
			  _("Standard input, output or error is closed, and /dev/null cannot take "
			    "its place: %s."),
			  error_phrase(r));
		return cli_error(&error);
	}
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
	cli_fit_errors();
	if (argc < 2 || argv[1][0] == '-') {
		char no_command[] = "";

		if (argc > 0)
			argv[0] = no_command;
		return run_deck(argc, argv);
	}
	if (strcmp(argv[1], "attach") != 0)
		cli_fit_output();
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, argv[1]) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (dd_speaks(argv[1]))
		return dd_translate(argc - 1, argv + 1);
	return cli_usage("", _("There is no command \"%s\"."), argv[1]);
}
