/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges and sorted lists of them. Comparisons are written as differences from
 * the lower start, so that they hold for every pair of 64-bit values, also for
 * ranges that would end beyond 2^64.
 */
#include "base/range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool u64_add(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

bool u64_mul(uint64_t a, uint64_t b, uint64_t *ret)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

uint64_t u64_align_down(uint64_t value, uint64_t alignment)
{
	return value - value % alignment;
}

bool u64_align_up(uint64_t value, uint64_t alignment, uint64_t *ret)
{
	uint64_t over = value % alignment;

	if (over == 0) {
		*ret = value;
		return true;
	}
	return u64_add(value, alignment - over, ret);
}

bool range_end(struct range r, uint64_t *ret)
{
	return u64_add(r.start, r.count, ret);
}

int range_compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool range_overlaps(struct range a, struct range b)
{
	if (a.count == 0 || b.count == 0)
		return false;
	return a.start <= b.start ? b.start - a.start < a.count : a.start - b.start < b.count;
}

bool range_contains(struct range outer, struct range inner)
{
	uint64_t offset = inner.start - outer.start;

	return inner.start >= outer.start && offset <= outer.count &&
	       inner.count <= outer.count - offset;
}

bool range_intersect(struct range a, struct range b, struct range *ret)
{
	if (!range_overlaps(a, b))
		return false;

	uint64_t start = a.start > b.start ? a.start : b.start;
	uint64_t left_a = a.count - (start - a.start);
	uint64_t left_b = b.count - (start - b.start);

	ret->start = start;
	ret->count = left_a < left_b ? left_a : left_b;
	return true;
}

/* The index of the first item that ends after `sector`; count if there is none. */
static size_t first_behind(const struct range_list *list, uint64_t sector)
{
	return array_first(list->count, i, list->items[i].start + list->items[i].count > sector);
}

/* Replaces the items [from, to) by `with` (at most 2 of them). */
static int splice(struct range_list *list, size_t from, size_t to, const struct range *with,
		  size_t with_count)
{
	size_t tail = list->count - to;
	int error = array_reserve(list->items, list->capacity, from + with_count + tail);

	if (error < 0)
		return error;
	if (tail > 0)
		memmove(&list->items[from + with_count], &list->items[to],
			tail * sizeof(*list->items));
	for (size_t i = 0; i < with_count; i++)
		list->items[from + i] = with[i];
	list->count = from + with_count + tail;
	return 0;
}

int range_list_add(struct range_list *list, struct range r)
{
	uint64_t end;

	if (!range_end(r, &end))
		return -EOVERFLOW;
	if (r.count == 0)
		return 0;

	/* With start - 1 an item that ends right at the new start counts too: it is merged. */
	size_t from = r.start == 0 ? 0 : first_behind(list, r.start - 1);
	size_t to = from;
	struct range merged = r;

	for (; to < list->count && list->items[to].start <= end; to++) {
		const struct range *item = &list->items[to];

		if (item->start < merged.start)
			merged.start = item->start;
		if (item->start + item->count > end)
			end = item->start + item->count;
	}
	merged.count = end - merged.start;
	return splice(list, from, to, &merged, 1);
}

int range_list_subtract(struct range_list *list, struct range r)
{
	struct range rest[2];
	size_t rest_count = 0;
	uint64_t end;

	if (!range_end(r, &end))
		return -EOVERFLOW;
	if (r.count == 0)
		return 0;

	size_t from = first_behind(list, r.start);
	size_t to = from;

	for (; to < list->count && list->items[to].start < end; to++) {
		const struct range *item = &list->items[to];
		uint64_t item_end = item->start + item->count;

		if (item->start < r.start)
			rest[rest_count++] = (struct range){ item->start, r.start - item->start };
		if (item_end > end)
			rest[rest_count++] = (struct range){ end, item_end - end };
	}
	return splice(list, from, to, rest, rest_count);
}

int range_list_add_all(struct range_list *list, const struct range_list *what)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < what->count; i++)
		r = range_list_add(list, what->items[i]);
	return r;
}

int range_list_subtract_all(struct range_list *list, const struct range_list *what)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < what->count; i++)
		r = range_list_subtract(list, what->items[i]);
	return r;
}

int range_list_without(const struct range_list *from, const struct range_list *what,
		       struct range_list *ret)
{
	size_t next = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->count; i++) {
		uint64_t at = from->items[i].start, end = at + from->items[i].count;

		for (; r == 0 && next < what->count && what->items[next].start < end; next++) {
			const struct range *hole = &what->items[next];

			if (hole->start > at)
				r = range_list_add(ret, (struct range){ at, hole->start - at });
			if (hole->start + hole->count > at)
				at = hole->start + hole->count;
			/* It goes on in the next one. */
			if (at > end)
				break;
		}
		if (r == 0 && at < end)
			r = range_list_add(ret, (struct range){ at, end - at });
	}
	if (r < 0)
		range_list_done(ret);
	return r;
}

int range_list_copy(const struct range_list *from, struct range_list *ret)
{
	struct range_list copy = { 0 };

	if (from->count > 0) {
		copy.items = array_copy(from->items, from->count);
		if (!copy.items)
			return -ENOMEM;
		copy.count = copy.capacity = from->count;
	}
	*ret = copy;
	return 0;
}

bool range_list_contains(const struct range_list *list, struct range r)
{
	if (r.count == 0)
		return true;

	size_t i = first_behind(list, r.start);

	return i < list->count && range_contains(list->items[i], r);
}

bool range_list_overlaps(const struct range_list *list, struct range r)
{
	if (r.count == 0)
		return false;

	size_t i = first_behind(list, r.start);

	return i < list->count && range_overlaps(list->items[i], r);
}

uint64_t range_list_common(const struct range_list *list, struct range r)
{
	uint64_t total = 0;
	struct range part;

	if (r.count == 0)
		return 0;
	for (size_t i = first_behind(list, r.start);
	     i < list->count && range_intersect(list->items[i], r, &part); i++)
		total += part.count;
	return total;
}

bool range_list_equal(const struct range_list *a, const struct range_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->items[i].start != b->items[i].start ||
		    a->items[i].count != b->items[i].count)
			return false;
	return true;
}

uint64_t range_list_total(const struct range_list *list)
{
	uint64_t total = 0;

	/* Disjoint ranges below 2^64: the sum fits. */
	for (size_t i = 0; i < list->count; i++)
		total += list->items[i].count;
	return total;
}

void range_list_done(struct range_list *list)
{
	free(list->items);
	*list = (struct range_list){ 0 };
}
