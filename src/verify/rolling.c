/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/rolling.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "verify/verification.h"
#include "verify/verdict.h"
#include "verify/verdict_private.h"

/* Not more windows, because a flush costs a flash disk some milliseconds; not fewer, because the
 * last two are read back only after the copy. */
#define WINDOWS     32
#define WINDOW_MIN  (64ULL << 20)
#define WINDOW_MOST (1ULL << 30)

static uint64_t choose_window(const struct verification *v)
{
	uint64_t window = (v->total - v->already) / WINDOWS;

	if (v->rolling_window)
		return v->rolling_window;
	return window < WINDOW_MIN ? WINDOW_MIN : window > WINDOW_MOST ? WINDOW_MOST : window;
}

/* The page cache hides the medium until the end. Unless asked for, only on an asynchronous
 * destination, which can do both at once. */
static bool possible(const struct verification *v)
{
	unsigned traits = v->copy->choice->destination->traits;

	/* The checksums of a resumed copy need the whole destination in order. */
	if (v->copy->plan->options.checksums && v->already && v->rolling_how == ROLLING_SPARE)
		return false;
	return traits & IO_DIRECT && !v->copy->choice->take_turns &&
	       (traits & IO_ASYNC || v->rolling_how == ROLLING_ASKED);
}

int rolling_init(struct verification *v)
{
	struct rolling *rolling = v->rolling;
	uint64_t region;

	if (v->rolling_how == ROLLING_NO || !v->proof || v->copy->never_writes || !possible(v))
		return 0;
	rolling->regions = calloc(v->proof->count, sizeof(*rolling->regions));
	if (!rolling->regions)
		return -ENOMEM;
	region = digests_region_size(v->proof->expected);
	rolling->how = v->rolling_how;
	rolling->window = choose_window(v);
	rolling->pieces =
		(uint32_t)((region + v->copy->choice->chunk - 1) / v->copy->choice->chunk);
	return 0;
}

void rolling_done(struct rolling *rolling)
{
	free(rolling->regions);
	rolling->regions = NULL;
}

/* ---- the coordinator ---- */

bool rolling_now(const struct verification *v)
{
	return v->rolling->how == ROLLING_ASKED ||
	       (v->rolling->how == ROLLING_SPARE && !rate_limit_get(v->copy->limit));
}

void rolling_tell(struct verification *v)
{
	const char *name = v->copy->destination->name;

	if (v->rolling->how != ROLLING_NO && !rolling_now(v))
		copy_tell(v->copy, LOG_LEVEL_INFO,
			  _("%s is read back after the copy: the rate limit leaves nothing for "
			    "that before."),
			  name);
	else if (v->rolling->how != ROLLING_NO)
		copy_tell(v->copy, LOG_LEVEL_INFO,
			  _("%s is read back while the copy is still running."), name);
	else if (v->proof && v->rolling_how == ROLLING_ASKED)
		copy_tell(v->copy, LOG_LEVEL_WARNING,
			  v->copy->choice->take_turns
				  ? _("%s is read back after the copy, not during it: source "
				      "and destination share a spinning disk.")
				  : _("%s is read back after the copy, not during it: reading "
				      "through the page cache would prove nothing."),
			  name);
}

/* Complete, with a complete digest, and not inspected yet? */
static bool is_new(const struct verification *v, const struct map *confirmed, size_t region)
{
	const struct region_proof *state = &v->proof->regions[region];
	uint64_t whole = proof_sectors(v, region).count;

	if (state->state != REGION_OPEN || state->asked)
		return false;
	return digests_sum(v->proof->expected, region).sectors == whole &&
	       proof_finished(v, confirmed, region) == whole;
}

void rolling_open(struct verification *v, const struct map *confirmed)
{
	struct rolling *rolling = v->rolling;
	size_t ready = rolling->ready;

	if (v->rolling->how == ROLLING_NO || !confirmed)
		return;
	for (size_t i = 0; i < v->proof->count; i++) {
		if (!is_new(v, confirmed, i))
			continue;
		proof_ask(v, i);
		rolling->regions[ready++] = i;
	}
	atomic_store(&rolling->ready, ready);
}

static void tell(struct verification *v, size_t region)
{
	struct range sectors = proof_sectors(v, region);

	if (v->rolling->told)
		return;
	v->rolling->told = true;
	copy_tell(v->copy, LOG_LEVEL_WARNING,
		  _("%s does not return what was written to it: the data of source LBA %" PRIu64
		    " to %" PRIu64
		    " differs. Both ends will be compared there once the rest is copied."),
		  v->copy->destination->name, sectors.start, sectors.start + sectors.count - 1);
}

/* False: not all of it was read back yet. */
static bool judge(struct verification *v, size_t region)
{
	struct proof *proof = v->proof;
	struct region_proof *state = &proof->regions[region];
	struct digest_sum expected = digests_sum(proof->expected, region);
	struct digest_sum found = digests_sum(proof->found, region);

	if (found.sectors != expected.sectors && !state->unread)
		return false;
	state->asked = false;
	if (state->unread || !digest_equal(found.digest, expected.digest)) {
		state->state = REGION_SUSPECT;
		tell(v, region);
		return true;
	}
	state->state = REGION_GOOD;
	state->proven = found.sectors;
	state->early = true;
	proof->sums.verified += found.sectors * v->copy->plan->sector_size;
	proof->sums.early += found.sectors * v->copy->plan->sector_size;
	return true;
}

static void judge_all(struct verification *v)
{
	struct rolling *rolling = v->rolling;
	size_t ready = rolling->ready;

	while (rolling->judged < ready && judge(v, rolling->regions[rolling->judged]))
		rolling->judged++;
}

bool rolling_tick(struct verification *v, bool can_flush)
{
	struct rolling *rolling = v->rolling;
	uint64_t written;

	if (v->rolling->how == ROLLING_NO)
		return false;
	judge_all(v);
	written = lanes_sum(v->lanes, *v->lane_count, written);
	if (written - rolling->flushed < rolling->window || copy_gate(v->copy) >= GATE_STOP ||
	    !can_flush)
		return false;
	rolling->flushed = written;
	return true;
}

void rolling_end(struct verification *v)
{
	struct rolling *rolling = v->rolling;
	size_t ready = rolling->ready;

	for (size_t i = rolling->judged; i < ready; i++)
		if (!judge(v, rolling->regions[i]))
			v->proof->regions[rolling->regions[i]].asked = false;
	atomic_store(&rolling->ready, 0);
	atomic_store(&rolling->taken, 0);
	rolling->judged = 0;
}

/* ---- a lane ---- */

static bool has_piece(const struct rolling *rolling, uint_fast64_t taken)
{
	return taken / rolling->pieces < atomic_load(&rolling->ready);
}

static bool take_piece(struct verification *v, struct piece *ret)
{
	struct rolling *rolling = v->rolling;
	uint32_t chunk = v->copy->choice->chunk;
	uint_fast64_t taken = atomic_load(&rolling->taken);
	struct digest_region region;
	uint64_t from;

	do {
		do {
			if (!has_piece(rolling, taken))
				return false;
		} while (!atomic_compare_exchange_weak(&rolling->taken, &taken, taken + 1));
		region = digests_region(v->proof->expected,
					rolling->regions[taken / rolling->pieces]);
		from = taken % rolling->pieces * chunk;
		taken++;
	} while (from >= region.length);
	ret->source = region.source + from;
	ret->destination = region.destination + from;
	ret->length = region.length - from < chunk ? (uint32_t)(region.length - from) : chunk;
	return true;
}

/* Writes in flight to the destination, or waiting for it. */
static uint64_t writes_of(const struct lane *lane)
{
	uint64_t count = lane->counters.at_destination;

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
	const struct verification *v = lane->copy->verification;
	bool limited = rate_limit_get(v->copy->limit);
	bool by_turns = limited || !(lane->destination->backend->traits & IO_ASYNC);
	uint32_t share = lane->slot_count / 4;

	if (!lane->idle || (by_turns && lane->went_beside))
		return false;
	if (v->rolling->how == ROLLING_ASKED)
		return lane->beside < (lane->slot_count > 1 ? lane->slot_count / 2 : 1);
	return !limited && lane->beside < share && writes_of(lane) <= share;
}

void rolling_take(struct lane *lane)
{
	struct verification *v = lane->copy->verification;
	const struct rolling *rolling = v->rolling;
	struct piece piece;

	/* Once everything is in flight, the rest is left to the pass after the copy. */
	if (rolling->how == ROLLING_NO || !(lane->has_pending || work_left(v->copy->work)))
		return;
	while (has_piece(rolling, atomic_load(&rolling->taken)) && has_room(lane) &&
	       rate_limit_take(v->copy->limit, v->copy->choice->chunk, clock_monotonic(),
			       &lane->token_wait) &&
	       take_piece(v, &piece)) {
		lane_slot_begin(lane, &rolling_ops, &piece);
	}
}
