/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fakedeck [--glyphs=…] [--color=…] [--theme=…] [--size=CxR] [--practice=DIR] [--moving] [--vanish]
 * MACHINE…
 * fakedeck --folder=DIR --attach=PID MACHINE...
 *
 * The deck on a pretended machine; each scan (r) finds the next one named. A copy stands still
 * unless it is to move.
 */
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "ui/deck.h"

#include "fake.h"

/* The pretended machine has a name of its own. */
int __wrap_gethostname(char *name, size_t size);

int __wrap_gethostname(char *name, size_t size)
{
	return snprintf(name, size, "rescue1") < 0 ? -1 : 0;
}

/* Which of the words it is. */
static int word(const char *name, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], name) == 0)
			return i;
	exit(1);
}

static const char *const glyphs[] = { "auto", "braille", "block", "half", "acs", "ascii", NULL };
static const char *const colors[] = { "auto", "never", "always", NULL };
static const char *const themes[] = { "auto", "dark", "light", "high", NULL };

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "glyphs", required_argument, NULL, 'g' },
		{ "color", required_argument, NULL, 'c' },
		{ "theme", required_argument, NULL, 'l' },
		{ "size", required_argument, NULL, 's' },
		{ "practice", required_argument, NULL, 'p' },
		{ "moving", no_argument, NULL, 'm' },
		{ "proving", no_argument, NULL, 'r' },
		{ "rolling", no_argument, NULL, 'b' },
		{ "complete", no_argument, NULL, 'e' },
		{ "ailing", no_argument, NULL, 'a' },
		{ "hang", no_argument, NULL, 'h' },
		{ "vanish", no_argument, NULL, 'v' },
		{ "stuck", no_argument, NULL, 'k' },
		{ "stuck-maps", no_argument, NULL, 'x' },
		{ "changing", no_argument, NULL, 'y' },
		{ "grabbed", no_argument, NULL, 't' },
		{ "unfinished", no_argument, NULL, 'n' },
		{ "ending", no_argument, NULL, 'd' },
		{ "simple", no_argument, NULL, 'i' },
		{ "no-mouse", no_argument, NULL, 'o' },
		{ "stop-on-hangup", no_argument, NULL, 'u' },
		{ "folder", required_argument, NULL, 'f' },
		{ "attach", required_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	struct deck_options deck = { 0 };
	struct fake_machines machines = { 0 };
	long attach = 0;
	int option, found;

	setlocale(LC_ALL, "");
#if ENABLE_NLS
	/* Not where they will be installed, but where the build has put them. */
	if (getenv("TRANSLATIONS")) {
		bindtextdomain(PACKAGE_NAME, getenv("TRANSLATIONS"));
		textdomain(PACKAGE_NAME);
	}
#endif
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'g')
			deck.looks.glyphs = (enum deck_glyphs)word(optarg, glyphs);
		else if (option == 'c')
			deck.looks.color = (enum deck_color)word(optarg, colors);
		else if (option == 'l')
			deck.looks.theme = (enum deck_theme)word(optarg, themes);
		else if (option == 'o')
			deck.looks.no_mouse = true;
		else if (option == 'p')
			deck.session.practice_dir = optarg;
		else if (option == 'm')
			fake_moves();
		else if (option == 'r')
			fake_proves();
		else if (option == 'b')
			fake_rolls();
		else if (option == 'e')
			fake_completes();
		else if (option == 'v')
			machines.vanishing = true;
		else if (option == 'a')
			fake_ails();
		else if (option == 'h')
			fake_hangs();
		else if (option == 'k')
			machines.stuck = true;
		else if (option == 'x')
			machines.stuck_maps = true;
		else if (option == 'y')
			machines.changing = true;
		else if (option == 'n')
			machines.unfinished = true;
		else if (option == 'd')
			machines.unfinished = machines.ending = true;
		else if (option == 't')
			machines.grabbed = true;
		else if (option == 'i')
			deck.simple = true;
		else if (option == 'f')
			deck.folder = optarg;
		else if (option == 'w')
			attach = atol(optarg);
		else if (option == 'u')
			deck.stop_on_hangup = true;
		else if (option != 's' ||
			 sscanf(optarg, "%dx%d", &deck.looks.cols, &deck.looks.rows) != 2)
			return 1;
	}
	/* One that is attached may open another deck, too. */
	if (optind == argc)
		return 1;
	machines.names = (const char *const *)argv + optind;
	machines.count = argc - optind;
	fake_machines(&machines);
	if (attach) {
		int code = deck_attach(&deck, attach, &found);

		return found < 0 ? 99 : code;
	}
	return deck_run(&deck);
}
