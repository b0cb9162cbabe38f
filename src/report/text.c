/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as plain text. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/units.h"
#include "report/mask.h"
#include "report/text_private.h"

#define BAD_LINES_MAX 16

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
		char why[256], bytes[UNITS_TEXT_MAX];

		report_bad_area_words(bad, why, sizeof(why));
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

static void put_file_names(struct page *page, const struct report *report)
{
	char path[512];

	if (report->json_path[0])
		page_field(page, _("report"), "%s", report->json_path);
	if (report->certificate_path[0])
		page_field(page, _("paper"), "%s", report->certificate_path);
	if (report->map_path[0] && report->job.map_safe)
		page_field(page, _("map"), "%s", report->map_path);
	else if (report->map_path[0])
		page_field(page, _("map"), _("%s could not be written"), report->map_path);
	if (report->job.digests_saved && report->digests_path[0])
		page_field(page, _("digests"), "%s", report->digests_path);
	for (unsigned i = 0; i < report->job.sums.count; i++) {
		enum sum_algorithm algorithm = report->job.sums.items[i].algorithm;

		if (report_sum_path(report, algorithm, path, sizeof(path)))
			page_field(page, sum_name(algorithm), "%s", path);
	}
	if (report->log_path[0])
		page_field(page, _("log"), "%s", report->log_path);
}

static void put_files(struct page *page, const struct report *report)
{
	put_file_names(page, report);
	if (report->log_dir_in_memory)
		page_field(page, _("note"),
			   _("These files are in memory and are gone after a restart."));
	for (size_t i = 0; i < report->next_count; i++)
		page_field(page, i == 0 ? _("next") : "", "%s", report->next[i]);
}

static void put_outcome(struct page *page, const struct report *report)
{
	char line[256], in_use[512];

	page_field(page, _("RESULT"), "%s", report_result_line(report, line, sizeof(line)));
	if (report_reason(report)[0])
		page_field(page, "", "%s", report_reason(report));
	if (report_boot_line(report, line, sizeof(line))[0])
		page_field(page, "", "%s", line);
	if (report_in_use(report, in_use, sizeof(in_use))[0])
		page_field(page, _("in use"), "%s", in_use);
	if (report->operator_name[0])
		page_field(page, _("operator"), "%s", report->operator_name);
	if (report->ticket[0])
		page_field(page, _("ticket"), "%s", report->ticket);
}

static void put_plan(struct page *page, const struct report *report, bool full)
{
	const struct plan *plan = report->plan;
	char id[9];

	text_put_end(page, _("source"), &plan->source, &report->source, full);
	text_put_end(page, _("dest"), &plan->destination, &report->destination, full);
	text_put_ranges(page, plan);
	if (full)
		text_put_extents(page, plan);
	page_field(page, _("plan"), "%s", report_plan_id(report, id));
}

static void put_measured(struct page *page, const struct report *report, bool full)
{
	const struct job_snapshot *job = &report->job;

	text_put_latency(page, _("read ms"), &job->source.latency);
	text_put_latency(page, _("write ms"), &job->destination.latency);
	if (job->read_back.count)
		text_put_latency(page, _("back ms"), &job->read_back);
	page_field(page, _("cpu"), _("%.2f s user, %.2f s system"), job->process_cpu_user,
		   job->process_cpu_system);
	if (job->engine[0])
		page_field(page, _("engine"), "%s", job->engine);
	if (full)
		text_put_engine(page, job);
	text_put_io_stats(page, job);
}

static void put_report(struct page *page, const struct report *report, bool full)
{
	const struct job_snapshot *job = &report->job;
	char line[256];

	put_outcome(page, report);
	fputc('\n', page->out);
	put_plan(page, report, full);
	fputc('\n', page->out);
	text_put_when(page, job);
	text_put_copied(page, job);
	text_put_verified(page, report);
	text_put_rest(page, report);
	text_put_sums(page, report);
	page_field(page, _("flushed"), "%s", report_flushed(report, line, sizeof(line)));
	if (report_armed(report, line, sizeof(line))[0])
		page_field(page, _("tables"), "%s", line);
	fputc('\n', page->out);
	put_measured(page, report, full);
	text_put_health(page, report);
	text_put_mismatches(page, report);
	put_bad_areas(page, report, full);
	put_hurt(page, report);
	put_warnings(page, report);
	if (full)
		text_put_course(page, report);
	fputc('\n', page->out);
	put_files(page, report);
	page_field(page, _("host"), "%s, Linux %s, clonedeck %s", report->host, report->kernel,
		   report->version);
}

static int render(const struct report *report, int columns, bool full, char **ret,
		  struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	char *text = NULL;
	size_t size = 0;
	struct page page;
	int r = report_mask(report, &masked, reterr);

	if (r < 0)
		return r;
	page_init(&page, open_memstream(&text, &size), columns);
	if (!page.out)
		return error_nomem(reterr);
	put_report(&page, masked ? &masked->report : report, full);
	bool failed = ferror(page.out);

	if (fclose(page.out) != 0 || failed) {
		free(text);
		return error_nomem(reterr);
	}
	*ret = text;
	return 0;
}

int report_text(const struct report *report, int columns, char **ret, struct error *reterr)
{
	return render(report, columns, false, ret, reterr);
}

int report_text_full(const struct report *report, int columns, char **ret, struct error *reterr)
{
	return render(report, columns, true, ret, reterr);
}
