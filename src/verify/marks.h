/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Marks: small pieces of the plan at which a destination is tried (capacity.h) or
 * looked at again (final_look.h). No two of them overlap, and each lies inside one
 * extent, so it is inside the plan on both ends.
 *
 * Pure data, one thread. Units: bytes of the destination's node.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copy/work.h"
#include "plan/plan.h"

enum mark_kind {
	MARK_HELD,   /* of the held areas */
	MARK_END,    /* of the beginning or the end of what is written */
	MARK_WRAP,   /* where an address would be with upper bits missing */
	MARK_SAMPLE, /* anywhere */
};

struct mark {
	struct piece piece;
	enum mark_kind kind;
};

struct marks {
	const struct plan *plan; /* borrowed */
	uint32_t unit;           /* the larger sector of both ends */
	uint32_t chunk;          /* the longest request: no mark reaches over a multiple of it */
	struct mark *items;      /* ascending once settled */
	size_t count, capacity;
	bool failed; /* no memory */
};

void marks_init(struct marks *marks, const struct plan *plan, uint32_t chunk);
void marks_done(struct marks *marks);

/* Of at most this many bytes, a length that divides the chunks, and is whole sectors. */
uint32_t marks_length(const struct marks *marks, uint32_t most);
/* The block of `length` bytes (a marks_length()) that contains `at`; not if part of it is outside
 * the plan or marked already. */
void marks_add(struct marks *marks, uint64_t at, uint32_t length, enum mark_kind kind);
/* All of [from, to), in blocks of at most `length` bytes; where part of it is marked already,
 * what is left of it in smaller ones. */
void marks_add_all(struct marks *marks, uint64_t from, uint64_t to, uint32_t length,
		   enum mark_kind kind);
/* At every power of two, and where the last block would be with only the bits below it. */
void marks_add_wraps(struct marks *marks, uint32_t length);
/* The beginning of the first extent on the destination, and the end of the last one. */
uint64_t marks_begin(const struct marks *marks);
uint64_t marks_end(const struct marks *marks);
/* Sorts them. -ENOMEM if any could not be added. */
int marks_settle(struct marks *marks);
