/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake/lvm_member.h"

#include <string.h>

#include "base/hash.h"

#define SECTOR 512U

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t checksum(const void *bytes, size_t size)
{
	return crc32(0xf597a6cfU, CRC32_IEEE, bytes, size);
}

static void make_label(uint8_t *label, uint64_t size, uint32_t ring)
{
	memcpy(label, "LABELONE", 8);
	put(label + 8, 1, 8);
	put(label + 20, 32, 4);
	memcpy(label + 24, "LVM2 001", 8);
	memcpy(label + 32, LVM_MEMBER_ID, 32);
	put(label + 64, size, 8);
	put(label + 72, LVM_MEMBER_AREA + ring, 8);
	put(label + 104, LVM_MEMBER_AREA, 8);
	put(label + 112, ring, 8);
	put(label + 16, checksum(label + 20, SECTOR - 20), 4);
}

void lvm_member_make(uint8_t *member, uint64_t size, uint32_t ring, const void *text, size_t length,
		     size_t from)
{
	uint8_t *area = member + LVM_MEMBER_AREA;
	const uint8_t *bytes = text;

	make_label(member + SECTOR, size, ring);
	memcpy(area + 4, " LVM2 x[5A%r0N*>", 16);
	put(area + 20, 1, 4);
	put(area + 24, LVM_MEMBER_AREA, 8);
	put(area + 32, ring, 8);
	put(area + 40, from, 8);
	put(area + 48, length, 8);
	put(area + 56, checksum(text, length), 4);
	put(area, checksum(area + 4, SECTOR - 4), 4);
	for (size_t i = 0; i < length; i++)
		area[from + i < ring ? from + i : from + i - ring + SECTOR] = bytes[i];
}
