/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of bad areas. The map says which sectors are bad; this remembers
 * what the devices said about them, as far as there is room.
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "job/job_private.h"
#include "scsi/sense.h"

/* Nobody reads a log with thousands of them. */
#define BAD_TOLD 32

static bool partition_holds(const struct partition *p, uint64_t lba)
{
	return !p->extended && lba >= p->start && lba - p->start < p->sectors;
}

unsigned job_partition_at(const struct job *job, uint64_t lba)
{
	const struct disk *disk = job->setup.source_disk;

	if (job->plan->source.kind == ENDPOINT_PARTITION)
		return job->plan->source.partition;
	for (size_t i = 0; disk && i < disk->partition_count; i++)
		if (partition_holds(&disk->partitions[i], lba))
			return disk->partitions[i].number;
	return 0;
}

/* If the copy stops at such a sector, the failure reports it. */
static void tell(struct job *job, const struct job_bad_area *area)
{
	const struct plan_options *o = &job->plan->options;
	const char *name = (area->write ? &job->setup.destination : &job->setup.source)->name;
	char sectors[UNITS_TEXT_MAX], why[160];

	if ((area->write ? o->on_write_error : o->on_error) == ON_ERROR_STOP ||
	    job->keeper.bad_told >= BAD_TOLD)
		return;
	units_print_count(area->sectors, sectors);
	if (area->sense.known)
		sense_text(&area->sense, why, sizeof(why));
	else
		text_copy(why, sizeof(why), error_phrase(area->code));
	/* The end may be cut: the cause comes first. */
	if (area->write)
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s refused the data of source LBA %" PRIu64 ": %s (sectors: %s)."),
			      name, area->lba, why, sectors);
	else if (area->partition)
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s cannot be read at LBA %" PRIu64 ": %s (sectors: %s, partition "
				"%u)."),
			      name, area->lba, why, sectors, area->partition);
	else
		job_event_add(job, LOG_LEVEL_ERROR,
			      _("%s cannot be read at LBA %" PRIu64 ": %s (sectors: %s)."), name,
			      area->lba, why, sectors);
	if (++job->keeper.bad_told == BAD_TOLD)
		job_event_add(job, LOG_LEVEL_WARNING,
			      _("Further bad sectors are listed only in the map."));
}

static bool same_kind(const struct job_bad_area *a, const struct job_bad_area *b)
{
	return a->code == b->code && a->write == b->write && a->partition == b->partition &&
	       a->sense.known == b->sense.known && a->sense.key == b->sense.key &&
	       a->sense.asc == b->sense.asc && a->sense.ascq == b->sense.ascq;
}

/* Extends a by b if they touch or overlap. */
static bool join(struct job_bad_area *a, const struct job_bad_area *b)
{
	uint64_t a_end = a->lba + a->sectors, b_end = b->lba + b->sectors;

	if (!same_kind(a, b) || a_end < b->lba || b_end < a->lba)
		return false;
	a->lba = a->lba < b->lba ? a->lba : b->lba;
	a->sectors = (a_end > b_end ? a_end : b_end) - a->lba;
	return true;
}

void bad_areas_note(struct job *job, const struct report *report)
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
	size_t i = 0;

	area.partition = job_partition_at(job, area.lba);
	tell(job, &area);
	while (i < k->bad_count && k->bad[i].lba + k->bad[i].sectors < area.lba)
		i++;
	if (i < k->bad_count && join(&k->bad[i], &area)) {
		if (i + 1 < k->bad_count && join(&k->bad[i], &k->bad[i + 1])) {
			k->bad_count--;
			memmove(&k->bad[i + 1], &k->bad[i + 2],
				(k->bad_count - i - 1) * sizeof(*k->bad));
		}
		return;
	}
	if (k->bad_count == BAD_KEPT)
		return;
	memmove(&k->bad[i + 1], &k->bad[i], (k->bad_count - i) * sizeof(*k->bad));
	k->bad[i] = area;
	k->bad_count++;
}

/* What a device said about any sector of the area; otherwise it is from a resumed map. */
static void explain(const struct job *job, struct job_bad_area *area)
{
	const struct keeper *k = &job->keeper;

	for (size_t i = 0; i < k->bad_count; i++) {
		const struct job_bad_area *seen = &k->bad[i];

		if (seen->write || seen->lba + seen->sectors <= area->lba ||
		    seen->lba >= area->lba + area->sectors)
			continue;
		area->code = seen->code;
		area->sense = seen->sense;
		return;
	}
}

void bad_areas_show(const struct job *job, struct job_snapshot *ret)
{
	const struct keeper *k = &job->keeper;
	uint32_t size = job->plan->sector_size;
	struct map_block block;

	for (size_t i = 0; i < k->bad_count && ret->bad_shown < JOB_BAD_SHOWN / 2; i++)
		if (k->bad[i].write)
			ret->bad[ret->bad_shown++] = k->bad[i];
	for (uint64_t pos = 0;
	     ret->bad_shown < JOB_BAD_SHOWN && map_next(job->map, pos, MAP_BAD, &block);
	     pos = block.start + block.size) {
		struct job_bad_area *area = &ret->bad[ret->bad_shown++];

		*area = (struct job_bad_area){
			.lba = block.start / size,
			.sectors = block.size / size,
			.partition = job_partition_at(job, block.start / size),
		};
		explain(job, area);
	}
	ret->bad_areas = map_areas(job->map, MAP_BAD);
	ret->bad_bytes = map_bytes(job->map, MAP_BAD);
}
