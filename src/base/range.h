/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Half-open ranges of sectors and sorted lists of them, with overflow-checked
 * arithmetic. The unit is a logical sector of whatever the caller works on; a
 * list never mixes units.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start;
	uint64_t count; /* 0: empty */
};

/* Sorted by start, disjoint, adjacent ranges merged, none empty. Zero-initialise. */
struct range_list {
	struct range *items;
	size_t count;
	size_t capacity;
};

/* Overflow-checked: return false and leave *ret alone when the result does not fit. */
bool u64_add(uint64_t a, uint64_t b, uint64_t *ret);
bool u64_mul(uint64_t a, uint64_t b, uint64_t *ret);

static inline bool is_power_of_2(uint64_t value)
{
	return value != 0 && (value & (value - 1)) == 0;
}

uint64_t u64_align_down(uint64_t value, uint64_t alignment); /* any alignment > 0 */
bool u64_align_up(uint64_t value, uint64_t alignment, uint64_t *ret);

/* By start; for qsort(). */
int range_compare(const void *a, const void *b);
/* The first sector after the range; false if it does not fit 64 bits. */
bool range_end(struct range r, uint64_t *ret);
bool range_overlaps(struct range a, struct range b);
/* An empty range overlaps nothing and is contained wherever its start is. */
bool range_contains(struct range outer, struct range inner);
/* false (and *ret left alone) when they have no sector in common. */
bool range_intersect(struct range a, struct range b, struct range *ret);

/* Return 0, -ENOMEM, or -EOVERFLOW for a range that ends beyond 2^64-1; the list is as
 * before then. Empty ranges change nothing. *ret is overwritten, what it held is not freed. */
int range_list_add(struct range_list *list, struct range r);
int range_list_subtract(struct range_list *list, struct range r);
/* Each of `what`, which is another list; after a failure some of them. */
int range_list_add_all(struct range_list *list, const struct range_list *what);
int range_list_subtract_all(struct range_list *list, const struct range_list *what);
/* What `from` has and `what` has not, in time that grows with their lengths. *ret is empty, and
 * stays so after a failure. */
int range_list_without(const struct range_list *from, const struct range_list *what,
		       struct range_list *ret);
int range_list_copy(const struct range_list *from, struct range_list *ret);

bool range_list_contains(const struct range_list *list, struct range r);
bool range_list_overlaps(const struct range_list *list, struct range r);
bool range_list_equal(const struct range_list *a, const struct range_list *b);
/* How much of r the list holds. */
uint64_t range_list_common(const struct range_list *list, struct range r);
uint64_t range_list_total(const struct range_list *list);
void range_list_done(struct range_list *list);
