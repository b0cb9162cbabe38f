/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency by place: what is called a weak zone, and above all what is not. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "stats/zones.h"

#define MIB   (1u << 20)
#define MS    NSEC_PER_MSEC
#define CELLS 64u
#define READS 8u /* of a MiB, in each cell */

static struct zones zones;
static struct zones_shown shown;

static void start(void)
{
	memset(&zones, 0, sizeof(zones));
	zones_init(&zones, 0, (uint64_t)CELLS * READS * MIB, READS * MIB);
	ck_assert_uint_eq(zones.count, CELLS);
}

/* Reads cells [first, end), so many MiB in flight at a time, on a disk that needs `ns` for each. */
static void read_cells(unsigned first, unsigned end, unsigned in_flight, uint64_t ns)
{
	for (uint64_t at = (uint64_t)first * READS; at < (uint64_t)end * READS; at++)
		zones_add(&zones, at * MIB, MIB, ns * in_flight, ns);
}

static const struct slow_zone *look(void)
{
	zones_show(&zones, &shown);
	return &shown.slowest;
}

TEST(a_weak_zone_is_found_where_it_is)
{
	const struct slow_zone *slow;

	start();
	read_cells(0, 20, 8, 7 * MS);
	read_cells(20, 23, 8, 84 * MS);
	read_cells(23, CELLS, 8, 7 * MS);
	slow = look();
	ck_assert(slow->weak);
	ck_assert_uint_eq(slow->first, 20ULL * READS * MIB);
	ck_assert_uint_eq(slow->bytes, 3ULL * READS * MIB);
	ck_assert_double_eq_tol(slow->factor, 12, 2);
	ck_assert_uint_eq(slow->max, 8ULL * 84 * MS);
	ck_assert_double_eq_tol((double)slow->median, 8.0 * 84 * MS, 0.13 * 8 * 84 * MS);
	ck_assert_uint_eq(shown.cells[21].max, 8 * 84000);
}

/* A queue that empties, as the other end is slower from then on, is not the disk. */
TEST(waiting_behind_others_is_no_weak_zone)
{
	start();
	read_cells(0, 10, 16, 7 * MS);
	read_cells(10, CELLS, 1, 7 * MS);
	ck_assert(look()->known);
	ck_assert(!shown.slowest.weak);
	ck_assert_double_le(shown.slowest.factor, 1.3);
}

TEST(a_sound_disk_has_no_weak_zone)
{
	/* Slower and slower to the inner zones of a spinning disk. */
	start();
	for (unsigned i = 0; i < CELLS; i++)
		read_cells(i, i + 1, 8, 5 * MS + i * 6 * MS / CELLS);
	ck_assert(look()->known);
	ck_assert(!shown.slowest.weak);

	/* Flash, of which little was ever written: ten times, but fast. */
	start();
	read_cells(0, 8, 16, 2 * MS);
	read_cells(8, CELLS, 16, MS / 5);
	ck_assert(look()->known);
	ck_assert(!shown.slowest.weak);
	ck_assert_uint_eq(shown.slowest.first, 0);
	ck_assert_double_gt(shown.slowest.factor, 4);
}

TEST(a_single_slow_read_is_no_weak_zone)
{
	start();
	read_cells(0, CELLS, 4, 7 * MS);
	zones_add(&zones, 0, MIB, 3000 * MS, 3000 * MS);
	ck_assert(!look()->weak);
	ck_assert_uint_eq(shown.cells[0].max, 3000000);
	ck_assert_uint_le(shown.cells[0].median, 32000);
}

TEST(what_was_not_read_is_unknown)
{
	start();
	ck_assert(!look()->known);
	ck_assert_uint_eq(shown.count, 0);

	/* Too little to say what is usual. */
	read_cells(0, 3, 1, 7 * MS);
	read_cells(3, 4, 1, 700 * MS);
	ck_assert(!look()->known);
	ck_assert_uint_eq(shown.count, CELLS);
	ck_assert_uint_gt(shown.cells[3].median, 0);
	ck_assert_uint_eq(shown.cells[4].median, 0);

	/* Two ends of a weak zone, what is between was left out. */
	start();
	read_cells(0, 40, 1, 7 * MS);
	read_cells(40, 41, 1, 700 * MS);
	read_cells(50, 51, 1, 700 * MS);
	read_cells(51, CELLS, 1, 7 * MS);
	ck_assert(look()->weak);
	ck_assert_uint_eq(shown.slowest.first, 40ULL * READS * MIB);
	ck_assert_uint_eq(shown.slowest.bytes, 11ULL * READS * MIB);
}

TEST(odd_requests_hurt_nothing)
{
	/* Of the largest disk, and of one that is smaller than a request. */
	memset(&zones, 0, sizeof(zones));
	zones_init(&zones, 0, UINT64_MAX / 2, MIB);
	ck_assert_uint_le(zones.count, ZONES_MAX);
	zones_add(&zones, UINT64_MAX / 2 - MIB, MIB, UINT64_MAX, UINT64_MAX);
	zones_add(&zones, UINT64_MAX - MIB, MIB, MS, 0);
	zones_add(&zones, 0, MIB, 0, 0);
	zones_show(&zones, &shown);
	ck_assert_uint_eq(shown.cells[zones.count - 1].max, UINT32_MAX);

	memset(&zones, 0, sizeof(zones));
	zones_init(&zones, 1000, 1512, MIB);
	ck_assert_uint_eq(zones.count, 1);
	zones_add(&zones, 0, MIB, MS, MS);
	zones_add(&zones, 1000, 512, MS, MS);
	zones_show(&zones, &shown);
	ck_assert_uint_eq(shown.cells[0].max, 1000);

	memset(&zones, 0, sizeof(zones));
	zones_init(&zones, 7, 7, MIB);
	zones_add(&zones, 7, 512, MS, MS);
	zones_show(&zones, &shown);
	ck_assert_uint_eq(shown.count, 0);
}

TEST(what_a_request_needed_is_not_its_wait)
{
	start();
	/* Alone; behind another; after a pause; with another at once; seen late. */
	ck_assert_uint_eq(zones_needed(&zones, 100, 107), 7);
	ck_assert_uint_eq(zones_needed(&zones, 101, 117), 10);
	ck_assert_uint_eq(zones_needed(&zones, 200, 207), 7);
	ck_assert_uint_eq(zones_needed(&zones, 190, 207), 0);
	ck_assert_uint_eq(zones_needed(&zones, 150, 160), 0);
	ck_assert_uint_eq(zones_needed(&zones, 190, 208), 1);
}

/* Reads sent before the slow ones were done took as long, but the disk needed no more for them. */
TEST(what_waited_behind_a_weak_zone_is_not_in_it)
{
	start();
	read_cells(0, 20, 8, 7 * MS);
	read_cells(20, 23, 8, 84 * MS);
	for (unsigned i = 23 * READS; i < 24 * READS; i++)
		zones_add(&zones, (uint64_t)i * MIB, MIB, 8 * 84 * MS, 7 * MS);
	read_cells(24, CELLS, 8, 7 * MS);
	ck_assert(look()->weak);
	ck_assert_uint_eq(shown.slowest.first, 20ULL * READS * MIB);
	ck_assert_uint_eq(shown.slowest.bytes, 3ULL * READS * MIB);
}
