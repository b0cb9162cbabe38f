/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Retries, and the search for the sectors at fault in a chunk that failed. */
#include "copy/retry.h"

#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "base/range.h"

/* The first step of the search: small enough to lose little around one bad sector, large enough to
 * read a healthy chunk in 16 requests. */
#define SEARCH_PART (64u << 10)
/* A bad link fails sooner: a request that takes so long is a disk retrying by itself. */
#define LONG (5 * NSEC_PER_SEC)

/* Any other error concerns the whole device or how it is used, and a retry would only lose time. */
bool retry_is_local(int code)
{
	switch (-code) {
	case EIO:
	case ENODATA: /* medium error */
	case EILSEQ:  /* protection information */
	case EBADMSG:
	case EREMOTEIO: /* target failure */
	case ETIMEDOUT:
	case ENOLINK: /* transport */
	case EAGAIN:
	case EBUSY:
	case ENOMEM:
		return true;
	}
	return false;
}

bool slot_is_bad(const struct slot *slot, uint32_t sector)
{
	return slot->bad[sector / SLOT_BITS] >> (sector % SLOT_BITS) & 1;
}

void slot_mark_bad(struct lane *lane, struct slot *slot, uint32_t from, uint32_t length)
{
	uint32_t size = lane->copy->plan->sector_size;
	uint32_t most = slot->wide ? slot->piece.length : lane->copy->choice->chunk;

	if (!slot->has_bad)
		memset(slot->bad, 0, slot_bad_words(most, size) * sizeof(*slot->bad));
	slot->has_bad = true;
	for (uint32_t s = from / size; s < (from + length + size - 1) / size; s++)
		slot->bad[s / SLOT_BITS] |= 1ULL << (s % SLOT_BITS);
}

static void explain(const struct io_handle *handle, const struct slot *slot, struct error *ret)
{
	*ret = (struct error){ 0 };
	io_explain(handle, &slot->request, ret);
}

static uint32_t search_step(const struct io_end *end, uint32_t least, unsigned level)
{
	uint32_t physical = end->physical_sector_size;

	if (physical < least || physical % least || SEARCH_PART % physical)
		physical = least;
	if (level == 0)
		return SEARCH_PART % least ? least : SEARCH_PART;
	return level == 1 ? physical : least;
}

/* After a good part: on with the largest step that is aligned here. */
static void search_widen(struct search *search, uint64_t at, const struct io_end *end,
			 uint32_t least)
{
	search->level = 0;
	while (search_step(end, least, search->level) > least &&
	       at % search_step(end, least, search->level))
		search->level++;
}

/* Sets up the request for the next part of the piece. */
static void search_request(struct slot *slot, enum io_direction direction, uint64_t base,
			   uint32_t end, uint32_t step)
{
	uint64_t at = base + slot->search.pos;
	uint32_t length = step - (uint32_t)(at % step);

	if (length > end - slot->search.pos)
		length = end - slot->search.pos;
	slot->request = (struct io_request){
		.direction = direction,
		.offset = at,
		.length = length,
		.buffer = (char *)slot->buffer + slot->search.pos,
	};
}

void slot_fail(struct lane *lane, enum failure_kind kind, const struct io_handle *handle,
	       const struct slot *slot)
{
	struct error error;

	explain(handle, slot, &error);
	copy_fail(lane->copy, kind, &error);
}

/* Everything before `known` was read: writes it, in whole sectors of the destination, which may be
 * larger. */
static void read_search_end(struct lane *lane, struct slot *slot, uint32_t known)
{
	if (known < slot->piece.length)
		known = (uint32_t)u64_align_down(known, io_sector_size(lane->destination->end));
	slot->write_length = known;
	if (known > 0 && copy_gate(lane->copy) < GATE_ABANDON) {
		lane_slot_write(lane, slot);
		return;
	}
	lane_slot_report(lane, slot);
}

static void read_search_next(struct lane *lane, struct slot *slot)
{
	const struct io_end *end = lane->source->end;
	uint32_t sector = lane->copy->plan->sector_size;

	if (slot->search.pos >= slot->piece.length) {
		slot->report_end = slot->piece.length;
		read_search_end(lane, slot, slot->piece.length);
		return;
	}
	slot->phase = SLOT_READ_SEARCH;
	search_request(slot, IO_READ, slot->piece.source, slot->piece.length,
		       search_step(end, sector, slot->search.level));
	slot_queue_push(&lane->to_source, slot);
}

bool retry_is_damage(const struct slot *slot)
{
	const struct io_request *request = &slot->request;

	switch (-request->result) {
	case EIO:
	case ENODATA:
	case EILSEQ:
	case EBADMSG:
	case EREMOTEIO:
		return true;
	}
	return request->completed > request->submitted + LONG;
}

bool retry_again(struct lane *lane, struct slot *slot, unsigned retries, struct slot_queue *queue)
{
	if (slot->tries >= retries)
		return false;
	slot->tries++;
	counter_add(&lane->counters.retries, 1);
	slot_queue_push(queue, slot);
	return true;
}

bool retry_read_at_once(struct lane *lane, struct slot *slot)
{
	const struct plan_options *options = &lane->copy->plan->options;
	int code = slot->request.result;
	unsigned retries =
		options->on_error == ON_ERROR_MAP && retry_is_damage(slot) ? 0 : options->retries;

	slot->code = code;
	slot->sense = slot->request.sense;
	if (code == -ECANCELED || copy_gate(lane->copy) >= GATE_STOP || !retry_is_local(code)) {
		if (!retry_is_local(code) && code != -ECANCELED) {
			counter_add(&lane->counters.errors, 1);
			slot_fail(lane, FAILURE_SOURCE, lane->source, slot);
		}
		lane_slot_free(lane, slot);
		return true;
	}
	if (retry_again(lane, slot, retries, &lane->to_source))
		return true;
	counter_add(&lane->counters.errors, 1);
	return false;
}

void retry_read_failed(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;
	uint32_t sector = copy->plan->sector_size;
	struct error error;

	if (retry_read_at_once(lane, slot))
		return;
	slot->search.pos = (uint32_t)u64_align_down(slot->request.done, sector);
	search_widen(&slot->search, slot->piece.source + slot->search.pos, lane->source->end,
		     sector);
	explain(lane->source, slot, &error);
	copy_tell(copy, LOG_LEVEL_WARNING, _("%s It is read again in smaller parts."),
		  error.sentence);
	read_search_next(lane, slot);
}

/* The smallest read failed: this sector is bad. */
static void read_bad_sector(struct lane *lane, struct slot *slot)
{
	uint32_t length = slot->request.length, pos = slot->search.pos;

	slot->code = slot->request.result;
	slot->sense = slot->request.sense;
	slot_mark_bad(lane, slot, pos, length);
	slot_fail(lane, FAILURE_BAD_SECTOR, lane->source, slot);
	slot->report_end = pos + length;
	read_search_end(lane, slot, pos);
}

void retry_read_searched(struct lane *lane, struct slot *slot)
{
	const struct io_end *end = lane->source->end;
	uint32_t sector = lane->copy->plan->sector_size;
	int code = slot->request.result;

	if (code == 0) {
		slot->search.pos += slot->request.length;
		search_widen(&slot->search, slot->piece.source + slot->search.pos, end, sector);
		read_search_next(lane, slot);
	} else if (code == -ECANCELED) {
		retry_give_up(lane, slot);
	} else if (!retry_is_local(code)) {
		slot_fail(lane, FAILURE_SOURCE, lane->source, slot);
		retry_give_up(lane, slot);
	} else if (search_step(end, sector, slot->search.level) > sector) {
		slot->search.level++;
		read_search_next(lane, slot);
	} else {
		read_bad_sector(lane, slot);
	}
}

static void write_search_next(struct lane *lane, struct slot *slot)
{
	const struct io_end *end = lane->destination->end;

	if (slot->search.pos >= slot->write_length) {
		slot_write_done(lane, slot);
		return;
	}
	slot->phase = SLOT_WRITE_SEARCH;
	search_request(slot, IO_WRITE, slot->piece.destination, slot->write_length,
		       search_step(end, io_sector_size(end), slot->search.level));
	slot_queue_push(&lane->to_destination, slot);
}

static void note_refused(struct lane *lane, struct slot *slot)
{
	const struct io_request *request = &slot->request;

	slot->code = request->result;
	slot->sense = request->sense;
	slot_mark_bad(lane, slot,
		      (uint32_t)(request->offset - slot->piece.destination) + request->done,
		      request->length - request->done);
}

/* The end of the copy. What is before it is there. A destination that is gone, or full, has refused
 * no place. */
static void write_fatal(struct lane *lane, struct slot *slot, uint32_t finished)
{
	const struct io_request *request = &slot->request;
	uint32_t end = (uint32_t)(request->offset - slot->piece.destination) + request->length;

	slot_fail(lane, FAILURE_DESTINATION, lane->destination, slot);
	if (retry_is_local(request->result))
		note_refused(lane, slot);
	slot->finished = finished;
	if (slot->report_end < end)
		slot->report_end = end;
	lane_slot_report(lane, slot);
}

static uint32_t known_written(const struct lane *lane, const struct slot *slot)
{
	uint32_t least = io_sector_size(lane->destination->end);
	uint32_t sector = lane->copy->plan->sector_size;

	if (sector > least)
		least = sector;
	return (uint32_t)u64_align_down(slot->request.done, least);
}

void retry_write_failed(struct lane *lane, struct slot *slot)
{
	const struct copy *copy = lane->copy;
	int code = slot->request.result;
	struct error error;

	if (code == -ECANCELED) {
		retry_give_up(lane, slot);
		return;
	}
	if (!retry_is_local(code)) {
		counter_add(&lane->counters.errors, 1);
		write_fatal(lane, slot, known_written(lane, slot));
		return;
	}
	if (copy_gate(copy) < GATE_STOP &&
	    retry_again(lane, slot, copy->plan->options.retries, &lane->to_destination))
		return;
	counter_add(&lane->counters.errors, 1);
	slot->search.pos = known_written(lane, slot);
	search_widen(&slot->search, slot->piece.destination + slot->search.pos,
		     lane->destination->end, io_sector_size(lane->destination->end));
	explain(lane->destination, slot, &error);
	copy_tell(copy, LOG_LEVEL_WARNING, _("%s It is written again in smaller parts."),
		  error.sentence);
	write_search_next(lane, slot);
}

void retry_write_searched(struct lane *lane, struct slot *slot)
{
	const struct io_end *end = lane->destination->end;
	uint32_t least = io_sector_size(end);
	int code = slot->request.result;

	if (code == 0) {
		slot->search.pos += slot->request.length;
		search_widen(&slot->search, slot->piece.destination + slot->search.pos, end, least);
		write_search_next(lane, slot);
	} else if (code == -ECANCELED) {
		retry_give_up(lane, slot);
	} else if (retry_is_local(code) && search_step(end, least, slot->search.level) > least) {
		slot->search.level++;
		write_search_next(lane, slot);
	} else if (retry_is_local(code) &&
		   lane->copy->plan->options.on_write_error == ON_ERROR_MAP) {
		counter_add(&lane->counters.errors, 1);
		note_refused(lane, slot);
		slot->search.pos += slot->request.length;
		write_search_next(lane, slot);
	} else {
		write_fatal(
			lane, slot,
			(uint32_t)u64_align_down(slot->search.pos, lane->copy->plan->sector_size));
	}
}

void retry_give_up(struct lane *lane, struct slot *slot)
{
	switch (slot->phase) {
	case SLOT_READ_SEARCH:
		slot->report_end = slot->search.pos;
		read_search_end(lane, slot, slot->search.pos);
		break;
	case SLOT_WRITE_SEARCH:
		slot->finished =
			(uint32_t)u64_align_down(slot->search.pos, lane->copy->plan->sector_size);
		if (slot->report_end < slot->finished)
			slot->report_end = slot->finished;
		lane_slot_report(lane, slot);
		break;
	default:
		/* No byte was written; report only what is known to be bad. */
		lane_slot_report(lane, slot);
		break;
	}
}

/* The end of a run of one kind: on the destination, refused by it, or unreadable. */
static uint32_t run_end(const struct slot *slot, uint32_t from, uint32_t sector, bool bad)
{
	uint32_t end = slot->report_end, to = from;

	if (from < slot->write_length && slot->write_length < end)
		end = slot->write_length;
	if (!bad && from < slot->finished && slot->finished < end)
		end = slot->finished;
	while (to < end && (slot->has_bad && slot_is_bad(slot, to / sector)) == bad)
		to += sector;
	return to < end ? to : end;
}

bool slot_report_map(struct lane *lane, struct slot *slot)
{
	uint32_t sector = lane->copy->plan->sector_size;

	while (slot->reported < slot->report_end) {
		uint32_t from = slot->reported;
		bool bad = slot->has_bad && slot_is_bad(slot, from / sector);
		uint32_t to = run_end(slot, from, sector, bad);
		struct lane_report report = {
			.kind = bad && from < slot->write_length ? REPORT_REFUSED : REPORT_MAP,
			.source = slot->piece.source + from,
			.length = to - from,
			.status = bad ? slot->bad_status : MAP_FINISHED,
			.code = bad ? slot->code : 0,
			.sense = bad ? slot->sense : (struct sense){ 0 },
			.filled = bad && slot->filled,
		};

		/* Digests go with the first report, and only if all of the slot was written. */
		if (!bad && slot->part_count && slot->finished == slot->write_length) {
			report.part_count = slot->part_count;
			memcpy(report.parts, slot->parts, sizeof(report.parts));
		}
		if (bad || from < slot->finished) {
			if (!ring_push(&lane->ring, &report))
				return false;
			counter_add(&lane->counters.handled, to - from);
			if (report.part_count)
				slot->part_count = 0;
			if (!bad)
				counter_add(&lane->counters.written, to - from);
		}
		slot->reported = to;
	}
	return true;
}

void slot_write_done(struct lane *lane, struct slot *slot)
{
	slot->finished = slot->write_length;
	if (slot->report_end < slot->finished)
		slot->report_end = slot->finished;
	lane_slot_report(lane, slot);
}

bool retry_read_back(struct lane *lane, struct slot *slot)
{
	bool back = slot->at_destination;
	int code = slot->request.result;

	slot->code = code;
	if (code == -ECANCELED || copy_gate(lane->copy) >= GATE_STOP) {
		slot->code = -ECANCELED;
	} else if (!retry_is_local(code)) {
		counter_add(&lane->counters.errors, 1);
		slot_fail(lane, back ? FAILURE_DESTINATION : FAILURE_SOURCE,
			  back ? lane->destination : lane->source, slot);
		slot->code = -ECANCELED;
	} else if (retry_again(lane, slot, lane->copy->plan->options.retries,
			       back ? &lane->to_destination : &lane->to_source)) {
		slot->code = 0;
		return true;
	} else {
		counter_add(&lane->counters.errors, 1);
	}
	return false;
}
