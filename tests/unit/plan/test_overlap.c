/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do both ends meet on one disk: what is the same disk, and which bytes of it. */
#include "unit.h"

#include <string.h>

#include "disks.h"
#include "plan/plan.h"

#define SECTORS 100000U

static struct disk sda, sdb;

static void setup(void)
{
	sda = test_disk("sda", 0, SECTORS, 512);
	sdb = test_disk("sdb", 16, SECTORS, 512);
}

static struct plan *plan_of(const struct endpoint *source, const struct endpoint *destination,
			    const struct range *ranges, const uint64_t *at)
{
	struct range_list list = { 0 };
	struct plan *plan;

	for (; ranges && ranges->count > 0; ranges++)
		ck_assert_int_eq(range_list_add(&list, *ranges), 0);
	ck_assert_int_eq(plan_new(source, destination, list.count ? &list : NULL, at, NULL, NULL,
				  &plan, NULL),
			 0);
	range_list_done(&list);
	return plan;
}

static bool same(const struct endpoint *source, const struct endpoint *destination)
{
	struct plan *plan = plan_of(source, destination, (struct range[]){ { 0, 1 }, { 0 } }, NULL);
	bool answer = plan_same_disk(plan);

	plan_destroy(plan);
	return answer;
}

static bool meets(const struct endpoint *source, const struct endpoint *destination,
		  const struct range *ranges, const uint64_t *at)
{
	struct plan *plan = plan_of(source, destination, ranges, at);
	bool answer = plan_overlaps_itself(plan);

	plan_destroy(plan);
	return answer;
}

UNIT_CASE(.setup = setup);

TEST(other_disks)
{
	struct endpoint a = test_whole(&sda), b = test_whole(&sdb);

	ck_assert(!same(&a, &b));
	ck_assert(!meets(&a, &b, NULL, NULL));
	b = test_part(&sdb, 1, 100, 1000);
	ck_assert(!same(&a, &b));
	/* Nothing known of either is no reason to call them one. */
	memset(&a.identity, 0, sizeof(a.identity));
	memset(&b.identity, 0, sizeof(b.identity));
	a.disk_node[0] = b.disk_node[0] = '\0';
	ck_assert(!same(&a, &b));
}

TEST(one_disk)
{
	struct endpoint a = test_whole(&sda), b = test_whole(&sda);

	ck_assert(same(&a, &b));
	ck_assert(meets(&a, &b, NULL, NULL));
	/* Under another name. */
	strcpy(b.node, "/dev/disk/by-id/ata-X");
	strcpy(b.disk_node, "/dev/sdz");
	ck_assert(same(&a, &b));
}

TEST(two_paths_to_one_disk)
{
	struct endpoint a = test_whole(&sda), b = test_whole(&sdb);

	strcpy(a.identity.wwn, "0x5000cca01a2b3c4d");
	strcpy(b.identity.wwn, "0x5000cca01a2b3c4d");
	ck_assert(!same(&a, &b)); /* the serials say otherwise */
	strcpy(b.identity.serial, a.identity.serial);
	ck_assert(same(&a, &b));
	strcpy(a.identity.model, b.identity.model);
	b.identity.size += 512;
	ck_assert(!same(&a, &b));
	b.identity.size -= 512;
	/* No WWN at all, as with cheap bridges: equal serials of two nodes prove nothing. */
	a.identity.wwn[0] = b.identity.wwn[0] = '\0';
	ck_assert(!same(&a, &b));
	strcpy(a.identity.wwn, "0x3001237923792379");
	strcpy(b.identity.wwn, "0x3001237923792379");
	ck_assert(!same(&a, &b)); /* made up by the bridge */
	/* Without device numbers (recorded in a map) the identity is all there is. */
	a.identity.devno = 0;
	a.identity.diskseq = 0;
	ck_assert(same(&a, &b));
}

TEST(partitions_of_one_disk)
{
	struct endpoint whole = test_whole(&sda);
	struct endpoint first = test_part(&sda, 1, 1000, 500);
	struct endpoint second = test_part(&sda, 2, 1500, 500);
	const uint64_t at_1499 = 1499, at_1500 = 1500, at_500 = 500, at_501 = 501;

	ck_assert(same(&first, &second));
	ck_assert(!meets(&first, &second, NULL, NULL));
	/* From the partition to the disk that it lies on. */
	ck_assert(!meets(&first, &whole, NULL, &at_1500));
	ck_assert(meets(&first, &whole, NULL, &at_1499));
	ck_assert(!meets(&first, &whole, NULL, &at_500));
	ck_assert(meets(&first, &whole, NULL, &at_501));
	/* And back: sectors 1000 to 1499 of the disk are the partition. */
	ck_assert(meets(&whole, &first, (struct range[]){ { 0, 1001 }, { 0 } }, NULL));
	ck_assert(!meets(&whole, &second, (struct range[]){ { 0, 500 }, { 0 } }, NULL));
}

TEST(many_extents)
{
	struct endpoint disk = test_whole(&sda);
	const struct range comb[] = { { 0, 10 }, { 20, 10 }, { 40, 10 }, { 60, 10 }, { 0 } };
	uint64_t at = 10;

	/* The teeth of one fall into the gaps of the other. */
	ck_assert(!meets(&disk, &disk, comb, &at));
	at = 11;
	ck_assert(meets(&disk, &disk, comb, &at));
	at = 9;
	ck_assert(meets(&disk, &disk, comb, &at));
	at = 50;
	ck_assert(!meets(&disk, &disk, comb, &at));
	at = 69;
	ck_assert(meets(&disk, &disk, comb, &at));
	at = 70;
	ck_assert(!meets(&disk, &disk, comb, &at));
}

/* Against the plain way: every sector of one side is looked for in the other. */
TEST(agrees_with_counting_sectors)
{
	struct endpoint disk = test_whole(&sda);
	uint32_t state = 12345;

	for (int round = 0; round < 2000; round++) {
		struct range_list list = { 0 };
		struct plan *plan;
		bool expected = false;
		bool read[512] = { false };

		for (int i = 0; i < 6; i++) {
			state = state * 1664525 + 1013904223;
			range_list_add(&list, (struct range){ state >> 24, 1 + (state >> 8) % 7 });
		}
		state = state * 1664525 + 1013904223;
		uint64_t at = state >> 24;

		ck_assert_int_eq(plan_new(&disk, &disk, &list, &at, NULL, NULL, &plan, NULL), 0);
		for (size_t i = 0; i < plan->extent_count; i++)
			for (uint64_t s = 0; s < plan->extents[i].sectors; s++)
				read[plan->extents[i].source_lba + s] = true;
		for (size_t i = 0; i < plan->extent_count; i++)
			for (uint64_t s = 0; s < plan->extents[i].sectors; s++) {
				uint64_t lba = plan->extents[i].destination_lba + s;

				expected = expected || (lba < 512 && read[lba]);
			}
		ck_assert_msg(plan_overlaps_itself(plan) == expected, "round %d", round);
		plan_destroy(plan);
		range_list_done(&list);
	}
}

TEST(image_files)
{
	struct endpoint a = test_image("/srv/a.img", 51200, true);
	struct endpoint b = test_image("/mnt/other/name.img", 51200, true);
	const uint64_t at = 50;

	a.identity.devno = b.identity.devno = makedev(8, 3);
	a.identity.inode = 12;
	b.identity.inode = 13;
	ck_assert(!same(&a, &b));
	b.identity.inode = 12;
	ck_assert(same(&a, &b));
	ck_assert(meets(&a, &b, NULL, NULL));
	ck_assert(!meets(&a, &b, (struct range[]){ { 0, 50 }, { 0 } }, &at));
	b.identity.devno = makedev(8, 4);
	ck_assert(!same(&a, &b));
	/* An image on a file system right on the disk has the disk's number, and is not it. */
	a = test_whole(&sda);
	b.identity.devno = sda.identity.devno;
	ck_assert(!same(&a, &b));
	/* Two files to come are not one because nothing is known of them. */
	a = test_image("/srv/a.img", 51200, true);
	b = test_image("/srv/b.img", 0, false);
	ck_assert(!same(&a, &b));
}
