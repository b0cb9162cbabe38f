/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text: the facts, and the lists that are too long for a fact. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"
#include "report/mask.h"
#include "report/page.h"

#define BAD_LINES_MAX  16
#define PROFILE_A_LINE 8
#define LABEL_COLUMNS  9
#define COLUMNS_MIN    40
#define VALUE_MAX      2048
#define LABEL_MAX      128

/* ---- the page (page.h); a path may hold anything, also what a terminal obeys ---- */

void page_init(struct page *page, FILE *out, int columns)
{
	page->out = out;
	page->columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
}

void page_field(struct page *page, const char *label, const char *format, ...)
{
	char value[VALUE_MAX], shown[VALUE_MAX];
	char first[LABEL_MAX], padded[LABEL_MAX];

	text_vprint(value, sizeof(value), format);
	text_show(shown, sizeof(shown), value);
	/* A blank is between it and the value in every language. */
	text_fit(padded, sizeof(padded), label,
		 text_width(label) < LABEL_COLUMNS ? LABEL_COLUMNS - 1 : text_width(label));
	snprintf(first, sizeof(first), " %s ", padded);
	text_paragraph(page->out, page->columns, first, shown);
}

void page_item(struct page *page, const char *format, ...)
{
	char value[VALUE_MAX], shown[VALUE_MAX];

	text_vprint(value, sizeof(value), format);
	text_show(shown, sizeof(shown), value);
	text_paragraph(page->out, page->columns, "   ", shown);
}

/* ---- facts and lists ---- */

struct page_sink {
	struct fact_sink to;
	struct page *page;
};

static void put_line(struct fact_sink *to, const char *name, const char *text)
{
	page_field(((struct page_sink *)to)->page, name, "%s", text);
}

static void put_facts(struct page *page, const struct report *report, enum fact_group first,
		      enum fact_group last, bool full)
{
	struct page_sink sink = { { .full = full, .put = put_line }, page };

	report_tell(report, first, last, &sink.to);
}

static void put_note(struct fact_sink *to, const char *name, const char *text)
{
	page_item(((struct page_sink *)to)->page, "   %s", text);
}

static void put_mismatch(struct page *page, const struct job_mismatch *mismatch)
{
	struct page_sink notes = { { .put = put_note }, page };
	char place[128];

	snprintf(place, sizeof(place), "LBA %" PRIu64 " +%" PRIu64 " -> LBA %" PRIu64,
		 mismatch->lba, mismatch->sectors, mismatch->destination_lba);
	if (mismatch->partition)
		page_item(page, _("%s  in partition %u  %s"), place, mismatch->partition,
			  job_mismatch_words(mismatch->kind));
	else
		page_item(page, "%s  %s", place, job_mismatch_words(mismatch->kind));
	if (mismatch->somewhere)
		page_item(page, "   %s",
			  _("somewhere in there: which of these sectors cannot be told"));
	report_mismatch_notes(mismatch, &notes.to);
}

static void put_mismatches(struct page *page, const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	uint64_t all = proof->areas + proof->unknown_areas;
	unsigned long more = (unsigned long)(all > proof->shown ? all - proof->shown : 0);

	if (all == 0)
		return;
	fprintf(page->out, "\n %s\n",
		!proof->areas     ? _("BAD AREAS")
		: proof->complete ? _("CHANGES OF THE SOURCE DURING THE COPY")
				  : _("DIFFERENCES"));
	for (size_t i = 0; i < proof->shown; i++)
		put_mismatch(page, &proof->mismatches[i]);
	if (more)
		page_item(page, P_("and %lu more", "and %lu more", more), more);
}

static void put_bad_areas(struct page *page, const struct report *report, bool full)
{
	const struct job_snapshot *job = &report->job;
	uint32_t unit = report->plan->sector_size;
	size_t most = full ? JOB_BAD_SHOWN : BAD_LINES_MAX;
	size_t shown = job->bad_shown < most ? job->bad_shown : most;
	unsigned long more = report_bad_areas_beyond(report, shown);

	if (job->bad_shown == 0)
		return;
	fprintf(page->out, "\n %s\n", _("BAD AREAS"));
	for (size_t i = 0; i < shown; i++) {
		const struct job_bad_area *bad = &job->bad[i];
		char why[256];

		report_bad_area_words(bad, why, sizeof(why));
		if (bad->write)
			page_item(page, _("LBA %" PRIu64 " +%" PRIu64 "  %s B  destination: %s"),
				  bad->lba, bad->sectors, UNITS_COUNT(bad->sectors * unit), why);
		else if (bad->partition)
			page_item(page,
				  _("LBA %" PRIu64 " +%" PRIu64 "  %s B  %s  in partition %u"),
				  bad->lba, bad->sectors, UNITS_COUNT(bad->sectors * unit), why,
				  bad->partition);
		else
			page_item(page, "LBA %" PRIu64 " +%" PRIu64 "  %s B  %s", bad->lba,
				  bad->sectors, UNITS_COUNT(bad->sectors * unit), why);
	}
	if (more)
		page_item(page,
			  P_("and %lu more, listed in the map", "and %lu more, listed in the map",
			     more),
			  more);
}

static void put_hurt(struct page *page, const struct report *report)
{
	char words[256];

	if (report->hurt_count == 0)
		return;
	fprintf(page->out, "\n %s\n", _("WHAT THE BAD AREAS HURT"));
	for (size_t i = 0; i < report->hurt_count; i++)
		page_item(page, "%s", report_hurt_words(&report->hurt[i], words, sizeof(words)));
}

static void put_accepted(struct page *page, const struct report *report, bool lifted,
			 const char *title)
{
	bool first = true;

	for (size_t i = 0; i < report->verdicts.count; i++) {
		const struct verdict *verdict = &report->verdicts.items[i];

		if (verdict->kind == VERDICT_OK || verdict->lifted != lifted)
			continue;
		if (first)
			fprintf(page->out, "\n %s\n", title);
		first = false;
		page_item(page, "%s: %s", verdict->rule, verdict->sentence);
	}
}

static void put_warnings(struct page *page, const struct report *report)
{
	put_accepted(page, report, true, _("CHECKS LIFTED BY THEIR NAMES AT THE START"));
	put_accepted(page, report, false, _("WARNINGS ACCEPTED AT THE START"));
}

static void put_health_of(struct page *page, const char *when, const struct health *health)
{
	char list[1024];

	if (health_is_known(health))
		page_item(page, "%s: %s", when, health_print(health, list, sizeof(list)));
	else if (health->why[0]) /* an image beside a disk was not asked */
		page_item(page, _("%s: unknown. %s"), when, health->why);
}

static void put_health(struct page *page, const struct report *report)
{
	const struct {
		const char *when;
		const struct health *health;
	} lines[] = {
		{ _("source before"), &report->source.before },
		{ _("source after"), &report->source.after },
		{ _("destination before"), &report->destination.before },
		{ _("destination after"), &report->destination.after },
	};
	const size_t count = ARRAY_SIZE(lines);
	const char *why = "";
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		known = known || health_is_known(lines[i].health);
		why = why[0] ? why : lines[i].health->why;
	}
	/* No health was asked for: images, practice disks. */
	if (!known && !why[0])
		return;
	fprintf(page->out, "\n %s\n", _("HEALTH (SMART)"));
	if (!known)
		page_item(page, _("unknown. %s"), why);
	for (size_t i = 0; known && i < count; i++)
		put_health_of(page, lines[i].when, lines[i].health);
}

/* MB/s over equal parts of what was copied; a dash where this run copied nothing. */
static void put_profile(struct page *page, const struct rates *rates)
{
	bool any = false;

	for (size_t i = 0; i < RATES_PROFILE; i++)
		any = any || rates->profile[i] > 0;
	if (!any)
		return;
	fprintf(page->out, "\n %s\n", _("THROUGHPUT OVER WHAT WAS COPIED (MB/s)"));
	for (size_t i = 0; i < RATES_PROFILE; i += PROFILE_A_LINE) {
		char line[128];
		size_t length = 0;

		for (size_t k = i; k < i + PROFILE_A_LINE; k++) {
			double rate = (double)rates->profile[k] / 1e6;
			char number[16] = "-";

			if (rate > 0)
				snprintf(number, sizeof(number), "%.1f", rate);
			length += (size_t)snprintf(line + length, sizeof(line) - length, "%8s",
						   number);
		}
		fprintf(page->out, " %4.1f %% %s\n", 100.0 * (double)i / RATES_PROFILE, line);
	}
}

static void put_passes(struct page *page, const struct job_snapshot *job)
{
	if (job->pass_count == 0)
		return;
	fprintf(page->out, "\n %s\n", _("PASSES"));
	for (unsigned i = 0; i < job->pass_count; i++) {
		const struct job_pass *pass = &job->passes[i];

		if (pass->total)
			page_item(page, _("%s: %s, %s B, %" PRIu64 " errors"),
				  pass_words(pass->kind), REPORT_DURATION(pass->ns),
				  UNITS_COUNT(pass->done), pass->errors);
		else
			page_item(page, "%s: %s", pass_words(pass->kind),
				  REPORT_DURATION(pass->ns));
	}
}

static void put_events(struct page *page, const struct report *report)
{
	if (report->event_count == 0)
		return;
	fprintf(page->out, "\n %s\n", _("EVENTS"));
	for (size_t i = 0; i < report->event_count; i++) {
		const struct job_event *event = &report->events[i];

		page_item(page, "%s  %s", REPORT_WHEN(event->time), event->text);
	}
}

static void put_report(struct page *page, const struct report *report, bool full)
{
	put_facts(page, report, FACT_OUTCOME, FACT_OUTCOME, full);
	fputc('\n', page->out);
	put_facts(page, report, FACT_ENDS, FACT_PLAN, full);
	fputc('\n', page->out);
	put_facts(page, report, FACT_WHEN, FACT_FLUSHED, full);
	fputc('\n', page->out);
	put_facts(page, report, FACT_MEASURED, FACT_MEASURED, full);
	put_health(page, report);
	put_mismatches(page, report);
	put_bad_areas(page, report, full);
	put_hurt(page, report);
	put_warnings(page, report);
	if (full) {
		put_passes(page, &report->job);
		put_profile(page, &report->rates);
		put_events(page, report);
	}
	fputc('\n', page->out);
	put_facts(page, report, FACT_FILES, FACT_NEXT, full);
}

/* ---- of two ends that were only compared ---- */

/* A verification does not know what else was done to the disk. */
static void put_unread_rest(struct page *page, const struct report *report)
{
	uint64_t left = plan_bytes_left_alone(report->plan);

	if (left)
		page_field(page, _("the rest"),
			   _("%s B of the destination are no part of it, and were not verified"),
			   UNITS_COUNT(left));
}

static void put_proven(struct page *page, const struct report *report)
{
	put_facts(page, report, FACT_PROVEN, FACT_PROVEN, false);
	put_unread_rest(page, report);
	put_facts(page, report, FACT_SUMS, FACT_SUMS, false);
	put_mismatches(page, report);
}

static void put_compared(struct page *page, const struct report *report)
{
	const struct verdict *written = verdict_list_find(&report->verdicts, MEANS_SOURCE_WRITTEN);
	char line[256];

	page_field(page, _("RESULT"), "%s", report_verify_line(report, line, sizeof(line)));
	page_field(page, "", "%s", _("nothing was written: both were only read"));
	if (report->job.error.code)
		page_field(page, "", "%s", report->job.error.sentence);
	/* Data that is written meanwhile may well differ. */
	if (written && (written->kind == VERDICT_REFUSE || written->lifted))
		page_field(page, _("note"), "%s", written->sentence);
	fputc('\n', page->out);
	put_facts(page, report, FACT_ENDS, FACT_ENDS, false);
	fputc('\n', page->out);
	put_facts(page, report, FACT_WHEN, FACT_WHEN, false);
	put_proven(page, report);
}

/* ---- a text of its own ---- */

int report_text(const struct report *report, enum report_extent extent, int columns, char **ret,
		struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	struct text_stream text;
	struct page page;
	int r = report_mask(report, &masked, reterr);

	if (r < 0)
		return r;
	page_init(&page, text_stream_begin(&text), columns);
	if (!page.out)
		return error_nomem(reterr);
	if (masked)
		report = &masked->report;
	if (extent == REPORT_PROVEN)
		put_proven(&page, report);
	else if (extent == REPORT_COMPARED)
		put_compared(&page, report);
	else
		put_report(&page, report, extent == REPORT_FULL);
	*ret = text_stream_end(&text);
	return *ret ? 0 : error_nomem(reterr);
}
