/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by layout.c and the files for the two kinds of tables. */
#ifndef CLONEDECK_LAYOUT_LAYOUT_PRIVATE_H
#define CLONEDECK_LAYOUT_LAYOUT_PRIVATE_H

#include "layout/layout.h"

#define TABLE_MAX (1U << 20) /* bytes: the table at the start lies in these */

/* Sectors that hold a copy of the table: where they are read, and where they are written. */
struct table_place {
	uint64_t source, destination, sectors;
};

struct part {
	unsigned number;
	uint64_t start, sectors;
};

struct fitting {
	int fd;                   /* of the source */
	const char *name, *other; /* source and destination, for sentences */
	uint32_t sector;          /* bytes, of both */
	uint64_t sectors, room;   /* of source and destination */
	unsigned char *before;    /* the first TABLE_MAX bytes of the source, */
	unsigned char *table;     /* and as libfdisk is to see them */

	/* What gpt.c or dos.c finds. */
	bool gpt;
	bool extended;   /* MS-DOS: there is an extended partition */
	uint64_t usable; /* the first LBA of the destination behind all that partitions may use */
	struct table_place places[2]; /* the first begins at LBA 0 */
	size_t place_count;
	struct part *parts;
	size_t part_count;

	/* The partition that grows. */
	const struct part *grown;
	uint64_t size; /* sectors, then */
};

/* To aligned memory. -EIO with a sentence. */
int fitting_read(const struct fitting *f, uint64_t lba, uint64_t sectors, void *to,
		 struct error *reterr);
int fitting_refuse(const struct fitting *f, struct error *reterr, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* -ENOMEM. */
int fitting_add(struct fitting *f, unsigned number, uint64_t start, uint64_t sectors);

/* Understand the table of the source, or refuse it. */
int gpt_prepare(struct fitting *f, struct error *reterr);
int dos_prepare(struct fitting *f, struct error *reterr);
/* Changes these bytes in the same way as growing the partition does: what libfdisk makes is
 * compared with that. */
void gpt_grow(const struct fitting *f, unsigned char *table);
void dos_grow(const struct fitting *f, unsigned char *table, const unsigned char *made);

/* Lets libfdisk write the table to memory of the size of the destination: a descriptor. */
int fdisk_make(const struct fitting *f, struct error *reterr);

#endif
