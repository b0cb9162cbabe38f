/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "whole.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

struct rig rig;
struct held held;
static struct partition parts[2], old_parts[1];
static struct disk source_disk, old_disk;

static struct partition part(unsigned number, uint64_t start, uint64_t bytes)
{
	return (struct partition){
		.number = number,
		.start = start / WHOLE_SECTOR,
		.sectors = bytes / WHOLE_SECTOR,
	};
}

void whole_prepare(uint64_t rate)
{
	struct plan_options options = { .chunk = 65536, .rate = rate, .on_error = ON_ERROR_MAP };

	rig_new(&rig, WHOLE_SIZE, WHOLE_SECTOR);
	rig_plan(&rig, NULL, 0, NULL, &options);
	rig.setup.map_path = rig.map_path;
	parts[0] = part(1, 2 * MIB, 5 * MIB);
	parts[1] = part(2, 8 * MIB, 6 * MIB + WHOLE_SECTOR);
	old_parts[0] = part(1, 5 * MIB, 5 * MIB);
	source_disk = (struct disk){
		.identity = rig.plan->source.identity,
		.table = "gpt",
		.partitions = parts,
		.partition_count = 2,
	};
	old_disk = (struct disk){
		.identity = rig.plan->destinations[0].identity,
		.partitions = old_parts,
		.partition_count = 1,
	};
	ck_assert_int_eq(held_find(rig.plan, &source_disk, &old_disk, &held), 0);
	rig.setup.held = &held;
}

void whole_prepare_member(bool table)
{
	whole_prepare(0);
	held_done(&held);
	if (!table)
		source_disk.table[0] = '\0';
	source_disk.signatures[source_disk.signature_count++] = WHOLE_MARK;
	ck_assert_int_eq(held_find(rig.plan, &source_disk, &old_disk, &held), 0);
}

void whole_teardown(void)
{
	held_done(&held);
	rig_teardown();
}

bool whole_is_all(char value, uint64_t offset, uint64_t length)
{
	/* Asked for each sector: under ThreadSanitizer, to free so much takes longer than to read
	 * it. */
	static _Alignas(4096) char buffer[MIB];

	ck_assert_uint_le(length, MIB);
	ck_assert_int_ge(
		pread(rig.destination, buffer, (length + 4095) / 4096 * 4096, (off_t)offset),
		(ssize_t)length);
	/* The first byte, and each is the one before. */
	return buffer[0] == value && memcmp(buffer, buffer + 1, length - 1) == 0;
}
