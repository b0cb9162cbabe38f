/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which marks the final look reads, and what is known of them. */
#include "verify/final_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/hash.h"
#include "verify/verification.h"

#define BLOCK  4096U
#define BLOCKS (64U << 10)
/* Of both ends so much of the copy, and the limits of that. */
#define ENDS_SHARE 256U
#define ENDS_LEAST (1ULL << 20)
#define ENDS_MOST  (4ULL << 20)
/* A sample for so many bytes: seeks cost a disk with heads much less than a hundredth of the time
 * that it took to copy them. */
#define SAMPLE_EVERY (256ULL << 20)
#define SAMPLE_LEAST 16U
#define SAMPLE_MOST  128U

static void mark_area(const struct plan *plan, struct range bytes, struct marks *marks)
{
	struct range part;

	for (size_t i = 0; i < plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(plan, i);

		if (!range_intersect(bytes, (struct range){ e.source, e.length }, &part))
			continue;
		e.destination += part.start - e.source;
		marks_add_all(marks, e.destination, e.destination + part.count,
			      marks_length(marks, BLOCKS), MARK_HELD);
	}
}

static void mark_held(struct verification *v, struct marks *marks)
{
	uint64_t sector = v->copy->plan->sector_size;

	for (unsigned s = 1; s < v->stages->count; s++)
		for (size_t i = 0; i < v->stages->domain[s].count; i++) {
			const struct range *range = &v->stages->domain[s].items[i];

			mark_area(v->copy->plan,
				  (struct range){ range->start * sector, range->count * sector },
				  marks);
		}
}

static void mark_ends(const struct verification *v, struct marks *marks)
{
	uint64_t begin = marks_begin(marks), end = marks_end(marks);
	uint64_t bytes = u64_align_down(v->total / ENDS_SHARE, BLOCKS);

	bytes = bytes < ENDS_LEAST ? ENDS_LEAST : bytes > ENDS_MOST ? ENDS_MOST : bytes;
	marks_add_all(marks, begin, begin + bytes, marks_length(marks, BLOCKS), MARK_END);
	marks_add_all(marks, end > bytes ? end - bytes : 0, end, marks_length(marks, BLOCKS),
		      MARK_END);
}

/* The byte of the destination that so many bytes of the plan lie before. */
static uint64_t destination_of(const struct plan *plan, uint64_t bytes)
{
	struct extent_bytes e = { .length = 1 };

	for (size_t i = 0; i < plan->extent_count; i++) {
		e = plan_extent_bytes(plan, i);
		if (bytes < e.length)
			return e.destination + bytes;
		bytes -= e.length;
	}
	return e.destination + e.length - 1;
}

static void mark_sample(const struct verification *v, struct marks *marks)
{
	uint64_t n = v->total / SAMPLE_EVERY, all = plan_chosen_bytes(v->copy->plan);

	n = n < SAMPLE_LEAST ? SAMPLE_LEAST : n > SAMPLE_MOST ? SAMPLE_MOST : n;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = all / n * i;
		uint64_t at = from + splitmix64(v->look->shown.seed + (i << 32)) % (all / n + 1);

		marks_add(marks, destination_of(v->copy->plan, at), marks_length(marks, BLOCK),
			  MARK_SAMPLE);
	}
}

static uint32_t new_seed(void)
{
	return (uint32_t)splitmix64(clock_monotonic() ^ (uint64_t)time(NULL) << 32) | 1;
}

int look_init(struct verification *v)
{
	struct look *look = v->look;
	struct marks *marks = &look->marks;

	if (v->copy->never_writes || v->copy->choice->destination == &io_null_backend)
		return 0;
	look->shown.asked = look->due = true;
	look->shown.seed = v->look_seed ? v->look_seed : new_seed();
	marks_init(marks, v->copy->plan, v->copy->choice->chunk);
	mark_held(v, marks);
	mark_ends(v, marks);
	marks_add_wraps(marks, marks_length(marks, BLOCK));
	mark_sample(v, marks);
	look->places = calloc(marks->count + 1, sizeof(*look->places));
	look->mismatches = calloc(JOB_MISMATCHES_SHOWN, sizeof(*look->mismatches));
	return marks_settle(marks) < 0 || !look->places || !look->mismatches ? -ENOMEM : 0;
}

void look_done(struct look *look)
{
	marks_done(&look->marks);
	free(look->places);
	free(look->mismatches);
}

/* data NULL: unknown. */
static void take(struct verification *v, const struct piece *piece, uint32_t length,
		 const char *data)
{
	struct look *look = v->look;
	uint64_t from = piece->destination, to = from + length;

	const struct mark *marks = look->marks.items;
	size_t first = array_first(look->marks.count, i,
				   marks[i].piece.destination + marks[i].piece.length > from);

	for (size_t i = first; i < look->marks.count; i++) {
		const struct piece *mark = &marks[i].piece;
		struct look_place *place = &look->places[i];

		if (mark->destination >= to)
			break;
		/* If only part of it is there, the rest is unknown. */
		atomic_store(&place->state, LOOK_UNKNOWN);
		if (!data || mark->destination < from || mark->destination + mark->length > to)
			continue;
		place->digest = digest_bytes(data + (mark->destination - from), mark->length);
		atomic_store(&place->state, LOOK_KNOWN);
	}
}

void look_take(struct verification *v, const struct piece *piece, const void *data)
{
	take(v, piece, piece->length, data);
}

static void take_written(struct lane *lane, struct slot *slot)
{
	bool whole = !slot->has_bad;

	take(lane->copy->verification, &slot->piece,
	     whole ? slot->write_length : slot->piece.length, whole ? slot->buffer : NULL);
}

const struct observer look_observer = { .data = take_written };

bool look_is_due(const struct verification *v)
{
	return v->look->shown.asked && v->look->due;
}

bool look_differs(const struct look *look)
{
	return look->wrong > 0;
}

void look_show(const struct verification *v, struct job_look *ret, struct job_proof *proof)
{
	const struct look *look = v->look;

	*ret = look->shown;
	if (v->proof || !look->wrong)
		return;
	proof->areas = look->wrong;
	proof->bytes = look->wrong_bytes;
	proof->shown = look->wrong < JOB_MISMATCHES_SHOWN ? look->wrong : JOB_MISMATCHES_SHOWN;
	memcpy(proof->mismatches, look->mismatches, proof->shown * sizeof(*look->mismatches));
}
