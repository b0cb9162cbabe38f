/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of a disk, read from an open descriptor: partition table, partitions
 * and file systems (by libblkid), which sectors the table itself occupies, and what
 * is wrong with it. Only reads. Works on image files, too.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "discover/disk.h"

/* Sectors that hold the table: kind is REGION_TABLE or REGION_TABLE_BACKUP. */
struct table_area {
	enum region_kind kind;
	uint64_t start, sectors;
};

struct table {
	char type[16]; /* as in struct disk */
	char uuid[64];
	char whole_fs[32], whole_label[128];
	uint64_t signatures[DISK_SIGNATURES_MAX]; /* as in struct disk */
	size_t signature_count;
	struct partition *partitions; /* sorted by start; node and devno are not set */
	size_t partition_count;
	struct table_area *areas; /* not sorted */
	size_t area_count;
	bool gpt_from_backup; /* the GPT at the start is damaged; the one at the end is not */
	struct table_note *notes;
	size_t note_count;
};

struct once;

/* What to read. If another thread sets *stop, table_read() returns what it has found so far. */
struct table_source {
	int fd;                  /* O_RDONLY is enough */
	uint64_t size;           /* bytes */
	uint32_t sector_size;    /* logical, bytes */
	const atomic_bool *stop; /* NULL: never */
	/* Partitions (in logical sectors) whose contents are not read, because udev already has.
	 * NULL: none. */
	const struct range *known;
	size_t known_count;
	/* Logical sectors known to be unreadable. Trying them again costs a failing disk seconds
	 * each, so what lies there, or would be searched for there, stays unknown. NULL: none. */
	const struct range_list *bad;
	struct once *once; /* table_read()'s own; NULL elsewhere */
};

/* 0, -ENOMEM, or the error of reading the first sectors. After a read that fails, nothing more of
 * what the disk holds is looked for, and a note says so: each may be its last. *ret must be
 * released in any case. */
int table_read(const struct table_source *source, struct table *ret);
void table_done(struct table *table);
/* Fills in what lies where this partition is said to be: it need not be one. */
void table_read_contents(const struct table_source *source, struct partition *partition);
/* `from` must be as table_read() filled it. 0, or -ENOMEM with *ret empty. */
int table_copy(const struct table *from, struct table *ret);

/* What it holds, for a sentence, translated: "a partition table (gpt): 1 ext4 "photos" 29 MB"; ""
 * nothing that is known. sector_size: as in struct table_source. */
const char *table_print(const struct table *table, uint32_t sector_size, char *buffer, size_t size);

/* For gpt.c and dos.c. 0 or -ENOMEM. Only the first 16 notes are kept. */
int table_add_area(struct table *table, enum region_kind kind, uint64_t start, uint64_t sectors);
int table_add_note(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads whole sectors. 0 or a negative errno: -ENODATA beyond the end, -EIO for sectors known to be
 * bad. */
int table_read_sectors(const struct table_source *source, uint64_t lba, uint64_t sectors, void *to);

/* Add the sectors of the table itself, and notes about what is wrong with it or cannot be read. 0
 * or -ENOMEM. *retfound: there is at least one copy of the GPT, sound or not. */
int gpt_inspect(const struct table_source *source, struct table *table, bool *retfound);
int dos_inspect(const struct table_source *source, struct table *table);
/* Adds a note if the first sector names partitions beside a GPT. */
int dos_inspect_hybrid(const struct table_source *source, struct table *table);
/* The size of sectors that a GPT was made for, which a file does not say: 512 or 4096, where its
 * header is found and sound; 0 without one. */
uint32_t gpt_sector_size(int fd, uint64_t size);
/* Adds a note if there is a GPT that was made for sectors of another size. */
int gpt_inspect_other_size(const struct table_source *source, struct table *table);

/* ---- tables as they are on the disk; GPT: UEFI 2.9, chapter 5.3 ---- */

#define DOS_ENTRIES 446 /* bytes from the start of the sector */

struct dos_entry {
	uint8_t boot, first[3], type, last[3]; /* first, last: cylinder, head and sector */
	uint32_t start, sectors;
} __attribute__((packed));

static inline bool dos_type_is_extended(uint8_t type)
{
	return type == 0x05 || type == 0x0f || type == 0x85;
}

#define GPT_SIGNATURE "EFI PART"

struct gpt_header {
	char signature[8];
	uint32_t revision, header_size, header_crc, reserved;
	uint64_t my_lba, alternate_lba, first_usable, last_usable;
	uint8_t guid[16];
	uint64_t entries_lba;
	uint32_t entry_count, entry_size, entries_crc;
} __attribute__((packed));

/* Entries may be longer, but no tool makes such. */
struct gpt_entry {
	uint8_t type[16], guid[16];
	uint64_t first, last, attributes;
	uint8_t name[72];
} __attribute__((packed));

uint32_t gpt_crc32(const void *data, size_t length);
/* Is there a header in this sector, with its checksum right, which says that it lies here? */
bool gpt_header_is_sound(uint8_t *sector, uint32_t sector_size, uint64_t lba);
