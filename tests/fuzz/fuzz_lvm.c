/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any text as the metadata of an LVM group, on a member whose labels and checksums are right:
 * whatever it says, no volume lies outside of the member, and names are fit for the command line of
 * a tool.
 */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "discover/lvm.h"
#include "discover/table.h"
#include "fake/lvm_member.h"

#define SECTOR 512
#define SIZE   (1U << 20)
#define RING   (128U << 10)
#define START  64 /* sectors before the partition */

static void check_name(const char *name, size_t size)
{
	FUZZ_CHECK(memchr(name, '\0', size) && name[0] && name[0] != '-');
	for (; *name; name++)
		FUZZ_CHECK((unsigned char)*name > ' ' && (unsigned char)*name < 0x7f);
}

static void check(const struct volumes *volumes)
{
	FUZZ_CHECK(volumes->group_count <= 1 && volumes->count <= LVM_VOLUMES_MAX);
	FUZZ_CHECK(volumes->group_count == 1 || volumes->count == 0);
	for (size_t i = 0; i < volumes->group_count; i++) {
		check_name(volumes->groups[i].name, LVM_NAME_MAX);
		FUZZ_CHECK(volumes->groups[i].members > 0);
	}
	for (size_t i = 0; i < volumes->count; i++) {
		const struct logical_volume *volume = &volumes->items[i];

		check_name(volume->name, sizeof(volume->name));
		FUZZ_CHECK(volume->start <= SIZE && volume->length <= SIZE - volume->start);
		FUZZ_CHECK(volume->length || !volume->reachable);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct partition partition = { .number = 1, .start = START, .sectors = SIZE / SECTOR };
	struct table_source source = { .size = START * SECTOR + SIZE, .sector_size = SECTOR };
	static struct volumes volumes;
	static uint8_t member[SIZE];

	if (size > RING - SECTOR)
		return 0;
	memset(member, 0, LVM_MEMBER_AREA + RING);
	lvm_member_make(member, SIZE, RING, data, size, SECTOR);
	source.fd = memfd_create("member", MFD_CLOEXEC);
	FUZZ_CHECK(source.fd >= 0);
	FUZZ_CHECK(pwrite(source.fd, member, LVM_MEMBER_AREA + RING, START * SECTOR) ==
		   LVM_MEMBER_AREA + RING);
	FUZZ_CHECK(ftruncate(source.fd, START * SECTOR + SIZE) == 0);
	strcpy(partition.fs, "LVM2_member");
	lvm_find(&source, &partition, 1, &volumes);
	check(&volumes);
	close(source.fd);
	return 0;
}
