/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/sense.h"
#include "base/text.h"
#include "base/units.h"
#include "report/page.h"
#include "report/report.h"

#define BAD_LINES_MAX 16

static void put_endpoint(struct page *page, const char *label, const struct endpoint *endpoint)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->kind == ENDPOINT_IMAGE)
		page_field(page, label, _("image %s"), endpoint->node);
	else if (identity->serial[0])
		page_field(page, label, _("%s  %s  S/N %s"), endpoint->node, identity->model,
			   identity->serial);
	else
		page_field(page, label, _("%s  %s  no serial"), endpoint->node, identity->model);
}

static void put_ranges(struct page *page, const struct plan *plan)
{
	char bytes[UNITS_TEXT_MAX];
	const struct extent *extent = plan->extents;

	units_print_count(plan_bytes(plan), bytes);
	if (plan->extent_count == 1)
		page_field(page, _("range"),
			   _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"),
			   extent->source_lba, extent->source_lba + extent->sectors - 1,
			   extent->destination_lba, bytes);
	else
		page_field(page, _("ranges"),
			   P_("%zu range, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			      ", %s B in all",
			      "%zu ranges, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			      ", %s B in all",
			      plan->extent_count),
			   plan->extent_count, plan->extent_count ? extent->source_lba : 0,
			   plan->extent_count ? extent->destination_lba : 0, bytes);
}

/* Short copies in tenths of a second, long ones as a clock shows them. */
static void print_time(uint64_t ns, char buffer[static UNITS_TEXT_MAX])
{
	if (ns < 60 * NSEC_PER_SEC)
		snprintf(buffer, UNITS_TEXT_MAX, _("%.1f s"), (double)ns / (double)NSEC_PER_SEC);
	else
		units_print_duration(ns / NSEC_PER_SEC, buffer);
}

static void put_copied(struct page *page, const struct job_snapshot *job)
{
	char bytes[UNITS_TEXT_MAX], before[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	char average[UNITS_TEXT_MAX], peak[UNITS_TEXT_MAX];

	print_time(job->copy_ns, time);
	units_print_count(job->written - job->already, bytes);
	if (job->average > 0 && job->peak > 0)
		page_field(page, _("copied"), _("%s B in %s    average %s  most %s"), bytes, time,
			   units_print_rate(job->average, average),
			   units_print_rate(job->peak, peak));
	else
		page_field(page, _("copied"), _("%s B in %s"), bytes, time);
	if (job->already)
		page_field(page, "", _("%s B had been copied before"),
			   units_print_count(job->already, before));
}

static void put_flushed(struct page *page, const struct job_snapshot *job)
{
	char clock[32] = "?";
	struct tm tm;
	time_t when = (time_t)job->flushed_at;

	if (!job->flushed) {
		page_field(page, _("flushed"), _("no: what is on the medium is not known"));
		return;
	}
	if (job->flushed_at && localtime_r(&when, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	page_field(page, _("flushed"), _("yes, the destination confirmed it at %s"), clock);
}

static void put_latency(struct page *page, const char *label, const struct latency_summary *latency)
{
	if (latency->count == 0) {
		page_field(page, label, _("unknown"));
		return;
	}
	page_field(page, label, "p50 %.3g  p90 %.3g  p99 %.3g  p99.9 %.3g  max %.4g",
		   (double)latency->p50 / NSEC_PER_MSEC, (double)latency->p90 / NSEC_PER_MSEC,
		   (double)latency->p99 / NSEC_PER_MSEC, (double)latency->p999 / NSEC_PER_MSEC,
		   (double)latency->max / NSEC_PER_MSEC);
}

/* What was asked for is in the line of the engine; this is what came of it. */
static void put_truth(struct page *page, const char *end, const struct io_truth *truth)
{
	if (!truth->known)
		return;
	page_field(page, "",
		   _("%s: %" PRIu64 " commands direct, %" PRIu64 " indirect, %" PRIu64
		     " recovered errors, %" PRIu64 " sent again, %" PRIu64 " waited for"),
		   end, truth->direct, truth->indirect, truth->recovered, truth->retried,
		   truth->waited);
}

static void put_truths(struct page *page, const struct job_snapshot *job)
{
	const struct io_truth *source = &job->source.truth, *destination = &job->destination.truth;

	put_truth(page, _("source"), source);
	put_truth(page, _("dest"), destination);
	/* It is the driver's, so the ends share it. */
	if (source->advice || destination->advice)
		page_field(page, "", "%s", source->advice ? source->advice : destination->advice);
}

static void put_bad_areas(struct page *page, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	uint32_t unit = report->plan->sector_size;
	size_t shown = job->bad_shown < BAD_LINES_MAX ? job->bad_shown : BAD_LINES_MAX;

	if (job->bad_areas == 0)
		return;
	fprintf(page->out, "\n %s\n", _("BAD AREAS"));
	for (size_t i = 0; i < shown; i++) {
		const struct job_bad_area *bad = &job->bad[i];
		char why[256], bytes[UNITS_TEXT_MAX];

		if (bad->sense.known)
			sense_text(&bad->sense, why, sizeof(why));
		else
			text_copy(why, sizeof(why), error_phrase(bad->code));
		units_print_count(bad->sectors * unit, bytes);
		if (bad->write)
			page_item(page, _("LBA %" PRIu64 " +%" PRIu64 "  %s B  destination: %s"),
				  bad->lba, bad->sectors, bytes, why);
		else if (bad->partition)
			page_item(page,
				  _("LBA %" PRIu64 " +%" PRIu64 "  %s B  %s  in partition %u"),
				  bad->lba, bad->sectors, bytes, why, bad->partition);
		else
			page_item(page, "LBA %" PRIu64 " +%" PRIu64 "  %s B  %s", bad->lba,
				  bad->sectors, bytes, why);
	}
	if (job->bad_areas > shown)
		page_item(page,
			  P_("and %lu more, listed in the map", "and %lu more, listed in the map",
			     (unsigned long)(job->bad_areas - shown)),
			  (unsigned long)(job->bad_areas - shown));
}

static void put_warnings(struct page *page, const struct report *report)
{
	bool first = true;

	for (size_t i = 0; i < report->verdicts.count; i++) {
		const struct verdict *verdict = &report->verdicts.items[i];

		if (verdict->kind == VERDICT_OK)
			continue;
		if (first)
			fprintf(page->out, "\n %s\n", _("WARNINGS ACCEPTED AT THE START"));
		first = false;
		page_item(page, "%s: %s", verdict->rule, verdict->sentence);
	}
}

static void put_files(struct page *page, const struct report *report)
{
	if (report->json_path[0])
		page_field(page, _("report"), "%s", report->json_path);
	if (report->map_path[0] && report->job.map_safe)
		page_field(page, _("map"), "%s", report->map_path);
	else if (report->map_path[0])
		page_field(page, _("map"), _("%s could not be written"), report->map_path);
	if (report->log_path[0])
		page_field(page, _("log"), "%s", report->log_path);
	if (report->log_dir_in_memory)
		page_field(page, _("note"),
			   _("These files are in memory and are gone after a restart."));
	if (report->destination_next[0])
		page_field(page, _("next"), "%s", report->destination_next);
}

static void put_report(struct page *page, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	char line[256], id[9];

	page_field(page, _("RESULT"), "%s", report_result_line(report, line, sizeof(line)));
	if (job->error.code)
		page_field(page, "", "%s", job->error.sentence);
	fputc('\n', page->out);
	put_endpoint(page, _("source"), &report->plan->source);
	put_endpoint(page, _("dest"), &report->plan->destination);
	put_ranges(page, report->plan);
	page_field(page, _("plan"), "%s", plan_id(report->plan, id));
	fputc('\n', page->out);
	put_copied(page, job);
	page_field(page, _("verified"), _("no, the copy was not read back"));
	put_flushed(page, job);
	fputc('\n', page->out);
	put_latency(page, _("read ms"), &job->source.latency);
	put_latency(page, _("write ms"), &job->destination.latency);
	page_field(page, _("cpu"), _("%.2f s user, %.2f s system"), job->process_cpu_user,
		   job->process_cpu_system);
	if (job->engine[0])
		page_field(page, _("engine"), "%s", job->engine);
	put_truths(page, job);
	put_bad_areas(page, report);
	put_warnings(page, report);
	fputc('\n', page->out);
	put_files(page, report);
	page_field(page, _("host"), "%s, Linux %s, clonedeck %s", report->host, report->kernel,
		   report->version);
}

int report_text(const struct report *report, int columns, char **ret, struct error *reterr)
{
	char *text = NULL;
	size_t size = 0;
	struct page page;

	page_init(&page, open_memstream(&text, &size), columns);

	if (!page.out)
		return error_nomem(reterr);
	put_report(&page, report);
	bool failed = ferror(page.out);

	if (fclose(page.out) != 0 || failed) {
		free(text);
		return error_nomem(reterr);
	}
	*ret = text;
	return 0;
}
