/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper takes in what the lanes report, and keeps the map and the bad areas. */
#include <errno.h>
#include <inttypes.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/core.h"
#include "copy/pass.h"

static bool partition_holds(const struct partition *p, uint64_t lba)
{
	return !p->extended && lba >= p->start && lba - p->start < p->sectors;
}

static unsigned partition_at(const struct job *job, uint64_t lba)
{
	const struct disk *disk = job->setup.source_disk;

	if (job->plan->source.kind == ENDPOINT_PARTITION)
		return job->plan->source.partition;
	for (size_t i = 0; disk && i < disk->partition_count; i++)
		if (partition_holds(&disk->partitions[i], lba))
			return disk->partitions[i].number;
	return 0;
}

/* Where the copy stops at a bad sector, the failure tells of it. */
static void tell_bad(struct job *job, const struct job_bad_area *area)
{
	const char *zeros = _("Zeros are written in its place.");
	char sectors[UNITS_TEXT_MAX];

	if (area->write || job->plan->options.on_error == ON_ERROR_STOP)
		return;
	units_print_count(area->sectors, sectors);
	if (area->partition)
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s cannot be read at LBA %" PRIu64 " (sectors: %s, partition %u): "
				"%s. %s"),
			      job->setup.source.name, area->lba, sectors, area->partition,
			      error_phrase(area->code), zeros);
	else
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s cannot be read at LBA %" PRIu64 " (sectors: %s): %s. %s"),
			      job->setup.source.name, area->lba, sectors, error_phrase(area->code),
			      zeros);
}

static void keep_bad(struct job *job, const struct report *report)
{
	struct keeper *k = &job->keeper;
	uint32_t size = job->plan->sector_size;
	struct job_bad_area area = {
		.lba = report->source / size,
		.sectors = report->length / size,
		.sense = report->sense,
		.code = report->code,
		.write = report->kind == REPORT_REFUSED,
	};
	struct job_bad_area *last = k->bad_shown ? &k->bad[k->bad_shown - 1] : NULL;

	area.partition = partition_at(job, area.lba);
	tell_bad(job, &area);
	if (last && last->lba + last->sectors == area.lba && last->code == area.code &&
	    last->partition == area.partition && last->write == area.write)
		last->sectors += area.sectors;
	else if (k->bad_shown < JOB_BAD_SHOWN)
		k->bad[k->bad_shown++] = area;
}

/* False: no memory for the map. The report stays in its ring, the lanes come to a halt when
 * theirs are full, and nothing is lost. */
static bool take_report(struct job *job, const struct report *report)
{
	int r;

	if (report->kind == REPORT_REFUSED) {
		keep_bad(job, report);
		return true;
	}
	if (report->kind == REPORT_PASS) {
		job->pass->collect(job, report);
		return true;
	}
	pthread_mutex_lock(&job->map_lock);
	r = map_set(job->map, report->source, report->length, report->status);
	pthread_mutex_unlock(&job->map_lock);
	if (r == -ENOMEM)
		return false;
	if (r < 0) {
		struct error error;

		error_set(&error, ERROR_CLASS_INTERNAL, r, "map", job->setup.source.name,
			  _("A part of %s was copied that is not in the plan. This is a defect "
			    "of the program; please report it."),
			  job->setup.source.name);
		job_fail(job, FAILURE_INTERNAL, &error);
	}
	job->keeper.map_changed = true;
	if (report->status == MAP_BAD) {
		keep_bad(job, report);
		gone_remember(job, report);
	}
	return true;
}

void keeper_pause_for_memory(struct job *job)
{
	job_event_add(job, LOG_LEVEL_ERROR,
		      _("There is no memory left to keep the map of bad areas. The copy "
			"pauses; free some memory, then let it go on."));
	job_pause(job, true);
}

void keeper_collect(struct job *job)
{
	bool short_of_memory = false;

	for (unsigned i = 0; i < job->lane_count; i++) {
		struct ring *ring = &job->lanes[i]->ring;
		const struct report *report;

		while ((report = ring_peek(ring))) {
			if (!take_report(job, report)) {
				short_of_memory = true;
				/* A copy that stops does not wait for memory: what is not in
				 * the map is copied again. */
				if (job_gate(job) < GATE_STOP)
					break;
			}
			ring_pop(ring);
		}
	}
	gone_take_back(job);
	if (job_gate(job) >= GATE_STOP)
		short_of_memory = false;
	if (short_of_memory && !job->keeper.memory_short)
		keeper_pause_for_memory(job);
	job->keeper.memory_short = short_of_memory;
}
