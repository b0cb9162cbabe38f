/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that only look: list and show. */
#include <stdio.h>

#include "base/i18n.h"
#include "cli/cli.h"
#include "cli/list.h"
#include "cli/show.h"

enum inspect_option { OPTION_VERBOSE = 'v', OPTION_ALL = 256, OPTION_JSON, OPTION_HELP };

static const struct option list_long[] = {
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "verbose", no_argument, NULL, OPTION_VERBOSE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static const struct option show_long[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct inspect_options {
	bool all, json, verbose, help;
};

/* letters: as for getopt_long(). */
static int parse(int argc, char **argv, const char *letters, const struct option *options,
		 struct inspect_options *ret)
{
	int c;

	opterr = 0;
	if (!cli_long_options_exact(argc, argv, options, ":"))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		switch (c) {
		case OPTION_ALL:
			ret->all = true;
			break;
		case OPTION_JSON:
			ret->json = true;
			break;
		case OPTION_VERBOSE:
			ret->verbose = true;
			break;
		case OPTION_HELP:
			ret->help = true;
			break;
		default:
			return cli_bad_option(argv, c);
		}
	}
	return 0;
}

static int help(const char *text)
{
	fputs(text, stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

int cli_list(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct error error = { 0 };
	int r = parse(argc, argv, ":v", list_long, &options);

	if (r != 0)
		return r;
	if (options.help)
		return help(_("Usage: clonedeck list [--all] [--json] [--verbose]\n"
			      "\n"
			      "Shows the disks, their nodes and identity, and what uses them.\n"
			      "\n"
			      "  --all          loop, RAM, device mapper and md devices, too\n"
			      "  --json         as JSON\n"
			      "  -v, --verbose  also what kernels no longer have\n"));
	if (optind < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind]);
	if (list_run(&(struct list_options){ .all = options.all,
					     .json = options.json,
					     .verbose = options.verbose },
		     stdout, &error) < 0)
		return cli_error(&error);
	return cli_finish_output(EXIT_COMPLETE);
}

int cli_show(int argc, char **argv)
{
	struct inspect_options options = { 0 };
	struct error error = { 0 };
	int r = parse(argc, argv, ":", show_long, &options);

	if (r != 0)
		return r;
	if (options.help)
		return help(_("Usage: clonedeck show DISK|IMAGE [--json]\n"
			      "\n"
			      "Shows one disk, or what an image file holds, and its layout in "
			      "sectors.\n"
			      "DISK is a node, a link to one, serial=TEXT or wwn=TEXT.\n"
			      "\n"
			      "  --json  as JSON\n"));
	if (optind == argc)
		return cli_usage(argv[0], _("Name the disk or image file to show."));
	if (optind + 1 < argc)
		return cli_usage(argv[0], _("Unexpected argument \"%s\"."), argv[optind + 1]);
	if (show_run(&(struct show_options){ .disk = argv[optind], .json = options.json }, stdout,
		     &error) < 0)
		return cli_error(&error);
	return cli_finish_output(EXIT_COMPLETE);
}
