/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator's dealings with the saver: orders, and what their results mean for the job. */
#include <time.h>

#include "base/file.h"
#include "base/i18n.h"
#include "job/coordinator_private.h"
#include "job/pass.h"
#include "job/tables.h"
#include "verify/final_look.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

#define MAP_INTERVAL (30 * NSEC_PER_SEC)
#define SPARE_BLOCKS 4096

static struct io_handle *flush_handle(const struct job *job)
{
	return job->lane_count ? job->lanes[0]->destination : NULL;
}

/* What a flush needs. */
static void order_flush(struct job *job, struct saver_order *order)
{
	order->flush = flush_handle(job);
	order->resets = job->setup.resets;
	order->resets_user = job->setup.check_user;
	order->verified = job->plan->options.verify != VERIFY_OFF;
}

static void ask_saver(struct job *job, const struct saver_order *order, uint64_t now)
{
	struct coordinator *co = job->coordinator;

	co->next_save = now + (job->setup.map_interval ? job->setup.map_interval : MAP_INTERVAL);
	job->map_changed = false;
	if (order->map || order->flush)
		saver_ask(job->saver, order);
}

/* The digests and the tables. If there is no memory for digests, a resumed copy will be compared
 * with its source instead. */
static void add_what_is_beside(struct job *job, struct saver_order *order)
{
	order->plan = job->plan;
	tables_order(job, order);
	if (order->map && !job->setup.verify_only)
		order->digests = proof_copy_digests(job->verification.proof);
}

void coordinator_save_on_the_way(struct job *job, bool flush, uint64_t now)
{
	struct saver_order order = { .timeout = TIMEOUT_DURING_COPY };
	bool memory_short = job_place(job, &job->coordinator->map_place, &order.place) &&
			    map_copy(job->map, &order.owned, NULL) < 0;

	if (memory_short)
		job_event_add(
			job, LOG_LEVEL_WARNING,
			_("There was not enough memory to save the map; it will be tried again."));
	order.map = order.owned;
	order.state = (struct map_state){
		.pos = work_position(&job->work),
		.status = job->pass ? job->pass->letter : '?',
		.pass = pass_number(job),
	};
	add_what_is_beside(job, &order);
	if (order.map && flush)
		order_flush(job, &order);
	ask_saver(job, &order, now);
	job->map_changed |= memory_short;
}

static bool reads_back(const struct job *job)
{
	return job->verification.proof || job->verification.look->shown.asked;
}

void coordinator_flush(struct job *job)
{
	struct saver_order order = {
		.forget = reads_back(job) ? &job->setup.destination : NULL,
	};

	order_flush(job, &order);
	saver_ask(job->saver, &order);
}

/* Nothing changes the map meanwhile, so this needs no copy of it, and no memory. */
void coordinator_flush_and_save(struct job *job, char letter, uint64_t now)
{
	struct saver_order order = {
		.forget = reads_back(job) ? &job->setup.destination : NULL,
		.timeout = TIMEOUT_AT_END,
		.state = { .pos = work_position(&job->work), .status = letter, .pass = 1 },
	};

	order_flush(job, &order);
	/* The map is at its largest now, and few blocks will be added to it. */
	pthread_mutex_lock(&job->map_lock);
	map_trim(job->map, SPARE_BLOCKS);
	pthread_mutex_unlock(&job->map_lock);
	if (job_place(job, &job->coordinator->map_place, &order.place))
		order.map = job->map;
	add_what_is_beside(job, &order);
	ask_saver(job, &order, now);
}

static void tell_digests(struct job *job, const struct saver_result *result)
{
	if (result->digests_code < 0 && !job->coordinator->digests_warned)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", result->digests_error.sentence);
	job->coordinator->digests_warned = result->digests_code < 0;
}

static bool verifies_beside(const struct job *job)
{
	return job->pass && job->pass->traits & PASS_ROLLING;
}

/* The flush is skipped if memory is short. */
void coordinator_verify_beside(struct job *job)
{
	struct saver_order order = { 0 };

	if (!verifies_beside(job) || !rolling_tick(&job->verification, saver_idle(job->saver)))
		return;
	order_flush(job, &order);
	if (map_copy(job->map, &order.owned, NULL) == 0)
		saver_ask(job->saver, &order);
}

static void tell_map(struct job *job, const struct saver_result *result)
{
	struct coordinator *co = job->coordinator;

	if (result->saved) {
		if (co->map_warned)
			job_event_add(job, LOG_LEVEL_INFO, _("The map is saved again."));
		co->map_safe = true;
		co->map_warned = false;
		co->map_saved_at = (int64_t)time(NULL);
	} else if (result->code < 0) {
		co->map_safe = false;
		/* Tried again, whether or not anything changes. */
		job->map_changed = true;
		if (!co->map_warned)
			job_event_add(job, LOG_LEVEL_WARNING, "%s", result->error.sentence);
		co->map_warned = true;
	}
}

/* A copy that is verified goes on: whether something was lost is found then. */
static void tell_resets(struct job *job, const struct saver_result *result)
{
	const struct io_end *ends[JOB_ENDS_MAX] = { &job->setup.source, &job->setup.destination };
	char who[RESET_NAME_MAX];

	for (unsigned i = 0; i < JOB_ENDS_MAX; i++) {
		if (result->resets[i] > job->coordinator->resets[i] && result->flush_code == 0)
			job_event_add(job, LOG_LEVEL_WARNING,
				      _("%s was reset or lost power (%s). Check its cable and its "
					"power supply."),
				      saver_reset_name(ends[i], who, sizeof(who)), JOB_RESET_EVENT);
		if (result->resets[i] > 0)
			job->coordinator->resets[i] = result->resets[i];
	}
}

/* What another job can resume from, even if the file could not be written. */
static void take_confirmed(struct job *job, const struct saver_result *result)
{
	struct map *map = result->confirmed;

	if (!map && result->flushed && job->pass && job->pass->traits & PASS_NO_LANES &&
	    map_copy(job->map, &map, NULL) < 0)
		return;
	if (!map)
		return;
	if (verifies_beside(job))
		rolling_open(&job->verification, job->confirmed);
	map_destroy(job->confirmed);
	job->confirmed = map;
}

void coordinator_take_saved(struct job *job)
{
	struct coordinator *co = job->coordinator;
	struct saver_result result;
	struct error error;

	if (!saver_take_result(job->saver, &result))
		return;
	tell_map(job, &result);
	tell_digests(job, &result);
	tell_resets(job, &result);
	tables_take_saved(job, &result);
	take_confirmed(job, &result);
	if (result.flush_code < 0) {
		job->map_changed = true;
		if (unplug_found(&co->unplug, 1, &error))
			result.flush_error = error;
		job_fail(job, FAILURE_DESTINATION, &result.flush_error);
	}
	/* A flush on the way says nothing about what was written since. */
	if (job->pass && job->pass->traits & PASS_NO_LANES && result.flushed)
		co->flushed_at = (int64_t)time(NULL);
}
