/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: how it went, over the disk and over time. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/text_private.h"
#include "report/when.h"

#define PROFILE_A_LINE 8

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
		char time[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

		report_duration(pass->ns, time);
		if (pass->total)
			page_item(page, _("%s: %s, %s B, %" PRIu64 " errors"),
				  pass_words(pass->kind), time,
				  units_print_count(pass->done, bytes), pass->errors);
		else
			page_item(page, "%s: %s", pass_words(pass->kind), time);
	}
}

static void put_events(struct page *page, const struct report *report)
{
	if (report->event_count == 0)
		return;
	fprintf(page->out, "\n %s\n", _("EVENTS"));
	for (size_t i = 0; i < report->event_count; i++) {
		const struct job_event *event = &report->events[i];
		char when[REPORT_WHEN_MAX];

		page_item(page, "%s  %s", report_when(event->time, when), event->text);
	}
}

void text_put_course(struct page *page, const struct report *report)
{
	put_passes(page, &report->job);
	put_profile(page, &report->rates);
	put_events(page, report);
}
