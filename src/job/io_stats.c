/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What devices and drivers really did, as far as the backends know. */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "job/job_private.h"
#include "scsi/sense.h"

/* A dying disk recovers thousands of blocks; the report has the count. */
#define RECOVERED_TOLD 8

static void add(struct io_stats *sum, const struct io_stats *stats)
{
	sum->known |= stats->known;
	memcpy(sum->driver, stats->driver, sizeof(sum->driver));
	sum->direct += stats->direct;
	sum->indirect += stats->indirect;
	sum->mapped += stats->mapped;
	sum->recovered += stats->recovered;
	sum->retried += stats->retried;
	sum->waited += stats->waited;
	sum->from_medium |= stats->from_medium;
	if (stats->advice)
		sum->advice = stats->advice;
}

static void tell_recovered(struct job *job, bool source, const struct io_recovered *recovered)
{
	const char *name = (source ? &job->setup.source : &job->setup.destination)->name;
	char words[256];

	sense_text(&recovered->sense, words, sizeof(words));
	job_event_add(job, LOG_LEVEL_WARNING,
		      source ? _("%s had to recover LBA %" PRIu64 " to read it: %s.")
			     : _("%s had to recover LBA %" PRIu64 " to write it: %s."),
		      name, recovered->lba, words);
	if (++job->keeper.recovered_told[!source] == RECOVERED_TOLD)
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("Further recovered errors of %s are counted, not listed."), name);
}

static void tell_lane(struct job *job, unsigned number, bool source, const struct io_stats *stats)
{
	struct keeper *k = &job->keeper;
	uint8_t *seen = &k->recovered_seen[!source][number];

	for (; stats->first && *seen < stats->recovered && *seen < IO_RECOVERED_KEPT; (*seen)++)
		if (k->recovered_told[!source] < RECOVERED_TOLD)
			tell_recovered(job, source, &stats->first[*seen]);
}

static void take_end(struct job *job, bool source)
{
	struct keeper *k = &job->keeper;
	struct io_stats sum = { 0 };

	for (unsigned i = 0; i < job->lane_count; i++) {
		struct lane *lane = job->lanes[i];
		const struct io_handle *handle = source ? lane->source : lane->destination;
		struct io_stats stats;

		if (!handle || !handle->backend->stats)
			continue;
		handle->backend->stats(handle, &stats);
		tell_lane(job, i, source, &stats);
		add(&sum, &stats);
	}
	if (sum.advice && !k->io_stats[!source].advice)
		job_event_add(job, LOG_LEVEL_WARNING, "%s: %s",
			      (source ? &job->setup.source : &job->setup.destination)->name,
			      sum.advice);
	k->io_stats[!source] = sum;
}

/* The handles stay open until the keeper ends the lanes. */
void io_stats_collect(struct job *job)
{
	take_end(job, true);
	take_end(job, false);
}
