/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command verify: is a clone what its source is, or was? Nothing is written. */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/clone_options.h"
#include "cli/headless.h"
#include "report/json.h"
#include "session/run.h"

static void print_json(const struct report *report, enum exit_code code)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();

	json_add_text(object, "schema", "clonedeck.verify/1");
	json_add_text(object, "result", report_verify_word(report));
	json_object_object_add(object, "exit_code", json_object_new_int((int)code));
	json_object_object_add(object, "error", report_json_error(&job->error));
	json_add_text(object, "plan_id", PLAN_ID(report->plan));
	json_object_object_add(object, "source", report_json_endpoint(&report->plan->source));
	json_object_object_add(object, "destination",
			       report_json_endpoint(&report->plan->destinations[0]));
	json_add_number(object, "sector_size", report->plan->sector_size);
	json_add_number(object, "bytes_total", job->total);
	json_add_number(object, "bytes_verified", job->proof.verified);
	json_add_number(object, "bytes_left_out", job->bad_bytes);
	json_add_number(object, "bytes_left_alone", plan_bytes_left_alone(report->plan));
	json_object_object_add(object, "verify", report_json_verify(report));
	json_object_object_add(object, "sums", report_json_sums(report));
	json_object_object_add(object, "seconds", report_json_seconds_of(job->verify_ns));
	char *text CLEANUP(free) = report_json_print(object, JSON_C_TO_STRING_NOSLASHESCAPE);

	if (text)
		puts(text);
}

/* The names of images may hold anything, also what a terminal obeys. */
static void print_word(const struct report *report)
{
	char source[256], destination[256];
	const char *from = report->plan->source.node, *to = report->plan->destinations[0].node;

	printf("%s  %s -> %s\n", _(report_verify_word(report)),
	       text_show(source, sizeof(source), from),
	       text_show(destination, sizeof(destination), to));
}

static int print_result(struct session *session, bool json)
{
	struct report report = { .plan = session_choice(session).plan,
				 .job = *session_copy(session).verified };
	enum exit_code code = report_exit_code(&report);
	char *text CLEANUP(free) = NULL;
	struct error error = { 0 };

	if (json) {
		print_json(&report, code);
	} else if (report_text(&report, REPORT_PROVEN, headless_columns(), &text, &error) == 0) {
		print_word(&report);
		fputs(text, stdout);
	} else {
		cli_error(&error);
	}
	if (report.job.error.code)
		cli_error(&report.job.error);
	return cli_finish_output((int)code);
}

/* Only the report of a copy knows what was left out of it, or changed after it was complete. */
static void print_by_design(const struct session *session, const struct clone_options *options)
{
	struct report report = { .plan = session_choice(session).plan,
				 .job = *session_copy(session).verified };
	char word[512];

	if (report_exit_code(&report) != EXIT_MISMATCH)
		return;
	if (options->report) {
		if (report_was_changed(options->report))
			fputs(_("clonedeck: its report says that this copy got new identifiers or "
				"a larger file system after it was verified: there it differs by "
				"design.\n"),
			      stderr);
		return;
	}
	fprintf(stderr,
		_("clonedeck: if this copy was made with --used=only, --table=fit or new "
		  "identifiers, these places differ by design. Its report knows them: clonedeck "
		  "verify REPORT.json -d %s compares what was copied.\n"),
		text_shell_word(word, sizeof(word), report.plan->destinations[0].node,
				"DESTINATION"));
}

/* A source that is written to meanwhile differs, and that is no error. */
static void print_warning(const struct session *session)
{
	const struct verdict *written =
		verdict_list_find(session_choice(session).verdicts, MEANS_SOURCE_WRITTEN);

	if (written && (written->kind == VERDICT_REFUSE || written->lifted))
		cli_warning(written->sentence);
}

int cli_verify(int argc, char **argv)
{
	CLEANUP(close) int signal_fd = -1;
	struct clone_options options;
	struct session *session = NULL;
	bool abandoned = false;
	int r = clone_options_parse(argc, argv, COMMAND_VERIFY, &options);

	if (r != 0)
		return r;
	if (options.help)
		return clone_options_help(COMMAND_VERIFY);
	signal_fd = headless_block_signals();
	if (signal_fd < 0)
		return EXIT_ENVIRONMENT;
	r = clone_look(&options, &session);
	if (r == 0) {
		if (!options.report)
			print_warning(session);
		options.run.stop_on_hangup = true;
		r = headless_verify(session, signal_fd, &options.run, &abandoned);
	}
	if (r == 0 && !abandoned) {
		print_by_design(session, &options);
		r = print_result(session, options.run.json);
	}
	if (!abandoned)
		session_destroy(session);
	return r;
}
