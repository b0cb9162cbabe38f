/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that fit: made by sfdisk, made to fit, laid down as a copy would, and asked of sfdisk. */
#include "unit.h"

#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "discover/table.h"
#include "folder.h"
#include "layout/layout_private.h"

#define MIB (1ULL << 20)

static char from[64], to[64], text[65536];
static struct plan plan;
static struct layout layout;
static struct error error;

static void setup(void)
{
	folder_make();
	snprintf(from, sizeof(from), "%s/from", folder);
	snprintf(to, sizeof(to), "%s/to", folder);
}

static void teardown(void)
{
	layout_done(&layout);
	folder_remove();
}

/* What a command prints; its exit status. */
static int run(const char *format, const char *path)
{
	char command[1024];
	FILE *pipe;
	size_t n;

	/* NOLINTNEXTLINE(cppcoreguidelines-init-variables) */
	snprintf(command, sizeof(command), "%s %s 2>&1", format, path);
	pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	n = fread(text, 1, sizeof(text) - 1, pipe);
	text[n] = '\0';
	return pclose(pipe);
}

static void make(const char *script, uint64_t size)
{
	char command[1024];

	snprintf(command, sizeof(command), "truncate -s %llu %s && printf '%s' | sfdisk -q",
		 (unsigned long long)size, from, script);
	ck_assert_msg(run(command, from) == 0, "%s", text);
}

static void poke(const char *path, uint64_t at, const void *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, length, (off_t)at), (ssize_t)length);
	close(fd);
}

static const char *places = "none"; /* that are asked for */
static uint32_t other_sector;       /* bytes of a sector there; 0: not known */
static const char *name;            /* of the source, for sentences; NULL: its path */

/* Makes what lies at this byte swap space, which says nothing of its size here. */
static void swap(uint64_t at)
{
	poke(from, at + 4096 - 10, "SWAPSPACE2", 10);
	poke(from, at + 1024, "\1\0\0\0\377\1\0\0", 8);
}

static int fit(uint64_t size, uint32_t grow)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC), r;

	plan = (struct plan){
		.source = { .kind = ENDPOINT_IMAGE, .logical_sector_size = 512, .exists = true },
		.destinations = { { .kind = ENDPOINT_IMAGE,
				    .size = size,
				    .exists = true,
				    .logical_sector_size = other_sector } },
		.destination_count = 1,
		.options.table = TABLE_FIT,
	};
	ck_assert_int_eq(plan_option_set(&plan.options, PLAN_OPTION_LAYOUT, places), 0);
	plan.source.size = (uint64_t)lseek(fd, 0, SEEK_END);
	snprintf(plan.source.node, sizeof(plan.source.node), "%s", name ? name : from);
	snprintf(plan.destinations[0].node, sizeof(plan.destinations[0].node), "%s", to);
	memset(&error, 0, sizeof(error));
	layout_done(&layout);
	r = layout_fit(&plan, fd, grow, &layout, &error);
	close(fd);
	return r;
}

static void refused(uint64_t size, uint32_t grow, const char *word)
{
	ck_assert_int_lt(fit(size, grow), 0);
	ck_assert_msg(strstr(error.sentence, word), "%s", error.sentence);
	ck_assert_uint_eq(layout.extent_count, 0);
	ck_assert_uint_eq(layout.fitted.count, 0);
}

/* As the copy does it. */
static void copy(uint64_t size)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char buffer[512];

	ck_assert_int_eq(ftruncate(out, (off_t)size), 0);
	for (size_t i = 0; i < layout.extent_count; i++) {
		const struct extent *e = &layout.extents[i];

		for (uint64_t s = 0; s < e->sectors; s++) {
			uint64_t at = (e->source_lba + s) * 512;

			ck_assert_int_eq(pread(in, buffer, 512, (off_t)at), 512);
			fitted_apply(&layout.fitted, at, buffer, 512);
			ck_assert_uint_le((e->destination_lba + s + 1) * 512, size);
			ck_assert_int_eq(
				pwrite(out, buffer, 512, (off_t)((e->destination_lba + s) * 512)),
				512);
		}
	}
	close(in);
	close(out);
	ck_assert_msg(run("sfdisk --verify", to) == 0, "%s", text);
	ck_assert_msg(strstr(text, "No errors detected"), "%s", text);
}

static void fits(uint64_t size, uint32_t grow)
{
	ck_assert_msg(fit(size, grow) == 0, "%s", error.sentence);
	copy(size);
}

#define GPT                                                                                        \
	"label: gpt\\nlabel-id: 11111111-2222-3333-4444-555555555555\\n"                           \
	"start=2048,size=8192,type=U,name=\"esp\"\\nstart=10240,size=16384,type=L\\n"

UNIT_CASE(.setup = setup, .teardown = teardown);

TEST(test_gpt_larger)
{
	make(GPT, 16 * MIB);
	fits(40 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.backup, 40 * 2048 - 1);
	ck_assert_uint_eq(layout.fitted.grown, 0);
	run("sfdisk -d", to);
	ck_assert_ptr_nonnull(strstr(text, "last-lba: 81886"));
	ck_assert_ptr_nonnull(strstr(text, "11111111-2222-3333-4444-555555555555"));
	ck_assert_ptr_nonnull(strstr(text, "size=       16384"));
}

TEST(test_gpt_grown)
{
	make(GPT, 16 * MIB);
	fits(40 * MIB, GROW_LAST);
	ck_assert_uint_eq(layout.fitted.grown, 2);
	ck_assert_uint_eq(layout.fitted.start, 10240);
	ck_assert_uint_eq(layout.fitted.before, 16384);
	ck_assert_uint_eq((layout.fitted.start + layout.fitted.after) % 2048, 0);
	ck_assert_uint_gt(layout.fitted.after, 28 * 2048);
	refused(40 * MIB, 7, "no partition 7");
	refused(26624 * 512 + 33 * 512, 1, "no room behind partition 1");
}

TEST(test_gpt_smaller)
{
	make(GPT, 40 * MIB);
	fits(14 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.extent_count, 2);
	ck_assert_uint_eq(layout.extents[0].sectors, 14 * 2048 - 33);
	/* The last sector is the one that decides. */
	fits(26624 * 512 + 33 * 512, GROW_NO);
	refused(26624 * 512 + 32 * 512, GROW_NO, "partition 1 stays");
	refused(20 * 512, GROW_NO, "no room");
}

TEST(test_gpt_same_size)
{
	make(GPT, 40 * MIB);
	fits(40 * MIB, GROW_LAST);
	ck_assert_uint_eq(layout.fitted.grown, 2);
	/* Only what changes: the header and one sector of entries, twice. */
	ck_assert_uint_eq(layout.fitted.count, 4);
}

/* Only one of the two copies is there. */
TEST(test_gpt_damaged)
{
	make(GPT, 16 * MIB);
	poke(from, 16 * MIB - 512, "x", 1);
	fits(40 * MIB, GROW_LAST);
	poke(from, 512 + 60, "x", 1);
	refused(40 * MIB, GROW_NO, "damaged");
	poke(from, 512, "x", 1);
	refused(40 * MIB, GROW_NO, "missing or damaged");
}

TEST(test_gpt_entries_damaged)
{
	make(GPT, 16 * MIB);
	poke(from, 1024 + 200, "x", 1);
	refused(40 * MIB, GROW_NO, "entries");
}

/* A header whose checksum is right, and with it an impossible first LBA for partitions. */
TEST(test_gpt_impossible)
{
	const uint64_t first = htole64(UINT64_MAX - 20);
	unsigned char header[512];
	struct gpt_header *h = (struct gpt_header *)header;
	int fd;

	make("label: gpt\n", 16 * MIB);
	fd = open(from, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, header, sizeof(header), 512), sizeof(header));
	close(fd);
	h->first_usable = first;
	h->header_crc = 0;
	h->header_crc = htole32(~crc32(~0U, CRC32_IEEE, header, le32toh(h->header_size)));
	poke(from, 512, header, sizeof(header));
	poke(from, 16 * MIB - 512, "x", 1);
	refused(16 * 512, GROW_NO, "has no room for the table");
	ck_assert_uint_eq(layout.table.count, 0);
	refused(40 * MIB, GROW_NO, "has no room for the table");
}

/* The backup is of another table. */
TEST(test_gpt_disagrees)
{
	static unsigned char end[33 * 512];
	int fd;

	make("label: gpt\\nstart=4096,size=4096\\n", 16 * MIB);
	fd = open(from, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(pread(fd, end, sizeof(end), 16 * MIB - sizeof(end)), sizeof(end));
	close(fd);
	make(GPT, 16 * MIB);
	poke(from, 16 * MIB - sizeof(end), end, sizeof(end));
	refused(40 * MIB, GROW_NO, "different things");
}

TEST(test_hybrid)
{
	static const unsigned char entry[16] = { 0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 8 };

	make(GPT, 16 * MIB);
	poke(from, 446 + 16, entry, sizeof(entry));
	refused(40 * MIB, GROW_NO, "hybrid");
}

TEST(test_gpt_overlap)
{
	make("label: gpt\\nstart=2048,size=8192\\nstart=10240,size=2048\\n", 16 * MIB);
	ck_assert_int_eq(run("sgdisk -o -n 1:2048:9000 -n 2:10240:12000", from), 0);
	fits(40 * MIB, GROW_NO);
	/* sfdisk makes none; --force does. */
	make("label: dos\\nstart=2048,size=8192\\nstart=10240,size=2048\\n", 16 * MIB);
	poke(from, 446 + 16 + 8, "\0\x10\0\0", 4);
	refused(40 * MIB, GROW_NO, "overlaps");
}

#define DOS                                                                                        \
	"label: dos\\nlabel-id: "                                                                  \
	"0x12345678\\nstart=2048,size=8192,type=7,bootable\\nstart=10240,size=8192\\n"

TEST(test_dos)
{
	make(DOS, 16 * MIB);
	poke(from, 0, "boot code", 9);
	fits(40 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.count, 0);
	fits(40 * MIB, GROW_LAST);
	ck_assert_uint_eq(layout.fitted.count, 1);
	ck_assert_uint_eq(layout.fitted.after, 40 * 2048 - 10240);
	ck_assert_mem_eq(layout.fitted.units[0].bytes, "boot code", 9);
	run("sfdisk -d", to);
	ck_assert_ptr_nonnull(strstr(text, "0x12345678"));
	ck_assert_ptr_nonnull(strstr(text, "bootable"));
	fits(9 * MIB, GROW_NO);
	refused(8 * MIB, GROW_NO, "boot code");
}

TEST(test_dos_extended)
{
	make("label: dos\\nstart=2048,size=8192\\nstart=10240,size=16384,type=5\\n"
	     "start=12288,size=8192\\n",
	     16 * MIB);
	fits(40 * MIB, GROW_NO);
	refused(40 * MIB, GROW_LAST, "extended");
	places = "5:9M";
	refused(40 * MIB, GROW_NO, "Partition 5 must stay as it is: with an extended partition");
	places = "3:9M";
	refused(40 * MIB, GROW_NO, "no partition 3");
	places = "none";
	poke(from, 510, "xx", 2);
	refused(40 * MIB, GROW_NO, "understood");
}

TEST(test_4k)
{
	/* What is in the partitions is not known. */
	make(GPT, 16 * MIB);
	other_sector = 4096;
	refused(40 * MIB, GROW_NO, "1 (unknown), ");
	/* Swap takes any sector, but this one begins within one. */
	make("label: gpt\\nstart=2049,size=4096\\n", 16 * MIB);
	swap(MIB + 512);
	refused(40 * MIB, GROW_NO, "multiples of 4096 bytes");
	other_sector = 1024;
	make("label: dos\\nstart=2048,size=4096,type=82\\n", 16 * MIB);
	swap(MIB);
	ck_assert_msg(fit(40 * MIB, GROW_NO) == 0, "%s", error.sentence);
	ck_assert_uint_eq(layout.fitted.sector, 1024);
	ck_assert_uint_eq(layout.fitted.count, 1);
	/* 1024 and 2048 sectors, in its first entry. */
	ck_assert_mem_eq(layout.fitted.units[0].bytes + 446 + 8, "\0\4\0\0\0\10\0\0", 8);
	make("label: dos\\nstart=2048,size=8192,type=5\\nstart=4096,size=2048\\n", 16 * MIB);
	refused(40 * MIB, GROW_NO, "extended partition");
	other_sector = 0;
}

static void shows(uint64_t lba, const char *words)
{
	char there[16] = "";
	int fd = open(to, O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(pread(fd, there, strlen(words), (off_t)(lba * 512)), (int)strlen(words));
	close(fd);
	ck_assert_str_eq(there, words);
}

/* Swap or a recovery partition stands behind the system: it makes way. */
TEST(test_gpt_makes_way)
{
	make("label: gpt\nstart=2048,size=4096\nstart=6144,size=8192\nstart=16384,size=4096\n",
	     16 * MIB);
	poke(from, 6144 * 512, "second", 6);
	poke(from, 16384 * 512, "third", 5);
	fits(40 * MIB, 2);
	ck_assert_uint_eq(layout.fitted.grown, 2);
	ck_assert_uint_eq(layout.fitted.part_count, 1);
	ck_assert_uint_eq(layout.fitted.parts[0].to, 75776);
	ck_assert_uint_eq(layout.fitted.after, 75776 - 6144);
	shows(6144, "second");
	shows(75776, "third");
	fits(40 * MIB, GROW_LARGEST);
	ck_assert_uint_eq(layout.fitted.grown, 2);
	/* Both behind it move, the last one first. */
	fits(40 * MIB, 1);
	ck_assert_uint_eq(layout.fitted.parts[0].to, 75776 - 8192);
	ck_assert_uint_eq(layout.fitted.after, 75776 - 8192 - 2048);
	shows(75776 - 8192, "second");
	shows(75776, "third");
	/* GRUB's core is found by its place. */
	make("label: gpt\nstart=2048,size=4096\n"
	     "start=6144,size=2048,type=21686148-6449-6E6F-744E-656564454649\n",
	     16 * MIB);
	refused(40 * MIB, 1, "partition 2 behind it stays");
	fits(40 * MIB, GROW_LAST);
}

TEST(test_gpt_moved)
{
	make("label: gpt\\nstart=2048,size=4096\\nstart=20480,size=4096\\nstart=40960,size=8192\\n",
	     40 * MIB);
	poke(from, 20480 * 512, "second", 6);
	poke(from, 40960 * 512, "third", 5);
	fits(20 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.part_count, 1);
	ck_assert_uint_eq(layout.fitted.parts[0].to, 30720);
	fits(10 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.part_count, 2);
	ck_assert_uint_eq(layout.fitted.parts[1].to, 10240);
	shows(6144, "second");
	shows(10240, "third");
	refused(8 * MIB, GROW_NO, "4,096 sectors too large");
	refused(10 * MIB, 3, "no room behind");
}

#define THREE "label: gpt\\nstart=2048,size=4096\\nstart=8192,size=8192\\nstart=20480,size=4096\\n"

/* The one in the middle grows, and the last one gives way. */
TEST(test_gpt_arranged)
{
	make(THREE, 16 * MIB);
	poke(from, 8192 * 512, "second", 6);
	poke(from, 20480 * 512, "third", 5);
	places = "2:24M";
	fits(40 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.grown, 2);
	ck_assert_uint_eq(layout.fitted.after, 49152);
	ck_assert_uint_eq(layout.fitted.parts[0].to, 57344);
	shows(8192, "second");
	shows(57344, "third");
	places = "2:8M@8M,3@37M";
	fits(40 * MIB, GROW_NO);
	ck_assert_uint_eq(layout.fitted.start, 16384);
	ck_assert_uint_eq(layout.fitted.part_count, 2);
	run("sfdisk -d", to);
	ck_assert_ptr_nonnull(strstr(text, "start=       16384, size=       16384"));
	shows(16384, "second");
	shows(75776, "third");
	/* Both towards the end of a disk of the same size, and back in place. */
	places = "2@5M,3:3M";
	fits(16 * MIB, GROW_NO);
	shows(10240, "second");
	shows(20480, "third");
	places = "none";
}

/* The command is there to be pasted. */
TEST(test_shrink_is_said)
{
	char command[128];

	make("label: gpt\nstart=2048,size=77824\n", 40 * MIB);
	snprintf(command, sizeof(command), "mke2fs -q -t ext4 -E offset=1048576 %s 38m", from);
	ck_assert_int_eq(run(command, ""), 0);
	refused(30 * MIB, GROW_NO, "must become");
	ck_assert_uint_eq(layout.shrink.number, 1);
	name = "/srv/old disk's $(id).img";
	refused(30 * MIB, GROW_NO,
		":  clonedeck clone -s '/srv/old disk'\\''s $(id).img' -d /tmp/clonedeck-");
	name = NULL;
}

TEST(test_arranged_refused)
{
	static const struct {
		const char *places, *word;
	} bad[] = {
		{ "2:2M", "smaller than its file system" },
		{ "1@4M", "the first one" },
		{ "2:100M", "no room" },
		{ "3@3M", "no room" },
		{ "3@39M", "no room" },
		/* The one before gives way as far as it can. */
		{ "3@4M", "With what is asked for, there is no room for partition 2." },
		{ "2:9223372036854775807M", NULL },
		{ "2:17179869184G", NULL },
		{ "2:18446744073709551104@18446744073709551104", "no room" },
		{ "7:9M", "no partition 7" },
		{ "2:5242881", "whole sectors" },
	};
	struct plan_options options = { 0 };

	make(THREE, 16 * MIB);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		places = bad[i].places;
		if (bad[i].word)
			refused(40 * MIB, GROW_NO, bad[i].word);
		else
			ck_assert_int_lt(
				plan_option_set(&options, PLAN_OPTION_LAYOUT, bad[i].places), 0);
	}
	places = "none";
}

/* Far larger than any file here could be. */
TEST(test_huge)
{
	make(GPT, 16 * MIB);
	ck_assert_int_eq(fit(20ULL << 40, GROW_LAST), 0);
	ck_assert_uint_eq(layout.fitted.backup, (20ULL << 31) - 1);
	make(DOS, 16 * MIB);
	ck_assert_int_eq(fit(20ULL << 40, GROW_LAST), 0);
	ck_assert_uint_le(layout.fitted.start + layout.fitted.after, UINT32_MAX);
}
