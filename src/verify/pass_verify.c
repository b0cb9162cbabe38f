/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the destination back and compares it with the digests of what was read
 * from the source: in a pass of its own, or during the copy (rolling.h).
 */
#include <errno.h>
#include <string.h>

#include "copy/retry.h"
#include "verify/verification.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/passes.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

/* What was read back. */
struct found {
	uint8_t count;
	struct digest_part parts[DIGEST_PARTS_MAX];
};

static void verify_advance(struct lane *lane, struct slot *slot)
{
	if (slot->request.result < 0) {
		if (!retry_read_back(lane, slot))
			(slot->code == -ECANCELED ? lane_slot_free : lane_slot_report)(lane, slot);
		return;
	}
	lane_slot_inspect(lane, slot);
}

static void verify_inspect(struct lane *lane, struct slot *slot)
{
	const char *data = (const char *)slot->buffer + lane_back_skip(lane, slot);
	struct found *found = slot->own;

	found->count =
		(uint8_t)proof_parts(lane->copy->verification, &slot->piece, data, found->parts);
	look_take(lane->copy->verification, &slot->piece, data);
	checksums_give(lane, slot, data, found->parts, found->count);
	lane_slot_report(lane, slot);
}

static bool report_found(struct lane *lane, struct slot *slot)
{
	const struct found *found = slot->own;
	struct lane_report report = {
		.kind = REPORT_PASS,
		.source = slot->piece.source,
		.length = slot->piece.length,
		.code = slot->code,
		.at_destination = true,
		.again_count = found->count,
	};

	memcpy(report.again, found->parts, sizeof(report.again));
	return ring_push(&lane->ring, &report);
}

static bool verify_report(struct lane *lane, struct slot *slot)
{
	if (!report_found(lane, slot))
		return false;
	counter_add(&lane->counters.handled, slot->piece.length);
	return true;
}

const struct slot_ops verify_ops = {
	.slot_size = sizeof(struct found),
	.begin = lane_slot_read_back,
	.advance = verify_advance,
	.inspect = verify_inspect,
	.give_up = lane_slot_free, /* what was not read back stays to be verified */
	.report = verify_report,
};

/* Not for a pass of the sequence: what these slots do does not count for the current pass. */
const struct slot_ops rolling_ops = {
	.slot_size = sizeof(struct found),
	.begin = lane_slot_read_back,
	.advance = verify_advance,
	.inspect = verify_inspect,
	.give_up = lane_slot_free, /* what was not read back stays to be verified */
	.report = report_found,
};
