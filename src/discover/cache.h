/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the disks have told when they were read. A disk is read once when it
 * appears, and again when it was changed; not whenever another one comes or goes:
 * a dying one takes seconds over every place that it cannot read, and may read
 * nothing more after the next of them. Thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/disk.h"
#include "discover/table.h"

struct cache;

/* A disk as the kernel sees it. With anything else in here it is another one, or has changed. */
struct cache_key {
	dev_t devno;
	uint64_t diskseq, size;
	uint32_t sector_size;
	uint64_t partitions; /* a hash of their numbers, starts and sizes */
};

struct cache *cache_new(void); /* NULL: no memory */
void cache_destroy(struct cache *cache);

/* cache may be NULL in all that follows: then nothing is kept. */

/* disk: with the partitions that the kernel has, and no others. */
void cache_key(const struct disk *disk, struct cache_key *ret);
/* To be asked before a disk is read, for cache_keep(). */
uint64_t cache_moment(struct cache *cache);
/* How reading it ended (0 or negative errno) and what was found, which is copied. Nothing where
 * the disk was to be forgotten since `moment`, or there is no memory. */
void cache_keep(struct cache *cache, const struct cache_key *key, uint64_t moment, int error,
		const struct table *table);
/* *ret becomes the caller's. */
bool cache_find(struct cache *cache, const struct cache_key *key, int *reterror, struct table *ret);
/* It may have changed. 0: all disks. */
void cache_forget(struct cache *cache, dev_t disk);
