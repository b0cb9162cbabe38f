/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/answers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"

struct answer {
	struct answers_key key;
	bool known;
	uint64_t forgotten; /* the moment of the last time; 0: never */
	int error;
	struct table table;
};

struct answers {
	pthread_mutex_t lock; /* over all that follows */
	uint64_t moment;      /* counts what was forgotten */
	uint64_t all_forgotten;
	size_t count;
	struct answer *items; /* one for each device number */
};

struct answers *answers_new(void)
{
	struct answers *answers = calloc(1, sizeof(*answers));

	if (answers)
		pthread_mutex_init(&answers->lock, NULL);
	return answers;
}

void answers_destroy(struct answers *answers)
{
	if (!answers)
		return;
	for (size_t i = 0; i < answers->count; i++)
		table_done(&answers->items[i].table);
	free(answers->items);
	pthread_mutex_destroy(&answers->lock);
	free(answers);
}

static uint64_t hash(uint64_t so_far, uint64_t value)
{
	return fnv1a(so_far, &value, sizeof(value));
}

void answers_key(const struct disk *disk, struct answers_key *ret)
{
	*ret = (struct answers_key){
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

static bool same_key(const struct answers_key *a, const struct answers_key *b)
{
	return a->devno == b->devno && a->diskseq == b->diskseq && a->size == b->size &&
	       a->sector_size == b->sector_size && a->partitions == b->partitions;
}

/* With the lock held, as the next one. NULL: there is none. */
static struct answer *find(struct answers *answers, dev_t devno)
{
	for (size_t i = 0; i < answers->count; i++)
		if (answers->items[i].key.devno == devno)
			return &answers->items[i];
	return NULL;
}

/* NULL: no memory. */
static struct answer *find_or_add(struct answers *answers, dev_t devno)
{
	struct answer *answer = find(answers, devno), *items;

	if (answer)
		return answer;
	items = reallocarray(answers->items, answers->count + 1, sizeof(*items));
	if (!items)
		return NULL;
	answers->items = items;
	answer = &items[answers->count++];
	*answer = (struct answer){ .key.devno = devno };
	return answer;
}

static void clear(struct answer *answer)
{
	answer->known = false;
	table_done(&answer->table);
}

uint64_t answers_moment(struct answers *answers)
{
	uint64_t moment;

	if (!answers)
		return 0;
	pthread_mutex_lock(&answers->lock);
	moment = answers->moment;
	pthread_mutex_unlock(&answers->lock);
	return moment;
}

void answers_keep(struct answers *answers, const struct answers_key *key, uint64_t moment,
		  int error, const struct table *table)
{
	struct answer *answer;

	if (!answers)
		return;
	pthread_mutex_lock(&answers->lock);
	answer = find_or_add(answers, key->devno);
	if (answer && answer->forgotten <= moment && answers->all_forgotten <= moment) {
		clear(answer);
		answer->key = *key;
		answer->error = error;
		answer->known = table_copy(table, &answer->table) == 0;
	}
	pthread_mutex_unlock(&answers->lock);
}

bool answers_find(struct answers *answers, const struct answers_key *key, int *reterror,
		  struct table *ret)
{
	const struct answer *answer;
	bool found;

	if (!answers)
		return false;
	pthread_mutex_lock(&answers->lock);
	answer = find(answers, key->devno);
	found = answer && answer->known && same_key(&answer->key, key) &&
		table_copy(&answer->table, ret) == 0;
	if (found)
		*reterror = answer->error;
	pthread_mutex_unlock(&answers->lock);
	return found;
}

void answers_forget(struct answers *answers, dev_t disk)
{
	struct answer *answer;

	if (!answers)
		return;
	pthread_mutex_lock(&answers->lock);
	answers->moment++;
	answer = disk ? find_or_add(answers, disk) : NULL;
	if (answer) {
		clear(answer);
		answer->forgotten = answers->moment;
	} else {
		/* Without memory for one it is all of them. */
		for (size_t i = 0; i < answers->count; i++)
			clear(&answers->items[i]);
		answers->all_forgotten = answers->moment;
	}
	pthread_mutex_unlock(&answers->lock);
}
