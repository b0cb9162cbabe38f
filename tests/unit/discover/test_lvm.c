/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a member of an LVM group says of it, also where it lies. */
#include "discover/lvm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "discover/table.h"
#include "fake/lvm_member.h"
#include "images.h"
#include "unit.h"

#define SECTORS 768
#define START   64 /* of the partition */
#define LENGTH  (SECTORS - START)
#define RING    8192

static struct image image;
static struct partition partition;
static struct volumes volumes;

/* A member whose metadata is this text, from there in its ring. */
static void make_member(const char *text, size_t from)
{
	image_new(&image, SECTORS, 512);
	partition = (struct partition){ .number = 3, .start = START, .sectors = LENGTH };
	strcpy(partition.fs, "LVM2_member");
	lvm_member_make(image.bytes + START * 512, (uint64_t)LENGTH * 512, RING, text, strlen(text),
			from);
}

static void find(void)
{
	struct table_source source = { .size = image.sectors * 512, .sector_size = 512 };
	int fd = image_fd(&image);

	source.fd = fd;
	lvm_find(&source, &partition, 1, &volumes);
	close(fd);
	image_free(&image);
}

/* One volume in two parts that follow each other, and what the test adds. */
static const char *group_of(const char *members, const char *more)
{
	static char text[4000];

	snprintf(text, sizeof(text),
		 "lab {\nid = \"group-uuid\"\nseqno = 3\nstatus = [\"READ\"]\n"
		 "extent_size = 64\t# 32 Kilobytes\n"
		 "physical_volumes {\n pv0 {\n id = \"%s\"\n device = \"/dev/\\\"x\\\"\"\n"
		 " pe_start = 32\n pe_count = 10\n }\n%s}\nlogical_volumes {\n"
		 "root {\nid = \"r\"\nstatus = [\"READ\", \"VISIBLE\"]\nsegment_count = 2\n"
		 "segment1 {\nstart_extent = 0\nextent_count = 2\ntype = \"striped\"\n"
		 "stripe_count = 1\nstripes = [\n\"pv0\", 0\n]\n}\n"
		 "segment2 {\nstart_extent = 2\nextent_count = 1\ntype = \"striped\"\n"
		 "stripe_count = 1\nstripes = [\n\"pv0\", 2\n]\n}\n}\n%s}\n}\n"
		 "# Generated\ncontents = \"Text Format Volume Group\"\nversion = 1\n",
		 LVM_MEMBER_UUID, members, more);
	return text;
}

static const char *volume_of(const char *name, const char *type, unsigned first, unsigned count)
{
	static char text[600];

	snprintf(text, sizeof(text),
		 "%s {\nid = \"s\"\nstatus = [\"READ\", \"VISIBLE\"]\nsegment_count = 1\n"
		 "segment1 {\nstart_extent = 0\nextent_count = %u\ntype = \"%s\"\n"
		 "stripe_count = 1\nstripes = [\n\"pv0\", %u\n]\n}\n}\n",
		 name, count, type, first);
	return text;
}

TEST(volumes_lie_where_they_say)
{
	/* The ring ends within the text. */
	make_member(group_of("", volume_of("swap", "striped", 4, 6)), RING - 100);
	image_swap(&image, START + 32 + 4 * 64, 6 * 64, "in it");
	find();
	ck_assert_uint_eq(volumes.group_count, 1);
	ck_assert_str_eq(volumes.groups[0].name, "lab");
	ck_assert_str_eq(volumes.groups[0].uuid, "group-uuid");
	ck_assert_uint_eq(volumes.groups[0].members, 1);
	ck_assert(volumes.groups[0].reachable);
	ck_assert_ptr_eq(lvm_group(&volumes, 3), &volumes.groups[0]);
	ck_assert_ptr_null(lvm_group(&volumes, 1));
	ck_assert_uint_eq(volumes.count, 2);
	ck_assert_str_eq(volumes.items[0].name, "lab/root");
	ck_assert_uint_eq(volumes.items[0].start, 16 << 10);
	ck_assert_uint_eq(volumes.items[0].length, 96 << 10);
	ck_assert(volumes.items[0].reachable);
	ck_assert_str_eq(volumes.items[1].name, "lab/swap");
	ck_assert_uint_eq(volumes.items[1].start, 144 << 10);
	ck_assert_str_eq(volumes.items[1].fs, "swap");
	ck_assert_str_eq(volumes.items[1].label, "in it");
}

/* Beyond the end, of a RAID, with a snapshot, on another disk. */
TEST(what_is_not_in_one_piece_is_told)
{
	static const char other[] = " pv1 {\n id = \"other\"\n pe_start = 2048\n }\n";
	const struct {
		const char *members, *more;
		bool root;
	} cases[] = {
		{ "", volume_of("last", "striped", 4, 100), true },
		{ "",
		  "last {\nstatus = [\"VISIBLE\"]\nsegment1 {\nstart_extent = 0\n"
		  "extent_count = 1\ntype = \"raid1\"\n}\n}\n",
		  true },
		{ "", "last {\nstatus = [\"READ\"]\nsegment1 {\ntype = \"snapshot\"\n}\n}\n",
		  false },
		{ other,
		  "last {\nstatus = [\"VISIBLE\"]\nsegment1 {\nstart_extent = 0\n"
		  "extent_count = 1\ntype = \"striped\"\nstripe_count = 1\n"
		  "stripes = [\"pv1\", 0]\n}\n}\n",
		  true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_member(group_of(cases[i].members, cases[i].more), 512);
		find();
		ck_assert_uint_eq(volumes.group_count, 1);
		ck_assert_uint_eq(volumes.groups[0].members, cases[i].members[0] ? 2 : 1);
		ck_assert(!volumes.groups[0].reachable);
		ck_assert_int_eq(volumes.items[0].reachable, cases[i].root);
		ck_assert(!volumes.items[volumes.count - 1].reachable);
	}
}

/* Cut anywhere, or with any byte changed: found as it is, or not at all. */
TEST(damage_is_no_group)
{
	static const char signs[] = "{}[\"9";
	static char text[4000];
	size_t whole;

	strcpy(text, group_of("", ""));
	whole = (size_t)(strstr(text, "# Generated") - text) - 1;
	for (size_t length = 0; length < whole; length += 7) {
		char cut[sizeof(text)];

		memcpy(cut, text, length);
		cut[length] = '\0';
		make_member(cut, 512);
		find();
		ck_assert_uint_eq(volumes.group_count + volumes.count, 0);
	}
	for (size_t at = 520; at < LVM_MEMBER_AREA + 600;
	     at += at < 1000 || at >= LVM_MEMBER_AREA ? 1 : LVM_MEMBER_AREA - at) {
		make_member(text, 512);
		image.bytes[START * 512 + at] ^= 0x11;
		find();
		ck_assert_uint_eq(volumes.group_count, at < 528);
	}
	/* The checksum is right. */
	for (size_t at = 0; at < whole; at += 2)
		for (size_t i = 0; i < strlen(signs); i++) {
			char was = text[at];

			text[at] = signs[i];
			make_member(text, 512);
			text[at] = was;
			find();
			ck_assert_uint_le(volumes.group_count, 1);
			for (size_t k = 0; k < volumes.count; k++)
				ck_assert(!volumes.items[k].length ||
					  volumes.items[k].start + volumes.items[k].length <=
						  LENGTH * 512);
		}
	make_member("-x {\nid = \"a\"\n}\n", 512);
	find();
	ck_assert_uint_eq(volumes.group_count, 0);
}
