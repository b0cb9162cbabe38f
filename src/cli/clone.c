/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands clone and resume: from options to a confirmed session, and on. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/clone_options.h"
#include "cli/headless.h"
#include "plan/rangespec.h"

#define RELEASE_TIMEOUT (3 * NSEC_PER_SEC)
#define RELEASE_RETRY   (200 * NSEC_PER_MSEC)

DEFINE_CLEANUP(session, struct session *, session_destroy)

/* An LBA of the source's logical sector, or a size with a suffix that is a multiple of it. */
static int parse_at(const char *text, uint32_t sector_size, uint64_t *ret, struct error *reterr)
{
	int r = units_parse_lba(text, sector_size, ret);

	if (r == -EDOM)
		return error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
			_("--at %s: not a multiple of the sector size, %" PRIu32 " bytes."), text,
			sector_size);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_USAGE, r, "plan", NULL,
				 _("--at %s: not an LBA and not a size. Examples: 2048, 1MiB."),
				 text);
	return 0;
}

/* Prints the text again with a mark under the error, if its characters are one column wide. */
static int range_error(const char *text, const struct rangespec_error *error)
{
	char printable[512];

	fprintf(stderr, "clonedeck: %s\n", error->sentence);
	text_sanitise(printable, sizeof(printable), text, strlen(text));
	if (strcmp(printable, text) == 0 && text_width(text) == (int)strlen(text))
		fprintf(stderr, "  %s\n  %*s^\n", text, error->column, "");
	return EXIT_USAGE;
}

/* From options to a plan; nothing is written before that is agreed to. */
struct look {
	const struct clone_options *options;
	struct session *session;
	int interrupt; /* readable when it is to be stopped; negative: signals do that themselves */
};

/* At once: threads may be waiting for a disk, and there is nothing to save. */
static void wait_for_session(const struct look *look)
{
	if (session_wait(look->session, look->interrupt, -1))
		return;
	fflush(stdout);
	fputs(_("clonedeck: Stopped before anything was written.\n"), stderr);
	_exit(EXIT_STOPPED);
}

static int find(const struct look *look, const char *text, bool destination, struct endpoint *ret)
{
	struct error error = { 0 };

	if (session_find(look->session, text, destination, &error) < 0)
		return cli_error(&error);
	wait_for_session(look);
	return session_found(look->session, ret, &error) < 0 ? cli_error(&error) : 0;
}

static int parse_ranges(const struct session *session, const struct endpoint *source,
			const char *text, struct range_list *ret)
{
	struct rangespec_error error = { 0 };
	struct rangespec_context context = {
		.sector_size = source->logical_sector_size,
		.disk = source->kind == ENDPOINT_DISK
				? endpoint_disk(session_disks(session), source)
				: session_image(session, source),
	};

	context.sectors = source->size / source->logical_sector_size;
	if (rangespec_parse(text, &context, ret, NULL, &error) < 0)
		return range_error(text, &error);
	return 0;
}

/* A file does not say how large its sectors are; its table may be damaged, or lie. */
static int set_sector_size(const struct clone_options *options, struct endpoint *source,
			   struct error *reterr)
{
	uint32_t size = options->source_sector_size;

	if (size == 0)
		return 0;
	if (source->kind != ENDPOINT_IMAGE)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", source->node,
				 _("--source-sector-size is for image files: %s says itself that "
				   "its sectors have %" PRIu32 " bytes."),
				 source->node, source->logical_sector_size);
	source->logical_sector_size = source->physical_sector_size = size;
	return 0;
}

static int plan(const struct look *look, const struct session_wish *wish)
{
	struct error error = { 0 };

	if (session_plan(look->session, wish, &error) < 0)
		return cli_error(&error);
	wait_for_session(look);
	return session_state(look->session) == SESSION_PLANNED
		       ? 0
		       : cli_error(session_error(look->session, SESSION_TASK_PLAN));
}

/* What a plan with --used is made of. */
static int read_used(const struct look *look, const struct endpoint *source)
{
	const struct clone_options *options = look->options;
	const struct used *used;
	struct error error = { 0 };

	if (session_read_used(look->session, source, &error) < 0)
		return cli_error(&error);
	wait_for_session(look);
	used = session_used(look->session, source);
	if (!used)
		return cli_error(session_error(look->session, SESSION_TASK_USED));
	for (unsigned i = 1; i < USED_NUMBERS; i++)
		if (options->modes.of[i] != options->modes.of[0] && !used_find(used, i))
			return cli_usage("clone", _("--used: %s has no partition %u."),
					 source->node, i);
	return 0;
}

static int plan_ranges(const struct look *look, const struct endpoint *source,
		       const struct endpoint *destination)
{
	const struct clone_options *options = look->options;
	/* Without a sector size there are no ranges; the plan says why there is none. */
	bool known = source->logical_sector_size != 0;
	struct range_list ranges = { 0 };
	struct error error = { 0 };
	uint64_t at = 0;
	struct session_wish wish = {
		.source = source,
		.destination = destination,
		.ranges = &ranges,
		.destination_lba = options->at ? &at : NULL,
		.domain = known ? options->domain : NULL,
		.options = &options->plan,
		.used = options->used ? &options->modes : NULL,
	};
	int r = options->used ? read_used(look, source) : 0;

	if (r != 0 && options->used_by_preset) {
		cli_say(_("clonedeck: All of %s is copied in the order of the disk.\n"),
			source->node);
		wish.used = NULL;
		r = 0;
	}
	if (r == 0 && options->ranges && known)
		r = parse_ranges(look->session, source, options->ranges, &ranges);
	if (r == 0 && options->at && known &&
	    parse_at(options->at, source->logical_sector_size, &at, &error) < 0)
		r = cli_error(&error);
	if (r == 0)
		r = plan(look, &wish);
	range_list_done(&ranges);
	return r;
}

static int choose_areas(struct session *session, const char *text)
{
	struct range_list areas = { 0 };
	struct error error = { 0 };
	int r = parse_ranges(session, &session_choice(session).plan->source, text, &areas);

	if (r == 0 && session_retry_areas(session, &areas, &error) < 0)
		r = cli_error(&error);
	range_list_done(&areas);
	return r;
}

static int go_on(const struct look *look, const struct endpoint *source,
		 const struct endpoint *destination)
{
	const struct clone_options *options = look->options;
	const struct session_wish wish = {
		.source = source,
		.destination = destination,
		.map = options->map,
		.options = &options->plan,
	};
	int r = plan(look, &wish);

	return r == 0 && options->retry_area ? choose_areas(look->session, options->retry_area) : r;
}

static int make_plan(const struct look *look)
{
	const struct clone_options *options = look->options;
	struct endpoint source = { 0 }, destination = { 0 };
	struct error error = { 0 };
	int r = 0;

	if (options->map && !options->source)
		return go_on(look, NULL, NULL);
	/* What is to be verified is there. */
	if (options->command == COMMAND_VERIFY)
		r = find(look, options->destination, false, &destination);
	if (r == 0 && options->report)
		return plan(look, &(struct session_wish){ .destination = &destination,
							  .report = options->report,
							  .options = &options->plan });
	if (r == 0)
		r = find(look, options->source, false, &source);
	if (r == 0)
		r = find(look, options->destination, true, &destination);
	if (r == 0 && set_sector_size(options, &source, &error) < 0)
		r = cli_error(&error);
	if (r != 0)
		return r;
	return options->map ? go_on(look, &source, &destination)
			    : plan_ranges(look, &source, &destination);
}

static void scan(const struct look *look)
{
	const struct session_names names = {
		.source = look->options->source,
		.destination = look->options->destination,
		.map = look->options->map,
	};

	session_scan(look->session, &names);
	wait_for_session(look);
}

/* The destination is only refused because it is open exclusively. udev, or a copy that was killed
 * and still has requests in flight, closes it in a moment. */
static bool held_for_a_moment(const struct session *session)
{
	const struct verdict_list *verdicts = session_choice(session).verdicts;

	return verdicts->count && verdicts->items[0].kind == VERDICT_REFUSE &&
	       verdicts->items[0].means == MEANS_MAY_PASS &&
	       (verdicts->count == 1 || verdicts->items[1].kind != VERDICT_REFUSE);
}

static void wait_for_release(const struct look *look)
{
	uint64_t deadline = clock_monotonic() + RELEASE_TIMEOUT;

	while (held_for_a_moment(look->session) && clock_monotonic() < deadline) {
		clock_sleep_until(clock_monotonic() + RELEASE_RETRY);
		scan(look);
	}
}

/* Stop signals are blocked, unless they may end the program like any other. They are not taken:
 * the copy that starts next finds one that came meanwhile. */
static int stop_signals(const struct clone_options *options)
{
	sigset_t set;

	if (options->dry_run)
		return -1;
	signals_that_stop(&set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clone_look(const struct clone_options *options, struct session **ret)
{
	CLEANUP(close) int interrupt = stop_signals(options);
	struct look look = { .options = options, .interrupt = interrupt };
	const struct error *failed;
	struct error error = { 0 };
	int r;

	if (session_new(&options->session, ret, &error) < 0)
		return cli_error(&error);
	look.session = *ret;
	scan(&look);
	failed = session_error(*ret, SESSION_TASK_SCAN);
	r = failed->code < 0 ? cli_error(failed) : make_plan(&look);
	if (r == 0 && options->command != COMMAND_VERIFY)
		wait_for_release(&look);
	return r;
}

static void print_plan(const struct session *session, const struct clone_options *options)
{
	if (options->run.json)
		plan_print_json(session, options->dry_run);
	else
		plan_print_text(session, headless_columns());
}

/* Warnings are shown before they count as accepted. */
static void print_warnings(const struct session *session)
{
	const struct verdict_list *verdicts = session_choice(session).verdicts;

	for (size_t i = 0; i < verdicts->count; i++)
		if (verdicts->items[i].kind == VERDICT_WARN)
			cli_warning(verdicts->items[i].sentence);
}

int clone_confirm(struct session *session, const struct clone_options *options, const char *command)
{
	bool refused = verdict_list_worst(session_choice(session).verdicts) == VERDICT_REFUSE;
	struct error error = { 0 };

	if (!refused && !options->confirm && session_choice(session).token[0]) {
		print_plan(session, options);
		return cli_usage(command,
				 _("Nothing was written: --confirm is missing. It needs %s."),
				 session_choice(session).token_phrase);
	}
	if (session_confirm(session, options->confirm, &error) < 0) {
		print_plan(session, options);
		return cli_error(&error);
	}
	print_warnings(session);
	return 0;
}

int clone_dry_run(const struct session *session, const struct clone_options *options)
{
	bool refused = verdict_list_worst(session_choice(session).verdicts) == VERDICT_REFUSE;

	print_plan(session, options);
	return cli_finish_output(refused ? EXIT_REFUSED : EXIT_COMPLETE);
}

static int run(int argc, char **argv, enum clone_command command)
{
	CLEANUP(session) struct session *session = NULL;
	CLEANUP(close) int signal_fd = -1;
	struct clone_options options;
	const char *image = NULL;
	bool abandoned = false;
	int r = clone_options_parse(argc, argv, command, &options);

	if (r != 0)
		return r;
	if (options.help)
		return clone_options_help(command);
	if (!options.dry_run)
		signal_fd = headless_block_signals();
	if (!options.dry_run && signal_fd < 0)
		return EXIT_ENVIRONMENT;
	if (options.shrink_via) {
		r = clone_shrink(&options, argv[0], signal_fd, &image);
		if (r != 0 || (image && options.dry_run))
			return r;
	}
	r = clone_look(&options, &session);
	if (r == 0)
		r = options.dry_run ? clone_dry_run(session, &options)
				    : clone_confirm(session, &options, argv[0]);
	if (r == 0 && !options.dry_run)
		r = headless_run(session, signal_fd, &options.run, &abandoned);
	if (abandoned)
		session = NULL;
	/* It was made for this copy. */
	if (image && r == EXIT_COMPLETE)
		unlink(image);
	return r;
}

int cli_clone(int argc, char **argv)
{
	return run(argc, argv, COMMAND_CLONE);
}

int cli_resume(int argc, char **argv)
{
	return run(argc, argv, COMMAND_RESUME);
}
