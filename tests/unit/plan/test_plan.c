/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making a plan: what becomes an extent, what makes no sense, where arithmetic ends. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "disks.h"
#include "plan/plan.h"

#define SECTORS     3907029168U    /* 2 TB of 512 */
#define SECTORS_20T 39062500000ULL /* 20 TB of 512 */

static struct disk sda, sdb;
static struct endpoint source, destination;
static struct plan *plan;
static struct error error;

static void setup(void)
{
	sda = test_disk("sda", 0, SECTORS, 512);
	sdb = test_disk("sdb", 16, 2ULL * SECTORS, 512);
	source = test_whole(&sda);
	destination = test_whole(&sdb);
	plan = NULL;
	error = (struct error){ 0 };
}

static void teardown(void)
{
	plan_destroy(plan);
}

/* A list of the given ranges; the last one is empty. */
static struct range_list list_of(const struct range *ranges)
{
	struct range_list list = { 0 };

	for (; ranges->count > 0; ranges++)
		ck_assert_int_eq(range_list_add(&list, *ranges), 0);
	return list;
}

static int make(const struct range *ranges, const uint64_t *at)
{
	struct range_list list = list_of(ranges);

	plan_destroy(plan);
	plan = NULL;
	error = (struct error){ 0 };

	int code = plan_new(&source, &destination, &list, at, NULL, NULL, &plan, &error);

	range_list_done(&list);
	ck_assert_int_eq(code, error.code);
	if (code < 0) {
		ck_assert_ptr_null(plan);
		ck_assert_uint_gt(strlen(error.sentence), 20);
	}
	return code;
}

static void check_extent(size_t i, uint64_t from, uint64_t to, uint64_t sectors)
{
	ck_assert_uint_lt(i, plan->extent_count);
	ck_assert_uint_eq(plan->extents[i].source_lba, from);
	ck_assert_uint_eq(plan->extents[i].destination_lba, to);
	ck_assert_uint_eq(plan->extents[i].sectors, sectors);
}

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(whole_disk)
{
	struct plan_options options = {
		.chunk = 1 << 20, .queue_depth = 4, .lanes = 2, .rate = 5, .retries = 3
	};
	struct extent_bytes e;

	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, &options, &plan, &error),
			 0);
	ck_assert_int_eq(error.code, 0);
	ck_assert_uint_eq(plan->extent_count, 1);
	check_extent(0, 0, 0, SECTORS);
	ck_assert(plan->whole);
	ck_assert_uint_eq(plan->sector_size, 512);
	ck_assert_uint_eq(plan->total_sectors, SECTORS);
	ck_assert_uint_eq(plan_bytes(plan), 2000398934016ULL);
	ck_assert_uint_eq(plan->destination_size_after, destination.size);
	ck_assert_str_eq(plan->source.node, "/dev/sda");
	ck_assert_str_eq(plan->destinations[0].node, "/dev/sdb");
	ck_assert_mem_eq(&plan->options, &options, sizeof(options));
	e = plan_extent_bytes(plan, 0);
	ck_assert_uint_eq(e.source, 0);
	ck_assert_uint_eq(e.destination, 0);
	ck_assert_uint_eq(e.length, 2000398934016ULL);
}

TEST(whole_means_all_of_it)
{
	const uint64_t zero = 0, one = 1;

	ck_assert_int_eq(make((struct range[]){ { 0, SECTORS }, { 0 } }, NULL), 0);
	ck_assert(plan->whole);
	ck_assert_int_eq(make((struct range[]){ { 0, SECTORS }, { 0 } }, &zero), 0);
	ck_assert(plan->whole);
	ck_assert_int_eq(make((struct range[]){ { 0, SECTORS }, { 0 } }, &one), 0);
	ck_assert(!plan->whole);
	ck_assert_int_eq(make((struct range[]){ { 0, SECTORS - 1 }, { 0 } }, NULL), 0);
	ck_assert(!plan->whole);
	ck_assert_int_eq(make((struct range[]){ { 0, 5 }, { 6, SECTORS - 6 }, { 0 } }, NULL), 0);
	ck_assert(!plan->whole);
}

/* Its plan puts every partition where the new table has it. */
TEST(table_is_not_made_to_fit_elsewhere)
{
	const struct plan_options options = { .table = TABLE_FIT };
	const uint64_t zero = 0, one = 1;

	destination.size += 512;
	ck_assert_int_eq(plan_new(&source, &destination, NULL, &one, NULL, &options, &plan, &error),
			 -EINVAL);
	ck_assert_int_eq(
		plan_new(&source, &destination, NULL, &zero, NULL, &options, &plan, &error), 0);
}

TEST(ranges_keep_their_place)
{
	ck_assert_int_eq(
		make((struct range[]){ { 2048, 100 }, { 4096, 8 }, { SECTORS - 1, 1 }, { 0 } },
		     NULL),
		0);
	ck_assert_uint_eq(plan->extent_count, 3);
	check_extent(0, 2048, 2048, 100);
	check_extent(1, 4096, 4096, 8);
	check_extent(2, SECTORS - 1, SECTORS - 1, 1);
	ck_assert_uint_eq(plan->total_sectors, 109);
}

TEST(ranges_move_together)
{
	const uint64_t up = 10000, down = 0;

	ck_assert_int_eq(make((struct range[]){ { 2048, 100 }, { 4096, 8 }, { 0 } }, &up), 0);
	check_extent(0, 2048, 10000, 100);
	check_extent(1, 4096, 12048, 8);
	ck_assert_int_eq(make((struct range[]){ { 2048, 100 }, { 4096, 8 }, { 0 } }, &down), 0);
	check_extent(0, 2048, 0, 100);
	check_extent(1, 4096, 2048, 8);
	plan_destroy(plan);
	ck_assert_int_eq(plan_new(&source, &destination, NULL, &up, NULL, NULL, &plan, &error), 0);
	check_extent(0, 0, 10000, SECTORS);
	ck_assert(!plan->whole);
}

TEST(refuses_nothing)
{
	struct range_list empty = { 0 };

	ck_assert_int_eq(plan_new(&source, &destination, &empty, NULL, NULL, NULL, &plan, &error),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sda"));
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
	source.size = 0;
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 0 } }, NULL), -EINVAL);
	source.size = 512;
	source.logical_sector_size = 0;
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 0 } }, NULL), -EINVAL);
	source = (struct endpoint){ .kind = ENDPOINT_NONE };
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 0 } }, NULL), -EINVAL);
	source = test_whole(&sda);
	destination = (struct endpoint){ .kind = ENDPOINT_NONE };
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 0 } }, NULL), -EINVAL);
	/* Without anybody to tell. */
	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, NULL),
			 -EINVAL);
}

TEST(ends_with_the_source)
{
	ck_assert_int_eq(make((struct range[]){ { SECTORS - 1, 2 }, { 0 } }, NULL), -ERANGE);
	ck_assert(error.has_lba);
	ck_assert_uint_eq(error.lba, SECTORS - 1);
	ck_assert_uint_eq(error.sectors, 2);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sda"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "3,907,029,168"));
	ck_assert_int_eq(make((struct range[]){ { SECTORS, 1 }, { 0 } }, NULL), -ERANGE);
	ck_assert_int_eq(make((struct range[]){ { UINT64_MAX - 1, 1 }, { 0 } }, NULL), -ERANGE);
	ck_assert_int_eq(make((struct range[]){ { 0, UINT64_MAX }, { 0 } }, NULL), -ERANGE);
	ck_assert_int_eq(make((struct range[]){ { 1, UINT64_MAX - 1 }, { 0 } }, NULL), -ERANGE);
	/* One good range does not excuse a bad one. */
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { SECTORS - 1, 2 }, { 0 } }, NULL),
			 -ERANGE);
}

TEST(too_small_a_destination_is_not_its_business)
{
	sdb = test_disk("sdb", 16, 1, 512);
	destination = test_whole(&sdb);
	ck_assert_int_eq(make((struct range[]){ { 0, SECTORS }, { 0 } }, NULL), 0);
	ck_assert(plan->whole);
	ck_assert_uint_eq(plan->destination_size_after, 512);
}

TEST(ends_where_addresses_end)
{
	const struct range one[] = { { 7, 1 }, { 0 } };
	uint64_t at = INT64_MAX / 512; /* its sector would end at 2^63 */

	ck_assert_int_eq(make(one, &at), -EOVERFLOW);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sdb"));
	at--;
	ck_assert_int_eq(make(one, &at), 0);
	check_extent(0, 7, at, 1);
	at = UINT64_MAX;
	ck_assert_int_eq(make(one, &at), -EOVERFLOW);
	at = UINT64_MAX / 512 + 2; /* would wrap to a small offset in bytes */
	ck_assert_int_eq(make(one, &at), -EOVERFLOW);
	/* The first fits, the second would wrap. */
	at = UINT64_MAX - 10;
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 100, 1 }, { 0 } }, &at), -EOVERFLOW);
	/* On the node it fits, on the disk below it does not. */
	destination = test_part(&sdb, 1, INT64_MAX / 512 - 100, 200);
	at = 100;
	ck_assert_int_eq(make(one, &at), -EOVERFLOW);
	at = 98;
	ck_assert_int_eq(make(one, &at), 0);
}

TEST(one_sector_and_large_disks)
{
	struct extent_bytes e;
	const uint64_t at = SECTORS_20T;

	sda = test_disk("sda", 0, 1, 4096);
	source = test_whole(&sda);
	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error), 0);
	ck_assert_uint_eq(plan_bytes(plan), 4096);
	ck_assert(plan->whole);

	sda = test_disk("sda", 0, SECTORS_20T, 512);
	source = test_whole(&sda);
	ck_assert_int_eq(make((struct range[]){ { SECTORS_20T - 1, 1 }, { 0 } }, &at), 0);
	e = plan_extent_bytes(plan, 0);
	ck_assert_uint_eq(e.source, 19999999999488ULL);
	ck_assert_uint_eq(e.destination, 20000000000000ULL);
	ck_assert_uint_eq(e.length, 512);
}

TEST(images)
{
	source = test_image("/srv/a.img", 1000, true);
	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/srv/a.img"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "1,000"));
	/* The sectors that are whole can be had. */
	ck_assert_int_eq(make((struct range[]){ { 0, 1 }, { 0 } }, NULL), 0);
	ck_assert(!plan->whole);
	ck_assert_int_eq(make((struct range[]){ { 0, 2 }, { 0 } }, NULL), -ERANGE);

	source = test_whole(&sda);
	destination = test_image("/srv/new.img", 0, false);
	ck_assert_int_eq(make((struct range[]){ { 100, 8 }, { 0 } }, NULL), 0);
	ck_assert_uint_eq(plan->destination_size_after, 108 * 512);
	destination = test_image("/srv/old.img", 1 << 20, true);
	ck_assert_int_eq(make((struct range[]){ { 100, 8 }, { 0 } }, NULL), 0);
	ck_assert_uint_eq(plan->destination_size_after, 1 << 20);
	ck_assert_int_eq(make((struct range[]){ { 4096, 8 }, { 0 } }, NULL), 0);
	ck_assert_uint_eq(plan->destination_size_after, 4104 * 512);
}

static int from_extents(const struct extent *extents, size_t count)
{
	plan_destroy(plan);
	plan = NULL;
	error = (struct error){ 0 };
	return plan_from_extents(&source, &destination, extents, count, NULL, NULL, &plan, &error);
}

TEST(merges_what_is_adjacent_on_both_sides)
{
	const struct extent both[] = { { 0, 100, 10 }, { 10, 110, 5 }, { 15, 115, 1 } };
	const struct extent one_side[] = { { 0, 100, 10 }, { 10, 111, 5 }, { 16, 116, 1 } };

	ck_assert_int_eq(from_extents(both, 3), 0);
	ck_assert_uint_eq(plan->extent_count, 1);
	check_extent(0, 0, 100, 16);
	ck_assert_uint_eq(plan->total_sectors, 16);
	ck_assert_int_eq(from_extents(one_side, 3), 0);
	ck_assert_uint_eq(plan->extent_count, 3);
	check_extent(1, 10, 111, 5);
	check_extent(2, 16, 116, 1);
	ck_assert_uint_eq(plan->total_sectors, 16);
}

TEST(refuses_extents_out_of_order)
{
	const struct extent source_overlaps[] = { { 0, 100, 10 }, { 9, 200, 5 } };
	const struct extent destination_overlaps[] = { { 0, 100, 10 }, { 50, 109, 5 } };
	const struct extent source_falls[] = { { 50, 100, 10 }, { 0, 200, 5 } };
	const struct extent destination_falls[] = { { 0, 100, 10 }, { 50, 20, 5 } };
	const struct extent empty[] = { { 0, 0, 10 }, { 50, 50, 0 } };
	const struct extent beyond[] = { { 0, 0, 10 }, { SECTORS, 20, 1 } };
	const struct extent overflows[] = { { 0, 0, 10 }, { 20, UINT64_MAX, UINT64_MAX } };

	ck_assert_int_eq(from_extents(source_overlaps, 2), -EINVAL);
	ck_assert_int_eq(from_extents(destination_overlaps, 2), -EINVAL);
	ck_assert_int_eq(from_extents(source_falls, 2), -EINVAL);
	ck_assert_int_eq(from_extents(destination_falls, 2), -EINVAL);
	ck_assert_int_eq(from_extents(empty, 2), -EINVAL);
	ck_assert_int_eq(from_extents(beyond, 2), -ERANGE);
	ck_assert_int_eq(from_extents(overflows, 2), -ERANGE);
	ck_assert_int_eq(from_extents(NULL, 0), -EINVAL);
	ck_assert_ptr_null(plan);
}

static int with_options(struct plan_options options)
{
	plan_destroy(plan);
	plan = NULL;
	return plan_new(&source, &destination, NULL, NULL, NULL, &options, &plan, &error);
}

TEST(options_have_bounds)
{
	ck_assert_int_eq(with_options((struct plan_options){ 0 }), 0);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 512 }), 0);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 8 << 20 }), 0);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 511 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 256 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = (8 << 20) + 512 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = UINT32_MAX }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 1000 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .queue_depth = 256 }), 0);
	ck_assert_int_eq(with_options((struct plan_options){ .queue_depth = 257 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .lanes = 32 }), 0);
	ck_assert_int_eq(with_options((struct plan_options){ .lanes = 33 }), -EINVAL);
	ck_assert_int_eq(with_options((struct plan_options){ .rate = UINT64_MAX }), 0);
}

/* By itself only on flash that is not the source's disk; asked for, anywhere. */
static enum backend_choice source_backend(enum backend_choice asked)
{
	struct plan_options options = { .source_backend = asked };

	plan_destroy(plan);
	plan = NULL;
	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, &options, &plan, &error),
			 0);
	return plan->options.source_backend;
}

/* Nothing else reaches it; what was asked for is the guard's to judge. */
TEST(a_disk_without_a_block_node_is_read_by_sg)
{
	text_copy(source.sg, sizeof(source.sg), "/dev/sg3");
	ck_assert_int_eq(source_backend(BACKEND_AUTO), BACKEND_AUTO);
	text_copy(source.node, sizeof(source.node), "/dev/sg3");
	ck_assert_int_eq(source_backend(BACKEND_AUTO), BACKEND_SG);
	ck_assert_int_eq(source_backend(BACKEND_URING), BACKEND_URING);
}

TEST(reads_back_meanwhile_where_it_costs_nothing)
{
	sdb.rotational = NO;
	ck_assert_int_eq(with_options((struct plan_options){ 0 }), 0);
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_SPARE);
	ck_assert_int_eq(plan_rolling(plan, NULL), ROLLING_NO);
	sdb.rotational = YES;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
	sdb.rotational = UNKNOWN;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
	plan->options.verify = VERIFY_ROLLING;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_ASKED);
	sdb.rotational = NO;
	plan->options.verify = VERIFY_AFTER;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
	plan->options.verify = VERIFY_COMPARE;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
	plan->options.verify = VERIFY_OFF;
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
	source = test_part(&sdb, 1, 100, 1000);
	destination = test_part(&sdb, 2, 2000, 1000);
	ck_assert_int_eq(with_options((struct plan_options){ 0 }), 0);
	ck_assert_int_eq(plan_rolling(plan, &sdb), ROLLING_NO);
}

TEST(chunk_fits_both_sectors)
{
	sdb = test_disk("sdb", 16, SECTORS, 4096);
	destination = test_whole(&sdb);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 512 * 9 }), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sdb"));
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 8192 }), 0);
	sda = test_disk("sda", 0, SECTORS, 520);
	source = test_whole(&sda);
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 8192 }), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sda"));
	destination = test_image("/srv/a.img", 0, false);
	destination.logical_sector_size = 0; /* any */
	ck_assert_int_eq(with_options((struct plan_options){ .chunk = 520 * 8 }), 0);
}

static void id_of(char buffer[static 9])
{
	ck_assert_int_eq(make((struct range[]){ { 2048, 100 }, { 4096, 8 }, { 0 } }, NULL), 0);
	plan_id(plan, buffer);
	ck_assert_uint_eq(strlen(buffer), 8);
	ck_assert_uint_eq(strspn(buffer, "0123456789abcdef"), 8);
}

TEST(id_names_what_happens)
{
	const uint64_t at = 5;
	char first[9], id[9];

	id_of(first);
	id_of(id);
	ck_assert_str_eq(id, first);
	/* The same disks under other names after a reboot. */
	strcpy(source.node, "/dev/sdq");
	strcpy(source.disk_node, "/dev/sdq");
	source.devno = source.identity.devno = makedev(65, 0);
	source.identity.diskseq = 77;
	id_of(id);
	ck_assert_str_eq(id, first);
	/* Other sectors, another place, another disk, another partition. */
	ck_assert_int_eq(make((struct range[]){ { 2048, 100 }, { 4096, 9 }, { 0 } }, NULL), 0);
	ck_assert_str_ne(plan_id(plan, id), first);
	ck_assert_int_eq(make((struct range[]){ { 2048, 100 }, { 4096, 8 }, { 0 } }, &at), 0);
	ck_assert_str_ne(plan_id(plan, id), first);
	strcpy(destination.identity.serial, "OTHER");
	id_of(id);
	ck_assert_str_ne(id, first);
	strcpy(destination.identity.serial, sdb.identity.serial);
	destination = test_part(&sdb, 2, 8192, 100000);
	id_of(id);
	ck_assert_str_ne(id, first);
}

/* Loop devices and virtual disks have nothing but their name. */
TEST(id_of_disks_without_identity)
{
	char first[9], id[9];

	source.identity.serial[0] = '\0';
	id_of(first);
	id_of(id);
	ck_assert_str_eq(id, first);
	snprintf(source.disk_node, sizeof(source.disk_node), "/dev/sdq");
	id_of(id);
	ck_assert_str_ne(id, first);
}

TEST(id_outlives_the_making_of_an_image)
{
	char first[9], id[9];

	destination = test_image("/srv/a.img", 0, false);
	id_of(first);
	destination = test_image("/srv/a.img", 1 << 20, true);
	destination.identity.inode = 4711;
	destination.identity.devno = makedev(8, 3);
	id_of(id);
	ck_assert_str_eq(id, first);
	destination = test_image("/srv/b.img", 0, false);
	id_of(id);
	ck_assert_str_ne(id, first);
}

TEST(id_is_the_same_on_every_machine)
{
	char id[9];

	/* A number from the past: maps of earlier versions hold it. */
	id_of(id);
	ck_assert_str_eq(id, "f89c0711");
}

TEST(what_is_left_alone)
{
	static const struct range two[] = { { 100, 50 }, { 200, 50 }, { 0, 0 } };

	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error), 0);
	ck_assert_uint_eq(plan_bytes_left_alone(plan), SECTORS * 512ULL);
	ck_assert_int_eq(make(two, NULL), 0);
	ck_assert_uint_eq(plan_bytes_left_alone(plan), (2ULL * SECTORS - 100) * 512);
	destination.size = 220ULL * 512; /* an image that grows */
	ck_assert_int_eq(make(two, NULL), 0);
	ck_assert_uint_eq(plan_bytes_left_alone(plan), 150ULL * 512);
	destination.exists = false;
	ck_assert_int_eq(make(two, NULL), 0);
	ck_assert_uint_eq(plan_bytes_left_alone(plan), 0);
	destination = test_whole(&sda);
	destination.size = source.size;
	plan_destroy(plan);
	ck_assert_int_eq(plan_new(&source, &destination, NULL, NULL, NULL, NULL, &plan, &error), 0);
	ck_assert_uint_eq(plan_bytes_left_alone(plan), 0);
}
