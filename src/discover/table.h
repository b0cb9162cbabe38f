/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The contents of a disk, read from an open descriptor: table, partitions, file
 * systems (libblkid), the sectors of the table itself, and what is wrong with
 * it. Only reads; works on image files as well.
 */
#ifndef CLONEDECK_DISCOVER_TABLE_H
#define CLONEDECK_DISCOVER_TABLE_H

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
	struct partition *partitions; /* sorted by start; node and devno unknown */
	size_t partition_count;
	struct table_area *areas; /* in no order */
	size_t area_count;
	struct table_note *notes;
	size_t note_count;
};

/* What to read: fd (O_RDONLY) and its geometry. `stop` may be set by another thread; then what was
 * found so far is returned. */
struct table_source {
	int fd;
	uint64_t size;        /* bytes */
	uint32_t sector_size; /* logical, bytes */
	const atomic_bool *stop;
	/* Partitions (logical sectors) whose contents need no reading: udev has done it. NULL:
	 * none. */
	const struct range *known;
	size_t known_count;
	/* Places (logical sectors) known to be unreadable, each read of which costs a dying disk
	 * seconds: what is there, or is searched for near there, stays unknown. NULL: none. */
	const struct range *bad;
	size_t bad_count;
};

/* 0, -ENOMEM, or what reading the first sectors failed with; ret is always to be released. */
int table_read(const struct table_source *source, struct table *ret);
void table_done(struct table *table);
/* Of one that table_read() has filled and nobody has changed. 0 or -ENOMEM: then *ret is empty. */
int table_copy(const struct table *from, struct table *ret);

/* For gpt.c and dos.c: add to the table; -ENOMEM. A note beyond the first 16 is dropped. */
int table_add_area(struct table *table, enum region_kind kind, uint64_t start, uint64_t sectors);
int table_add_note(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Reads whole sectors into to; 0, or negative errno (-ENODATA beyond the end, -EIO for what is
 * known to be bad). */
int table_read_sectors(const struct table_source *source, uint64_t lba, uint64_t sectors, void *to);

/* The sectors of the table itself and what is wrong with it. 0 or -ENOMEM: what cannot be read
 * is a note. *retfound: there is at least one copy, sound or not. */
int gpt_inspect(const struct table_source *source, struct table *table, bool *retfound);
int dos_inspect(const struct table_source *source, struct table *table);
/* A note when the disk carries a GPT that was made for sectors of another size. */
int gpt_inspect_other_size(const struct table_source *source, struct table *table);

#endif
