/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/io_sums.h"

#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "scsi/sense.h"

/* A dying disk recovers thousands of blocks; the report has the count. */
#define RECOVERED_TOLD 8

static void tell_recovered(struct io_sums *sums, unsigned end, const struct io_recovered *recovered)
{
	struct io_sum *sum = &sums->ends[end];
	char words[256];

	sense_text(&recovered->sense, words, sizeof(words));
	events_add(sums->events, LOG_LEVEL_WARNING,
		   end > 0 ? _("%s had to recover LBA %" PRIu64 " to write it: %s.")
			   : _("%s had to recover LBA %" PRIu64 " to read it: %s."),
		   sum->name, recovered->lba, words);
	if (++sum->told == RECOVERED_TOLD)
		events_add(sums->events, LOG_LEVEL_WARNING,
			   _("Further recovered errors of %s are counted, not listed."), sum->name);
}

static void tell_lane(struct io_sums *sums, unsigned end, unsigned lane,
		      const struct io_stats *stats)
{
	struct io_sum *sum = &sums->ends[end];
	uint8_t *seen = &sum->seen[lane];

	for (; stats->first && *seen < stats->recovered && *seen < IO_RECOVERED_KEPT; (*seen)++)
		if (sum->told < RECOVERED_TOLD)
			tell_recovered(sums, end, &stats->first[*seen]);
}

static void take_end(struct io_sums *sums, unsigned end, struct lane *const *lanes,
		     unsigned lane_count)
{
	struct io_stats sum = { 0 };

	for (unsigned i = 0; i < lane_count; i++) {
		const struct io_handle *handle = end > 0 ? lanes[i]->destination : lanes[i]->source;
		struct io_stats stats;

		if (!handle || !handle->backend->stats)
			continue;
		handle->backend->stats(handle, &stats);
		tell_lane(sums, end, i, &stats);
		io_stats_add(&sum, &stats);
		memcpy(sum.driver, stats.driver, sizeof(sum.driver));
		if (stats.advice)
			sum.advice = stats.advice;
	}
	if (sum.advice && !sums->ends[end].stats.advice)
		events_add(sums->events, LOG_LEVEL_WARNING, "%s: %s", sums->ends[end].name,
			   sum.advice);
	sums->ends[end].stats = sum;
}

void io_sums_collect(struct io_sums *sums, struct lane *const *lanes, unsigned lane_count)
{
	for (unsigned end = 0; end < JOB_ENDS_MAX; end++)
		take_end(sums, end, lanes, lane_count);
}
