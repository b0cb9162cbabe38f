/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A destination is the half-made copy of a map, or is not: what was wiped, armed, and copied. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/half_made.h"

#define BYTES  (8 << 20)
#define SECTOR 512
#define EDGE   (1 << 20)

static struct plan *plan;
static struct map *map;
static struct half_made half;
static struct error error;
static char bytes[BYTES], empty[EDGE];

static int make(const char *contents)
{
	int fd = memfd_create("half", MFD_CLOEXEC);

	ck_assert_int_eq(ftruncate(fd, BYTES), 0);
	if (contents)
		ck_assert_int_eq(pwrite(fd, contents, BYTES, 0), BYTES);
	return fd;
}

/* Both ends of the disk are held areas; half of the rest is there. */
static void setup(void)
{
	struct endpoint a = { .kind = ENDPOINT_DISK,
			      .node = "/dev/a",
			      .size = BYTES,
			      .logical_sector_size = SECTOR,
			      .exists = true };
	struct range_list areas = { 0 };
	struct endpoint b = a;

	strcpy(b.node, "/dev/b");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	ck_assert_int_eq(plan_new(&a, &b, NULL, NULL, NULL, NULL, &plan, NULL), 0);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	range_list_add(&areas, (struct range){ 0, EDGE / SECTOR });
	range_list_add(&areas, (struct range){ (BYTES - EDGE) / SECTOR, EDGE / SECTOR });
	ck_assert_int_eq(map_set_wiped(map, &areas), 0);
	range_list_done(&areas);
	ck_assert_int_eq(map_set(map, EDGE, 3 * EDGE, MAP_FINISHED), 0);
	half = (struct half_made){ .plan = plan,
				   .map = map,
				   .source = make(bytes),
				   .destination = make(NULL),
				   .confirmed = true };
	ck_assert_int_eq(pwrite(half.destination, bytes + EDGE, 3 * EDGE, EDGE), 3 * EDGE);
}

static void teardown(void)
{
	close(half.source);
	close(half.destination);
	map_destroy(map);
	plan_destroy(plan);
}

static void put(int fd, uint64_t at, const char *data, size_t length)
{
	ck_assert_int_eq(pwrite(fd, data, length, (off_t)at), (ssize_t)length);
}

static int check(void)
{
	error = (struct error){ 0 };

	int r = half_made_check(&half, &error);

	ck_assert_int_eq(error.code, r);
	ck_assert(r == 0 || error.class == ERROR_CLASS_REFUSED);
	return r;
}

static void check_refused(const char *says)
{
	ck_assert_int_eq(check(), -EBADMSG);
	ck_assert_msg(strstr(error.sentence, says) != NULL, "%s", error.sentence);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(an_honest_one)
{
	ck_assert_int_eq(check(), 0);
	half.strict = true;
	half.confirmed = false;
	ck_assert_int_eq(check(), 0);
}

/* One byte is enough, at either edge. */
TEST_ROWS(what_was_wiped_is_empty, 6)
{
	static const uint64_t places[] = { 0, 511, 70 * 512, EDGE - 1, BYTES - EDGE, BYTES - 1 };
	char says[64];

	put(half.destination, places[_i], "x", 1);
	snprintf(says, sizeof(says), "other data at LBA %u", (unsigned)(places[_i] / SECTOR));
	check_refused(says);
	ck_assert_ptr_nonnull(strstr(error.sentence, "no table and no file system yet"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "start again with clone"));
	/* What was not wiped may hold anything. */
	put(half.destination, places[_i], "", 1);
	put(half.destination, 5 * EDGE, "x", 1);
	ck_assert_int_eq(check(), 0);
}

/* Sector by sector: the power may go anywhere between two. */
TEST(what_is_being_armed_is_empty_or_the_sources)
{
	map_set_arming(map);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 9 * SECTOR, bytes + 9 * SECTOR, 3 * SECTOR);
	put(half.destination, BYTES - SECTOR, bytes + BYTES - SECTOR, SECTOR);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 10 * SECTOR + 5, "\x55", 1);
	check_refused("what the source has");
	/* What stands for an unreadable sector may be a mark. */
	ck_assert_int_eq(map_set(map, 10 * SECTOR, SECTOR, MAP_BAD), 0);
	ck_assert_int_eq(check(), 0);
}

TEST(what_is_armed_is_the_sources)
{
	map_set_arming(map);
	put(half.destination, 0, bytes, EDGE);
	ck_assert_int_eq(map_set(map, 0, EDGE, MAP_FINISHED), 0);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 3 * SECTOR, "\x55\x55", 2);
	check_refused("what was copied to LBA");
}

/* Of what was read before the copy there is a digest: a source that changed since is not the
 * destination's fault. */
TEST(what_is_armed_is_what_was_written)
{
	struct map_reading reading = { .sectors = { 0, EDGE / SECTOR } };

	reading.sum.digest = digest_sectors(bytes, EDGE, SECTOR, 0, &reading.sum.weighted);
	reading.sum.sectors = EDGE / SECTOR;
	ck_assert_int_eq(map_set_first(map, &reading, 1), 0);
	map_set_arming(map);
	put(half.destination, 0, bytes, EDGE);
	ck_assert_int_eq(map_set(map, 0, EDGE, MAP_FINISHED), 0);
	put(half.source, 3 * SECTOR, "\x55\x55", 2);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 3 * SECTOR, "\x66\x66", 2);
	check_refused("what was copied to LBA 0");
	/* One that was found to differ is disarmed before its map says so. */
	put(half.destination, 0, empty, EDGE);
	ck_assert_int_eq(check(), 0);
}

/* What was finished, and is to be copied again, is not empty. */
TEST(what_is_to_be_copied_again_may_hold_anything)
{
	put(half.destination, SECTOR, "x", 1);
	ck_assert_int_eq(map_set(map, 0, 4096, MAP_FINISHED), 0);
	ck_assert_int_eq(map_forget(map, 0, 4096), 0);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 8 * SECTOR, "x", 1);
	check_refused("LBA 8");
}

/* Without a record, a signature must be the copy's where the copy was. */
TEST(a_signature_that_was_not_copied)
{
	struct range_list none = { 0 };
	char page[4096] = { 0 };

	ck_assert_int_eq(map_set_wiped(map, &none), 0);
	ck_assert_int_eq(map_set(map, 0, EDGE, MAP_FINISHED), 0);
	put(half.destination, 0, bytes, EDGE);
	ck_assert_int_eq(check(), 0);
	/* As mkswap does. */
	memcpy(page + 4096 - 10, "SWAPSPACE2", 10);
	page[1024] = 1;
	page[1028] = 7;
	page[1029] = 4;
	put(half.destination, 0, page, sizeof(page));
	check_refused("holds swap");
	/* The source has it, too. */
	put(half.source, 0, page, sizeof(page));
	ck_assert_int_eq(check(), 0);
	/* The copy has not come so far. */
	put(half.source, 0, bytes, sizeof(page));
	ck_assert_int_eq(map_set(map, 0, EDGE, MAP_NON_TRIED), 0);
	ck_assert_int_eq(check(), 0);
}

/* A place that tells something is searched for. */
TEST(empty_places_tell_nothing)
{
	for (uint64_t at = EDGE; at < 4 * EDGE; at += EDGE) {
		put(half.source, at, empty, EDGE);
		put(half.destination, at, empty, EDGE);
	}
	check_refused("Nothing but zeros");
	half.same_device = true;
	ck_assert_int_eq(check(), 0);
	half.same_device = false;
	put(half.source, 2 * EDGE + 5 * 4096, "here", 4);
	put(half.destination, 2 * EDGE + 5 * 4096, "here", 4);
	ck_assert_int_eq(check(), 0);
	put(half.destination, 2 * EDGE + 5 * 4096, "then", 4);
	ck_assert_int_eq(check(), -EBADMSG);
	/* Emptied as a whole, it is no half-made copy any more, even if it is the same disk. */
	half.same_device = true;
	put(half.destination, 2 * EDGE + 5 * 4096, empty, 4);
	ck_assert_int_eq(check(), -EBADMSG);
}

/* The end of what is finished is where the copy was last: on another disk that is something else.
 */
TEST(the_last_that_was_copied_is_compared)
{
	half.strict = true;
	put(half.destination, 4 * EDGE - 4096, "x", 1);
	ck_assert_int_eq(check(), -EBADMSG);
}

static void know_digests(struct digests **ret)
{
	struct digest_part parts[DIGEST_PARTS_MAX];

	ck_assert_int_eq(digests_new_sized(plan, EDGE, ret), 0);
	for (uint64_t at = EDGE; at < 4 * EDGE; at += EDGE) {
		ck_assert_uint_eq(digests_parts(*ret, at, bytes + at, EDGE, parts), 1);
		digests_add(*ret, &parts[0]);
	}
}

/* One sector of a region, wherever it is. */
TEST(regions_have_their_digests)
{
	struct digests *known = NULL;

	know_digests(&known);
	half.known = known;
	half.strict = true;
	ck_assert_int_eq(check(), 0);
	put(half.destination, 3 * EDGE + 77 * SECTOR, "x", 1);
	ck_assert_int_eq(check(), -EBADMSG);
	digests_destroy(known);
}

/* Nobody has confirmed what would be lost. */
TEST(nothing_is_there_yet_and_another_disk_comes_back)
{
	struct range_list none = { 0 };
	char page[4096] = { 0 };

	ck_assert_int_eq(map_set_wiped(map, &none), 0);
	ck_assert_int_eq(map_set(map, EDGE, 3 * EDGE, MAP_NON_TRIED), 0);
	half.confirmed = false;
	ck_assert_int_eq(check(), 0);
	memcpy(page + 4096 - 10, "SWAPSPACE2", 10);
	page[1024] = 1;
	page[1028] = 7;
	page[1029] = 4;
	put(half.destination, 0, page, sizeof(page));
	check_refused("holds swap");
	half.confirmed = true;
	ck_assert_int_eq(check(), 0);
}
