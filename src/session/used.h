/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the file systems of a source use. Of each partition, the plan then copies everything, or the
 * used part first, or only the used part. Read in the background, with the source claimed, and
 * again when the copy starts, since blocks that were free may be in use by then.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "discover/endpoint.h"

struct free_places;
struct plan;

enum used_mode { USED_WHOLE, USED_FIRST, USED_ONLY };

#define USED_NUMBERS 256

/* Of each partition, by its number; 0: a source without partitions. Higher numbers are copied
 * whole. */
struct used_modes {
	unsigned char of[USED_NUMBERS]; /* enum used_mode */
};

static inline enum used_mode used_mode_of(const struct used_modes *modes, unsigned number)
{
	return number < USED_NUMBERS ? (enum used_mode)modes->of[number] : USED_WHOLE;
}

struct used_part {
	unsigned number;
	char fs[32];
	uint64_t start, sectors; /* logical sectors of the source's node */
	uint64_t used_bytes;     /* all of it, unless the file system is understood */
	char whole[192];         /* translated: why it can only be copied whole; "": it need not */
	struct range_list free;  /* sectors from the partition's start; empty unless understood */
};

/* In the order of the disk. */
struct used {
	struct used_part *parts;
	size_t count;
};

void used_done(struct used *used);

/* NULL: none, or not known. */
static inline const struct used_part *used_find(const struct used *used, unsigned number)
{
	for (size_t i = 0; used && i < used->count; i++)
		if (used->parts[i].number == number)
			return &used->parts[i];
	return NULL;
}

/* "first", "only", "whole": as in options. */
const char *used_mode_name(enum used_mode mode);

/* Does the plan copy any of it? */
bool used_is_chosen(const struct plan *plan, const struct used_part *part);
/* Which partitions the plan copies whole although something else was asked for, and why:
 * translated, "" none. True: one of them has a known file system. */
bool used_say_whole(const struct used *used, const struct used_modes *modes,
		    const struct plan *plan, char *ret, size_t size);

/* ---- for the session ---- */

/* The reading thread's while it runs, but for `wanted`, `again` and `cancel`. */
struct used_reading {
	bool again;             /* another source is wanted */
	bool known;             /* `used` is complete */
	struct endpoint wanted; /* asked for last, by the front end */
	struct endpoint source; /* of `used` */
	struct used used;
	atomic_bool cancel;
	int result; /* of the thread */
	struct error error;
};

/* data: a struct used_reading, with its partitions listed. */
void used_run(void *data);
bool used_same_source(const struct endpoint *a, const struct endpoint *b);

/* The partitions of a source, without what they use. disk: that it is or lies on; NULL: not known.
 * -ENOMEM. */
int used_list(const struct endpoint *source, const struct disk *disk, struct used *ret);
/* What a copy with these modes need not copy, or not yet. -ENOMEM. */
int used_free(const struct used *used, const struct used_modes *modes, struct free_places *ret);
/* Reads all of it again: is what the plan leaves out still free? fd: of its source, claimed. */
int used_check(const struct plan *plan, const struct disk *disk, int fd, struct error *reterr);
