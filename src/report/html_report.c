/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The certificate: a page that a customer can read and sign, and an annex with
 * details. HTML without scripts or other files, so that it prints the same
 * everywhere and years later.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/units.h"
#include "report/html.h"
#include "report/mask.h"

static void put_head(FILE *out, const struct report *report)
{
	char id[9];

	html_markup(out, "<!DOCTYPE html>\n<html lang=\"");
	/* Translators: the code of your language, as HTML's lang attribute wants it. */
	html_text(out, "%s", _("en"));
	html_markup(out, "\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	html_text(out, _("Copy certificate %s"), report_plan_id(report, id));
	html_markup(out, "</title>\n<style>\n");
	html_markup(out, html_style());
	/* Sheets get apart: each says which copy it belongs to. The number is hexadecimal. */
	fprintf(out, "@page{@bottom-left{content:\"%s\";font:7.5pt monospace;color:#4b5563}}\n",
		report_plan_id(report, id));
	html_markup(out, "</style>\n</head>\n<body>\n");
}

static void put_header(FILE *out, const struct report *report)
{
	char id[9], when[REPORT_WHEN_MAX];

	html_markup(out, "<header>\n<div>");
	html_element(out, "h1", "%s", _("Certificate of a disk copy"));
	html_element(out, "p", _("made by clonedeck %s on %s"), report->version,
		     report->host[0] ? report->host : _("an unnamed machine"));
	html_markup(out, "</div>\n<div class=\"id\">");
	html_element(out, "b", "%s", report_plan_id(report, id));
	html_element(out, "p", "%s", report_when(report->job.ended_at, when));
	html_markup(out, "</div>\n</header>\n");
}

static const char *result_class(enum exit_code code)
{
	switch (code) {
	case EXIT_COMPLETE:
		return "ok";
	case EXIT_BAD_AREAS:
	case EXIT_STOPPED:
		return "warn";
	default:
		return "bad";
	}
}

static void put_result(FILE *out, const struct report *report)
{
	char line[256], in_use[512];
	const char *word = _(report_result_word(report)), *sentence;

	report_result_line(report, line, sizeof(line));
	/* The word stands beside it, large. */
	sentence = strstr(line, " - ");
	fprintf(out, "<div class=\"result %s\">\n", result_class(report_exit_code(report)));
	html_element(out, "strong", "%s", word);
	html_markup(out, "\n<div>");
	html_element(out, "p", "%s", sentence ? sentence + 3 : line);
	if (report_reason(report)[0])
		html_element(out, "p", "%s", report_reason(report));
	if (report_boot_line(report, line, sizeof(line))[0])
		html_element(out, "p", "%s", line);
	if (report_in_use(report, in_use, sizeof(in_use))[0])
		html_element(out, "p", "%s", in_use);
	html_markup(out, "</div>\n</div>\n");
}

static void put_copied(FILE *out, const struct job_snapshot *job)
{
	char done[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX], peak[UNITS_TEXT_MAX];

	html_row(out, _("Copied"), _("%s of %s bytes"), units_print_count(job->written, done),
		 units_print_count(job->total, all));
	if (job->already)
		html_row(out, "", _("%s B had been copied before"),
			 units_print_count(job->already, done));
	if (job->average > 0 && job->peak > 0)
		html_row(out, _("Throughput"), _("%s on average, %s at most"),
			 units_print_rate(job->average, rate), units_print_rate(job->peak, peak));
	if (job->bad_areas)
		html_row(out, _("Not readable"),
			 P_("%s bytes in %lu area, listed in the annex",
			    "%s bytes in %lu areas, listed in the annex",
			    (unsigned long)job->bad_areas),
			 units_print_count(job->bad_bytes, done), (unsigned long)job->bad_areas);
}

static void put_range(FILE *out, const struct plan *plan)
{
	const struct extent *extent = plan->extents;

	if (plan->whole)
		html_row(out, _("What"), "%s",
			 _("the whole source, from its first sector to its last"));
	else if (plan->extent_count == 1)
		html_row(out, _("What"), _("LBA %" PRIu64 "-%" PRIu64 ", to LBA %" PRIu64 " on"),
			 extent->source_lba, extent->source_lba + extent->sectors - 1,
			 extent->destination_lba);
	else
		html_row(out, _("What"),
			 P_("%zu range, listed in the annex", "%zu ranges, listed in the annex",
			    plan->extent_count),
			 plan->extent_count);
}

static void put_sums(FILE *out, const struct report *report)
{
	const struct job_sums *sums = &report->job.sums;
	bool known = job_sums_known(sums);
	char line[256];

	for (unsigned i = 0; known && i < sums->count; i++)
		html_row(out, sum_title(sums->items[i].algorithm), "%s", sums->items[i].hex);
	if (sums->count)
		html_row(out, known ? "" : _("Sums"), "%s",
			 report_sums(report, line, sizeof(line)));
}

static void put_facts(FILE *out, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	char start[REPORT_WHEN_MAX], end[REPORT_WHEN_MAX], time[UNITS_TEXT_MAX], line[512];

	html_section(out, "what", _("What was done"));
	html_markup(out, "<table class=\"facts\">\n");
	if (report->operator_name[0])
		html_row(out, _("Operator"), "%s", report->operator_name);
	if (report->ticket[0])
		html_row(out, _("Ticket"), "%s", report->ticket);
	put_range(out, report->plan);
	html_row(out, _("Begun"), "%s", report_when(job->started_at, start));
	html_row(out, _("Ended"), _("%s, after %s"), report_when(job->ended_at, end),
		 report_duration(job->elapsed, time));
	put_copied(out, job);
	html_row(out, _("Flushed"), "%s", report_flushed(report, line, sizeof(line)));
	if (report_armed(report, line, sizeof(line))[0])
		html_row(out, _("Armed"), "%s", line);
	html_row(out, _("Read back"), "%s", report_verified(report, line, sizeof(line)));
	if (report_rechecked(report, line, sizeof(line))[0])
		html_row(out, _("Source checked"), "%s", line);
	if (report_look(report, line, sizeof(line))[0])
		html_row(out, _("Final look"), "%s", line);
	if (report_look_places(report, line, sizeof(line))[0])
		html_row(out, "", "%s", line);
	if (report_left_out(report, line, sizeof(line))[0])
		html_row(out, _("Left out"), "%s", line);
	if (report_left_alone(report, line, sizeof(line))[0])
		html_row(out, _("The rest"), "%s", line);
	put_sums(out, report);
	for (size_t i = 0; i < report->hurt_count; i++)
		html_row(out, i == 0 ? _("Hurt") : "", "%s",
			 report_hurt_words(&report->hurt[i], line, sizeof(line)));
	for (size_t i = 0; i < report->next_count; i++)
		html_row(out, i == 0 ? _("Left to do") : "", "%s", report->next[i]);
	html_markup(out, "</table>\n");
	html_section_end(out);
}

static void put_signature(FILE *out, const char *who, const char *name)
{
	html_markup(out, "<div>");
	html_element(out, "b", "%s", who);
	if (name[0]) {
		html_markup(out, "&#160; ");
		html_text(out, "%s", name);
	}
	html_markup(out, "<br>");
	html_text(out, "%s", _("Place, date, signature"));
	html_markup(out, "</div>\n");
}

static void put_signatures(FILE *out, const struct report *report)
{
	html_markup(out, "<div class=\"sign\">\n");
	put_signature(out, _("Operator"), report->operator_name);
	put_signature(out, _("Customer"), "");
	html_markup(out, "</div>\n");
}

static void put_footer(FILE *out, const struct report *report)
{
	html_markup(out, "<footer>");
	html_text(out, "%s",
		  _("Every number on these pages was measured or recorded during this copy; a dash "
		    "and \"unknown\" stand for what could not be found out."));
	if (report->mask_serials) {
		html_markup(out, " ");
		html_text(out, "%s",
			  _("Only the last four characters of serial numbers and WWNs are shown."));
	}
	html_markup(out, "</footer>\n");
}

static void put_page(FILE *out, const struct report *report)
{
	put_head(out, report);
	put_header(out, report);
	put_result(out, report);
	html_put_disks(out, report);
	put_facts(out, report);
	html_put_map(out, report);
	html_put_graph(out, report);
	put_signatures(out, report);
	html_markup(out, "<div class=\"annex\">\n");
	html_put_details(out, report);
	put_footer(out, report);
	html_markup(out, "</div>\n</body>\n</html>\n");
}

int report_html(const struct report *report, char **ret, struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	char *text = NULL;
	size_t size = 0;
	int r = report_mask(report, &masked, reterr);

	if (r < 0)
		return r;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return error_nomem(reterr);
	put_page(out, masked ? &masked->report : report);
	bool failed = ferror(out);

	if (fclose(out) != 0 || failed) {
		free(text);
		return error_nomem(reterr);
	}
	*ret = text;
	return 0;
}
