/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result in a word and a line, and the saving of the JSON form. */
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/replace.h"
#include "base/units.h"

void report_done(struct report *report)
{
	free(report->events);
	report->events = NULL;
	report->event_count = 0;
	verdict_list_done(&report->verdicts);
}

/* A copy counts as complete only when the destination has flushed its caches. */
static bool complete(const struct report *report)
{
	return report->job.flushed && (report->job.result == JOB_RESULT_COMPLETE ||
				       report->job.result == JOB_RESULT_PARTIAL);
}

enum exit_code report_exit_code(const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	switch (job->result) {
	case JOB_RESULT_COMPLETE:
		if (!complete(report))
			return EXIT_DESTINATION_FAILED;
		return job->bad_areas ? EXIT_BAD_AREAS : EXIT_COMPLETE;
	case JOB_RESULT_PARTIAL:
		return complete(report) ? EXIT_BAD_AREAS : EXIT_DESTINATION_FAILED;
	case JOB_RESULT_STOPPED:
		return EXIT_STOPPED;
	case JOB_RESULT_FAILED:
		return job->error.code ? error_exit_code(&job->error) : EXIT_INTERNAL;
	case JOB_RESULT_NONE:
		break;
	}
	return EXIT_INTERNAL;
}

const char *report_result_word(const struct report *report)
{
	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		return "COMPLETE";
	case EXIT_BAD_AREAS:
		return "PARTIAL";
	case EXIT_STOPPED:
		return "STOPPED";
	default:
		return "FAILED";
	}
}

const char *report_result_line(const struct report *report, char *buffer, size_t size)
{
	const struct job_snapshot *job = &report->job;
	char done[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX];
	unsigned long areas = (unsigned long)job->bad_areas;

	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		snprintf(buffer, size, _("%s - everything was copied and flushed; not verified"),
			 report_result_word(report));
		break;
	case EXIT_BAD_AREAS:
		snprintf(buffer, size,
			 P_("%s - %lu area of the source could not be read",
			    "%s - %lu areas of the source could not be read", areas),
			 report_result_word(report), areas);
		break;
	case EXIT_STOPPED:
		snprintf(buffer, size, _("%s - %s of %s bytes copied, can be resumed"),
			 report_result_word(report), units_print_count(job->written, done),
			 units_print_count(job->total, all));
		break;
	case EXIT_DESTINATION_FAILED:
		if (job->error.code == 0 && !job->flushed) {
			snprintf(
				buffer, size,
				_("%s - the destination did not confirm that all is on the medium"),
				report_result_word(report));
			break;
		}
		/* fall through */
	default:
		snprintf(buffer, size, _("%s - %s of %s bytes copied"), report_result_word(report),
			 units_print_count(job->written, done), units_print_count(job->total, all));
		break;
	}
	return buffer;
}

static void fill(FILE *file, const void *user)
{
	fputs(user, file);
}

int report_save(const struct report *report, const char *path, struct error *reterr)
{
	CLEANUP(free) char *text = NULL;
	int r = report_json(report, &text, reterr);

	if (r < 0)
		return r;
	r = file_replace(path, 0644, fill, text);
	if (r == -EEXIST)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "save", path,
				 _("The report cannot be saved as %s: that is not a regular file."),
				 path);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The report could not be saved as %s: %s."), path,
				 error_phrase(r));
	return 0;
}
