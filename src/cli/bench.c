/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command bench: measures a disk. Only what was confirmed is written to. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/units.h"
#include "bench/bench.h"
#include "bench/render.h"
#include "cli/cli.h"
#include "cli/clone_options.h"
#include "cli/headless.h"
#include "discover/scan.h"
#include "session/files.h"

#define LOOK_EVERY 500 /* milliseconds */
/* Between Ctrl-C and leaving a disk that does not answer, at least. */
#define LEAVE_AFTER (5 * NSEC_PER_SEC)
/* Then the user is told whom we wait for. */
#define SILENT      (5 * NSEC_PER_SEC)
#define TIME_MOST   3600 /* seconds */
#define LINE_MAX    400
#define SECTORS_MAX 64

/* How many, or which: count and sectors, or the count alone. */
struct positions {
	uint32_t count;
	bool named;
	uint64_t sectors[SECTORS_MAX];
};

struct bench_command {
	bool json, csv, html, write, practice, help;
	uint32_t seconds;
	struct positions positions;
	const char *compare, *confirm, *log_dir;
	const char *disk, *destination; /* as named; NULL: none */
	struct session *session;        /* of the confirmed destination */
	struct files files;             /* where what was found is kept */
	struct bench_options options;
	int signal_fd;
	bool terminal;
	struct json_object *earlier;
};

static int set_size(const char *command, const char *name, const char *value, void *member)
{
	uint64_t *size = member;

	if (units_parse_size(value, 0, NULL, size) == 0 && *size)
		return 0;
	return cli_usage(command, _("--%s %s: not a size. Example: 200M."), name, value);
}

/* "64", or the sectors themselves: "0,4000000". */
static int set_positions(const char *command, const char *name, const char *value, void *member)
{
	struct positions *ret = member;
	const char *at = value;
	char *end;

	*ret = (struct positions){ .named = strchr(value, ',') != NULL };
	if (!ret->named)
		return cli_parse_number(value, BENCH_POSITIONS_MAX, &ret->count)
			       ? 0
			       : cli_usage(command, _("--%s %s: not a whole number from 1 to %u."),
					   name, value, BENCH_POSITIONS_MAX);
	for (; ret->count < SECTORS_MAX && isdigit((unsigned char)*at); at = end + 1) {
		uint64_t *sector = &ret->sectors[ret->count++];

		errno = 0;
		*sector = strtoull(at, &end, 10);
		if (errno || (ret->count > 1 && *sector <= sector[-1]))
			break;
		if (!*end)
			return 0;
		if (*end != ',')
			break;
	}
	return cli_usage(command,
			 _("--%s %s: up to %u sectors in ascending order, as in 0,4000000."), name,
			 value, SECTORS_MAX);
}

#define BENCH(kind, member, ...) kind(struct bench_command, member, ##__VA_ARGS__)

static const struct cli_option bench_options[] = {
	{ "json", 0, 0, BENCH(CLI_SWITCH, json) },
	{ "csv", 0, 0, BENCH(CLI_SWITCH, csv) },
	{ "html", 0, 0, BENCH(CLI_SWITCH, html) },
	{ "compare", 0, 0, BENCH(CLI_TEXT, compare, 0) },
	{ "rounds", 0, 0, BENCH(CLI_NUMBER, options.rounds, BENCH_ROUNDS_MAX) },
	{ "positions", 0, 0, BENCH(CLI_OWN, positions, required_argument, set_positions) },
	{ "time", 0, 0, BENCH(CLI_NUMBER, seconds, TIME_MOST) },
	{ "size", 0, 0, BENCH(CLI_OWN, options.size, required_argument, set_size) },
	{ "request", 0, 0, BENCH(CLI_OWN, options.request, required_argument, set_size) },
	{ "write", 0, 0, BENCH(CLI_SWITCH, write) },
	{ "confirm", 0, 0, BENCH(CLI_TEXT, confirm, 0) },
	{ "practice", 0, 0, BENCH(CLI_SWITCH, practice) },
	{ "log-dir", 0, 0, BENCH(CLI_TEXT, log_dir, 0) },
	{ "help", 0, 0, BENCH(CLI_SWITCH, help) },
	{ NULL },
};

static int print_help(void)
{
	fputs(_("Usage: clonedeck bench KIND DISK [options]\n"
		"       clonedeck bench copy|lethargy [SOURCE DESTINATION --confirm TOKEN]\n"
		"\n"
		"Measures a disk and the way to it, reading only. KIND is one of:\n"),
	      stdout);
	for (size_t i = 0; bench_kinds[i]; i++)
		printf("  %-9s %s\n", bench_kinds[i]->name, _(bench_kinds[i]->summary));
	fputs(_("\n"
		"  --rounds N     repeat it; the median is shown, and how it scattered\n"
		"  --positions N  places to read at (profile), or sectors: 0,4000000\n"
		"  --size SIZE    bytes to read for one figure\n"
		"  --time SECONDS at most for one figure\n"
		"  --request SIZE only requests of this size (rbuf)\n"
		"  --compare FILE put the earlier result in FILE (from --json) beside it\n"
		"  --json, --csv, --html  print the result so; HTML is a page with charts\n"
		"  --log-dir DIR  where it is kept for later plans and copies (profile, sizes)\n"
		"  --write        write what was read at each place there again (profile); needs\n"
		"  --confirm TOKEN  which says that this disk is meant, as for a clone\n"
		"  --practice     copy between two practice disks, as without disks\n"
		"\n"
		"copy and lethargy OVERWRITE the first --size bytes (1 GiB) of a DESTINATION.\n"
		"\n"
		"Ctrl-C ends it with what was measured so far.\n"),
	      stdout);
	return cli_finish_output(EXIT_COMPLETE);
}

/* An option that the kind does not take would have no effect. */
static int check_taken(const char *command, const struct bench_command *given)
{
	const struct bench_options *options = &given->options;
	const struct {
		bool given;
		unsigned needs;
		const char *name;
	} options_given[] = {
		{ options->size, BENCH_TAKES_SIZE, "size" },
		{ options->time_ns, BENCH_TAKES_TIME, "time" },
		{ options->rounds, BENCH_TAKES_ROUNDS, "rounds" },
		{ options->positions, BENCH_TAKES_POSITIONS, "positions" },
		{ options->request, BENCH_TAKES_REQUEST, "request" },
		{ given->write, BENCH_TAKES_WRITE, "write" },
		{ given->practice, BENCH_TAKES_PAIR, "practice" },
		{ given->confirm, BENCH_TAKES_PAIR | BENCH_TAKES_WRITE, "confirm" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options_given); i++)
		if (options_given[i].given && !(options->kind->takes & options_given[i].needs))
			return cli_usage(command, _("bench %s has no --%s."), options->kind->name,
					 options_given[i].name);
	return 0;
}

static int parse(int argc, char **argv, struct bench_command *ret)
{
	const char *command = argv[0];
	int r = cli_parse(argc, argv, bench_options, 0, ret, NULL);

	if (r || ret->help)
		return r;
	ret->options.time_ns = ret->seconds * NSEC_PER_SEC;
	ret->options.positions = ret->positions.count;
	ret->options.sectors = ret->positions.named ? ret->positions.sectors : NULL;
	if (argc == optind)
		return cli_usage(command, _("Name the kind of measurement and one disk."));
	ret->options.kind = bench_kind_find(argv[optind]);
	if (!ret->options.kind)
		return cli_usage(command, _("There is no measurement \"%s\"."), argv[optind]);
	ret->disk = argv[optind + 1];
	ret->destination = ret->disk ? argv[optind + 2] : NULL;
	if (ret->options.kind->takes & BENCH_TAKES_PAIR) {
		if (argc - optind != (ret->disk && !ret->practice ? 3 : 1))
			return cli_usage(command,
					 _("bench %s takes a source and a destination, or makes "
					   "practice disks: then name none."),
					 argv[optind]);
	} else if (argc - optind != 2) {
		return cli_usage(command, _("Name the kind of measurement and one disk."));
	}
	if (ret->confirm && !ret->write && !ret->destination)
		return cli_usage(command, _("There is nothing to confirm: nothing is written."));
	if (ret->json + ret->csv + ret->html > 1)
		return cli_usage(command, _("Choose one of --json, --csv and --html."));
	return check_taken(command, ret);
}

/* ---- while it runs ---- */

static void print_progress(const struct bench_command *command, struct bench *bench)
{
	struct bench_progress progress;
	char eta[UNITS_TEXT_MAX] = "-", line[LINE_MAX];
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
		headless_put(stderr, line);
	else
		fprintf(stderr, "%s\n", line);
}

/* A disk that answers now and then is waited for, however busy the machine is; what a program has
 * copied takes its time until it is stored. */
static bool is_hung(const struct bench_command *command, struct bench *bench, uint64_t stopped)
{
	bool copies = command->options.kind->takes & BENCH_TAKES_PAIR;
	struct bench_progress progress;

	bench_progress(bench, &progress);
	return clock_monotonic() - stopped > LEAVE_AFTER &&
	       progress.silent_ns > (copies ? TIMEOUT_AT_END : TIMEOUT_DURING_COPY);
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

		if (told && info.ssi_signo != SIGUSR1 && info.ssi_signo != SIGUSR2) {
			if (stopped)
				break;
			stopped = clock_monotonic();
			bench_stop(bench);
		}
		if (command->terminal || (told && info.ssi_signo == SIGUSR1))
			print_progress(command, bench);
		if (stopped && is_hung(command, bench, stopped))
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
		char *text CLEANUP(free) = bench_json(result);

		r = text ? 0 : error_nomem(&error);
		if (text)
			puts(text);
	} else if (command->html) {
		r = bench_page(result, stdout);
		if (r < 0)
			error_nomem(&error);
	} else if (command->csv) {
		bench_csv(result, stdout);
	} else {
		r = bench_print_text(result, &error);
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

static int find_disks(struct bench_command *command, struct endpoint *retdestination,
		      struct disk_list **retlist, struct error *reterr)
{
	static const struct scan_options how = { .all = true };
	struct scan *scan = NULL;
	int r = scan_new(&how, &scan, reterr);

	if (r == 0)
		r = scan_run(scan, retlist, reterr);
	if (r == 0)
		r = endpoint_resolve(*retlist, command->disk, false, &command->options.disk,
				     reterr);
	if (r == 0 && command->destination)
		r = endpoint_resolve(*retlist, command->destination, true, retdestination, reterr);
	scan_destroy(scan);
	return r;
}

/* The plan of a copy of the first bytes, checked and confirmed like any other. */
static int confirm_copy(struct bench_command *command, const struct endpoint *destination)
{
	const struct endpoint *source = &command->options.disk;
	char ranges[48];
	const char *argv[] = { "clone",
			       "-s",
			       command->disk,
			       "-d",
			       command->destination,
			       "--ranges",
			       ranges,
			       "--no-verify",
			       "--no-probe",
			       "--no-arm-last",
			       "--log-dir",
			       command->files.directory,
			       "--confirm",
			       command->confirm,
			       NULL };
	struct clone_options options;

	if (source->kind == ENDPOINT_IMAGE || destination->kind == ENDPOINT_IMAGE ||
	    !source->logical_sector_size)
		return cli_usage("bench", _("Only disks are measured, not files."));
	snprintf(ranges, sizeof(ranges), "0+%" PRIu64,
		 bench_pair_sectors(source, destination, command->options.size));
	optind = 0;
	int r = clone_options_parse(command->confirm ? 14 : 12, (char **)argv, COMMAND_CLONE,
				    &options);

	if (r == 0)
		r = clone_look(&options, &command->session);
	return r ? r : clone_confirm(command->session, &options, "bench");
}

/* Practice disks have no name that anybody knows. */
static void tell_left(const struct bench_command *command)
{
	char name[80];

	snprintf(name, sizeof(name), "bench %s", command->options.kind->name);
	fprintf(stderr, _("clonedeck: %s does not answer; it is left to itself.\n"),
		command->options.disk.node[0] ? command->options.disk.node : name);
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
		if (r == 0)
			bench_earlier_apply(command->earlier, &result);
	}
	if (left) {
		result.end = BENCH_STOPPED;
		tell_left(command);
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
	struct endpoint destination = { 0 };
	struct disk_list *disks = NULL;
	struct error error = { 0 };
	int r = parse(argc, argv, &command);

	if (r)
		return r;
	if (command.help)
		return print_help();
	command.terminal = isatty(STDERR_FILENO);
	command.signal_fd = headless_block_signals();
	if (command.signal_fd < 0)
		return EXIT_ENVIRONMENT;
	files_find_directory(&command.files, command.log_dir, NULL);
	command.options.log_dir = command.files.directory;
	if (command.disk)
		r = find_disks(&command, &destination, &disks, &error);
	if (r == 0 && command.write)
		command.options.confirm = command.confirm ? command.confirm : "";
	if (r == 0 && command.compare)
		r = bench_earlier_load(command.compare, command.options.kind->name,
				       &command.options.disk, &command.earlier, &error);
	if (r < 0)
		r = cli_error(&error);
	if (r == 0 && command.destination)
		r = confirm_copy(&command, &destination);
	command.options.confirmed = command.session;
	if (r == 0)
		r = measure(&command, disks);
	session_destroy(command.session);
	bench_earlier_destroy(command.earlier);
	disk_list_destroy(disks);
	close(command.signal_fd);
	return r;
}
