/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate's annex: bad areas, warnings, measurements, files. */
#include <inttypes.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/html.h"

static void put_bad_area(FILE *out, const struct report *report, const struct job_bad_area *bad)
{
	char why[256], bytes[UNITS_TEXT_MAX];

	report_bad_area_words(bad, why, sizeof(why));
	html_markup(out, "<tr>");
	html_element(out, "td", "%s", bad->write ? _("destination") : _("source"));
	html_element(out, "td class=n", "%" PRIu64, bad->lba);
	html_element(out, "td class=n", "%" PRIu64, bad->sectors);
	html_element(out, "td class=n", "%s",
		     units_print_count(bad->sectors * report->plan->sector_size, bytes));
	if (bad->partition)
		html_element(out, "td class=n", "%u", bad->partition);
	else
		html_element(out, "td class=n", "-");
	html_element(out, "td", "%s", why);
	html_markup(out, "</tr>\n");
}

static void put_bad_areas(FILE *out, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	unsigned long more = report_bad_areas_beyond(report, job->bad_shown);

	if (job->bad_shown == 0)
		return;
	html_section(out, "long", _("Bad areas"));
	html_markup(out, "<table class=\"grid\">\n<thead><tr>");
	html_element(out, "th", "%s", _("Disk"));
	html_element(out, "th class=n", "%s", _("LBA"));
	html_element(out, "th class=n", "%s", _("Sectors"));
	html_element(out, "th class=n", "%s", _("Bytes"));
	html_element(out, "th class=n", "%s", _("Partition"));
	html_element(out, "th", "%s", _("Why"));
	html_markup(out, "</tr></thead>\n");
	for (size_t i = 0; i < job->bad_shown; i++)
		put_bad_area(out, report, &job->bad[i]);
	html_markup(out, "</table>\n");
	if (more)
		html_element(out, "p class=legend",
			     P_("and %lu more, listed in the map",
				"and %lu more, listed in the map", more),
			     more);
	html_section_end(out);
}

static void put_warnings(FILE *out, const struct report *report)
{
	bool any = false;

	for (size_t i = 0; i < report->verdicts.count; i++) {
		const struct verdict *verdict = &report->verdicts.items[i];

		if (verdict->kind == VERDICT_OK)
			continue;
		if (!any) {
			html_section(out, "long", _("Warnings accepted at the start"));
			html_markup(out, "<ul>\n");
		}
		any = true;
		html_markup(out, "<li>");
		html_text(out, "%s", verdict->sentence);
		html_markup(out, " <span class=\"mono\">(");
		html_text(out, "%s%s", verdict->lifted ? "--allow " : "", verdict->rule);
		html_markup(out, ")</span></li>\n");
	}
	if (any) {
		html_markup(out, "</ul>\n");
		html_section_end(out);
	}
}

static void put_latency(FILE *out, const char *label, const struct latency_summary *latency)
{
	const uint64_t values[] = { latency->p50, latency->p90, latency->p99, latency->p999,
				    latency->max };
	char text[UNITS_TEXT_MAX];

	html_markup(out, "<tr>");
	html_element(out, "th", "%s", label);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		html_element(out, "td class=n", "%s",
			     latency->count ? report_milliseconds(values[i], text) : "-");
	html_element(out, "td class=n", "%s",
		     latency->count ? units_print_count(latency->count, text) : "-");
	html_markup(out, "</tr>\n");
}

static void put_latencies(FILE *out, const struct job_snapshot *job)
{
	html_section(out, "latency", _("Latency of a request (ms)"));
	html_markup(out, "<table class=\"grid\">\n<thead><tr><th></th>"
			 "<th class=n>p50</th><th class=n>p90</th><th class=n>p99</th>"
			 "<th class=n>p99.9</th>");
	html_element(out, "th class=n", "%s", _("longest"));
	html_element(out, "th class=n", "%s", _("requests"));
	html_markup(out, "</tr></thead>\n");
	put_latency(out, _("reading"), &job->source.latency);
	put_latency(out, _("writing"), &job->destination.latency);
	if (job->read_back.count)
		put_latency(out, _("reading back"), &job->read_back);
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_pass(FILE *out, const struct job_pass *pass)
{
	char time[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	html_markup(out, "<tr>");
	html_element(out, "th", "%s", pass_words(pass->kind));
	html_element(out, "td class=n", "%u", pass->rounds);
	html_element(out, "td class=n", "%s", report_duration(pass->ns, time));
	html_element(out, "td class=n", "%s",
		     pass->total ? units_print_count(pass->done, bytes) : "-");
	html_element(out, "td class=n", "%" PRIu64, pass->errors);
	html_markup(out, "</tr>\n");
}

static void put_passes(FILE *out, const struct job_snapshot *job)
{
	if (job->pass_count == 0)
		return;
	html_section(out, "passes", _("Passes"));
	html_markup(out, "<table class=\"grid\">\n<thead><tr><th></th>");
	html_element(out, "th class=n", "%s", _("rounds"));
	html_element(out, "th class=n", "%s", _("time"));
	html_element(out, "th class=n", "%s", _("bytes"));
	html_element(out, "th class=n", "%s", _("errors"));
	html_markup(out, "</tr></thead>\n");
	for (unsigned i = 0; i < job->pass_count; i++)
		put_pass(out, &job->passes[i]);
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_engine(FILE *out, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	char chunk[UNITS_TEXT_MAX];

	html_section(out, "engine", _("How it was copied"));
	html_markup(out, "<table class=\"facts\">\n");
	if (job->engine[0])
		html_row(out, _("Engine"), "%s", job->engine);
	html_row(out, _("Requests"),
		 _("%s each, %u at once from the source, %u to the destination"),
		 units_print_long(job->chunk, UNITS_IEC, 512, chunk), job->source.depth,
		 job->destination.depth);
	html_row(out, _("Processor time"), _("%.2f s user, %.2f s system"), job->process_cpu_user,
		 job->process_cpu_system);
	html_row(out, _("Trouble"),
		 _("%" PRIu64 " errors, %" PRIu64 " retries, %" PRIu64
		   " reads slower than a second"),
		 job->errors, job->retries, job->slow_reads);
	html_row(out, _("Program"), "clonedeck %s, Linux %s", report->version, report->kernel);
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_extents(FILE *out, const struct plan *plan)
{
	char bytes[UNITS_TEXT_MAX];

	if (plan->extent_count < 2)
		return;
	html_section(out, "long", _("Ranges"));
	html_markup(out, "<table class=\"grid\">\n<thead><tr>");
	html_element(out, "th class=n", "%s", _("First LBA"));
	html_element(out, "th class=n", "%s", _("Sectors"));
	html_element(out, "th class=n", "%s", _("to LBA"));
	html_element(out, "th class=n", "%s", _("Bytes"));
	html_markup(out, "</tr></thead>\n");
	for (size_t i = 0; i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];

		html_markup(out, "<tr>");
		html_element(out, "td class=n", "%" PRIu64, extent->source_lba);
		html_element(out, "td class=n", "%" PRIu64, extent->sectors);
		html_element(out, "td class=n", "%" PRIu64, extent->destination_lba);
		html_element(out, "td class=n", "%s",
			     units_print_count(extent->sectors * plan->sector_size, bytes));
		html_markup(out, "</tr>\n");
	}
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_events(FILE *out, const struct report *report)
{
	char when[REPORT_WHEN_MAX];

	if (report->event_count == 0)
		return;
	html_section(out, "long", _("Events"));
	html_markup(out, "<table class=\"grid events\">\n");
	for (size_t i = 0; i < report->event_count; i++) {
		html_markup(out, "<tr>");
		html_element(out, "td", "%s", report_when(report->events[i].time, when));
		html_element(out, "td", "%s", report->events[i].text);
		html_markup(out, "</tr>\n");
	}
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_files(FILE *out, const struct report *report)
{
	char path[512];

	html_section(out, "files", _("Files"));
	html_markup(out, "<table class=\"facts mono\">\n");
	if (report->json_path[0])
		html_row(out, _("Report"), "%s", report->json_path);
	if (report->map_path[0])
		html_row(out, _("Map"), "%s", report->map_path);
	if (report->job.digests_saved && report->digests_path[0])
		html_row(out, _("Digests"), "%s", report->digests_path);
	for (unsigned i = 0; i < report->job.sums.count; i++) {
		enum sum_algorithm algorithm = report->job.sums.items[i].algorithm;

		if (report_sum_path(report, algorithm, path, sizeof(path)))
			html_row(out, sum_title(algorithm), "%s", path);
	}
	if (report->log_path[0])
		html_row(out, _("Log"), "%s", report->log_path);
	html_markup(out, "</table>\n");
	html_section_end(out);
}

void html_put_details(FILE *out, const struct report *report)
{
	html_put_differences(out, report);
	put_bad_areas(out, report);
	put_warnings(out, report);
	html_put_health(out, report);
	put_passes(out, &report->job);
	put_latencies(out, &report->job);
	put_engine(out, report);
	put_extents(out, report->plan);
	put_events(out, report);
	put_files(out, report);
}
