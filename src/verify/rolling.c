/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/rolling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "job/core.h"
#include "job/pass.h"
#include "job/saver.h"
#include "verify/verdict.h"
#include "verify/verdict_private.h"

/* Not more windows, because a flush costs a flash disk some milliseconds; not fewer, because the
 * last two are read back only after the copy. */
#define WINDOWS     32
#define WINDOW_MIN  (64ULL << 20)
#define WINDOW_MOST (1ULL << 30)

static uint64_t choose_window(const struct job *job)
{
	uint64_t window = (job->total - job->already) / WINDOWS;

	if (job->setup.rolling_window)
		return job->setup.rolling_window;
	return window < WINDOW_MIN ? WINDOW_MIN : window > WINDOW_MOST ? WINDOW_MOST : window;
}

/* The page cache hides the medium until the end. Unless asked for, only on an asynchronous
 * destination, which can do both at once. */
static bool possible(const struct job *job)
{
	unsigned traits = job->choice.destination->traits;

	/* The checksums of a resumed copy need the whole destination in order. */
	if (job->plan->options.checksums && job->already && job->setup.rolling == ROLLING_SPARE)
		return false;
	return traits & IO_DIRECT && !job->choice.take_turns &&
	       (traits & IO_ASYNC || job->setup.rolling == ROLLING_ASKED);
}

int rolling_init(struct job *job)
{
	struct rolling *rolling = job->rolling;
	uint64_t region;

	if (job->setup.rolling == ROLLING_NO || !job->proof || job->setup.verify_only ||
	    !possible(job))
		return 0;
	rolling->regions = calloc(job->proof->count, sizeof(*rolling->regions));
	if (!rolling->regions)
		return -ENOMEM;
	region = digests_region_size(job->proof->expected);
	rolling->how = job->setup.rolling;
	rolling->window = choose_window(job);
	rolling->pieces = (uint32_t)((region + job->choice.chunk - 1) / job->choice.chunk);
	return 0;
}

void rolling_done(struct rolling *rolling)
{
	free(rolling->regions);
	rolling->regions = NULL;
}

/* ---- the coordinator ---- */

bool rolling_now(const struct job *job)
{
	return job->rolling->how == ROLLING_ASKED ||
	       (job->rolling->how == ROLLING_SPARE && !rate_limit_get(&job->limit));
}

void rolling_tell(struct job *job)
{
	const char *name = job->setup.destination.name;

	if (job->rolling->how != ROLLING_NO && !rolling_now(job))
		job_event_add(job, LOG_LEVEL_INFO,
			      _("%s is read back after the copy: the rate limit leaves nothing for "
				"that before."),
			      name);
	else if (job->rolling->how != ROLLING_NO)
		job_event_add(job, LOG_LEVEL_INFO,
			      _("%s is read back while the copy is still running."), name);
	else if (job->proof && job->setup.rolling == ROLLING_ASKED)
		job_event_add(job, LOG_LEVEL_WARNING,
			      job->choice.take_turns
				      ? _("%s is read back after the copy, not during it: source "
					  "and destination share a spinning disk.")
				      : _("%s is read back after the copy, not during it: reading "
					  "through the page cache would prove nothing."),
			      name);
}

static uint64_t sectors_of(const struct job *job, size_t region)
{
	struct digest_region r;

	digests_region(job->proof->expected, region, &r);
	return r.length / job->plan->sector_size;
}

/* Complete, with a complete digest, and not inspected yet? */
static bool is_new(const struct job *job, size_t region)
{
	const struct region_proof *state = &job->proof->regions[region];
	uint64_t whole = sectors_of(job, region);

	if (state->state != REGION_OPEN || state->asked)
		return false;
	return digests_sum(job->proof->expected, region).sectors == whole &&
	       proof_finished(job, job->confirmed, region) == whole;
}

static bool is_beside(const struct job *job)
{
	return job->rolling->how != ROLLING_NO && job->pass && job->pass->traits & PASS_ROLLING;
}

void rolling_open(struct job *job)
{
	struct rolling *rolling = job->rolling;
	size_t ready = rolling->ready;

	if (!is_beside(job) || !job->confirmed)
		return;
	for (size_t i = 0; i < job->proof->count; i++) {
		if (!is_new(job, i))
			continue;
		proof_ask(job, i);
		rolling->regions[ready++] = i;
	}
	atomic_store(&rolling->ready, ready);
}

static void tell(struct job *job, size_t region)
{
	struct digest_region r;

	if (job->rolling->told)
		return;
	job->rolling->told = true;
	digests_region(job->proof->expected, region, &r);
	job_event_add(job, LOG_LEVEL_WARNING,
		      _("%s does not return what was written to it: the data of source LBA %" PRIu64
			" to %" PRIu64
			" differs. Both ends will be compared there once the rest is copied."),
		      job->setup.destination.name, r.source / job->plan->sector_size,
		      (r.source + r.length) / job->plan->sector_size - 1);
}

/* False: not all of it was read back yet. */
static bool judge(struct job *job, size_t region)
{
	struct proof *proof = job->proof;
	struct region_proof *state = &proof->regions[region];
	struct digest_sum expected = digests_sum(proof->expected, region);
	struct digest_sum found = digests_sum(proof->found, region);

	if (found.sectors != expected.sectors && !state->unread)
		return false;
	state->asked = false;
	if (state->unread || !digest_equal(found.digest, expected.digest)) {
		state->state = REGION_SUSPECT;
		tell(job, region);
		return true;
	}
	state->state = REGION_GOOD;
	state->proven = found.sectors;
	state->early = true;
	proof->sums.verified += found.sectors * job->plan->sector_size;
	proof->sums.early += found.sectors * job->plan->sector_size;
	return true;
}

static void judge_all(struct job *job)
{
	struct rolling *rolling = job->rolling;
	size_t ready = rolling->ready;

	while (rolling->judged < ready && judge(job, rolling->regions[rolling->judged]))
		rolling->judged++;
}

void rolling_tick(struct job *job)
{
	struct rolling *rolling = job->rolling;
	uint64_t written;

	if (!is_beside(job))
		return;
	judge_all(job);
	written = JOB_SUM(job, written);
	if (written - rolling->flushed < rolling->window || job_gate(job) >= GATE_STOP ||
	    !saver_idle(job->saver))
		return;
	rolling->flushed = written;
	job_flush_window(job);
}

void rolling_end(struct job *job)
{
	struct rolling *rolling = job->rolling;
	size_t ready = rolling->ready;

	for (size_t i = rolling->judged; i < ready; i++)
		if (!judge(job, rolling->regions[i]))
			job->proof->regions[rolling->regions[i]].asked = false;
	atomic_store(&rolling->ready, 0);
	atomic_store(&rolling->taken, 0);
	rolling->judged = 0;
}

/* ---- a lane ---- */

static bool has_piece(const struct rolling *rolling, uint_fast64_t taken)
{
	return taken / rolling->pieces < atomic_load(&rolling->ready);
}

static bool take_piece(struct job *job, struct piece *ret)
{
	struct rolling *rolling = job->rolling;
	uint32_t chunk = job->choice.chunk;
	uint_fast64_t taken = atomic_load(&rolling->taken);
	struct digest_region region;
	uint64_t from;

	do {
		do {
			if (!has_piece(rolling, taken))
				return false;
		} while (!atomic_compare_exchange_weak(&rolling->taken, &taken, taken + 1));
		digests_region(job->proof->expected, rolling->regions[taken / rolling->pieces],
			       &region);
		from = taken % rolling->pieces * chunk;
		taken++;
	} while (from >= region.length);
	ret->source = region.source + from;
	ret->destination = region.destination + from;
	ret->length = region.length - from < chunk ? (uint32_t)(region.length - from) : chunk;
	return true;
}

/* Writes in flight to the destination, or waiting for it. */
static uint32_t writes_of(const struct lane *lane)
{
	uint32_t count = lane->counters.at_destination;

	for (const struct slot *s = lane->to_destination.first; s; s = s->next)
		count++;
	return count > lane->beside ? count - lane->beside : 0;
}

/*
 * Unless asked for, verification only takes what is left over: at most a quarter of
 * the buffers, and only while the destination waits for the source, not the other
 * way round. A lane with a synchronous destination or a rate limit alternates
 * between copying and reading back.
 */
static bool has_room(const struct lane *lane)
{
	const struct job *job = lane->job;
	bool limited = rate_limit_get(&job->limit);
	bool by_turns = limited || !(lane->destination->backend->traits & IO_ASYNC);
	uint32_t share = lane->slot_count / 4;

	if (!lane->idle || (by_turns && lane->went_beside))
		return false;
	if (job->rolling->how == ROLLING_ASKED)
		return lane->beside < (lane->slot_count > 1 ? lane->slot_count / 2 : 1);
	return !limited && lane->beside < share && writes_of(lane) <= share;
}

void rolling_take(struct lane *lane)
{
	struct job *job = lane->job;
	const struct rolling *rolling = job->rolling;
	struct piece piece;

	/* Once everything is in flight, the rest is left to the pass after the copy. */
	if (rolling->how == ROLLING_NO || !(lane->has_pending || work_left(&job->work)))
		return;
	while (has_piece(rolling, atomic_load(&rolling->taken)) && has_room(lane) &&
	       rate_limit_take(&job->limit, job->choice.chunk, clock_monotonic(),
			       &lane->token_wait) &&
	       take_piece(job, &piece)) {
		lane_slot_begin(lane, &rolling_ops, &piece);
	}
}
