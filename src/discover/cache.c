/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/thread.h"

struct entry {
	struct cache_key key;
	bool known;
	uint64_t forgotten; /* the moment of the last time; 0: never */
	int error;
	struct table table;
};

struct cache {
	pthread_mutex_t lock; /* over all that follows */
	uint64_t moment;      /* counts what was forgotten */
	uint64_t all_forgotten;
	size_t count;
	struct entry *items; /* one for each device number */
};

struct cache *cache_new(void)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (cache)
		pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void cache_destroy(struct cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->count; i++)
		table_done(&cache->items[i].table);
	free(cache->items);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static uint64_t hash(uint64_t so_far, uint64_t value)
{
	return fnv1a(so_far, &value, sizeof(value));
}

void cache_key(const struct disk *disk, struct cache_key *ret)
{
	*ret = (struct cache_key){
		.devno = disk->identity.devno,
		.diskseq = disk->identity.diskseq,
		.size = disk->identity.size,
		.sector_size = disk->identity.logical_sector_size,
		.partitions = FNV1A_START,
	};
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *p = &disk->partitions[i];

		ret->partitions =
			hash(hash(hash(ret->partitions, p->number), p->start), p->sectors);
	}
}

static bool same_key(const struct cache_key *a, const struct cache_key *b)
{
	return a->devno == b->devno && a->diskseq == b->diskseq && a->size == b->size &&
	       a->sector_size == b->sector_size && a->partitions == b->partitions;
}

/* With the lock held, as the next one. NULL: there is none. */
static struct entry *find(struct cache *cache, dev_t devno)
{
	for (size_t i = 0; i < cache->count; i++)
		if (cache->items[i].key.devno == devno)
			return &cache->items[i];
	return NULL;
}

/* NULL: no memory. */
static struct entry *find_or_add(struct cache *cache, dev_t devno)
{
	struct entry *entry = find(cache, devno);

	if (entry ||
	    array_append(cache->items, cache->count, (struct entry){ .key.devno = devno }) < 0)
		return entry;
	return &cache->items[cache->count - 1];
}

static void clear(struct entry *entry)
{
	entry->known = false;
	table_done(&entry->table);
}

uint64_t cache_moment(struct cache *cache)
{
	if (!cache)
		return 0;
	SCOPED_LOCK(&cache->lock);
	return cache->moment;
}

void cache_keep(struct cache *cache, const struct cache_key *key, uint64_t moment, int error,
		const struct table *table)
{
	struct entry *entry;

	if (!cache)
		return;
	SCOPED_LOCK(&cache->lock);
	entry = find_or_add(cache, key->devno);
	if (entry && entry->forgotten <= moment && cache->all_forgotten <= moment) {
		clear(entry);
		entry->key = *key;
		entry->error = error;
		entry->known = table_copy(table, &entry->table) == 0;
	}
}

bool cache_find(struct cache *cache, const struct cache_key *key, int *reterror, struct table *ret)
{
	const struct entry *entry;
	bool found;

	if (!cache)
		return false;
	SCOPED_LOCK(&cache->lock);
	entry = find(cache, key->devno);
	found = entry && entry->known && same_key(&entry->key, key) &&
		table_copy(&entry->table, ret) == 0;
	if (found)
		*reterror = entry->error;
	return found;
}

void cache_forget(struct cache *cache, dev_t disk)
{
	struct entry *entry;

	if (!cache)
		return;
	SCOPED_LOCK(&cache->lock);
	cache->moment++;
	entry = disk ? find_or_add(cache, disk) : NULL;
	if (entry) {
		clear(entry);
		entry->forgotten = cache->moment;
	} else {
		/* Without memory for one it is all of them. */
		for (size_t i = 0; i < cache->count; i++)
			clear(&cache->items[i]);
		cache->all_forgotten = cache->moment;
	}
}
