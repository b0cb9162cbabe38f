/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result in a word and a line, and the files that are saved. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "digest/checksum.h"
#include "report/mask.h"

/* A text file is read on any screen, and printed. */
#define FILE_COLUMNS 80

void report_done(struct report *report)
{
	free(report->events);
	report->events = NULL;
	report->event_count = 0;
	verdict_list_done(&report->verdicts);
}

int report_copy(const struct report *from, struct report *ret)
{
	*ret = *from;
	ret->events = array_copy(from->events, from->event_count);
	ret->verdicts.items = array_copy(from->verdicts.items, from->verdicts.count);
	return ret->events && ret->verdicts.items ? 0 : -ENOMEM;
}

const char *report_plan_id(const struct report *report, char buffer[static 9])
{
	return report->plan_id[0] ? report->plan_id : plan_id(report->plan, buffer);
}

/* What the destination refused cannot be read back, and what is unknown is told of. */
static bool verified(const struct job_snapshot *job)
{
	return job->proof.complete || ((job->refused_bytes || job->proof.unknown) &&
				       job->proof.verified + job->proof.unknown == job->written);
}

/* A copy counts as complete only when the destination has flushed its caches, and all that was to
 * be verified is. */
static bool complete(const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	return job->flushed && (!job->proof.asked || verified(job)) &&
	       (job->result == JOB_RESULT_COMPLETE || job->result == JOB_RESULT_PARTIAL);
}

/* Never a plain success: nothing tells whether what was written meanwhile is in the copy. Where
 * some of it was seen to have changed, nobody is to rely on the copy. */
static enum exit_code copied_in_use(const struct job_snapshot *job)
{
	return job->proof.changed ? EXIT_MISMATCH : EXIT_BAD_AREAS;
}

enum exit_code report_exit_code(const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	switch (job->result) {
	case JOB_RESULT_COMPLETE:
	case JOB_RESULT_PARTIAL:
		if (!complete(report))
			return EXIT_DESTINATION_FAILED;
		if (report->source_writer[0])
			return copied_in_use(job);
		return job->result == JOB_RESULT_PARTIAL || job->bad_areas ? EXIT_BAD_AREAS
									   : EXIT_COMPLETE;
	case JOB_RESULT_MISMATCH:
		return job->flushed ? EXIT_MISMATCH : EXIT_DESTINATION_FAILED;
	case JOB_RESULT_STOPPED:
		return EXIT_STOPPED;
	case JOB_RESULT_FAILED:
		return job->error.code ? error_exit_code(&job->error) : EXIT_INTERNAL;
	case JOB_RESULT_NONE:
		break;
	}
	return EXIT_INTERNAL;
}

static bool has_holes(const struct job_snapshot *job)
{
	return job->bad_areas > 0 || job->refused_bytes > 0;
}

static const char *result_word(const struct report *report, const char *good)
{
	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		return good;
	case EXIT_BAD_AREAS:
		return has_holes(&report->job) ? N_("PARTIAL") : N_("UNCERTAIN");
	case EXIT_MISMATCH:
		return N_("MISMATCH");
	case EXIT_STOPPED:
		return N_("STOPPED");
	default:
		return N_("FAILED");
	}
}

bool report_after_failed(const struct report *report)
{
	for (size_t i = 0; i < report->after.count; i++)
		if (report->after.items[i].failed)
			return true;
	return report->after.more;
}

bool report_changed_after(const struct report *report)
{
	return report->after.count || (report->grown_fs.state != GROWN_FS_NOT_ASKED &&
				       report->grown_fs.state != GROWN_FS_BY_HAND);
}

enum exit_code report_end_code(const struct report *report)
{
	enum exit_code code = report_exit_code(report);
	bool not_grown = report->grown_fs.state == GROWN_FS_FAILED ||
			 report->grown_fs.state == GROWN_FS_HANGS;

	return code == EXIT_COMPLETE &&
			       (not_grown || report_after_failed(report) || report->file_missing)
		       ? EXIT_BAD_AREAS
		       : code;
}

const char *report_result_word(const struct report *report)
{
	return result_word(report, N_("COMPLETE"));
}

const char *report_verify_word(const struct report *report)
{
	return result_word(report, N_("VERIFIED"));
}

/* The worse of two kinds: what the destination refused could have been read. It is counted in
 * bytes, as nobody keeps a complete list of such areas. */
static void bad_areas_line(const struct report *report, char *buffer, size_t size)
{
	const struct job_snapshot *job = &report->job;
	const char *word = _(report_result_word(report));
	unsigned long areas = (unsigned long)job->bad_areas;

	if (!has_holes(job) && job->proof.unknown)
		snprintf(buffer, size,
			 _("%s - everything was copied, but %s bytes of an earlier part cannot be "
			   "verified"),
			 word, UNITS_COUNT(job->proof.unknown));
	else if (!has_holes(job))
		snprintf(buffer, size,
			 _("%s - copied while the source was in use: not one moment of it"), word);
	else if (job->refused_bytes)
		snprintf(buffer, size, _("%s - %s bytes could not be written to the destination"),
			 word, UNITS_COUNT(job->total - job->written - job->bad_bytes));
	else
		snprintf(buffer, size,
			 P_("%s - %lu area of the source could not be read",
			    "%s - %lu areas of the source could not be read", areas),
			 word, areas);
}

static void mismatch_line(const struct report *report, char *buffer, size_t size)
{
	const struct job_proof *proof = &report->job.proof;
	const char *word = _(report_result_word(report));
	unsigned long areas = (unsigned long)proof->areas;

	if (report->job.free.wrong_bytes && !areas)
		snprintf(buffer, size,
			 _("%s - the destination does not keep the zeros in its free places"),
			 word);
	else if (report->source_writer[0] && report->job.result != JOB_RESULT_MISMATCH)
		snprintf(buffer, size,
			 P_("%s - copied while the source was in use: it changed meanwhile, in %lu "
			    "of the areas checked",
			    "%s - copied while the source was in use: it changed meanwhile, in %lu "
			    "of the areas checked",
			    areas),
			 word, areas);
	else if (proof->changed_before)
		snprintf(buffer, size,
			 P_("%s - the source changed while the copy was stopped, in %lu of the "
			    "areas checked",
			    "%s - the source changed while the copy was stopped, in %lu of the "
			    "areas checked",
			    areas),
			 word, areas);
	else if (proof->changed && !report->source_writer[0])
		snprintf(buffer, size,
			 P_("%s - the source changed during the copy, in %lu of the areas checked",
			    "%s - the source changed during the copy, in %lu of the areas checked",
			    areas),
			 word, areas);
	else
		snprintf(buffer, size,
			 P_("%s - the destination differs in %lu area, %s bytes",
			    "%s - the destination differs in %lu areas, %s bytes", areas),
			 word, areas, UNITS_COUNT(proof->bytes));
}

/* For a copy that ended before all of it was done. */
static void unfinished_line(const struct report *report, char *buffer, size_t size)
{
	const struct job_snapshot *job = &report->job;
	enum exit_code code = report_exit_code(report);
	const char *word = _(report_result_word(report));

	if (code == EXIT_STOPPED && report->map_lost)
		snprintf(buffer, size,
			 _("%s - %s of %s bytes copied; no map could be saved, so it cannot be "
			   "resumed"),
			 word, UNITS_COUNT(job->written), UNITS_COUNT(job->total));
	else if (code == EXIT_STOPPED && job->total && job->written == job->total &&
		 report->plan->options.free != FREE_LEAVE && job->free.cleared < job->free.bytes)
		snprintf(buffer, size,
			 _("%s - everything was copied, not all free places cleared; can be "
			   "resumed"),
			 word);
	else if (code == EXIT_STOPPED && job->total && job->written == job->total)
		snprintf(buffer, size,
			 _("%s - everything was copied, not all of it verified; can be resumed"),
			 word);
	else if (code == EXIT_STOPPED)
		snprintf(buffer, size, _("%s - %s of %s bytes copied, can be resumed"), word,
			 UNITS_COUNT(job->written), UNITS_COUNT(job->total));
	else if (code == EXIT_DESTINATION_FAILED && job->error.code == 0 && !job->flushed)
		snprintf(buffer, size,
			 _("%s - the destination did not confirm that all is on the medium"), word);
	else
		snprintf(buffer, size, _("%s - %s of %s bytes copied"), word,
			 UNITS_COUNT(job->written), UNITS_COUNT(job->total));
}

static void complete_line(const struct report *report, char *buffer, size_t size)
{
	const char *word = _(report_result_word(report));
	bool proven = report->job.proof.asked;

	if (plan_left_out(report->plan))
		snprintf(buffer, size,
			 proven ? _("%s - everything but free places was copied, flushed and "
				    "verified")
				: _("%s - everything but free places was copied and flushed; not "
				    "verified"),
			 word);
	else
		snprintf(buffer, size,
			 proven ? _("%s - everything was copied, flushed and verified")
				: _("%s - everything was copied and flushed; not verified"),
			 word);
}

const char *report_result_line(const struct report *report, char *buffer, size_t size)
{
	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		complete_line(report, buffer, size);
		break;
	case EXIT_BAD_AREAS:
		bad_areas_line(report, buffer, size);
		break;
	case EXIT_MISMATCH:
		mismatch_line(report, buffer, size);
		break;
	default:
		unfinished_line(report, buffer, size);
		break;
	}
	return buffer;
}

const char *report_verify_line(const struct report *report, char *buffer, size_t size)
{
	const struct job_snapshot *job = &report->job;
	const char *word = _(report_verify_word(report));
	unsigned long areas = (unsigned long)job->proof.areas;

	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
		snprintf(buffer, size, _("%s - what was compared is the same, byte for byte"),
			 word);
		break;
	case EXIT_MISMATCH:
		snprintf(buffer, size,
			 P_("%s - %lu area differs or cannot be read, %s bytes",
			    "%s - %lu areas differ or cannot be read, %s bytes", areas),
			 word, areas, UNITS_COUNT(job->proof.bytes));
		break;
	default:
		snprintf(buffer, size, _("%s - %s of %s bytes were compared"), word,
			 UNITS_COUNT(job->proof.verified), UNITS_COUNT(job->total));
		break;
	}
	return buffer;
}

const char *report_reason(const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	if (job->error.sentence[0])
		return job->error.sentence;
	switch (report_exit_code(report)) {
	case EXIT_COMPLETE:
	case EXIT_BAD_AREAS:
	case EXIT_MISMATCH:
	case EXIT_STOPPED:
		return "";
	default:
		break;
	}
	if (!job->flushed)
		return _("What was written may be lost: the destination did not confirm it.");
	return _("What went wrong was not recorded. This is a defect of the program; please report "
		 "it together with the log.");
}

static void fill(FILE *file, const void *user)
{
	fputs(user, file);
}

static int make_form(const struct report *report, enum report_form form, char **ret,
		     struct error *reterr)
{
	switch (form) {
	case REPORT_TEXT:
		return report_text(report, REPORT_FULL, FILE_COLUMNS, ret, reterr);
	case REPORT_HTML:
		return report_html(report, ret, reterr);
	case REPORT_JSON:
		break;
	}
	return report_json(report, ret, reterr);
}

/* Without memory there is none. */
static void sum_certificate(const char *text, struct report_files *files)
{
	struct checksum *sum = NULL;
	char hex[CHECKSUM_HEX_MAX] = "";

	if (checksum_new(CHECKSUM_SHA256, &sum, NULL) == 0) {
		checksum_add(sum, text, strlen(text));
		checksum_take(sum, hex);
		checksum_destroy(sum);
	}
	text_copy(files->certificate_sum, sizeof(files->certificate_sum), hex);
}

int report_save(struct report *report, enum report_form form, const char *path,
		struct file_timeout *timeout, struct error *reterr)
{
	CLEANUP(free) char *text = NULL;
	int r = make_form(report, form, &text, reterr);

	if (r < 0)
		return r;
	r = file_replace(timeout, path, fill, text);
	if (r == -EEXIST)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "save", path,
				 _("The report cannot be saved as %s: that is not a regular file."),
				 path);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The report could not be saved as %s: %s."), path,
				 file_phrase(r));
	if (form == REPORT_HTML)
		sum_certificate(text, &report->files);
	return 0;
}

/* ---- the sums of the whole source, as lists that sha256sum and its like check ---- */

bool report_sum_path(const struct report *report, enum checksum_algorithm algorithm, char *buffer,
		     size_t size)
{
	return report->files.checksums[0] && job_sums_known(&report->job.sums) &&
	       (size_t)snprintf(buffer, size, "%s.%s", report->files.checksums,
				checksum_name(algorithm)) < size;
}

/* Like sha256sum, escapes characters that cannot be in a line. */
static void put_line(FILE *file, const char *hex, const char *name)
{
	if (strpbrk(name, "\\\n\r"))
		putc('\\', file);
	fprintf(file, "%s  ", hex);
	for (; *name; name++)
		if (*name == '\\')
			fputs("\\\\", file);
		else if (*name == '\n')
			fputs("\\n", file);
		else if (*name == '\r')
			fputs("\\r", file);
		else
			putc(*name, file);
	putc('\n', file);
}

/* All of the source went into the sum, and nothing else. */
static bool is_source(const struct report *report)
{
	return report->plan->whole && !report->job.sums.zeros && !plan_left_out(report->plan);
}

/* The destination holds that, and nothing else. */
static bool is_destination(const struct report *report)
{
	const struct plan *plan = report->plan;
	enum exit_code code = report_exit_code(report);

	/* The sum counts what is left out as zeros. */
	if (plan_left_out(plan) && plan->options.free != FREE_ZERO)
		return false;
	return plan->whole && plan->destination_size_after == plan_chosen_bytes(plan) &&
	       (code == EXIT_COMPLETE ||
		(code == EXIT_BAD_AREAS && plan->options.fill == FILL_ZERO));
}

struct list {
	const struct report *report;
	const struct job_sum *sum;
};

static void fill_list(FILE *file, const void *user)
{
	const struct list *list = user;
	const struct report *report = list->report;
	const char *hex = list->sum->hex;

	/* xxh128sum takes a comment for a line that is broken. */
	if (list->sum->algorithm != CHECKSUM_XXH3)
		fprintf(file, "# %s of the %s%s, plan %s, clonedeck %s\n",
			checksum_title(list->sum->algorithm),
			report->job.sums.state == JOB_SUMS_OF_SOURCE
				? "source as it was read"
				: "copy as it was read back and proven",
			plan_left_out(report->plan) ? ", free places as zeros" : "",
			REPORT_PLAN_ID(report), report->version);
	if (is_source(report))
		put_line(file, hex, report->plan->source.node);
	if (is_destination(report))
		put_line(file, hex, report->plan->destinations[0].node);
	/* For piping the same bytes into it. */
	if (!is_source(report) && !is_destination(report))
		put_line(file, hex, "-");
}

int report_save_sums(const struct report *report, struct file_timeout *timeout,
		     struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	struct list list = { .report = report };
	char path[512];
	int r = report_mask(report, &masked, reterr);

	if (masked)
		list.report = &masked->report;
	for (unsigned i = 0; r == 0 && i < report->job.sums.count; i++) {
		list.sum = &report->job.sums.items[i];
		if (!report_sum_path(report, list.sum->algorithm, path, sizeof(path)))
			continue;
		r = file_replace(timeout, path, fill_list, &list);
		if (r < 0)
			error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				  _("The sum could not be saved as %s: %s."), path, file_phrase(r));
	}
	return r;
}
