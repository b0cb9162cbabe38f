/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both ends are read and compared byte for byte: all of them where that was
 * asked for, else only what has no digest, or another one than it should have.
 * A buffer holds the source's bytes in its first half, the destination's in the
 * second.
 */
#include <errno.h>
#include <string.h>

#include "copy/core.h"
#include "copy/pass.h"
#include "copy/retry.h"
#include "copy/sums.h"

static int compare_prepare(struct job *job, unsigned round)
{
	struct range_list parts = { 0 };
	int r;

	if (round > 0 || !job->proof)
		return 0;
	r = proof_want_compare(job, &parts);
	if (r == 0 && parts.count > 0)
		r = job_make_work_of(job, &parts, "+", lane_half(job));
	r = r < 0 ? r : parts.count > 0;
	range_list_done(&parts);
	if (r > 0)
		sums_begin(job, JOB_SUMS_OF_SOURCE);
	return r;
}

/* The piece as the destination holds it. */
static char *second_half(const struct lane *lane, const struct slot *slot)
{
	return (char *)slot->buffer + lane_half(lane->job) + lane_back_skip(lane, slot);
}

/* What is the same has the same digests, and no difference to look for. */
static void take_digests(struct lane *lane, struct slot *slot)
{
	const struct piece *piece = &slot->piece;
	bool same = memcmp(slot->buffer, second_half(lane, slot), piece->length) == 0;

	slot->part_count = (uint8_t)proof_parts(lane->job, piece, slot->buffer, slot->parts);
	if (same) {
		slot->other_count = slot->part_count;
		memcpy(slot->other, slot->parts, sizeof(slot->other));
	} else {
		slot->other_count = (uint8_t)proof_parts(lane->job, piece, second_half(lane, slot),
							 slot->other);
	}
	sums_give(lane, slot, slot->buffer, slot->parts, slot->part_count);
	lane_slot_report(lane, slot);
	if (same)
		slot->reported = piece->length;
}

static void read_done(struct lane *lane, struct slot *slot)
{
	if (slot->phase == SLOT_READ) {
		slot->phase = SLOT_READ_BACK;
		slot->tries = 0;
		lane_slot_read_back(lane, slot, (char *)slot->buffer + lane_half(lane->job));
		return;
	}
	take_digests(lane, slot);
}

static void compare_advance(struct lane *lane, struct slot *slot)
{
	if (slot->request.result < 0)
		retry_read_back(lane, slot);
	else
		read_done(lane, slot);
}

static void compare_give_up(struct lane *lane, struct slot *slot)
{
	lane_slot_free(lane, slot);
}

/* The next run of sectors, from `from` on, that are not the same. */
static void find_difference(const struct lane *lane, const struct slot *slot, uint32_t from,
			    struct difference *ret)
{
	const char *a = slot->buffer, *b = second_half(lane, slot);
	uint32_t sector = lane->job->plan->sector_size, length = slot->piece.length;
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

/* One report a run; the last of them carries the digests. */
static bool compare_report(struct lane *lane, struct slot *slot)
{
	struct report report = {
		.kind = REPORT_PASS,
		.source = slot->piece.source,
		.length = slot->piece.length,
		.code = slot->code,
		.at_destination = slot->at_destination,
	};

	while (slot->code == 0 && slot->reported < slot->piece.length) {
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
	report.again_count = slot->other_count;
	memcpy(report.parts, slot->parts, sizeof(report.parts));
	memcpy(report.again, slot->other, sizeof(report.again));
	if (!ring_push(&lane->ring, &report))
		return false;
	counter_add(&lane->counters.handled, slot->piece.length);
	return true;
}

const struct pass pass_compare = {
	.kind = PASS_COMPARE,
	.state = JOB_VERIFYING,
	.letter = '+',
	.prepare = compare_prepare,
	.begin = lane_slot_read,
	.advance = compare_advance,
	.give_up = compare_give_up,
	.report = compare_report,
	.collect = proof_collect_found,
	.end = proof_end_compare,
};
