/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges what was read back, and which end is at fault. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/units.h"
#include "verify/verification.h"
#include "verify/rolling.h"
#include "verify/verdict.h"
#include "verify/verdict_private.h"

#define EVENTS_MAX 8

const char *job_mismatch_words(enum mismatch_kind kind)
{
	switch (kind) {
	case MISMATCH_DESTINATION:
		return _("the destination does not hold what was written to it");
	case MISMATCH_UNSTABLE:
		return _("the destination returns different data each time it is read");
	case MISMATCH_SOURCE:
		return _("the source has changed since it was read");
	case MISMATCH_UNKNOWN:
		return _("it cannot be told which of the two is right");
	case MISMATCH_UNREADABLE:
		return _("the destination cannot be read back");
	case MISMATCH_NO_SOURCE:
		return _("the source cannot be read for the comparison");
	}
	return "";
}

static uint64_t destination_of(const struct verification *v, uint64_t source, size_t region)
{
	struct digest_region r = digests_region(v->proof->expected, region);

	return (r.destination + (source - r.source)) / io_sector_size(v->copy->destination);
}

/* NULL: the list is full. */
static struct job_mismatch *list_mismatch(struct verification *v, size_t region, uint64_t source,
					  uint64_t length)
{
	struct proof *proof = v->proof;
	uint32_t sector = v->copy->plan->sector_size;
	struct job_mismatch *mismatch;

	if (proof->shown == JOB_MISMATCHES_SHOWN)
		return NULL;
	proof->region_of[proof->shown] = region;
	proof->told[proof->shown] = false;
	mismatch = &proof->mismatches[proof->shown++];
	*mismatch = (struct job_mismatch){
		.lba = source / sector,
		.sectors = length / sector,
		.destination_lba = destination_of(v, source, region),
		.partition = plan_partition_at(v->copy->plan, v->source_disk, source / sector),
	};
	return mismatch;
}

/* The kind is set when the region is judged. */
static struct job_mismatch *new_mismatch(struct verification *v, size_t region, uint64_t source,
					 uint64_t length)
{
	v->proof->regions[region].wrong_areas++;
	v->proof->regions[region].wrong_bytes += length;
	return list_mismatch(v, region, source, length);
}

/* Only the region is known. */
static void new_mismatch_somewhere(struct verification *v, size_t region)
{
	struct job_mismatch *mismatch;
	struct digest_region r = digests_region(v->proof->expected, region);

	mismatch = new_mismatch(v, region, r.source, r.length);
	if (mismatch)
		mismatch->somewhere = true;
}

static void note_difference(struct verification *v, const struct difference *difference)
{
	struct job_mismatch *mismatch;
	size_t region;

	if (!digests_find(v->proof->expected, difference->source, &region))
		return;
	mismatch = new_mismatch(v, region, difference->source, difference->length);
	if (!mismatch)
		return;
	mismatch->has_byte = true;
	mismatch->byte = difference->byte;
	mismatch->at_source = difference->at_source;
	mismatch->at_destination = difference->at_destination;
}

/* All regions that contain part of the piece. A destination that cannot be read back is at fault,
 * whatever the source does. */
static void note_unread(struct verification *v, const struct lane_report *report)
{
	struct proof *proof = v->proof;
	uint64_t last = report->source + report->length - 1;
	size_t from, to;

	if (!digests_find(proof->expected, report->source, &from) ||
	    !digests_find(proof->expected, last, &to))
		return;
	for (; from <= to; from++) {
		struct region_proof *state = &proof->regions[from];

		if (state->unread && !state->unread_source)
			continue;
		state->unread = true;
		state->unread_source = !report->at_destination;
		state->code = report->code;
	}
}

void proof_collect_found(struct verification *v, const struct lane_report *report)
{
	struct proof *proof = v->proof;

	if (report->difference.length) {
		note_difference(v, &report->difference);
		return;
	}
	if (report->code < 0) {
		note_unread(v, report);
		return;
	}
	for (unsigned i = 0; i < report->again_count; i++)
		digests_add(proof->found, &report->again[i]);
	for (unsigned i = 0; i < report->part_count; i++)
		digests_add(proof->again, &report->parts[i]);
}

static void good(struct region_proof *state, uint64_t finished, bool compared)
{
	*state = (struct region_proof){
		.state = REGION_GOOD,
		.proven = finished,
		.compared = compared,
	};
}

static enum mismatch_kind blame(const struct verification *v, size_t i, uint64_t finished)
{
	const struct proof *proof = v->proof;
	struct digest_sum expected = digests_sum(proof->expected, i);
	struct digest_sum before = digests_sum(proof->before, i);
	struct digest found = digests_sum(proof->found, i).digest;
	struct digest again = digests_sum(proof->again, i).digest;

	if (expected.sectors != finished)
		return MISMATCH_UNKNOWN;
	if (digest_equal(again, expected.digest)) {
		if (before.sectors == finished && !digest_equal(before.digest, found))
			return MISMATCH_UNSTABLE;
		return MISMATCH_DESTINATION;
	}
	if (digest_equal(found, expected.digest) || digest_equal(found, again))
		return MISMATCH_SOURCE;
	return MISMATCH_UNKNOWN;
}

/* Both ends are equal now. Are they also as before? */
static bool same_as_before(const struct verification *v, size_t i, uint64_t finished)
{
	const struct proof *proof = v->proof;
	struct digest_sum expected = digests_sum(proof->expected, i);
	struct digest_sum before = digests_sum(proof->before, i);
	struct digest found = digests_sum(proof->found, i).digest;

	return (expected.sectors != finished || digest_equal(expected.digest, found)) &&
	       (before.sectors != finished || digest_equal(before.digest, found));
}

static void describe(struct verification *v, size_t i, struct job_mismatch *mismatch,
		     uint64_t finished)
{
	const struct proof *proof = v->proof;
	struct digest_sum expected = digests_sum(proof->expected, i);
	struct digest_sum found = digests_sum(proof->found, i);
	struct range sectors = proof_sectors(v, i);

	mismatch->kind = proof->regions[i].kind;
	mismatch->code = proof->regions[i].unread ? proof->regions[i].code : 0;
	mismatch->region_lba = sectors.start;
	mismatch->region_sectors = sectors.count;
	mismatch->has_digests = expected.sectors == finished && found.sectors == finished;
	if (!mismatch->has_digests)
		return;
	digest_print(expected.digest, mismatch->expected);
	digest_print(found.digest, mismatch->found);
}

/* Copied by an earlier run, whose reads left no digest, and the source cannot be read any more:
 * there is nothing to compare with. */
static bool cannot_be_told(const struct region_proof *state, bool digest_known)
{
	return state->unread && state->unread_source && !digest_known && state->wrong_areas == 0;
}

/* It is listed, but not counted as a difference. */
static void note_unknown(struct verification *v, size_t i)
{
	struct proof *proof = v->proof;
	struct job_mismatch *mismatch;

	proof->regions[i].state = REGION_UNKNOWN;
	struct digest_region r = digests_region(proof->expected, i);
	mismatch = list_mismatch(v, i, r.source, r.length);
	if (!mismatch)
		return;
	mismatch->kind = MISMATCH_NO_SOURCE;
	mismatch->code = proof->regions[i].code;
	mismatch->somewhere = true;
	proof->told[proof->shown - 1] = true;
}

static void judge_region(struct verification *v, size_t i)
{
	struct proof *proof = v->proof;
	struct region_proof *state = &proof->regions[i];
	struct digest_sum expected = digests_sum(proof->expected, i);
	struct digest_sum found = digests_sum(proof->found, i);
	struct digest_sum again = digests_sum(proof->again, i);
	uint64_t finished = proof_finished(v, v->map, i);

	if (!state->unread && (found.sectors != finished || again.sectors != finished))
		return; /* stopped */
	if (!state->unread && state->wrong_areas == 0 && same_as_before(v, i, finished)) {
		/* There was no digest of it before. */
		if (expected.sectors != finished)
			digests_set(proof->expected, i, again);
		good(state, finished, true);
		return;
	}
	if (cannot_be_told(state, expected.sectors == finished)) {
		note_unknown(v, i);
		return;
	}
	state->state = REGION_WRONG;
	if (state->unread)
		state->kind = state->unread_source ? MISMATCH_NO_SOURCE : MISMATCH_UNREADABLE;
	else if (state->wrong_areas == 0)
		state->kind =
			expected.sectors == finished && digest_equal(again.digest, expected.digest)
				? MISMATCH_UNSTABLE
				: MISMATCH_SOURCE;
	else
		state->kind = blame(v, i, finished);
	if (state->wrong_areas == 0)
		new_mismatch_somewhere(v, i);
}

static void tell(struct verification *v, const struct job_mismatch *mismatch)
{
	const char *words = job_mismatch_words(mismatch->kind);

	if (++v->proof->events > EVENTS_MAX)
		return;
	if (mismatch->partition)
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("%s and %s differ at source LBA %" PRIu64 ": %s (sectors: %s, "
			    "partition %u)."),
			  v->copy->source->name, v->copy->destination->name, mismatch->lba, words,
			  UNITS_COUNT(mismatch->sectors), mismatch->partition);
	else
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("%s and %s differ at source LBA %" PRIu64 ": %s (sectors: %s)."),
			  v->copy->source->name, v->copy->destination->name, mismatch->lba, words,
			  UNITS_COUNT(mismatch->sectors));
	if (v->proof->events == EVENTS_MAX)
		copy_tell(v->copy, LOG_LEVEL_ERROR,
			  _("Further differences are counted, not listed; the report has the "
			    "first %u."),
			  JOB_MISMATCHES_SHOWN);
}

static void tell_unknown(struct verification *v)
{
	if (v->proof->sums.unknown == 0)
		return;
	copy_tell(v->copy, LOG_LEVEL_WARNING,
		  _("%s B were copied earlier, without digests, and cannot be read from %s any "
		    "more: nothing tells whether %s holds them."),
		  UNITS_COUNT(v->proof->sums.unknown), v->copy->source->name,
		  v->copy->destination->name);
}

/* Completes the mismatches of the judged regions. */
static void tell_all(struct verification *v)
{
	struct proof *proof = v->proof;

	for (size_t i = 0; i < proof->shown; i++) {
		size_t region = proof->region_of[i];

		if (proof->told[i] || proof->regions[region].state != REGION_WRONG)
			continue;
		describe(v, region, &proof->mismatches[i], proof_finished(v, v->map, region));
		proof->told[i] = true;
		tell(v, &proof->mismatches[i]);
	}
}

/* Without the source, only a single wrong sector of a region can be located. */
static void settle(struct verification *v, size_t i)
{
	struct proof *proof = v->proof;
	struct region_proof *state = &proof->regions[i];
	uint32_t sector = v->copy->plan->sector_size;
	uint64_t wrong;

	state->state = REGION_WRONG;
	state->kind = state->unread ? MISMATCH_UNREADABLE : MISMATCH_DESTINATION;
	struct digest_region r = digests_region(proof->expected, i);
	if (!state->unread && digests_pin_down(proof->expected, proof->found, i, &wrong))
		new_mismatch(v, i, r.source + wrong * sector, sector);
	else
		new_mismatch_somewhere(v, i);
}

void proof_doubt(struct verification *v, uint64_t source, uint64_t length)
{
	struct proof *proof = v->proof;
	size_t from, to;

	if (!digests_find(proof->expected, source, &from) ||
	    !digests_find(proof->expected, source + length - 1, &to))
		return;
	for (; from <= to; from++) {
		if (proof->regions[from].state != REGION_GOOD)
			continue;
		proof->regions[from] = (struct region_proof){ .state = REGION_SUSPECT };
		/* The source has really changed: reading it twice gives the same. */
		digests_clear(proof->found, from);
	}
	if (v->stages->now == 0)
		proof_forget(proof, true);
	proof_sum(v);
}

uint64_t proof_early(const struct proof *proof)
{
	return proof ? proof->sums.early : 0;
}

void proof_take_away(struct verification *v)
{
	struct proof *proof = v->proof;

	for (size_t i = 0; proof && i < proof->count; i++) {
		uint64_t finished = proof_finished(v, v->map, i);

		if (proof->regions[i].proven > finished)
			proof->regions[i].proven = finished;
	}
}

void proof_end_digest(struct verification *v)
{
	struct proof *proof = v->proof;

	for (size_t i = 0; i < proof->count; i++) {
		struct region_proof *state = &proof->regions[i];
		struct digest_sum expected = digests_sum(proof->expected, i);
		struct digest_sum found = digests_sum(proof->found, i);

		if (!state->asked)
			continue;
		state->asked = false;
		if (found.sectors != expected.sectors && !state->unread)
			continue; /* stopped */
		if (!state->unread && digest_equal(found.digest, expected.digest)) {
			good(state, found.sectors, state->compared);
		} else if (v->source_digests) {
			settle(v, i);
		} else {
			state->state = REGION_SUSPECT;
		}
	}
	tell_all(v);
	proof_sum(v);
}

void proof_end_compare(struct verification *v)
{
	struct proof *proof = v->proof;

	for (size_t i = 0; i < proof->count; i++) {
		if (!proof->regions[i].asked)
			continue;
		proof->regions[i].asked = false;
		judge_region(v, i);
	}
	tell_all(v);
	proof_sum(v);
	tell_unknown(v);
}

/* If the source was in use, as accepted at the start, the copy keeps what was read. */
void proof_source_changed(struct verification *v, size_t region, struct range sectors, bool exact)
{
	struct proof *proof = v->proof;
	struct region_proof *state = &proof->regions[region];
	uint32_t sector = v->copy->plan->sector_size;
	uint64_t start = sectors.start * sector, length = sectors.count * sector;
	struct job_mismatch *mismatch;

	if (v->source_in_use) {
		mismatch = list_mismatch(v, region, start, length);
	} else {
		mismatch = new_mismatch(v, region, start, length);
		state->state = REGION_WRONG;
		state->kind = MISMATCH_SOURCE;
		state->proven = 0;
	}
	if (!mismatch)
		return;
	mismatch->kind = MISMATCH_SOURCE;
	mismatch->somewhere = !exact;
	proof->told[proof->shown - 1] = true;
}

bool proof_complete(const struct verification *v)
{
	const struct proof *proof = v->proof;

	for (size_t i = 0; proof && i < proof->count; i++)
		if (proof->regions[i].state != REGION_UNKNOWN &&
		    proof->regions[i].proven != proof_finished(v, v->map, i))
			return false;
	return true;
}

uint64_t proof_unknown(const struct proof *proof)
{
	return proof ? proof->sums.unknown : 0;
}

bool proof_differs(const struct proof *proof)
{
	return proof && proof->sums.areas > 0;
}

void proof_sum(struct verification *v)
{
	struct proof *proof = v->proof;
	struct job_proof *sums;
	uint32_t sector = v->copy->plan->sector_size;

	if (!proof)
		return;
	sums = &proof->sums;
	sums->verified = sums->compared = sums->early = sums->areas = sums->bytes = 0;
	sums->unknown = sums->unknown_areas = 0;
	for (size_t i = 0; i < proof->count; i++) {
		const struct region_proof *state = &proof->regions[i];

		sums->verified += state->proven * sector;
		if (state->compared)
			sums->compared += state->proven * sector;
		if (state->early)
			sums->early += state->proven * sector;
		if (state->state == REGION_UNKNOWN) {
			sums->unknown += proof_finished(v, v->map, i) * sector;
			sums->unknown_areas++;
		}
		if (state->state == REGION_WRONG) {
			sums->areas += state->wrong_areas;
			sums->bytes += state->wrong_bytes;
		}
	}
	sums->complete =
		v->owner->nothing_left(v->copy->job) && proof_complete(v) && sums->unknown == 0;
}

static int by_lba(const void *a, const void *b)
{
	const struct job_mismatch *x = a, *y = b;

	return x->lba < y->lba ? -1 : x->lba > y->lba;
}

void proof_show(const struct verification *v, struct job_proof *ret)
{
	const struct proof *proof = v->proof;

	if (!proof)
		return;
	*ret = proof->sums;
	ret->asked = true;
	ret->rolling = rolling_now(v);
	for (size_t i = 0; i < proof->shown; i++)
		if (proof->told[i])
			ret->mismatches[ret->shown++] = proof->mismatches[i];
	qsort(ret->mismatches, ret->shown, sizeof(proof->mismatches[0]), by_lba);
}
