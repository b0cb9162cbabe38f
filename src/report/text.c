/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text: labels on the left, wrapped values behind them. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/report.h"

#define LABEL_COLUMNS   9
#define INDENT          (1 + LABEL_COLUMNS)
#define COLUMNS_MIN     40
#define VALUE_MAX       2048
#define BAD_LINES_MAX   16
#define BYTES_PER_GLYPH 4

struct page {
	FILE *out;
	int columns;
};

/* Bytes of `text` that fit `columns` cells, cut behind a blank where there is one. */
static size_t line_length(const char *text, int columns)
{
	char part[VALUE_MAX];
	size_t fits = 0, blank = 0;

	for (size_t i = 1; text[i - 1] && i < sizeof(part); i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		memcpy(part, text, i);
		part[i] = '\0';
		if (text_width(part) > columns)
			return blank ? blank : (fits ? fits : i);
		fits = i;
		if (text[i] == ' ' || text[i] == '\0')
			blank = i;
	}
	return fits;
}

static void put_wrapped(const struct page *page, const char *text, int indent)
{
	bool first = true;

	do {
		size_t length = line_length(text, page->columns - indent);

		fprintf(page->out, "%*s%.*s\n", first ? 0 : indent, "", (int)length, text);
		text += length;
		text += strspn(text, " ");
		first = false;
	} while (*text);
}

static void put_field(const struct page *page, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void put_field(const struct page *page, const char *label, const char *format, ...)
{
	char value[VALUE_MAX], fitted[BYTES_PER_GLYPH * LABEL_COLUMNS + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	fprintf(page->out, " %s", text_fit(fitted, sizeof(fitted), label, LABEL_COLUMNS));
	put_wrapped(page, value, INDENT);
}

static void put_item(const struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put_item(const struct page *page, const char *format, ...)
{
	char value[VALUE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	fputs("   ", page->out);
	put_wrapped(page, value, 3);
}

static void put_endpoint(const struct page *page, const char *label,
			 const struct endpoint *endpoint)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->kind == ENDPOINT_IMAGE)
		put_field(page, label, _("image %s"), endpoint->node);
	else if (identity->serial[0])
		put_field(page, label, _("%s  %s  S/N %s"), endpoint->node, identity->model,
			  identity->serial);
	else
		put_field(page, label, _("%s  %s  no serial"), endpoint->node, identity->model);
}

static void put_ranges(const struct page *page, const struct plan *plan)
{
	char bytes[UNITS_TEXT_MAX];
	const struct extent *extent = plan->extents;

	units_print_count(plan_bytes(plan), bytes);
	if (plan->extent_count == 1)
		put_field(page, _("range"),
			  _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"),
			  extent->source_lba, extent->source_lba + extent->sectors - 1,
			  extent->destination_lba, bytes);
	else
		put_field(page, _("ranges"),
			  P_("%zu range, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			     ", %s B in all",
			     "%zu ranges, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			     ", %s B in all",
			     plan->extent_count),
			  plan->extent_count, plan->extent_count ? extent->source_lba : 0,
			  plan->extent_count ? extent->destination_lba : 0, bytes);
}

static void put_copied(const struct page *page, const struct job_snapshot *job)
{
	char bytes[UNITS_TEXT_MAX], before[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	char average[UNITS_TEXT_MAX], peak[UNITS_TEXT_MAX];

	units_print_duration(job->copy_ns / NSEC_PER_SEC, time);
	units_print_count(job->written - job->already, bytes);
	if (job->average > 0 && job->peak > 0)
		put_field(page, _("copied"), _("%s B in %s    average %s  most %s"), bytes, time,
			  units_print_rate(job->average, average),
			  units_print_rate(job->peak, peak));
	else
		put_field(page, _("copied"), _("%s B in %s"), bytes, time);
	if (job->already)
		put_field(page, "", _("%s B had been copied before"),
			  units_print_count(job->already, before));
}

static void put_flushed(const struct page *page, const struct job_snapshot *job)
{
	char clock[32] = "?";
	struct tm tm;
	time_t when = (time_t)job->flushed_at;

	if (!job->flushed) {
		put_field(page, _("flushed"), _("no: what is on the medium is not known"));
		return;
	}
	if (job->flushed_at && localtime_r(&when, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	put_field(page, _("flushed"), _("yes, the destination confirmed it at %s"), clock);
}

static void put_latency(const struct page *page, const char *label,
			const struct latency_summary *latency)
{
	if (latency->count == 0) {
		put_field(page, label, _("unknown"));
		return;
	}
	put_field(page, label, "p50 %.3g  p90 %.3g  p99 %.3g  p99.9 %.3g  max %.4g",
		  (double)latency->p50 / NSEC_PER_MSEC, (double)latency->p90 / NSEC_PER_MSEC,
		  (double)latency->p99 / NSEC_PER_MSEC, (double)latency->p999 / NSEC_PER_MSEC,
		  (double)latency->max / NSEC_PER_MSEC);
}

static void put_bad_areas(const struct page *page, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	uint32_t unit = report->plan->sector_size;
	size_t shown = job->bad_shown < BAD_LINES_MAX ? job->bad_shown : BAD_LINES_MAX;

	if (job->bad_areas == 0)
		return;
	fprintf(page->out, "\n %s\n", _("BAD AREAS"));
	for (size_t i = 0; i < shown; i++) {
		const struct job_bad_area *bad = &job->bad[i];
		char why[128], bytes[UNITS_TEXT_MAX];

		if (bad->sense.known)
			snprintf(why, sizeof(why), _("%s, sense %02x/%02x/%02x"),
				 error_phrase(bad->code), bad->sense.key, bad->sense.asc,
				 bad->sense.ascq);
		else
			text_copy(why, sizeof(why), error_phrase(bad->code));
		units_print_count(bad->sectors * unit, bytes);
		if (bad->write)
			put_item(page, _("LBA %" PRIu64 " +%" PRIu64 "  %s B  destination: %s"),
				 bad->lba, bad->sectors, bytes, why);
		else if (bad->partition)
			put_item(page, _("LBA %" PRIu64 " +%" PRIu64 "  %s B  %s  in partition %u"),
				 bad->lba, bad->sectors, bytes, why, bad->partition);
		else
			put_item(page, "LBA %" PRIu64 " +%" PRIu64 "  %s B  %s", bad->lba,
				 bad->sectors, bytes, why);
	}
	if (job->bad_areas > shown)
		put_item(page,
			 P_("and %lu more, listed in the map", "and %lu more, listed in the map",
			    (unsigned long)(job->bad_areas - shown)),
			 (unsigned long)(job->bad_areas - shown));
}

static void put_warnings(const struct page *page, const struct report *report)
{
	bool first = true;

	for (size_t i = 0; i < report->verdicts.count; i++) {
		const struct verdict *verdict = &report->verdicts.items[i];

		if (verdict->kind == VERDICT_OK)
			continue;
		if (first)
			fprintf(page->out, "\n %s\n", _("WARNINGS ACCEPTED AT THE START"));
		first = false;
		put_item(page, "%s: %s", verdict->rule, verdict->sentence);
	}
}

static void put_files(const struct page *page, const struct report *report)
{
	if (report->json_path[0])
		put_field(page, _("report"), "%s", report->json_path);
	if (report->map_path[0] && report->job.map_safe)
		put_field(page, _("map"), "%s", report->map_path);
	else if (report->map_path[0])
		put_field(page, _("map"), _("%s could not be written"), report->map_path);
	if (report->log_path[0])
		put_field(page, _("log"), "%s", report->log_path);
	if (report->log_dir_in_memory)
		put_field(page, _("note"),
			  _("These files are in memory and are gone after a restart."));
	if (report->destination_next[0])
		put_field(page, _("next"), "%s", report->destination_next);
}

static void put_report(const struct page *page, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	char line[256], id[9];

	put_field(page, _("RESULT"), "%s", report_result_line(report, line, sizeof(line)));
	if (job->error.code)
		put_field(page, "", "%s", job->error.sentence);
	fputc('\n', page->out);
	put_endpoint(page, _("source"), &report->plan->source);
	put_endpoint(page, _("dest"), &report->plan->destination);
	put_ranges(page, report->plan);
	put_field(page, _("plan"), "%s", plan_id(report->plan, id));
	fputc('\n', page->out);
	put_copied(page, job);
	put_field(page, _("verified"), _("no, the copy was not read back"));
	put_flushed(page, job);
	fputc('\n', page->out);
	put_latency(page, _("read ms"), &job->source.latency);
	put_latency(page, _("write ms"), &job->destination.latency);
	put_field(page, _("cpu"), _("%.2f s user, %.2f s system"), job->process_cpu_user,
		  job->process_cpu_system);
	if (job->engine[0])
		put_field(page, _("engine"), "%s", job->engine);
	put_bad_areas(page, report);
	put_warnings(page, report);
	fputc('\n', page->out);
	put_files(page, report);
	put_field(page, _("host"), "%s, Linux %s, clonedeck %s", report->host, report->kernel,
		  report->version);
}

int report_text(const struct report *report, int columns, char **ret, struct error *reterr)
{
	char *text = NULL;
	size_t size = 0;
	struct page page = {
		.out = open_memstream(&text, &size),
		.columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns,
	};

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
