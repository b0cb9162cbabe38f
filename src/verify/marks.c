/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/marks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/range.h"

#define SMALL        4096U
#define SMALLEST_BIT 20U /* no fake is smaller than 1 MiB */
#define LARGEST_BIT  60U

void marks_init(struct marks *marks, const struct plan *plan, uint32_t chunk)
{
	uint32_t other = plan->destinations[0].logical_sector_size;

	*marks = (struct marks){ .plan = plan, .unit = plan->sector_size, .chunk = chunk };
	if (other > marks->unit)
		marks->unit = other;
}

void marks_done(struct marks *marks)
{
	free(marks->items);
	*marks = (struct marks){ 0 };
}

uint32_t marks_length(const struct marks *marks, uint32_t most)
{
	uint32_t length = marks->unit;

	if (length >= marks->chunk)
		return marks->unit;
	while (length * 2 <= most && marks->chunk % (length * 2) == 0)
		length *= 2;
	return length;
}

static bool is_left_out(const struct plan *plan, uint64_t source, uint64_t length)
{
	const struct range_list *left_out = plan_left_out(plan);
	uint32_t sector = plan->sector_size;

	return left_out &&
	       range_list_overlaps(
		       left_out, (struct range){ source / sector, (length + sector - 1) / sector });
}

/* The mark for this range of the destination, if it is in one extent, and all of it copied. */
static bool place(const struct marks *marks, struct range wanted, struct piece *ret)
{
	for (size_t i = 0; i < marks->plan->extent_count; i++) {
		struct extent_bytes e = plan_extent_bytes(marks->plan, i);

		if (!range_contains((struct range){ e.destination, e.length }, wanted))
			continue;
		if (is_left_out(marks->plan, e.source + (wanted.start - e.destination),
				wanted.count))
			return false;
		*ret = (struct piece){
			.source = e.source + (wanted.start - e.destination),
			.destination = wanted.start,
			.length = (uint32_t)wanted.count,
		};
		return true;
	}
	return false;
}

static bool is_marked(const struct marks *marks, struct range wanted)
{
	for (size_t i = 0; i < marks->count; i++) {
		const struct piece *piece = &marks->items[i].piece;

		if (range_overlaps((struct range){ piece->destination, piece->length }, wanted))
			return true;
	}
	return false;
}

static bool add(struct marks *marks, struct range wanted, enum mark_kind kind)
{
	struct mark mark = { .kind = kind };

	if (is_marked(marks, wanted) || !place(marks, wanted, &mark.piece))
		return false;
	marks->failed |= array_reserve(marks->items, marks->capacity, marks->count + 1) < 0;
	if (!marks->failed)
		marks->items[marks->count++] = mark;
	return true;
}

void marks_add(struct marks *marks, uint64_t at, uint32_t length, enum mark_kind kind)
{
	add(marks, (struct range){ u64_align_down(at, length), length }, kind);
}

void marks_add_all(struct marks *marks, uint64_t from, uint64_t to, uint32_t length,
		   enum mark_kind kind)
{
	uint32_t small = marks_length(marks, SMALL);

	while (from < to) {
		uint64_t end = u64_align_down(from, length) + length;

		if (end > to)
			end = to;
		if (!add(marks, (struct range){ from, end - from }, kind) && length > small)
			marks_add_all(marks, from, end, small, kind);
		from = end;
	}
}

void marks_add_wraps(struct marks *marks, uint32_t length)
{
	uint64_t end = marks_end(marks);
	uint64_t last = end > length ? u64_align_down(end - length, length) : 0;

	for (unsigned bit = SMALLEST_BIT; bit < LARGEST_BIT && 1ULL << bit < end; bit++) {
		marks_add(marks, 1ULL << bit, length, MARK_WRAP);
		marks_add(marks, last & ((1ULL << bit) - 1), length, MARK_WRAP);
	}
}

uint64_t marks_begin(const struct marks *marks)
{
	return plan_extent_bytes(marks->plan, 0).destination;
}

uint64_t marks_end(const struct marks *marks)
{
	struct extent_bytes last = plan_extent_bytes(marks->plan, marks->plan->extent_count - 1);

	return last.destination + last.length;
}

static int compare(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	return x->piece.destination < y->piece.destination
		       ? -1
		       : x->piece.destination > y->piece.destination;
}

int marks_settle(struct marks *marks)
{
	if (marks->count)
		qsort(marks->items, marks->count, sizeof(*marks->items), compare);
	return marks->failed ? -ENOMEM : 0;
}
