/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command bench: measures a disk. Nothing is written to it. */
#include "cli/bench.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/headless.h"
#include "discover/scan.h"

#define LOOK_EVERY  500 /* milliseconds */
#define LEAVE_AFTER (5 * NSEC_PER_SEC)
/* Then the user is told whom we wait for. */
#define SILENT    (5 * NSEC_PER_SEC)
#define TIME_MOST 3600 /* seconds */
#define LINE_MAX  400

enum option_code {
	OPTION_JSON = 256,
	OPTION_CSV,
	OPTION_COMPARE,
	OPTION_ROUNDS,
	OPTION_POSITIONS,
	OPTION_TIME,
	OPTION_SIZE,
	OPTION_HELP,
};

static const struct option bench_long[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "compare", required_argument, NULL, OPTION_COMPARE },
	{ "rounds", required_argument, NULL, OPTION_ROUNDS },
	{ "positions", required_argument, NULL, OPTION_POSITIONS },
	{ "time", required_argument, NULL, OPTION_TIME },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

struct bench_command {
	bool json, csv, help;
	const char *compare;
	struct bench_options options;
	int signal_fd;
	bool terminal;
	struct bench_earlier *earlier;
};

static int print_help(void)
{
	fputs(_("Usage: clonedeck bench KIND DISK [options]\n"
		"\n"
		"Measures a disk and the way to it. Nothing is written to it. KIND is one of:\n"),
	      stdout);
	for (size_t i = 0; bench_kinds[i]; i++)
		printf("  %-9s %s\n", bench_kinds[i]->name, _(bench_kinds[i]->summary));
	fputs(_("\n"
		"  --rounds N     repeat it; the median is shown, and how it scattered\n"
		"  --positions N  places to read at (profile)\n"
		"  --size SIZE    bytes to read for one figure\n"
		"  --time SECONDS at most for one figure\n"
		"  --compare FILE put the earlier result in FILE (from --json) beside it\n"
		"  --json, --csv  print the result so\n"
		"\n"
		"Ctrl-C ends it with what was measured so far.\n"),
	      stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

static const char *option_name(int code)
{
	for (const struct option *option = bench_long; option->name; option++)
		if (option->val == code)
			return option->name;
	return "";
}

/* A number of an option, at most `max`. */
static int take_number(const char *command, int code, uint32_t max, uint32_t *ret)
{
	if (cli_parse_number(optarg, max, ret))
		return 0;
	return cli_usage(command, _("--%s %s: choose a whole number from 1 to %u."),
			 option_name(code), optarg, max);
}

static int take_option(char **argv, int c, struct bench_command *command)
{
	struct bench_options *options = &command->options;
	uint32_t seconds = 0;
	int r = 0;

	switch (c) {
	case OPTION_JSON:
		command->json = true;
		break;
	case OPTION_CSV:
		command->csv = true;
		break;
	case OPTION_HELP:
		command->help = true;
		break;
	case OPTION_COMPARE:
		command->compare = optarg;
		break;
	case OPTION_ROUNDS:
		return take_number(argv[0], c, BENCH_ROUNDS_MAX, &options->rounds);
	case OPTION_POSITIONS:
		return take_number(argv[0], c, BENCH_POSITIONS_MAX, &options->positions);
	case OPTION_TIME:
		r = take_number(argv[0], c, TIME_MOST, &seconds);
		options->time_ns = seconds * NSEC_PER_SEC;
		return r;
	case OPTION_SIZE:
		if (units_parse_size(optarg, 0, NULL, &options->size) < 0 || !options->size)
			return cli_usage(argv[0], _("--size %s: not a size. Example: 200M."),
					 optarg);
		break;
	default:
		return cli_bad_option(argv, c);
	}
	return 0;
}

/* An option that the kind does not take would have no effect. */
static int check_taken(const char *command, const struct bench_options *options)
{
	const struct {
		bool given;
		unsigned needs;
		const char *name;
	} options_given[] = {
		{ options->size, BENCH_TAKES_SIZE, "size" },
		{ options->time_ns, BENCH_TAKES_TIME, "time" },
		{ options->rounds, BENCH_TAKES_ROUNDS, "rounds" },
		{ options->positions, BENCH_TAKES_POSITIONS, "positions" },
	};

	for (size_t i = 0; i < sizeof(options_given) / sizeof(options_given[0]); i++)
		if (options_given[i].given && !(options->kind->takes & options_given[i].needs))
			return cli_usage(command, _("bench %s has no --%s."), options->kind->name,
					 options_given[i].name);
	return 0;
}

static int parse(int argc, char **argv, struct bench_command *ret)
{
	const char *command = argv[0];
	int c, r = 0;

	opterr = 0;
	if (!cli_long_options_exact(argc, argv, bench_long, ":"))
		return EXIT_USAGE;
	while ((c = getopt_long(argc, argv, ":", bench_long, NULL)) != -1 && r == 0)
		r = take_option(argv, c, ret);
	if (r || ret->help)
		return r;
	if (argc == optind)
		return cli_usage(command, _("Name the kind of measurement and one disk."));
	ret->options.kind = bench_kind_find(argv[optind]);
	if (!ret->options.kind)
		return cli_usage(command, _("There is no measurement \"%s\"."), argv[optind]);
	if (ret->options.kind->takes & BENCH_TAKES_PRACTICE && argc - optind > 1)
		return cli_usage(command, _("bench %s makes its own disks: name none."),
				 argv[optind]);
	if (!(ret->options.kind->takes & BENCH_TAKES_PRACTICE) && argc - optind != 2)
		return cli_usage(command, _("Name the kind of measurement and one disk."));
	if (ret->json && ret->csv)
		return cli_usage(command, _("Choose either --json or --csv."));
	return check_taken(command, &ret->options);
}

/* ---- while it runs ---- */

static void print_progress(const struct bench_command *command, struct bench *bench)
{
	struct bench_progress progress;
	char eta[UNITS_TEXT_MAX] = "-", line[LINE_MAX], fitted[4 * 512 + 1];
	size_t used;

	bench_progress(bench, &progress);
	if (progress.eta >= 0)
		units_print_duration((uint64_t)progress.eta, eta);
	used = (size_t)snprintf(line, sizeof(line), _("%3.0f %%  %s left  %s"), progress.done * 100,
				eta, progress.what);
	if (progress.silent_ns > SILENT && used < sizeof(line))
		snprintf(line + used, sizeof(line) - used, _("  no answer for %u s"),
			 (unsigned)(progress.silent_ns / NSEC_PER_SEC));
	if (command->terminal)
		fprintf(stderr, "\r%s",
			text_fit(fitted, sizeof(fitted), line, headless_columns() - 1));
	else
		fprintf(stderr, "%s\n", line);
}

/* False: it does not end, and is left. */
static bool wait_for(const struct bench_command *command, struct bench *bench)
{
	struct pollfd poll_signal = { .fd = command->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;
	uint64_t stopped = 0;

	while (!bench_wait(bench, 0)) {
		/* A tenth of what a line takes, so that the end is seen soon. */
		for (unsigned i = 0; i < 10 && !bench_wait(bench, 0); i++)
			if (poll(&poll_signal, 1, LOOK_EVERY / 10) > 0)
				break;
		bool told = read(command->signal_fd, &info, sizeof(info)) == sizeof(info);

		if (told && (info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
			     info.ssi_signo == SIGHUP)) {
			if (stopped)
				break;
			stopped = clock_monotonic();
			bench_stop(bench);
		}
		if (command->terminal || (told && info.ssi_signo == SIGUSR1))
			print_progress(command, bench);
		if (stopped && clock_monotonic() - stopped > LEAVE_AFTER)
			break;
	}
	if (command->terminal)
		fprintf(stderr, "\r%*s\r", headless_columns() - 1, "");
	return bench_wait(bench, 0);
}

static int print_result(const struct bench_command *command, const struct bench_result *result)
{
	enum exit_code code = bench_exit_code(result);
	struct error error = { 0 };
	int r = 0;

	if (command->json) {
		char *text CLEANUP(free) = bench_json(result, command->earlier);

		r = text ? 0 : error_nomem(&error);
		if (text)
			puts(text);
	} else if (command->csv) {
		bench_csv(result, command->earlier, stdout);
	} else {
		r = bench_print_text(result, command->earlier, &error);
	}
	if (r < 0)
		return cli_error(&error);
	if (result->end == BENCH_FAILED)
		cli_error(&result->error);
	else if (result->end == BENCH_STOPPED)
		fputs(_("clonedeck: Stopped before its end: this is what was measured so far.\n"),
		      stderr);
	return cli_finish_output((int)code);
}

static int find_disk(const char *text, struct bench_options *options, struct disk_list **retlist,
		     struct error *reterr)
{
	static const struct scan_options how = { .all = true };
	struct scan *scan = NULL;
	int r = scan_new(&how, &scan, reterr);

	if (r == 0)
		r = scan_run(scan, retlist, reterr);
	if (r == 0)
		r = endpoint_resolve(*retlist, text, false, &options->disk, reterr);
	scan_destroy(scan);
	return r;
}

static int measure(struct bench_command *command, const struct disk_list *disks)
{
	struct bench *bench = NULL;
	struct bench_result result = { 0 };
	struct error error = { 0 };
	bool left = false;
	int r = bench_start(&command->options, disks, &bench, &error);

	if (r == 0) {
		left = !wait_for(command, bench);
		r = bench_snapshot(bench, &result);
	}
	if (left) {
		result.end = BENCH_STOPPED;
		fprintf(stderr, _("clonedeck: %s does not answer; it is left to itself.\n"),
			command->options.disk.node);
	}
	r = r < 0 ? cli_error(&error) : print_result(command, &result);
	bench_result_done(&result);
	/* Its thread waits for the disk: no clean end. */
	if (!left)
		bench_destroy(bench);
	return r;
}

int cli_bench(int argc, char **argv)
{
	struct bench_command command = { 0 };
	struct disk_list *disks = NULL;
	struct error error = { 0 };
	int r = parse(argc, argv, &command);

	if (r)
		return r;
	if (command.help)
		return print_help();
	command.terminal = isatty(STDERR_FILENO);
	command.signal_fd = headless_block_signals();
	if (command.signal_fd < 0) {
		fprintf(stderr, _("clonedeck: Signals cannot be received: %s.\n"),
			error_phrase(command.signal_fd));
		return EXIT_ENVIRONMENT;
	}
	if (argc - optind > 1)
		r = find_disk(argv[optind + 1], &command.options, &disks, &error);
	if (r == 0 && command.compare)
		r = bench_earlier_load(command.compare, command.options.kind->name,
				       &command.options.disk.identity, &command.earlier, &error);
	r = r < 0 ? cli_error(&error) : measure(&command, disks);
	bench_earlier_destroy(command.earlier);
	disk_list_destroy(disks);
	close(command.signal_fd);
	return r;
}
