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

#include "base/hash.h"
#include "discover/lvm.h"
#include "discover/table.h"

#define SECTOR 512
#define SIZE   (1U << 20)
#define AREA   4096
#define RING   (128U << 10)
#define START  64 /* sectors before the partition */

static const char id[] = "KFskpqmFd6EnI3yaSZi5p2Ra9y66nDxB";

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t checksum(const uint8_t *bytes, size_t size)
{
	return crc32(0xf597a6cfU, CRC32_IEEE, bytes, size);
}

static void make_label(uint8_t *member)
{
	uint8_t *label = member + SECTOR;

	memcpy(label, "LABELONE", 8);
	put(label + 20, 32, 4);
	memcpy(label + 24, "LVM2 001", 8);
	memcpy(label + 32, id, 32);
	put(label + 72, AREA + RING, 8);
	put(label + 104, AREA, 8);
	put(label + 112, RING, 8);
	put(label + 16, checksum(label + 20, SECTOR - 20), 4);
}

static void make_metadata(uint8_t *member, const uint8_t *text, size_t size)
{
	uint8_t *area = member + AREA;

	memcpy(area + 4, " LVM2 x[5A%r0N*>", 16);
	put(area + 20, 1, 4);
	put(area + 40, SECTOR, 8);
	put(area + 48, size, 8);
	put(area + 56, checksum(text, size), 4);
	put(area, checksum(area + 4, SECTOR - 4), 4);
	memcpy(area + SECTOR, text, size);
}

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
	memset(member, 0, AREA + RING);
	make_label(member);
	make_metadata(member, data, size);
	source.fd = memfd_create("member", MFD_CLOEXEC);
	FUZZ_CHECK(source.fd >= 0);
	FUZZ_CHECK(pwrite(source.fd, member, AREA + RING, START * SECTOR) == AREA + RING);
	FUZZ_CHECK(ftruncate(source.fd, START * SECTOR + SIZE) == 0);
	strcpy(partition.fs, "LVM2_member");
	lvm_find(&source, &partition, 1, &volumes);
	check(&volumes);
	close(source.fd);
	return 0;
}
