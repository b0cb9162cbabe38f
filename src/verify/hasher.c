/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/hasher.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/thread.h"

#define STACK_SIZE (256 << 10)
#define ZEROS      (64U << 10)

/* One algorithm; belongs to its thread while a stream is open, except where marked. */
struct worker {
	struct hasher *hasher;
	enum checksum_algorithm algorithm;
	struct checksum *sum;
	pthread_t thread;
	bool started;
	uint64_t next;          /* number of the next piece; under the lock */
	bool busy;              /* is computing; under the lock */
	uint64_t at;            /* bytes of the plan consumed so far */
	size_t extent;          /* that it is in … */
	uint64_t extent_before; /* … and the plan's bytes before that extent */
	char hex[CHECKSUM_HEX_MAX];
};

struct hasher {
	const struct plan *plan;
	uint64_t bytes; /* of the plan */
	struct worker workers[CHECKSUM_ALGORITHMS];
	unsigned count;

	pthread_mutex_t lock; /* held only briefly, never while computing */
	pthread_cond_t wake;
	struct hash_item *first, *last; /* pieces given and not done, by number */
	uint64_t given;                 /* bytes */
	struct digest total;
	bool open, broken; /* broken is atomic, for threads that are computing */
	bool ending;       /* no more pieces will come */
	bool leave;
};

static void unlink_item(struct hasher *hasher, struct hash_item *item)
{
	*(item->before ? &item->before->after : &hasher->first) = item->after;
	*(item->after ? &item->after->before : &hasher->last) = item->before;
}

/* Pieces arrive nearly in order, so the place is near the end. */
static void link_item(struct hasher *hasher, struct hash_item *item)
{
	struct hash_item *before = hasher->last;

	while (before && before->number > item->number)
		before = before->before;
	item->before = before;
	item->after = before ? before->after : hasher->first;
	*(before ? &before->after : &hasher->first) = item;
	*(item->after ? &item->after->before : &hasher->last) = item;
}

static struct hash_item *find_item(const struct hasher *hasher, uint64_t number)
{
	struct hash_item *item = hasher->first;

	while (item && item->number < number)
		item = item->after;
	return item && item->number == number ? item : NULL;
}

static void add_zeros(struct worker *worker, uint64_t length)
{
	static const char zeros[ZEROS];

	while (length > 0 && !__atomic_load_n(&worker->hasher->broken, __ATOMIC_RELAXED)) {
		size_t n = length < ZEROS ? (size_t)length : ZEROS;

		checksum_add(worker->sum, zeros, n);
		worker->at += n;
		length -= n;
	}
}

/* The bytes of the plan before this byte of the source; never decreases. */
static uint64_t place_of(struct worker *worker, uint64_t at)
{
	const struct plan *plan = worker->hasher->plan;

	for (;; worker->extent++) {
		struct extent_bytes e = plan_extent_bytes(plan, worker->extent);

		if (at < e.source + e.length || worker->extent + 1 == plan->extent_count)
			return worker->extent_before + (at - e.source);
		worker->extent_before += e.length;
	}
}

static void compute(struct worker *worker, const struct hash_item *item)
{
	add_zeros(worker, place_of(worker, item->source) - worker->at);
	checksum_add(worker->sum, item->data, item->length);
	worker->at += item->length;
}

/* Zeros after the last piece. */
static bool has_rest(const struct worker *worker)
{
	const struct hasher *hasher = worker->hasher;

	return hasher->ending && !hasher->broken && !hasher->first && worker->at < hasher->bytes;
}

/* The next piece; NULL: zeros up to the end of the plan. False: the stream has ended. With the lock
 * held. */
static bool wait_work(struct worker *worker, struct hash_item **ret)
{
	struct hasher *hasher = worker->hasher;

	while (!hasher->leave) {
		*ret = hasher->broken ? NULL : find_item(hasher, worker->next);
		if (*ret || has_rest(worker))
			return true;
		pthread_cond_wait(&hasher->wake, &hasher->lock);
	}
	return false;
}

/* With the lock held. True: no thread needs it any more. */
static bool finish_item(struct worker *worker, struct hash_item *item)
{
	worker->next++;
	item->left--;
	item->busy--;
	if (item->busy > 0 || (item->left > 0 && !worker->hasher->broken))
		return false;
	unlink_item(worker->hasher, item);
	return true;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct hasher *hasher = worker->hasher;
	struct hash_item *item;

	pthread_mutex_lock(&hasher->lock);
	while (wait_work(worker, &item)) {
		worker->busy = true;
		if (item)
			item->busy++;
		pthread_mutex_unlock(&hasher->lock);
		if (item)
			compute(worker, item);
		else
			add_zeros(worker, hasher->bytes - worker->at);
		pthread_mutex_lock(&hasher->lock);
		worker->busy = false;
		if (!item || !finish_item(worker, item))
			continue;
		pthread_mutex_unlock(&hasher->lock);
		item->done(item);
		pthread_mutex_lock(&hasher->lock);
	}
	pthread_mutex_unlock(&hasher->lock);
	return NULL;
}

static int start(struct hasher *hasher, enum checksum_algorithm algorithm, struct error *reterr)
{
	struct worker *worker = &hasher->workers[hasher->count];
	char name[16];
	int r = checksum_new(algorithm, &worker->sum, reterr);

	if (r < 0)
		return r;
	worker->hasher = hasher;
	worker->algorithm = algorithm;
	hasher->count++;
	snprintf(name, sizeof(name), "%s", checksum_name(algorithm));
	r = thread_start(&worker->thread, STACK_SIZE, work, worker, name, reterr);
	worker->started = r == 0;
	return r;
}

int hasher_new(unsigned algorithms, const struct plan *plan, struct hasher **ret,
	       struct error *reterr)
{
	struct hasher *hasher = calloc(1, sizeof(*hasher));
	int r = 0;

	if (!hasher)
		return error_nomem(reterr);
	hasher->plan = plan;
	hasher->bytes = plan_chosen_bytes(plan);
	pthread_mutex_init(&hasher->lock, NULL);
	pthread_cond_init(&hasher->wake, NULL);
	for (unsigned i = 0; r == 0 && i < CHECKSUM_ALGORITHMS; i++)
		if (algorithms & 1u << i)
			r = start(hasher, (enum checksum_algorithm)i, reterr);
	if (r < 0)
		hasher_destroy(hasher);
	else
		*ret = hasher;
	return r;
}

void hasher_destroy(struct hasher *hasher)
{
	if (!hasher)
		return;
	pthread_mutex_lock(&hasher->lock);
	hasher->leave = true;
	pthread_cond_broadcast(&hasher->wake);
	pthread_mutex_unlock(&hasher->lock);
	for (unsigned i = 0; i < hasher->count; i++) {
		if (hasher->workers[i].started)
			pthread_join(hasher->workers[i].thread, NULL);
		checksum_destroy(hasher->workers[i].sum);
	}
	pthread_cond_destroy(&hasher->wake);
	pthread_mutex_destroy(&hasher->lock);
	free(hasher);
}

void hasher_open(struct hasher *hasher)
{
	char hex[CHECKSUM_HEX_MAX];

	SCOPED_LOCK(&hasher->lock);
	for (unsigned i = 0; i < hasher->count; i++) {
		struct worker *worker = &hasher->workers[i];

		checksum_take(worker->sum, hex);
		worker->next = worker->at = worker->extent_before = 0;
		worker->extent = 0;
	}
	hasher->given = 0;
	hasher->total = (struct digest){ 0 };
	hasher->broken = hasher->ending = false;
	hasher->open = true;
}

bool hasher_give(struct hasher *hasher, struct hash_item *item, const struct digest_part *parts,
		 unsigned count)
{
	bool taken;

	SCOPED_LOCK(&hasher->lock);
	taken = hasher->open && !hasher->broken;
	if (taken) {
		item->left = hasher->count;
		item->busy = 0;
		link_item(hasher, item);
		hasher->given += item->length;
		for (unsigned i = 0; i < count; i++)
			digest_add(&hasher->total, parts[i].sum.digest);
		pthread_cond_broadcast(&hasher->wake);
	}
	return taken;
}

/* A piece that is being read is released by its reader. */
void hasher_break(struct hasher *hasher)
{
	struct hash_item *items = NULL, *next;

	pthread_mutex_lock(&hasher->lock);
	for (struct hash_item *item = hasher->broken ? NULL : hasher->first; item; item = next) {
		next = item->after;
		if (item->busy > 0)
			continue;
		unlink_item(hasher, item);
		item->after = items;
		items = item;
	}
	__atomic_store_n(&hasher->broken, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&hasher->lock);
	for (; items; items = next) {
		next = items->after;
		items->done(items);
	}
}

bool hasher_through(struct hasher *hasher)
{
	bool through = true;

	SCOPED_LOCK(&hasher->lock);
	hasher->ending = true;
	for (unsigned i = 0; i < hasher->count; i++)
		if (hasher->workers[i].busy || hasher->first || has_rest(&hasher->workers[i]))
			through = false;
	if (!through)
		pthread_cond_broadcast(&hasher->wake);
	return through;
}

bool hasher_close(struct hasher *hasher, uint64_t bytes)
{
	bool good;

	SCOPED_LOCK(&hasher->lock);
	good = hasher->open && !hasher->broken && hasher->given == bytes;
	hasher->open = false;
	for (unsigned i = 0; i < hasher->count; i++)
		checksum_take(hasher->workers[i].sum, hasher->workers[i].hex);
	return good;
}

const char *hasher_sum(const struct hasher *hasher, enum checksum_algorithm algorithm)
{
	for (unsigned i = 0; i < hasher->count; i++)
		if (hasher->workers[i].algorithm == algorithm)
			return hasher->workers[i].hex;
	return "";
}

struct digest hasher_total(const struct hasher *hasher)
{
	return hasher->total;
}
