/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where partitions come to lie: the arithmetic alone, without a table. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "layout/layout_private.h"

static bool squeezed(struct layout_part *parts, size_t count, uint64_t usable, bool cut)
{
	size_t blocked;
	uint64_t missing;

	return squeeze(parts, count, usable, 8, cut, &blocked, &missing);
}

#define PART(n, at, length, need)                                                                  \
	{                                                                                          \
		.number = (n), .start = (at), .sectors = (length), .least = (need)                 \
	}

TEST(test_squeeze)
{
	struct layout_part parts[] = { PART(1, 8, 16, 16), PART(2, 32, 40, 9),
				       PART(3, 80, 16, 16) };
	size_t blocked = 9;
	uint64_t missing = 0;

	/* It fits: nothing changes. */
	ck_assert(squeezed(parts, 3, 96, false));
	for (size_t i = 0; i < 3; i++)
		ck_assert(!part_changes(&parts[i]));
	/* One sector less: the last one goes back by whole units, into the gap. */
	ck_assert(squeezed(parts, 3, 95, false));
	ck_assert_uint_eq(parts[2].to, 72);
	ck_assert(!part_changes(&parts[1]));
	/* What is before it is cut, and not more than needed. */
	ck_assert(squeezed(parts, 3, 80, false));
	ck_assert_uint_eq(parts[2].to, 64);
	ck_assert_uint_eq(parts[1].to, 32);
	ck_assert_uint_eq(parts[1].size, 32);
	/* To the last sector that its contents need. */
	ck_assert(squeezed(parts, 3, 57 + 7, false));
	ck_assert_uint_eq(parts[1].size, 16);
	ck_assert_uint_eq(parts[2].to, 48);
	/* Then it must move itself, and only with its room cut off that goes. */
	ck_assert(!squeezed(parts, 3, 56, false));
	ck_assert(squeezed(parts, 3, 56, true));
	ck_assert_uint_eq(parts[1].to, 24);
	ck_assert_uint_eq(parts[1].size, 16);
	ck_assert_uint_eq(parts[2].to, 40);
	ck_assert(!squeeze(parts, 3, 55, 8, true, &blocked, &missing));
	ck_assert_uint_eq(blocked, 0);
	ck_assert_uint_eq(missing, 8);
	parts[1].fixed = "";
	ck_assert(!squeeze(parts, 3, 56, 8, true, &blocked, &missing));
	ck_assert_uint_eq(blocked, 1);
	ck_assert_uint_eq(missing, 1);
}

/* Whatever they are: in order, whole, inside, and none behind where it was. */
TEST_ROWS(test_squeeze_any, 4)
{
	unsigned seed = (unsigned)_i;

	for (unsigned round = 0; round < 2000; round++) {
		struct layout_part parts[6];
		size_t blocked, count = 1 + (unsigned)rand_r(&seed) % 6;
		uint64_t at = 8, usable, missing;

		for (size_t i = 0; i < count; i++) {
			uint64_t length = 1 + (unsigned)rand_r(&seed) % 64;

			at += (unsigned)rand_r(&seed) % 32;
			parts[i] = (struct layout_part)PART((unsigned)i + 1, at, length,
							    1 + (unsigned)rand_r(&seed) % length);
			parts[i].fixed = rand_r(&seed) % 5 ? NULL : "";
			at += length;
		}
		usable = 8 + (unsigned)rand_r(&seed) % at;
		if (!squeeze(parts, count, usable, 8, rand_r(&seed) % 2, &blocked, &missing)) {
			ck_assert_uint_lt(blocked, count);
			ck_assert_uint_gt(missing, 0);
			continue;
		}
		ck_assert_uint_eq(parts[0].to, parts[0].start);
		for (size_t i = 0; i < count; i++) {
			const struct layout_part *p = &parts[i];

			ck_assert_uint_le(p->to, p->start);
			ck_assert(!p->fixed || p->to == p->start);
			ck_assert(p->to == p->start || p->to % 8 == 0);
			ck_assert(p->size >= p->least && p->size <= p->sectors);
			ck_assert_uint_le(p->to + p->size,
					  i + 1 < count ? parts[i + 1].to : usable);
		}
	}
}

/* Whatever stays: in order, inside, none before where it was, and no room left behind what may
 * move. */
TEST_ROWS(test_make_way_any, 4)
{
	unsigned seed = (unsigned)_i;

	for (unsigned round = 0; round < 2000; round++) {
		struct layout_part parts[6];
		size_t count = 1 + (unsigned)rand_r(&seed) % 6;
		uint64_t at = 8, usable;

		for (size_t i = 0; i < count; i++) {
			uint64_t length = 1 + (unsigned)rand_r(&seed) % 64;

			at += (unsigned)rand_r(&seed) % 32;
			parts[i] = (struct layout_part)PART((unsigned)i + 1, at, length, length);
			parts[i].to = at;
			parts[i].size = length;
			parts[i].fixed = rand_r(&seed) % 5 ? NULL : "";
			at += length;
		}
		usable = at + (unsigned)rand_r(&seed) % 256;
		make_way(parts, count, usable, 8);
		for (size_t i = 0; i < count; i++) {
			const struct layout_part *p = &parts[i];
			uint64_t next = i + 1 < count ? parts[i + 1].to : usable;

			ck_assert_uint_ge(p->to, p->start);
			ck_assert(!p->fixed || p->to == p->start);
			ck_assert(p->to == p->start || p->to % 8 == 0);
			ck_assert_uint_eq(p->size, p->sectors);
			ck_assert_uint_le(p->to + p->size, next);
			ck_assert(p->fixed || next - p->to - p->size < 8);
		}
	}
}
/* Whatever is asked for: nothing overlaps, leaves the disk, or is cut too short. */
TEST_ROWS(test_arrange_any, 4)
{
	struct error error;

	srandom((unsigned)_i);
	for (int round = 0; round < 5000; round++) {
		struct layout_part parts[5], was[5];
		struct plan_options options = { 0 };
		uint64_t at = 2048, usable;
		size_t count = 1 + (size_t)random() % 5, wishes = 1 + (size_t)random() % 3;

		for (size_t i = 0; i < count; i++) {
			uint64_t length = 1 + (uint64_t)random() % 9000;

			at += (uint64_t)random() % 3000;
			parts[i] = (struct layout_part){ .number = (unsigned)i + 1,
							 .start = at,
							 .sectors = length,
							 .to = at,
							 .size = length,
							 .least = 1 + (uint64_t)random() % length,
							 .fixed = random() % 4 ? NULL : "fixed" };
			at += length;
		}
		memcpy(was, parts, sizeof(was));
		usable = at + (uint64_t)random() % 40000;
		for (size_t i = 0; i < wishes; i++)
			options.places[i] = (struct plan_place){
				i + 1, random() % 2 ? (uint64_t)random() % 20000 * 512 : 0,
				random() % 2 ? (uint64_t)random() % 50000 * 512 : 0
			};
		if (layout_arrange(parts, count, 512, usable, true, &options, &error) < 0)
			continue;
		at = 0;
		for (size_t i = 0; i < count; i++) {
			const struct plan_place *asked = plan_place_find(&options, i + 1);

			ck_assert_uint_ge(parts[i].to, at);
			at = parts[i].to + parts[i].size;
			ck_assert_uint_ge(parts[i].size, parts[i].least);
			ck_assert(parts[i].to == was[i].to || (!parts[i].fixed && i));
			ck_assert_uint_eq(parts[i].size,
					  asked && asked->size ? asked->size / 512 : was[i].size);
			ck_assert(!asked || !asked->start || parts[i].to == asked->start / 512);
		}
		ck_assert_uint_le(at, usable);
	}
}
