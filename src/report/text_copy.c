/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: what the copy came to, in numbers. */
#include <inttypes.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/when.h"
#include "report/text_private.h"

void text_put_when(struct page *page, const struct job_snapshot *job)
{
	char start[REPORT_WHEN_MAX], end[REPORT_WHEN_MAX];

	if (job->started_at && job->ended_at)
		page_field(page, _("when"), _("%s to %s"), report_when(job->started_at, start),
			   report_when(job->ended_at, end));
}

void text_put_engine(struct page *page, const struct job_snapshot *job)
{
	char chunk[UNITS_TEXT_MAX];

	page_field(page, "",
		   _("%u lanes, requests of %s, %u at once from the source, %u to the destination, "
		     "%u buffers"),
		   job->lane_count, units_print_long(job->chunk, UNITS_IEC, 512, chunk),
		   job->source.depth, job->destination.depth, job->buffers);
	page_field(page, "",
		   _("%" PRIu64 " errors, %" PRIu64 " retries, %" PRIu64
		     " reads slower than a second"),
		   job->errors, job->retries, job->slow_reads);
}

void text_put_copied(struct page *page, const struct job_snapshot *job)
{
	char bytes[UNITS_TEXT_MAX], before[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	char average[UNITS_TEXT_MAX], peak[UNITS_TEXT_MAX];

	report_duration(job->copy_ns, time);
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

void text_put_latency(struct page *page, const char *label, const struct latency_summary *latency)
{
	char text[5][UNITS_TEXT_MAX];

	if (latency->count == 0) {
		page_field(page, label, _("unknown"));
		return;
	}
	page_field(page, label, "p50 %s  p90 %s  p99 %s  p99.9 %s  max %s",
		   report_milliseconds(latency->p50, text[0]),
		   report_milliseconds(latency->p90, text[1]),
		   report_milliseconds(latency->p99, text[2]),
		   report_milliseconds(latency->p999, text[3]),
		   report_milliseconds(latency->max, text[4]));
}

/* The engine line says what was asked for; this, what was done. */
static void put_io_stats(struct page *page, const char *end, const struct io_stats *stats)
{
	if (!stats->known)
		return;
	if (stats->mapped) {
		page_field(page, "",
			   _("%s: %" PRIu64 " commands mapped, %" PRIu64
			     " recovered errors, %" PRIu64 " sent again, %" PRIu64 " waited for"),
			   end, stats->mapped, stats->recovered, stats->retried, stats->waited);
		return;
	}
	/* The block node does not say how the data went. */
	if (!stats->direct && !stats->indirect) {
		page_field(page, "",
			   _("%s: %" PRIu64 " recovered errors, %" PRIu64 " sent again, %" PRIu64
			     " waited for"),
			   end, stats->recovered, stats->retried, stats->waited);
		return;
	}
	page_field(page, "",
		   _("%s: %" PRIu64 " commands direct, %" PRIu64 " indirect, %" PRIu64
		     " recovered errors, %" PRIu64 " sent again, %" PRIu64 " waited for"),
		   end, stats->direct, stats->indirect, stats->recovered, stats->retried,
		   stats->waited);
}

void text_put_io_stats(struct page *page, const struct job_snapshot *job)
{
	const struct io_stats *source = &job->source.stats, *destination = &job->destination.stats;

	put_io_stats(page, _("source"), source);
	put_io_stats(page, _("dest"), destination);
	/* They are the driver's, so the ends share them. */
	if (source->driver[0] || destination->driver[0])
		page_field(page, "", _("sg driver %s"),
			   source->driver[0] ? source->driver : destination->driver);
	if (source->advice || destination->advice)
		page_field(page, "", "%s", source->advice ? source->advice : destination->advice);
}
