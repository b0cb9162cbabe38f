/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was copied before is compared: places, alignment, differences, what cannot be read. */
#include "unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/half_made.h"

#define BYTES  (1 << 20)
#define SECTOR 512

static struct plan *plan;
static struct map *map;
static struct digests *known; /* as read from the source; NULL: none */
static bool same_device;
static int from, to;
static char bytes[BYTES];

/* A file that has no name. */
static int make(uint64_t shift)
{
	int fd = memfd_create("known", MFD_CLOEXEC);

	ck_assert_int_eq(ftruncate(fd, 2 * BYTES), 0);
	ck_assert_int_eq(pwrite(fd, bytes, BYTES, (off_t)shift), BYTES);
	return fd;
}

static void setup(void)
{
	struct endpoint a = { .kind = ENDPOINT_IMAGE,
			      .node = "/a",
			      .size = BYTES,
			      .logical_sector_size = SECTOR,
			      .exists = true,
			      .identity.inode = 1 };
	struct endpoint b = a;
	/* At an odd sector of the destination. */
	uint64_t at = 3;

	strcpy(b.node, "/b");
	b.identity.inode = 2;
	b.size = 2ULL * BYTES;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	ck_assert_int_eq(plan_new(&a, &b, NULL, &at, NULL, NULL, &plan, NULL), 0);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	from = make(0);
	to = make(3 * SECTOR);
}

static void teardown(void)
{
	same_device = false;
	close(from);
	close(to);
	digests_destroy(known);
	known = NULL;
	map_destroy(map);
	plan_destroy(plan);
}

static int compare_as(bool all)
{
	const struct half_made half = { .plan = plan,
					.map = map,
					.known = known,
					.source = from,
					.destination = to,
					.strict = all,
					.same_device = same_device };
	struct error error = { 0 };
	int r = half_made_check(&half, &error);

	ck_assert_int_eq(error.code, r);
	return r;
}

static int compare(void)
{
	return compare_as(true);
}

/* From one sector to another. */
static void change(int first, int behind, const char other[SECTOR])
{
	for (int i = first; i < behind; i++)
		ck_assert_int_eq(pwrite(to, other, SECTOR, (off_t)(3 + i) * SECTOR), SECTOR);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(nothing_copied_nothing_compared)
{
	ck_assert_int_eq(ftruncate(from, 0), 0);
	ck_assert_int_eq(compare(), 0);
}

TEST(same_is_good)
{
	ck_assert_int_eq(map_set(map, 0, BYTES, MAP_FINISHED), 0);
	ck_assert_int_eq(compare(), 0);
}

TEST(another_disk_is_noticed)
{
	char other[SECTOR] = "other";

	ck_assert_int_eq(map_set(map, 0, BYTES, MAP_FINISHED), 0);
	for (int i = 0; i < BYTES / SECTOR; i++)
		ck_assert_int_eq(pwrite(to, other, SECTOR, (off_t)(3 + i) * SECTOR), SECTOR);
	ck_assert_int_eq(compare(), -EBADMSG);
}

/* Only what was copied is looked at: the rest may be anything. */
TEST(the_rest_may_differ)
{
	char other[SECTOR] = "other";

	ck_assert_int_eq(map_set(map, 8192, 16384, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 65536, 4096, MAP_FINISHED), 0);
	for (int i = 0; i < BYTES / SECTOR; i++)
		if ((i < 16 || i >= 48) && (i < 128 || i >= 136))
			pwrite(to, other, SECTOR, (off_t)(3 + i) * SECTOR);
	ck_assert_int_eq(compare(), 0);
}

TEST(one_changed_area_among_many)
{
	char other[SECTOR] = "other";

	for (uint64_t at = 0; at < BYTES; at += 32768)
		ck_assert_int_eq(map_set(map, at, 16384, MAP_FINISHED), 0);
	ck_assert_int_eq(compare(), 0);
	/* The whole second half, as of a disk that was never copied to. */
	for (int i = BYTES / SECTOR / 2; i < BYTES / SECTOR; i++)
		pwrite(to, other, SECTOR, (off_t)(3 + i) * SECTOR);
	ck_assert_int_eq(compare(), -EBADMSG);
}

/* What was changed is found in the end; another disk must not be written to. */
TEST(where_all_is_read_back_most_must_be_the_same)
{
	const char other[SECTOR] = "other";

	ck_assert_int_eq(map_set(map, 0, BYTES, MAP_FINISHED), 0);
	change(0, BYTES / SECTOR / 4, other);
	ck_assert_int_eq(compare(), -EBADMSG);
	ck_assert_int_eq(compare_as(false), 0);
	change(0, BYTES / SECTOR * 3 / 4, other);
	ck_assert_int_eq(compare_as(false), -EBADMSG);
}

TEST(two_blank_places_are_no_sign_of_one_disk)
{
	const char zeros[SECTOR] = "";

	ck_assert_int_eq(map_set(map, 0, BYTES, MAP_FINISHED), 0);
	change(0, BYTES / SECTOR, zeros);
	/* Three quarters of the source hold nothing, either. */
	for (int i = BYTES / SECTOR / 4; i < BYTES / SECTOR; i++)
		ck_assert_int_eq(pwrite(from, zeros, SECTOR, (off_t)i * SECTOR), SECTOR);
	ck_assert_int_eq(compare_as(false), -EBADMSG);
	/* Nothing but blank places: only who never detached it knows. */
	ck_assert_int_eq(map_set(map, 0, BYTES / 4, MAP_NON_TRIED), 0);
	ck_assert_int_eq(compare_as(false), -EBADMSG);
	same_device = true;
	ck_assert_int_eq(compare_as(false), 0);
}

TEST(unreadable_is_no_proof)
{
	ck_assert_int_eq(map_set(map, 0, BYTES, MAP_FINISHED), 0);
	ck_assert_int_eq(ftruncate(to, 0), 0);
	ck_assert_int_eq(compare(), -EIO);
}

/* Read back it would be missing, and written to it would come back as zeros. */
TEST(a_file_holds_all_that_is_finished)
{
	struct error error = { 0 };

	ck_assert_int_eq(sample_check_length(plan, map, to, &error), 0);
	ck_assert_int_eq(map_set(map, 8192, 16384, MAP_FINISHED), 0);
	ck_assert_int_eq(ftruncate(to, 3 * SECTOR + 8192 + 16384), 0);
	ck_assert_int_eq(sample_check_length(plan, map, to, &error), 0);
	ck_assert_int_eq(map_set(map, 65536, 4096, MAP_BAD), 0);
	ck_assert_int_eq(sample_check_length(plan, map, to, &error), 0);
	ck_assert_int_eq(ftruncate(to, 3 * SECTOR + 8192 + 16384 - 1), 0);
	ck_assert_int_eq(sample_check_length(plan, map, to, &error), -EBADMSG);
	ck_assert_int_eq(error.class, ERROR_CLASS_REFUSED);
	ck_assert_int_eq(ftruncate(to, 0), 0);
	ck_assert_int_eq(sample_check_length(plan, map, to, &error), -EBADMSG);
}
