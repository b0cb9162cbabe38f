/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command verify: is a clone what its source is, or was? Nothing is written. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/clone_options.h"
#include "cli/headless.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "report/json.h"
#include "session/progress.h"
#include "session/session.h"

#define EVERY_MS 500

struct verify {
	struct clone_options options;
	struct session *session;
	struct job *job;
	int signal_fd;
	bool line_open;
};

static int make_plan(struct verify *verify)
{
	struct session *session = verify->session;
	struct endpoint destination;
	struct error error = { 0 };

	if (endpoint_resolve(session_disks(session), verify->options.destination, false,
			     &destination, &error) < 0)
		return cli_error(&error);
	if (!verify->options.report)
		return clone_make_plan(session, &verify->options);
	if (session_plan_from_report(session, verify->options.report, &destination,
				     verify->options.plan.sums, &error) < 0)
		return cli_error(&error);
	return 0;
}

static void print_progress(struct verify *verify, const struct job_snapshot *job)
{
	char line[PROGRESS_LINE_MAX], fitted[4 * 512 + 1];

	if (verify->options.json) {
		char *text CLEANUP(free) =
			progress_json(session_current_plan(verify->session), job, NULL);

		if (text)
			puts(text);
	} else if (isatty(STDOUT_FILENO)) {
		printf("\r%s", text_fit(fitted, sizeof(fitted), progress_line(job, line),
					headless_columns() - 1));
		verify->line_open = true;
	}
	if (fflush(stdout) != 0)
		clearerr(stdout);
}

static void take_signals(struct verify *verify)
{
	struct signalfd_siginfo info;

	while (read(verify->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGUSR1)
			job_stop(verify->job);
}

static void watch(struct verify *verify, struct job_snapshot *ret)
{
	uint64_t next = clock_monotonic();

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = job_event_fd(verify->job), .events = POLLIN },
			{ .fd = verify->signal_fd, .events = POLLIN },
		};

		job_snapshot(verify->job, ret);
		if (ret->state == JOB_ENDED)
			return;
		if (clock_monotonic() >= next) {
			print_progress(verify, ret);
			next = clock_monotonic() + EVERY_MS * NSEC_PER_MSEC;
		}
		poll(fds, 2, EVERY_MS);
		take_signals(verify);
	}
}

static void print_json(const struct report *report, enum exit_code code)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();
	char id[9];

	json_object_object_add(object, "schema", json_object_new_string("clonedeck.verify/1"));
	json_object_object_add(object, "result",
			       json_object_new_string(report_verify_word(report)));
	json_object_object_add(object, "exit_code", json_object_new_int((int)code));
	json_object_object_add(object, "error", report_json_error(&job->error));
	json_object_object_add(object, "plan_id",
			       json_object_new_string(plan_id(report->plan, id)));
	json_object_object_add(object, "source", report_json_endpoint(&report->plan->source));
	json_object_object_add(object, "destination",
			       report_json_endpoint(&report->plan->destination));
	report_json_add_number(object, "sector_size", report->plan->sector_size);
	report_json_add_number(object, "bytes_total", job->total);
	report_json_add_number(object, "bytes_verified", job->proof.verified);
	report_json_add_number(object, "bytes_left_out", job->bad_bytes);
	report_json_add_number(object, "bytes_left_alone", plan_bytes_left_alone(report->plan));
	json_object_object_add(object, "verify", report_json_verify(report));
	json_object_object_add(object, "sums", report_json_sums(report));
	json_object_object_add(object, "seconds", report_json_seconds_of(job->verify_ns));
	char *text CLEANUP(free) = report_json_print(object, JSON_C_TO_STRING_NOSLASHESCAPE);

	json_object_put(object);
	if (text)
		puts(text);
}

/* The names of images may hold anything, also what a terminal obeys. */
static void print_word(const struct report *report)
{
	char source[256], destination[256];
	const char *from = report->plan->source.node, *to = report->plan->destination.node;

	printf("%s  %s -> %s\n", _(report_verify_word(report)),
	       text_show(source, sizeof(source), from),
	       text_show(destination, sizeof(destination), to));
}

static int print_result(struct verify *verify, const struct job_snapshot *job)
{
	struct report report = { .plan = session_current_plan(verify->session), .job = *job };
	enum exit_code code = report_exit_code(&report);
	char *text CLEANUP(free) = NULL;
	struct error error = { 0 };

	if (verify->line_open)
		putchar('\n');
	if (verify->options.json) {
		print_json(&report, code);
	} else if (report_text_verify(&report, headless_columns(), &text, &error) == 0) {
		print_word(&report);
		fputs(text, stdout);
	} else {
		cli_error(&error);
	}
	if (job->error.code)
		cli_error(&job->error);
	return cli_finish_output((int)code);
}

static int look(struct verify *verify)
{
	struct error error = { 0 };

	if (session_new(&verify->options.session, &verify->session, &error) < 0 ||
	    clone_scan(verify->session, &verify->options, &error) < 0)
		return cli_error(&error);
	return make_plan(verify);
}

static int run(struct verify *verify)
{
	const struct verdict *written;
	struct interrupt interrupt;
	struct error error = { 0 };
	struct job_snapshot job;
	int r;

	interrupt_allow(&interrupt);
	r = look(verify);
	interrupt_forbid(&interrupt);
	if (r != 0)
		return r;
	if (session_verify(verify->session, &verify->job, &error) < 0)
		return cli_error(&error);
	/* A source that is written meanwhile may differ by right. */
	written = verdict_list_find(session_verdicts(verify->session), MEANS_SOURCE_WRITTEN);
	if (written && !verify->options.report &&
	    (written->kind == VERDICT_REFUSE || written->lifted))
		fprintf(stderr, _("clonedeck: warning: %s\n"), written->sentence);
	watch(verify, &job);
	return print_result(verify, &job);
}

int cli_verify(int argc, char **argv)
{
	CLEANUP(close) int signal_fd = -1;
	struct verify verify = { 0 };
	int r = clone_options_parse(argc, argv, COMMAND_VERIFY, &verify.options);

	if (r != 0)
		return r;
	if (verify.options.help)
		return clone_options_help(COMMAND_VERIFY);
	verify.signal_fd = signal_fd = headless_block_signals();
	if (signal_fd < 0) {
		fprintf(stderr, _("clonedeck: Signals cannot be received: %s.\n"),
			error_phrase(signal_fd));
		return EXIT_ENVIRONMENT;
	}
	r = run(&verify);
	session_destroy(verify.session);
	return r;
}
