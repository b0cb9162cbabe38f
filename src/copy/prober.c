/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/prober.h"

#include <errno.h>
#include <string.h>

#include "base/range.h"
#include "copy/core.h"
#include "copy/pass.h"
#include "copy/retry.h"

void prober_reset(struct job *job, bool backwards, bool edges)
{
	struct prober *p = &job->prober;
	void *spare = p->spare;
	bool patches = p->patches;

	*p = (struct prober){
		.backwards = backwards,
		.edges = edges,
		.spare = spare,
		.patches = patches,
	};
}

bool probe_must_wait(const struct lane *lane)
{
	return lane->job->prober.patches && lane->counters.buffers_in_use > 0;
}

static const struct work_area *area_at(const struct job *job, size_t number)
{
	size_t n = job->prober.backwards ? job->work.count - 1 - number : number;

	return &job->work.areas[n];
}

static bool open_area(struct job *job)
{
	struct prober *p = &job->prober;
	const struct work_area *area;

	if (p->area >= job->work.count)
		return false;
	area = area_at(job, p->area);
	p->low = area->source;
	p->high = area->source + area->length;
	p->front = p->back = false;
	p->open = true;
	return true;
}

/* The tag tells which area, and from which side. */
bool prober_take(struct lane *lane, struct piece *ret)
{
	struct job *job = lane->job;
	struct prober *p = &job->prober;
	uint32_t sector = job->plan->sector_size;

	if (probe_must_wait(lane))
		return false;
	while (!p->open || p->low >= p->high || (p->front && p->back)) {
		if (p->open)
			p->area++;
		p->open = false;
		if (!open_area(job))
			return false;
	}

	const struct work_area *area = area_at(job, p->area);
	bool backwards = p->backwards || p->front;

	ret->length = p->high - p->low < sector ? (uint32_t)(p->high - p->low) : sector;
	if (backwards)
		p->high -= ret->length;
	ret->source = backwards ? p->high : p->low;
	if (!backwards)
		p->low += ret->length;
	ret->destination = area->destination + (ret->source - area->source);
	lane->pending_tag = p->area * 2 + backwards;
	return true;
}

uint32_t prober_depth(const struct lane *lane)
{
	return 1;
}

static void read_failed(struct lane *lane, struct slot *slot)
{
	struct prober *p = &lane->job->prober;

	if (retry_read_at_once(lane, slot))
		return;
	if (p->edges && p->open && slot->tag / 2 == p->area) {
		if (slot->tag % 2)
			p->back = true;
		else
			p->front = true;
	}
	slot_mark_bad(lane, slot, 0, slot->piece.length);
	slot->report_end = slot->piece.length;
	lane_slot_report(lane, slot);
}

/* The whole sectors of the destination that the piece is a part of. */
static void patch_range(const struct lane *lane, const struct slot *slot, struct piece *ret)
{
	uint32_t unit = io_sector_size(lane->destination->target);
	uint32_t before = (uint32_t)(slot->piece.destination % unit);
	uint32_t length = before + slot->piece.length;

	ret->source = slot->piece.source - before;
	ret->destination = slot->piece.destination - before;
	ret->length = (length + unit - 1) / unit * unit;
}

static bool fits(const struct lane *lane, const struct slot *slot)
{
	uint32_t unit = io_sector_size(lane->destination->target);

	return slot->piece.destination % unit == 0 && slot->piece.length % unit == 0;
}

static void patch_request(struct lane *lane, struct slot *slot, enum io_direction direction)
{
	struct piece piece;

	patch_range(lane, slot, &piece);
	slot->phase = direction == IO_READ ? SLOT_PATCH_READ : SLOT_PATCH_WRITE;
	slot->request = (struct io_request){
		.direction = direction,
		.offset = piece.destination,
		.length = piece.length,
		.buffer = slot->buffer,
	};
	slot_queue_push(&lane->to_destination, slot);
}

void prober_write(struct lane *lane, struct slot *slot)
{
	struct piece piece;

	slot->write_length = slot->piece.length;
	slot->tries = 0;
	patch_range(lane, slot, &piece);
	/* What is not a part of the plan with all of its sector is refused as any write is. */
	if (fits(lane, slot) || !work_allowed(lane->job->plan, &piece)) {
		lane_slot_write(lane, slot);
		return;
	}
	proof_take(lane->job, slot);
	memcpy(lane->job->prober.spare, slot->buffer, slot->piece.length);
	patch_request(lane, slot, IO_READ);
}

static void patch_failed(struct lane *lane, struct slot *slot)
{
	struct job *job = lane->job;
	int code = slot->request.result;

	if (code == -ECANCELED) {
		lane_slot_report(lane, slot);
		return;
	}
	if (retry_is_local(code) && slot->tries < job->plan->options.retries) {
		slot->tries++;
		counter_add(&lane->counters.retries, 1);
		slot_queue_push(&lane->to_destination, slot);
		return;
	}
	counter_add(&lane->counters.errors, 1);
	slot->code = code;
	slot->sense = slot->request.sense;
	if (!retry_is_local(code) || job->plan->options.on_write_error == ON_ERROR_STOP)
		slot_fail(lane, FAILURE_DESTINATION, lane->destination, slot);
	slot_mark_bad(lane, slot, 0, slot->piece.length);
	slot->report_end = slot->piece.length;
	lane_slot_report(lane, slot);
}

void prober_written(struct lane *lane, struct slot *slot)
{
	bool good = slot->request.result == 0;
	struct piece piece;

	switch (slot->phase) {
	case SLOT_PATCH_READ:
		if (!good) {
			patch_failed(lane, slot);
			break;
		}
		patch_range(lane, slot, &piece);
		memcpy((char *)slot->buffer + (slot->piece.destination - piece.destination),
		       lane->job->prober.spare, slot->piece.length);
		patch_request(lane, slot, IO_WRITE);
		break;
	case SLOT_PATCH_WRITE:
		(good ? slot_write_done : patch_failed)(lane, slot);
		break;
	case SLOT_WRITE:
		(good ? slot_write_done : retry_write_failed)(lane, slot);
		break;
	case SLOT_WRITE_SEARCH:
		retry_write_searched(lane, slot);
		break;
	case SLOT_READ:
	case SLOT_READ_SEARCH:
	case SLOT_READ_BACK:
	case SLOT_REPORT:
		break;
	}
}

void prober_advance(struct lane *lane, struct slot *slot)
{
	if (slot->phase != SLOT_READ)
		prober_written(lane, slot);
	else if (slot->request.result == 0)
		prober_write(lane, slot);
	else
		read_failed(lane, slot);
}

void probe_give_up(struct lane *lane, struct slot *slot)
{
	if (slot->phase == SLOT_WRITE_SEARCH)
		retry_give_up(lane, slot);
	else
		lane_slot_report(lane, slot);
}
