/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rescue/bad_areas.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "map/map.h"
#include "scsi/sense.h"

/* Nobody reads a log with thousands of them. */
#define BAD_TOLD 32

/* If the copy stops at such a sector, the failure reports it. */
static void tell(struct bad_areas *areas, const struct job_bad_area *area)
{
	const struct plan_options *o = &areas->plan->options;
	const char *name = areas->names[area->write];
	char why[160];

	if ((area->write ? o->on_write_error : o->on_error) == ON_ERROR_STOP ||
	    areas->told >= BAD_TOLD)
		return;
	if (area->sense.known)
		sense_text(&area->sense, why, sizeof(why));
	else
		text_copy(why, sizeof(why), error_phrase(area->code));
	/* The end may be cut: the cause comes first. */
	if (area->write)
		events_add(areas->events, LOG_LEVEL_ERROR,
			   _("%s refused the data of source LBA %" PRIu64 ": %s (sectors: %s)."),
			   name, area->lba, why, UNITS_COUNT(area->sectors));
	else if (area->partition)
		events_add(areas->events, LOG_LEVEL_ERROR,
			   _("%s cannot be read at LBA %" PRIu64 ": %s (sectors: %s, partition "
			     "%u)."),
			   name, area->lba, why, UNITS_COUNT(area->sectors), area->partition);
	else
		events_add(areas->events, LOG_LEVEL_ERROR,
			   _("%s cannot be read at LBA %" PRIu64 ": %s (sectors: %s)."), name,
			   area->lba, why, UNITS_COUNT(area->sectors));
	if (++areas->told == BAD_TOLD)
		events_add(areas->events, LOG_LEVEL_WARNING,
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

void bad_areas_note(struct bad_areas *areas, const struct lane_report *report)
{
	uint32_t size = areas->plan->sector_size;
	struct job_bad_area area = {
		.lba = report->source / size,
		.sectors = report->length / size,
		.sense = report->sense,
		.code = report->code,
		.write = report->kind == REPORT_REFUSED,
	};
	size_t i = 0;

	area.partition = plan_partition_at(areas->plan, areas->disk, area.lba);
	tell(areas, &area);
	while (i < areas->count && areas->list[i].lba + areas->list[i].sectors < area.lba)
		i++;
	if (i < areas->count && join(&areas->list[i], &area)) {
		if (i + 1 < areas->count && join(&areas->list[i], &areas->list[i + 1])) {
			areas->count--;
			memmove(&areas->list[i + 1], &areas->list[i + 2],
				(areas->count - i - 1) * sizeof(*areas->list));
		}
		return;
	}
	if (areas->count == BAD_AREAS_KEPT)
		return;
	memmove(&areas->list[i + 1], &areas->list[i], (areas->count - i) * sizeof(*areas->list));
	areas->list[i] = area;
	areas->count++;
}

void bad_areas_show(const struct bad_areas *areas, const struct map *map, struct job_snapshot *ret)
{
	uint32_t size = areas->plan->sector_size;
	struct map_block block;

	for (size_t i = 0; i < areas->count && ret->bad_shown < JOB_BAD_SHOWN / 2; i++)
		if (areas->list[i].write)
			ret->bad[ret->bad_shown++] = areas->list[i];
	for (uint64_t pos = 0;
	     ret->bad_shown < JOB_BAD_SHOWN && map_next(map, pos, MAP_BAD, &block);
	     pos = block.start + block.size) {
		struct job_bad_area *area = &ret->bad[ret->bad_shown++];

		*area = (struct job_bad_area){
			.lba = block.start / size,
			.sectors = block.size / size,
			.partition =
				plan_partition_at(areas->plan, areas->disk, block.start / size),
		};
		job_bad_area_explain(area, areas->list, areas->count);
	}
	ret->bad_areas = map_areas(map, MAP_BAD);
	ret->bad_bytes = map_bytes(map, MAP_BAD);
}

/* ---- the limits that the plan sets ---- */

bool rescue_limit_exceeded(const struct plan_options *options, const struct rescue_figures *figures,
			   const char *name, char *why, size_t size)
{
	const struct plan_options *o = options;

	if (o->max_bad_areas && figures->bad_areas > o->max_bad_areas)
		snprintf(why, size, _("%s has %" PRIu64 " bad areas."), name, figures->bad_areas);
	else if (o->max_read_errors && figures->read_errors > o->max_read_errors)
		snprintf(why, size, _("%" PRIu64 " reads of %s failed."), figures->read_errors,
			 name);
	else if (o->max_error_rate && figures->error_rate > (double)o->max_error_rate)
		snprintf(why, size, _("Reads of %s fail at %s."), name,
			 UNITS_RATE(figures->error_rate));
	else if (o->max_no_read && figures->since_good_read > o->max_no_read * NSEC_PER_SEC)
		snprintf(why, size, _("Nothing could be read from %s for %" PRIu64 " s."), name,
			 (uint64_t)(figures->since_good_read / NSEC_PER_SEC));
	else
		return false;
	return true;
}
