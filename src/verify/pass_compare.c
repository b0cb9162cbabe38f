/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads both ends and compares them byte for byte: everything, if asked for;
 * otherwise only regions without a digest, or with a wrong one. Each piece
 * takes two slots, so that both ends are read at the same time: the first one
 * reads the source and reports, its twin reads the destination.
 */
#include <errno.h>
#include <string.h>

#include "copy/retry.h"
#include "verify/verification.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/passes.h"
#include "verify/verdict.h"

struct pair {
	struct slot *twin; /* holds the same piece of the other end */
	bool through;      /* has been read and waits for its twin */
	uint8_t count;     /* digests of what is at the destination */
	struct digest_part parts[DIGEST_PARTS_MAX];
};

static struct pair *pair_of(const struct slot *slot)
{
	return slot->own;
}

static bool compare_take(struct lane *lane, struct piece *ret)
{
	return lane_has_pair(lane) && lane_take_chunk(lane, ret);
}

static void compare_begin(struct lane *lane, struct slot *slot)
{
	struct slot *twin = lane_slot_twin(lane, slot);

	pair_of(slot)->twin = twin;
	pair_of(twin)->twin = slot;
	lane_slot_read(lane, slot);
	lane_slot_read_back(lane, twin);
}

/* The piece in the buffer read from the destination. */
static const char *of_destination(const struct lane *lane, const struct slot *slot)
{
	return (const char *)pair_of(slot)->twin->buffer + lane_back_skip(lane, slot);
}

/* If the digests are equal, there is no difference to look for. */
static void compare_inspect(struct lane *lane, struct slot *slot)
{
	const struct piece *piece = &slot->piece;
	const char *other = of_destination(lane, slot);
	struct pair *pair = slot->own;
	bool same = memcmp(slot->buffer, other, piece->length) == 0;

	slot->part_count =
		(uint8_t)proof_parts(lane->copy->verification, piece, slot->buffer, slot->parts);
	if (same) {
		pair->count = slot->part_count;
		memcpy(pair->parts, slot->parts, sizeof(pair->parts));
	} else {
		pair->count =
			(uint8_t)proof_parts(lane->copy->verification, piece, other, pair->parts);
	}
	look_take(lane->copy->verification, piece, other);
	checksums_give(lane, slot, slot->buffer, slot->parts, slot->part_count);
	lane_slot_report(lane, slot);
	if (same)
		slot->reported = piece->length;
}

/* The end that finishes second continues with both slots. */
static void end_through(struct lane *lane, struct slot *slot)
{
	struct slot *source = slot->phase == SLOT_READ ? slot : pair_of(slot)->twin;
	struct slot *destination = pair_of(source)->twin;

	pair_of(slot)->through = true;
	if (!pair_of(pair_of(slot)->twin)->through)
		return;
	if (source->code == -ECANCELED || destination->code == -ECANCELED) {
		lane_slot_free(lane, destination);
		lane_slot_free(lane, source);
	} else if (source->code || destination->code) {
		lane_slot_report(lane, source);
	} else {
		lane_slot_inspect(lane, source);
	}
}

static void compare_advance(struct lane *lane, struct slot *slot)
{
	if (slot->request.result == 0 || !retry_read_back(lane, slot))
		end_through(lane, slot);
}

/* What was not compared is still to be verified. */
static void compare_give_up(struct lane *lane, struct slot *slot)
{
	slot->code = -ECANCELED;
	end_through(lane, slot);
}

/* The next run of differing sectors, at or after `from`. */
static void find_difference(const struct lane *lane, const struct slot *slot, uint32_t from,
			    struct difference *ret)
{
	const char *a = slot->buffer, *b = of_destination(lane, slot);
	uint32_t sector = lane->copy->plan->sector_size, length = slot->piece.length;
	uint32_t start = from, end;

	*ret = (struct difference){ 0 };
	while (start < length && memcmp(a + start, b + start, sector) == 0)
		start += sector;
	if (start >= length)
		return;
	for (end = start; end < length && memcmp(a + end, b + end, sector) != 0;)
		end += sector;
	ret->source = slot->piece.source + start;
	ret->length = end - start;
	while (a[start + ret->byte] == b[start + ret->byte])
		ret->byte++;
	ret->at_source = (uint8_t)a[start + ret->byte];
	ret->at_destination = (uint8_t)b[start + ret->byte];
}

/* One report per run; the last one carries the digests. */
static bool compare_report(struct lane *lane, struct slot *slot)
{
	const struct pair *pair = slot->own;
	struct lane_report report = {
		.kind = REPORT_PASS,
		.source = slot->piece.source,
		.length = slot->piece.length,
		.code = pair->twin->code ? pair->twin->code : slot->code,
		.at_destination = pair->twin->code != 0,
	};

	while (report.code == 0 && slot->reported < slot->piece.length) {
		find_difference(lane, slot, slot->reported, &report.difference);
		if (report.difference.length == 0)
			break;
		if (!ring_push(&lane->ring, &report))
			return false;
		slot->reported = (uint32_t)(report.difference.source - slot->piece.source) +
				 report.difference.length;
	}
	report.difference = (struct difference){ 0 };
	report.part_count = slot->part_count;
	report.again_count = pair->count;
	memcpy(report.parts, slot->parts, sizeof(report.parts));
	memcpy(report.again, pair->parts, sizeof(report.again));
	if (!ring_push(&lane->ring, &report))
		return false;
	counter_add(&lane->counters.handled, slot->piece.length);
	lane_slot_free(lane, pair->twin);
	return true;
}

const struct slot_ops compare_ops = {
	.slot_size = sizeof(struct pair),
	.take = compare_take,
	.begin = compare_begin,
	.advance = compare_advance,
	.inspect = compare_inspect,
	.give_up = compare_give_up,
	.report = compare_report,
};
