/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The copy: every chunk is read from the source and written to the destination.
 *
 * A copy that survives bad sectors makes several sweeps, so that what is healthy
 * comes first, for as few failed reads as possible: a damaged disk may die of the
 * next one. A failed chunk is marked non-trimmed; later passes read its sectors one by
 * one.
 *
 * The first failure ends the first sweep, the only one with all requests in flight at
 * full size. The second one goes on beyond that place and leaves damaged regions
 * quickly (skip.h). There, one read at a time finds out how far they go, since several
 * would fail together; on good ground, requests become larger and more again.
 * The next sweeps, backwards and forwards in turn, read what was skipped, each area
 * from the end that is next to good ground until two chunks fail in a row, and areas
 * between two failures from their middle on; what is right beside damage is the most
 * likely to be damaged, and waits. The last one reads the rest, which is small,
 * without skipping, and one chunk at a time on disks with heads.
 */

#include "base/clock.h"
#include "base/i18n.h"
#include "base/range.h"
#include "copy/retry.h"
#include "job/core.h"
#include "job/pass.h"
#include "job/tables.h"
#include "rescue/skip.h"
#include "verify/checksums.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

#define CLUSTER     (64u << 10) /* ddrescue's */
#define ERRORS_TOLD 16
/*
 * After damage, chunks grow again to `size` bytes after size * size / GOOD_GROUND good bytes: to
 * 128 KiB after 16 MiB, to 1 MiB after 1 GiB. The sectors of a failed chunk are read one by one, so
 * its size does not change the number of failed reads, only that of all requests. With a given
 * distance between failures that number is smallest if size is the square root of distance times
 * sector. Since the next failure is usually further away than the good ground so far is long,
 * chunks grow already at half that distance.
 */
#define GOOD_GROUND 1024
/* Before any damage, requests one by one have at least this size: smaller ones let a good disk idle
 * between them, and only one of this size can fail. */
#define UNHURT_SIZE (256u << 10)

/* More ground than this, and two requests may be in flight. */
#define SOME_GROUND (1u << 20)
/* And one more for each of these, where the disk takes all at once. */
#define MORE_GROUND (256u << 20)
/* Areas are halved until they are this small, and so often at most. */
#define HALVED_TO   (2ULL * CLUSTER)
#define HALVES_MOST 64
/* In each sweep only those that are not much shorter than the longest one: one failed read then
 * decides about most. */
#define HALVED_SHARE 2

enum { SWEEP_FIRST, SWEEP_LARGE, SWEEP_FORWARDS, SWEEP_HALVES, SWEEP_LAST };

static bool survives(const struct job *job)
{
	return job->plan->options.on_error == ON_ERROR_MAP;
}

static uint32_t chunk_of(const struct job *job, unsigned sweep)
{
	uint32_t chunk = job->choice.chunk;

	return sweep != SWEEP_LARGE && chunk > CLUSTER && chunk % CLUSTER == 0 ? CLUSTER : chunk;
}

static void reset_skip(struct job *job)
{
	static const enum skip_kind kinds[] = {
		[SWEEP_FIRST] = SKIP_AREA,    [SWEEP_LARGE] = SKIP_ALL,
		[SWEEP_FORWARDS] = SKIP_SOME, [SWEEP_HALVES] = SKIP_AREA,
		[SWEEP_LAST] = SKIP_NOTHING,
	};

	if (map_damaged_areas(job->map) > 0)
		job->skip->met = true;
	skip_reset(job->skip, survives(job) ? kinds[job->sweep] : SKIP_NOTHING, &job->work);
}

/* The first of these sweeps takes what the one before has skipped, from behind. */
static bool goes_backwards(const struct job *job)
{
	return job->sweep == SWEEP_HALVES && job->halves % 2 == 0;
}

static uint64_t longest_area(const struct work *work)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < work->count; i++)
		if (work->areas[i].length > longest)
			longest = work->areas[i].length;
	return longest;
}

static int make_sweep(struct job *job)
{
	int r;

	if (job->sweep == SWEEP_FIRST)
		return job_make_work_of(job, &job->stages.first, "?", chunk_of(job, job->sweep),
					false);
	r = job_make_work(job, survives(job) ? "?" : WORK_UNFINISHED, chunk_of(job, job->sweep),
			  goes_backwards(job));

	if (r == 0 && job->sweep == SWEEP_HALVES) {
		uint64_t least = longest_area(&job->work) / HALVED_SHARE;

		pthread_mutex_lock(&job->map_lock);
		work_leave_edges(&job->work, job->map, least > HALVED_TO ? least : HALVED_TO);
		pthread_mutex_unlock(&job->map_lock);
	}
	return r;
}

/* A source that is to be spared is one whose first failure would come soon. */
static bool is_damaged(const struct job *job)
{
	return map_damaged_areas(job->map) > 0 || plan_spares_source(&job->plan->options);
}

static void next_sweep(struct job *job, unsigned round)
{
	if (round == 0) {
		job->sweep = !survives(job) || !is_damaged(job) ? SWEEP_LARGE
			     : job->stages.first.count && job->stages.now == 0 &&
					     job->stages.part != STAGE_LATER
				     ? SWEEP_FIRST
				     : SWEEP_FORWARDS;
		job->halves = 0;
	} else if (job->sweep == SWEEP_FIRST) {
		job->sweep = SWEEP_FORWARDS;
	} else if (job->sweep == SWEEP_HALVES && job->halves < HALVES_MOST) {
		job->halves++;
	} else {
		job->sweep++;
	}
}

/* For the checksums, all of it in one go. 1: done; 0: this is not such a copy; -ENOMEM. */
static int begin_for_checksums(struct job *job)
{
	struct range_list parts = { 0 };
	int r;

	if (!job->verification.checksums->hasher || job->stages.now > 0 ||
	    stages_parted(&job->stages) || map_bytes(job->map, MAP_NON_TRIED) != job->total)
		return 0;
	r = stages_in_order(&job->stages, &parts);
	if (r == 0)
		r = parts.count ? job_make_work_of(job, &parts, "?", job->choice.chunk, false)
				: job_make_work(job, "?", job->choice.chunk, false);
	range_list_done(&parts);
	if (r < 0)
		return r;
	checksums_begin(&job->verification, JOB_SUMS_OF_SOURCE);
	return job->verification.checksums->open;
}

/* Of a source that is gone: the tables, as they were saved. Nothing else was read of it. */
static int prepare_saved(struct job *job, unsigned round)
{
	struct range_list parts = { 0 };
	int r = 0;

	if (round > 0 || job->stages.now == 0)
		return 0;
	job->sweep = SWEEP_LARGE;
	r = tables_known(job, &job->stages.domain[job->stages.now], &parts);
	if (r == 0)
		r = job_make_work_of(job, &parts, WORK_UNFINISHED, job->choice.chunk, false);
	range_list_done(&parts);
	if (r < 0)
		return r;
	skip_reset(job->skip, SKIP_NOTHING, &job->work);
	return job->work.chunks > 0;
}

int copy_prepare(struct job *job, unsigned round)
{
	int r;

	if (job->setup.source_gone)
		return prepare_saved(job, round);
	if (round > 0 && (!survives(job) || job->sweep == SWEEP_LAST))
		return 0;
	next_sweep(job, round);
	r = round == 0 ? begin_for_checksums(job) : 0;
	if (r == 0)
		r = make_sweep(job);
	if (r >= 0 && job->work.chunks == 0 && job->sweep == SWEEP_FIRST) {
		job->sweep = SWEEP_FORWARDS;
		r = make_sweep(job);
	}
	/* All that is left is small. */
	if (r >= 0 && job->work.chunks == 0 && job->sweep == SWEEP_HALVES) {
		job->sweep = SWEEP_LAST;
		r = make_sweep(job);
	}
	if (r < 0)
		return r;
	reset_skip(job);
	return job->work.chunks > 0;
}

/* Those of ddrescue, which has five, so that it can continue there. */
unsigned copy_number(const struct job *job)
{
	switch (job->sweep) {
	case SWEEP_HALVES:
		return goes_backwards(job) ? 2 : 3;
	case SWEEP_LAST:
		return 5;
	default:
		return 1;
	}
}

static bool is_careful(const struct job *job)
{
	return job->sweep == SWEEP_FIRST || job->sweep == SWEEP_FORWARDS ||
	       job->sweep == SWEEP_HALVES;
}

/* Bytes that one request may read at this point. */
static uint32_t good_size(const struct lane *lane)
{
	const struct job *job = lane->job;
	uint32_t size = job->work.chunk;
	uint64_t ground;

	if (job->sweep == SWEEP_LARGE)
		return lane_piece_size(lane);
	if (!is_careful(job))
		return size;
	ground = skip_ground(job->skip, &job->work, lane->pending_tag);
	if (!__atomic_load_n(&job->skip->met, __ATOMIC_RELAXED) && size < UNHURT_SIZE)
		size = job->choice.chunk < UNHURT_SIZE ? job->choice.chunk : UNHURT_SIZE;
	while (size <= job->choice.chunk / 2 && ground >= 4ULL * size * size / GOOD_GROUND)
		size *= 2;
	return size;
}

static bool copy_take(struct lane *lane, struct piece *ret)
{
	uint32_t size;

	if (lane->job->sweep == SWEEP_LAST && lane->number > 0)
		return false;
	while (lane_take_chunk(lane, ret)) {
		if (skip_leaves_out(lane->job->skip, lane->pending_tag))
			continue;
		size = good_size(lane);
		if (size > lane->job->work.chunk)
			lane_take_more(lane, size, ret);
		return true;
	}
	return false;
}

/* Does the device accept all requests at once? Two that wait in the kernel could be merged.
 * (io_backends_choose() keeps the depth within the device's queue.) */
static bool takes_all(const struct io_end *end)
{
	return end->queue_depth || end->kind == DISK_NVME || end->kind == DISK_VIRTIO ||
	       end->kind == DISK_LOOP || end->kind == DISK_RAM;
}

/* Reads of the source that other lanes wait for, except for those that hang. */
static uint64_t others_in_flight(const struct lane *lane)
{
	const struct job *job = lane->job;
	uint64_t sum = 0;

	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct lane *other = job->lanes[i];
		uint64_t reads = counter_get(&other->counters.at_source);
		uint64_t hanging = (uint64_t)atomic_load(&other->hanging);

		if (other != lane && reads > hanging)
			sum += reads - hanging;
	}
	return sum;
}

/* Reads that all lanes together may have in flight: whatever is in flight at the edge of a damaged
 * region fails. */
static uint64_t careful_depth(const struct lane *lane)
{
	const struct job *job = lane->job;
	uint64_t ground = skip_ground(job->skip, &job->work, lane->pending_tag);

	if (ground < SOME_GROUND || plan_spares_source(&job->plan->options))
		return 1;
	return takes_all(lane->source->end) ? 2 + ground / MORE_GROUND : 2;
}

static uint32_t copy_depth(const struct lane *lane)
{
	const struct io_end *end = lane->source->end;
	uint64_t depth, others;

	switch (lane->job->sweep) {
	case SWEEP_LARGE:
		return UINT32_MAX;
	case SWEEP_LAST:
		/* Flash that is slow in one place still answers requests for other places. */
		return takes_all(end) && end->rotational == NO ? lane->depth_read : 1;
	default:
		others = others_in_flight(lane);
		depth = careful_depth(lane);
		depth = depth > others ? depth - others : 0;
		return depth < lane->depth_read ? (uint32_t)depth : lane->depth_read;
	}
}

/* If this lane has less in flight, another lane may have more: it waits for that. */
static void pass_turn(const struct lane *lane)
{
	struct job *job = lane->job;
	unsigned lanes = job->lane_count;

	if (lanes > 1 && is_careful(job))
		lane_wake(job->lanes[(lane->number + 1) % lanes]);
}

static bool too_slow(const struct lane *lane, const struct slot *slot)
{
	uint64_t limit = lane->job->plan->options.slow_limit * NSEC_PER_SEC;

	return limit && slot->request.completed > slot->request.submitted + limit;
}

static void read_done(struct lane *lane, struct slot *slot)
{
	if (too_slow(lane, slot)) {
		/* What is skipped now will be copied out of order. */
		checksums_break(lane->copy->verification);
		skip_bad(lane->job->skip, &lane->job->work, slot->tag);
	} else {
		skip_good(lane->job->skip, &lane->job->work, slot->tag);
	}
	slot->write_length = slot->piece.length;
	lane_slot_write(lane, slot);
}

/* The read may take minutes: its surroundings can wait. If it succeeds, its data is used. */
void copy_hangs(struct job *job, uint64_t tag)
{
	checksums_break(&job->verification);
	skip_hang(job->skip, &job->work, tag);
}

void copy_tell_left(struct lane *lane, const struct slot *slot)
{
	struct error error = { 0 };
	unsigned told = atomic_fetch_add(&lane->job->errors_told, 1);

	if (told >= ERRORS_TOLD)
		return;
	io_explain(lane->source, &slot->request, &error);
	job_event_add(lane->job, LOG_LEVEL_WARNING, _("%s It is read again later."),
		      error.sentence);
	if (told == ERRORS_TOLD - 1)
		job_event_add(lane->job, LOG_LEVEL_WARNING,
			      _("Further errors like this are counted, not listed."));
}

/* The chunk is left for later passes; what was read before the failure is written. */
static void read_failed(struct lane *lane, struct slot *slot)
{
	uint32_t sector = lane->job->plan->sector_size;
	uint32_t unit = io_sector_size(lane->destination->end);
	uint32_t good;

	if (!survives(lane->job)) {
		retry_read_failed(lane, slot);
		return;
	}
	if (retry_read_at_once(lane, slot))
		return;
	copy_tell_left(lane, slot);
	skip_bad(lane->job->skip, &lane->job->work, slot->tag);
	good = (uint32_t)u64_align_down(slot->request.done, sector > unit ? sector : unit);
	if (good >= slot->piece.length)
		good = 0;
	/* A single sector has no edges: as in ddrescue, one failure is enough. */
	slot->bad_status = slot->piece.length - good > sector ? MAP_NON_TRIMMED : MAP_BAD;
	slot_mark_bad(lane, slot, good, slot->piece.length - good);
	slot->write_length = good;
	slot->report_end = slot->piece.length;
	if (good > 0)
		lane_slot_write(lane, slot);
	else
		lane_slot_report(lane, slot);
}

/* Is it read for the checksums only, and written later? */
static bool *is_only_read(struct slot *slot)
{
	return slot->own;
}

static void copy_begin(struct lane *lane, struct slot *slot)
{
	/* It was taken before the lane had to wait. */
	if (skip_leaves_out(lane->job->skip, slot->tag)) {
		lane_slot_free(lane, slot);
		return;
	}
	*is_only_read(slot) = checksums_only_reads(lane->copy->verification, &slot->piece);
	lane_slot_read(lane, slot);
}

/* It will be written, and rescued if need be, in a later stage. */
static void only_read(struct lane *lane, struct slot *slot)
{
	struct digest_part parts[DIGEST_PARTS_MAX];
	unsigned count = 0;

	if (slot->request.result < 0) {
		if (!retry_read_at_once(lane, slot))
			lane_slot_report(lane, slot);
		return;
	}
	if (lane->job->verification.proof)
		count = proof_parts(lane->copy->verification, &slot->piece, slot->buffer, parts);
	checksums_give(lane, slot, slot->buffer, parts, count);
	counter_add(&lane->counters.handled, slot->piece.length);
	lane_slot_report(lane, slot);
}

static void copy_advance(struct lane *lane, struct slot *slot)
{
	bool good = slot->request.result == 0;

	if (*is_only_read(slot)) {
		only_read(lane, slot);
		return;
	}
	switch (slot->phase) {
	case SLOT_READ:
		(good ? read_done : read_failed)(lane, slot);
		pass_turn(lane);
		break;
	case SLOT_READ_SEARCH:
		retry_read_searched(lane, slot);
		break;
	case SLOT_WRITE:
		(good ? slot_write_done : retry_write_failed)(lane, slot);
		break;
	case SLOT_WRITE_SEARCH:
		retry_write_searched(lane, slot);
		break;
	case SLOT_PATCH_READ:
	case SLOT_PATCH_WRITE:
	case SLOT_READ_BACK:
	case SLOT_REPORT:
		break;
	}
}

/* These parts are non-tried again in the map, and copied as before. What fails now is left to the
 * rescue passes. */
int rewrite_prepare(struct job *job, unsigned round)
{
	struct range_list parts = { 0 };
	int r;

	r = proof_want_rewrite(&job->verification, &parts);
	/* Not the held areas of a later stage. */
	for (unsigned s = job->stages.now + 1; r == 0 && s < job->stages.count; s++)
		r = range_list_subtract_all(&parts, &job->stages.domain[s]);
	if (r == 0 && parts.count > 0)
		r = job_make_work_of(job, &parts, "?", job->choice.chunk, false);
	if (r == 0) {
		job->sweep = SWEEP_LARGE;
		skip_reset(job->skip, SKIP_NOTHING, &job->work);
	}
	r = r < 0 ? r : parts.count > 0;
	range_list_done(&parts);
	return r;
}

const struct slot_ops copy_ops = {
	.slot_size = sizeof(bool),
	.take = copy_take,
	.depth = copy_depth,
	.beside = rolling_take,
	.begin = copy_begin,
	.advance = copy_advance,
	.inspect = lane_slot_observe,
	.give_up = retry_give_up,
	.report = slot_report_map,
};

const struct slot_ops rewrite_ops = {
	.slot_size = sizeof(bool),
	.take = copy_take,
	.begin = lane_slot_read,
	.advance = copy_advance,
	.inspect = lane_slot_observe,
	.give_up = retry_give_up,
	.report = slot_report_map,
};
