/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Taking digests, and choosing what is still to be proven. */
#include "verify/verdict.h"

#include <errno.h>
#include <stdlib.h>

#include "copy/retry.h"
#include "verify/verification.h"
#include "map/recorded_copy.h"
#include "verify/verdict_private.h"

/* The region size: that of existing digests, or our own. */
static int new_table(const struct verification *v, const struct digests *like, struct digests **ret)
{
	return like ? digests_new_sized(v->copy->plan, digests_region_size(like), ret)
		    : digests_new(v->copy->plan, v->copy->choice->chunk, ret);
}

static int take_source_digests(const struct verification *v, struct proof *proof)
{
	const struct digests *known = v->source_digests;

	if (new_table(v, known, &proof->expected) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < digests_count(known); i++)
		digests_set(proof->expected, i, digests_sum(known, i));
	return 0;
}

static int new_tables(const struct verification *v, const struct recorded_copy *earlier,
		      struct proof *proof)
{
	if (v->source_digests && take_source_digests(v, proof) < 0)
		return -ENOMEM;
	if (earlier && new_table(v, earlier->digests, &proof->expected) == 0)
		partial_digests_restore(proof->expected, v->map, earlier);
	if (!proof->expected && new_table(v, NULL, &proof->expected) < 0)
		return -ENOMEM;
	return new_table(v, proof->expected, &proof->found);
}

int proof_new(struct verification *v, const struct recorded_copy *earlier, struct error *reterr)
{
	const struct plan_options *options = &v->copy->plan->options;
	struct proof *proof;

	if (options->verify == VERIFY_OFF || v->copy->choice->destination == &io_null_backend)
		return 0;
	proof = calloc(1, sizeof(*proof));
	if (!proof)
		return error_nomem(reterr);
	proof->rewrites_left = options->rewrite;
	if (new_tables(v, earlier, proof) < 0)
		goto nomem;
	proof->count = digests_count(proof->expected);
	proof->regions = calloc(proof->count, sizeof(*proof->regions));
	if (!proof->regions)
		goto nomem;
	v->proof = proof;
	return 0;
nomem:
	proof_destroy(proof);
	return error_nomem(reterr);
}

void proof_destroy(struct proof *proof)
{
	if (!proof)
		return;
	digests_destroy(proof->expected);
	digests_destroy(proof->found);
	digests_destroy(proof->before);
	digests_destroy(proof->again);
	free(proof->regions);
	free(proof);
}

unsigned proof_parts(const struct verification *v, const struct piece *piece, const void *data,
		     struct digest_part parts[static DIGEST_PARTS_MAX])
{
	return digests_parts(v->proof->expected, piece->source, data, piece->length, parts);
}

static void add_part(struct slot *slot, const struct digest_part *part)
{
	struct digest_part *last = slot->part_count ? &slot->parts[slot->part_count - 1] : NULL;

	if (last && last->region == part->region) {
		digest_sum_add(&last->sum, &part->sum);
	} else if (slot->part_count < DIGEST_PARTS_MAX) {
		slot->parts[slot->part_count++] = *part;
	}
}

/* Unreadable sectors, which are zeros in the buffer, have no digest. */
static void take_digests(struct lane *lane, struct slot *slot)
{
	const struct verification *v = lane->copy->verification;
	uint32_t sector = v->copy->plan->sector_size, from = 0, to;

	lane->now = 0; /* this takes a while */
	slot->part_count = 0;
	for (; from < slot->write_length; from = to) {
		struct digest_part parts[DIGEST_PARTS_MAX];
		bool bad = slot->has_bad && slot_is_bad(slot, from / sector);
		unsigned n;

		to = slot->has_bad ? from + sector : slot->write_length;
		while (to < slot->write_length && slot_is_bad(slot, to / sector) == bad)
			to += sector;
		if (bad)
			continue;
		n = digests_parts(v->proof->expected, slot->piece.source + from,
				  (const char *)slot->buffer + from, to - from, parts);
		for (unsigned i = 0; i < n; i++)
			add_part(slot, &parts[i]);
	}
}

const struct observer proof_observer = { .takes_long = true,
					 .of_chunks = true,
					 .data = take_digests };

void proof_collect(struct proof *proof, const struct lane_report *report)
{
	for (unsigned i = 0; proof && i < report->part_count; i++)
		digests_add(proof->expected, &report->parts[i]);
}

struct range proof_sectors(const struct verification *v, size_t region)
{
	struct digest_region r = digests_region(v->proof->expected, region);
	uint32_t sector = v->copy->plan->sector_size;

	return (struct range){ r.source / sector, r.length / sector };
}

uint64_t proof_finished(const struct verification *v, const struct map *map, size_t region)
{
	struct digest_region r = digests_region(v->proof->expected, region);

	return region_finished_bytes(map, &r) / v->copy->plan->sector_size;
}

void proof_ask(struct verification *v, size_t region)
{
	struct region_proof *state = &v->proof->regions[region];

	state->asked = true;
	state->unread = false;
	digests_clear(v->proof->found, region);
}

static int ask(struct verification *v, size_t region, struct range_list *ret)
{
	proof_ask(v, region);
	return range_list_add(ret, proof_sectors(v, region));
}

static bool digest_known(const struct proof *proof, size_t region, uint64_t finished)
{
	return digests_sum(proof->expected, region).sectors == finished;
}

int proof_want_digest(struct verification *v, struct range_list *ret)
{
	struct proof *proof = v->proof;

	if (!verifies_digests(v->copy->plan->options.verify))
		return 0;
	for (size_t i = 0; i < proof->count; i++) {
		const struct region_proof *state = &proof->regions[i];
		uint64_t finished = proof_finished(v, v->map, i);

		if (finished == 0 || finished == state->proven || state->state == REGION_WRONG ||
		    state->state == REGION_SUSPECT || !digest_known(proof, i, finished))
			continue;
		if (ask(v, i, ret) < 0)
			return -ENOMEM;
	}
	return 0;
}

int proof_want_all(struct verification *v, struct range_list *ret)
{
	for (size_t i = 0; i < v->proof->count; i++)
		if (proof_finished(v, v->map, i) > 0 && ask(v, i, ret) < 0)
			return -ENOMEM;
	return 0;
}

/* Allocated only when needed; most copies never do. */
static int make_tables(struct verification *v)
{
	struct proof *proof = v->proof;

	if ((!proof->again && new_table(v, proof->expected, &proof->again) < 0) ||
	    (!proof->before && new_table(v, proof->expected, &proof->before) < 0))
		return -ENOMEM;
	return 0;
}

int proof_want_compare(struct verification *v, struct range_list *ret)
{
	struct proof *proof = v->proof;

	if (v->source_digests)
		return 0;
	for (size_t i = 0; i < proof->count; i++) {
		const struct region_proof *state = &proof->regions[i];
		uint64_t finished = proof_finished(v, v->map, i);

		if (finished == 0 || state->state == REGION_WRONG ||
		    state->state == REGION_UNKNOWN ||
		    (state->state != REGION_SUSPECT && finished == state->proven))
			continue;
		if (make_tables(v) < 0)
			return -ENOMEM;
		digests_set(proof->before, i, digests_sum(proof->found, i));
		digests_clear(proof->again, i);
		if (ask(v, i, ret) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* If the source cannot be read, copying it again would only lose data. */
static bool can_be_mended(const struct region_proof *state)
{
	return state->state == REGION_WRONG && state->kind != MISMATCH_NO_SOURCE;
}

int proof_forget_wrong(const struct verification *v, struct map *map)
{
	const struct proof *proof = v->proof;
	int r = 0;

	for (size_t i = 0; proof && r == 0 && i < proof->count; i++) {
		if (!can_be_mended(&proof->regions[i]))
			continue;
		struct digest_region region = digests_region(proof->expected, i);
		r = map_forget(map, region.source, region.source + region.length);
	}
	return r;
}

/* Copies it again from the source as it is now. */
static int rewrite_region(struct verification *v, size_t region, struct range_list *ret)
{
	struct proof *proof = v->proof;
	struct region_proof *state = &proof->regions[region];
	uint64_t finished = map_bytes(v->map, MAP_FINISHED);
	int code;
	struct digest_region r = digests_region(proof->expected, region);

	pthread_mutex_lock(v->map_lock);
	code = map_forget(v->map, r.source, r.source + r.length);
	pthread_mutex_unlock(v->map_lock);
	proof->rewritten += finished - map_bytes(v->map, MAP_FINISHED);
	v->owner->map_changed(v->copy->job, false);
	if (code < 0)
		return code;
	proof->sums.rewritten += state->wrong_bytes;
	digests_clear(proof->expected, region);
	digests_clear(proof->found, region);
	*state = (struct region_proof){ 0 };
	return range_list_add(ret, proof_sectors(v, region));
}

/* The list, without what is about to be rewritten. */
static void forget_mismatches(struct proof *proof)
{
	size_t n = 0;

	for (size_t i = 0; i < proof->shown; i++) {
		if (proof->regions[proof->region_of[i]].state != REGION_WRONG)
			continue;
		proof->mismatches[n] = proof->mismatches[i];
		proof->region_of[n] = proof->region_of[i];
		proof->told[n++] = proof->told[i];
	}
	proof->shown = n;
}

void proof_forget(struct proof *proof, bool only_early)
{
	for (size_t i = 0; i < proof->count; i++)
		if (proof->regions[i].state == REGION_GOOD &&
		    (proof->regions[i].early || !only_early))
			proof->regions[i] = (struct region_proof){ 0 };
}

int proof_want_rewrite(struct verification *v, struct range_list *ret)
{
	struct proof *proof = v->proof;

	if (!proof->rewrites_left)
		return 0;
	for (size_t i = 0; i < proof->count; i++) {
		if (can_be_mended(&proof->regions[i]) && rewrite_region(v, i, ret) < 0)
			return -ENOMEM;
	}
	proof->rewrites_left = ret->count == 0;
	/* On a disk of fake capacity, rewriting may overwrite what was right. */
	if (ret->count > 0)
		proof_forget(proof, false);
	forget_mismatches(proof);
	proof_sum(v);
	return 0;
}

uint64_t proof_rewritten(const struct proof *proof)
{
	return proof ? proof->rewritten : 0;
}

struct digests *proof_copy_digests(const struct proof *proof)
{
	struct digests *copy = NULL;

	if (proof)
		digests_copy(proof->expected, &copy);
	return copy;
}

/* Sectors without a digest: they could not be read, or are left out. */
static int without_digest(const struct verification *v, struct range_list *ret)
{
	const struct range_list *left_out = plan_left_out(v->copy->plan);

	if (left_out && range_list_copy(left_out, ret) < 0)
		return -ENOMEM;
	return map_list(v->map, MAP_BAD, v->copy->plan->sector_size, ret);
}

static bool all_known(const struct verification *v)
{
	for (size_t i = 0; i < v->proof->count; i++)
		if (!digest_known(v->proof, i, proof_finished(v, v->map, i)))
			return false;
	return true;
}

bool proof_total(const struct verification *v, struct digest *ret)
{
	if (!all_known(v))
		return false;
	*ret = (struct digest){ 0 };
	for (size_t i = 0; i < v->proof->count; i++)
		digest_add(ret, digests_sum(v->proof->expected, i).digest);
	return true;
}

int proof_save(struct verification *v, const char *path, struct file_timeout *timeout,
	       bool *retsaved, struct error *reterr)
{
	struct range_list bad = { 0 };
	int r;

	*retsaved = false;
	if (!v->owner->nothing_left(v->copy->job) || !all_known(v))
		return 0;
	r = without_digest(v, &bad) < 0 ? error_nomem(reterr)
					: digests_save_with_plan(v->proof->expected, v->copy->plan,
								 NULL, &bad, path, timeout, reterr);
	*retsaved = r == 0;
	range_list_done(&bad);
	return r;
}
