/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by layout.c and the files for the two kinds of tables. */
#pragma once

#include "layout/arrange.h"
#include "layout/layout.h"

#define TABLE_MAX (1U << 20) /* bytes: the table at the start lies in these */

/* Sectors that hold a copy of the table: where they are read, and where they are written. */
struct table_place {
	uint64_t source, destination, sectors;
};

struct fitting {
	int fd;                   /* of the source */
	const char *name, *other; /* source and destination, for sentences */
	uint32_t sector;          /* bytes, of the source: all here is counted in these */
	uint32_t other_sector;    /* bytes, of the destination and the table that is made for it */
	uint64_t sectors, room;   /* of source and destination */
	unsigned char *before;    /* the first TABLE_MAX bytes of the source, */
	unsigned char *table;     /* and as libfdisk is to see them, with other_sector */

	/* What gpt.c or dos.c finds. */
	bool gpt;        /* of the table that is made */
	bool converts;   /* that of the source is an MS-DOS one */
	bool extended;   /* MS-DOS: there is an extended partition */
	uint64_t usable; /* the first LBA of the destination behind all that partitions may use */
	struct table_place places[2]; /* the first begins at LBA 0 */
	size_t place_count;
	bool learned; /* what is in the partitions is known */
	struct layout_part *parts;
	size_t part_count;

	struct layout_part *grown; /* NULL: none */
	struct layout_shrink shrink;
};

/* To aligned memory. -EIO with a sentence. */
int fitting_read(const struct fitting *f, uint64_t lba, uint64_t sectors, void *to,
		 struct error *reterr);
int fitting_refuse(const struct fitting *f, struct error *reterr, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* -ENOMEM. */
int fitting_add(struct fitting *f, unsigned number, uint64_t start, uint64_t sectors);

/* Is its entry another one in the table that is made? */
static inline bool fitting_writes(const struct fitting *f, const struct layout_part *part)
{
	return part_changes(part) || f->other_sector != f->sector;
}

/* Understand the table of the source, or refuse it. */
int gpt_prepare(struct fitting *f, struct error *reterr);
int dos_prepare(struct fitting *f, struct error *reterr);
/* An MS-DOS table, of which a GPT is made. */
int dos_to_gpt_prepare(struct fitting *f, struct error *reterr);
/* Changes these bytes as the partitions change: what libfdisk makes is compared with that. */
void gpt_change(const struct fitting *f, unsigned char *table);
void dos_change(const struct fitting *f, unsigned char *table, const unsigned char *made);

/* ---- move.c ---- */

/* Makes partitions end at f->usable, or refuses with what is to be done. They are ascending and
 * sound. */
int fit_smaller(struct fitting *f, struct error *reterr);
/* Moves what is behind this partition to the end of the destination, so that it can grow. What must
 * stay where it is, and what is before that, stays. */
int fit_larger(struct fitting *f, struct layout_part *part, struct error *reterr);
/* What follows from the places of the partitions in what they hold: FAT and NTFS say where they
 * begin. */
int moved_collect(const struct fitting *f, struct fitted *ret, struct error *reterr);
struct volume volume_of(const struct fitting *f, const struct layout_part *part);
/* What is in the partitions, and whether they may move. */
int learn_parts(struct fitting *f, struct error *reterr);
/* Code of a first sector that finds what it starts by the table of partitions, and not by a number
 * of its own. */
bool goes_by_table(const unsigned char *code);
/* The arithmetic of it: sets `to` and `size`. With `cut`, what moves is made as small as it can be.
 * False: *retblocked would have to end *retmissing sectors earlier. */
bool squeeze(struct layout_part *parts, size_t count, uint64_t usable, uint64_t unit, bool cut,
	     size_t *retblocked, uint64_t *retmissing);

/* The arithmetic of fit_larger(): sets `to`, from the last one to the first. */
void make_way(struct layout_part *parts, size_t count, uint64_t usable, uint64_t unit);

/* ---- sectors.c: where the sectors of the destination have another size ---- */

/* What places and sizes must be multiples of; 1: nothing special. */
uint64_t sector_multiple(const struct fitting *f);
/* A place in the unit of the table that is made. */
uint64_t sector_there(const struct fitting *f, uint64_t lba);
/* Only what is known to work with both sizes, at places that can be told in both, may go there; the
 * sizes of the partitions become multiples. */
int sectors_check(struct fitting *f, struct error *reterr);

/* ---- fdisk.c ---- */

/* Lets libfdisk write the table to memory of the size of the destination: a descriptor. */
int fdisk_make(const struct fitting *f, struct error *reterr);
