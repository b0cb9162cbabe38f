/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a rescue, and its limits: when to stop rather than go on. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/units.h"
#include "job/job_private.h"
#include "job/pass.h"

/* The keeper runs ten times a second; after a longer gap, the machine was asleep. */
#define SUSPENDED (2 * NSEC_PER_SEC)

static uint64_t last_good_read(const struct job *job)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < job->lane_count; i++) {
		uint64_t read = counter_get(&job->lanes[i]->counters.last_read);

		if (read > last)
			last = read;
	}
	return last;
}

static uint64_t since_good_read(const struct job *job, uint64_t now)
{
	uint64_t last = last_good_read(job);

	if (last < job->keeper.reading_since)
		last = job->keeper.reading_since;
	return last && now > last ? now - last : 0;
}

void rescue_show(const struct job *job, uint64_t now, struct job_snapshot *ret)
{
	struct job_rescue *r = &ret->rescue;

	r->non_tried = map_bytes(job->map, MAP_NON_TRIED);
	r->rescued = map_bytes(job->map, MAP_FINISHED);
	r->non_trimmed = map_bytes(job->map, MAP_NON_TRIMMED);
	r->non_scraped = map_bytes(job->map, MAP_NON_SCRAPED);
	r->bad_sector = map_bytes(job->map, MAP_BAD);
	r->bad_areas = map_damaged_areas(job->map);
	r->read_errors = MEASURE_SUM(job, read_errors);
	r->error_rate = job->keeper.measure.error_rate;
	r->good_read_known = last_good_read(job) != 0;
	r->since_good_read = since_good_read(job, now);
	r->trouble = r->read_errors || r->bad_areas;
	ret->refused_bytes = job->keeper.refused_bytes;
}

static void give_up(struct job *job, const char *why)
{
	struct error error;

	error_set(&error, ERROR_CLASS_SOURCE, -ECANCELED, "read", job->setup.source.name,
		  _("%s The copy stops there, as its options say."), why);
	job_fail(job, FAILURE_LIMIT, &error);
}

static bool check_counts(struct job *job, char *why, size_t size)
{
	const struct plan_options *o = &job->plan->options;
	uint64_t errors = MEASURE_SUM(job, read_errors);
	uint64_t areas = map_damaged_areas(job->map);

	if (o->max_bad_areas && areas > o->max_bad_areas)
		snprintf(why, size, _("%s has %" PRIu64 " bad areas."), job->setup.source.name,
			 areas);
	else if (o->max_read_errors && errors > o->max_read_errors)
		snprintf(why, size, _("%" PRIu64 " reads of %s failed."), errors,
			 job->setup.source.name);
	else
		return false;
	return true;
}

static bool check_rates(struct job *job, uint64_t now, char *why, size_t size)
{
	const struct plan_options *o = &job->plan->options;
	uint64_t since = since_good_read(job, now);
	char rate[UNITS_TEXT_MAX];

	if (o->max_error_rate && job->keeper.measure.error_rate > (double)o->max_error_rate)
		snprintf(why, size, _("Reads of %s fail at %s."), job->setup.source.name,
			 units_print_rate(job->keeper.measure.error_rate, rate));
	else if (o->max_no_read && since > o->max_no_read * NSEC_PER_SEC)
		snprintf(why, size, _("Nothing could be read from %s for %" PRIu64 " s."),
			 job->setup.source.name, (uint64_t)(since / NSEC_PER_SEC));
	else
		return false;
	return true;
}

/* A suspended program could not read anything meanwhile. */
static void forget_sleep(struct keeper *k, uint64_t now)
{
	if (now - k->looked > SUSPENDED)
		k->reading_since = now;
	k->looked = now;
}

void rescue_check_limits(struct job *job, uint64_t now)
{
	char why[256];

	forget_sleep(&job->keeper, now);
	if (job->keeper.state != JOB_COPYING || job_gate(job) != GATE_RUN ||
	    job->pass->kind == PASS_FILL)
		return;
	if (check_counts(job, why, sizeof(why)) || check_rates(job, now, why, sizeof(why)))
		give_up(job, why);
}
