/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of the master file table and the bytes of their attributes. */
#pragma once

#include "content/content.h"

#define NTFS_RECORD_MAX 65536U

enum ntfs_type {
	NTFS_ATTRIBUTE_LIST = 0x20,
	NTFS_VOLUME_INFORMATION = 0x70,
	NTFS_DATA = 0x80,
	NTFS_INDEX_ROOT = 0x90,
	NTFS_INDEX_ALLOCATION = 0xa0,
};

struct ntfs_run {
	uint64_t cluster, count;
	bool hole;
};

/* One attribute; `runs` or, in its record, `value`. */
struct ntfs_attribute {
	const unsigned char *value;
	struct ntfs_run *runs;
	size_t run_count;
	uint64_t size, written; /* behind what was ever written are zeros */
};

struct ntfs {
	const struct volume *volume;
	struct content *content;
	uint64_t cluster_size, clusters, mft, mirror; /* the two places in clusters */
	uint32_t record_size;
	struct ntfs_attribute table; /* the master file table's own */
};

struct ntfs_record {
	uint8_t magic[4];
	uint16_t fixups, fixup_count;
	uint64_t log_number;
	uint16_t sequence, links, attributes, flags; /* flags: 1 in use */
	uint32_t used, allocated;
} __attribute__((packed));

/* Puts back the last two bytes of each 512, which guard against a torn write. */
bool ntfs_fix(unsigned char *block, size_t size);
/* The table itself, from where the boot sector says. */
int ntfs_open(struct ntfs *fs, unsigned char *record);
/* Into `record`, of NTFS_RECORD_MAX. Where that is not one, and so below, it is a doubt, and 0. */
int ntfs_read_record(struct ntfs *fs, uint64_t number, unsigned char *record);
/* The unnamed one of this type, or (indexes) the one named $I30; ret->size 0 if there is none.
 * Lives as long as the record; the caller closes it. */
int ntfs_find(struct ntfs *fs, const unsigned char *record, enum ntfs_type type,
	      struct ntfs_attribute *ret);
bool ntfs_has(const struct ntfs *fs, const unsigned char *record, enum ntfs_type type);
int ntfs_read(struct ntfs *fs, const struct ntfs_attribute *attribute, uint64_t offset,
	      void *buffer, size_t size);
void ntfs_close(struct ntfs_attribute *attribute);
int ntfs_damaged(const struct ntfs *fs);
