/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a GUID partition table (UEFI 2.9, chapter 5.3), as it is on the disk. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GPT_SIGNATURE "EFI PART"

struct gpt_header {
	char signature[8];
	uint32_t revision, header_size, header_crc, reserved;
	uint64_t my_lba, alternate_lba, first_usable, last_usable;
	uint8_t guid[16];
	uint64_t entries_lba;
	uint32_t entry_count, entry_size, entries_crc;
} __attribute__((packed));

/* Is there a header in this sector, with its checksum right, which says that it lies here? */
bool gpt_header_is_sound(uint8_t *sector, uint32_t sector_size, uint64_t lba);
