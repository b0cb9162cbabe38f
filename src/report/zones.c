/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of the source was slow to read, and how good the forecasts were. */
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"

#define WHERE_MAX 64

static const char *where(const struct report *report, char buffer[static WHERE_MAX])
{
	const struct slow_zone *slow = &report->job.zones.slowest;
	uint32_t sector = report->plan->sector_size;

	snprintf(buffer, WHERE_MAX, "LBA %" PRIu64 " +%" PRIu64, slow->first / sector,
		 slow->bytes / sector);
	return buffer;
}

void report_slowest(const struct report *report, struct fact_sink *to)
{
	const struct slow_zone *slow = &report->job.zones.slowest;
	char place[WHERE_MAX];

	if (slow->known)
		fact_put(to, _("slowest at %s: p50 %s  max %s, %.1f times the rest"),
			 where(report, place), REPORT_MILLISECONDS(slow->median),
			 REPORT_MILLISECONDS(slow->max), slow->factor);
}

void report_weak_zone(const struct report *report, struct fact_sink *to)
{
	const struct slow_zone *slow = &report->job.zones.slowest;
	char place[WHERE_MAX];

	if (slow->weak)
		fact_put(to,
			 _("The source was slow at %s: reads there took %.0f times as long as "
			   "elsewhere, %s ms. This disk may have a weak zone."),
			 where(report, place), slow->factor, REPORT_MILLISECONDS(slow->median));
}

static json_object *json_cell(const struct zone_latency *cell)
{
	json_object *object = json_object_new_object();

	json_add_number(object, "p50", 1000ULL * cell->median);
	json_add_number(object, "max", 1000ULL * cell->max);
	return object;
}

static json_object *json_slowest(const struct report *report)
{
	const struct slow_zone *slow = &report->job.zones.slowest;
	json_object *object = json_object_new_object();

	json_add_number(object, "lba", slow->first / report->plan->sector_size);
	json_add_number(object, "sectors", slow->bytes / report->plan->sector_size);
	json_add_number(object, "p50", slow->median);
	json_add_number(object, "max", slow->max);
	json_add_number(object, "rest", slow->rest);
	json_object_object_add(object, "factor", json_object_new_double(slow->factor));
	json_add_bool(object, "weak", slow->weak);
	return object;
}

void report_forecasts(const struct report *report, struct fact_sink *to)
{
	char told[REPORT_STEP_MAX] = "";
	bool ended = !report->job.error.code && report->job.result != JOB_RESULT_STOPPED;

	/* How long the rest took is known only where there was an end. */
	for (int i = 0; i < JOB_FORECASTS && ended; i++) {
		const struct job_forecast *one = &report->job.forecasts[i];

		if (one->known)
			text_append(told, sizeof(told), "", _("%sat %u%% left %s, took %s"),
				    told[0] ? "; " : "", job_forecast_at[i],
				    UNITS_DURATION(one->told), UNITS_DURATION(one->took));
	}
	fact_put(to, "%s", told);
}

json_object *report_json_zones(const struct report *report)
{
	const struct zones_shown *zones = &report->job.zones;
	json_object *object, *cells;

	if (!zones->count)
		return NULL;
	object = json_object_new_object();
	cells = json_object_new_array();
	json_add_number(object, "lba", zones->first / report->plan->sector_size);
	json_add_number(object, "cell_sectors", zones->cell / report->plan->sector_size);
	for (unsigned i = 0; i < zones->count; i++)
		json_object_array_add(cells,
				      zones->cells[i].max ? json_cell(&zones->cells[i]) : NULL);
	json_object_object_add(object, "cells", cells);
	json_object_object_add(object, "slowest",
			       zones->slowest.known ? json_slowest(report) : NULL);
	return object;
}
