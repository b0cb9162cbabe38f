/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/trust.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"

/* Longer than a command may take with all its retries on another lane. */
#define ANSWERS_WAIT (300 * NSEC_PER_SEC)

struct sg_trust {
	pthread_mutex_t lock;
	pthread_mutex_t flushing;
	pthread_cond_t answered;
	unsigned users;
	unsigned generation;    /* flushes confirmed */
	unsigned on_the_way[2]; /* commands by generation, even and odd */
	uint64_t begun, ended;  /* writes */
	uint64_t flushed;       /* writes that had ended when the last good flush began */
	uint64_t flushing_to;
	int lost; /* negative errno */
	struct sense why;
};

int sg_trust_new(struct sg_trust **ret, struct error *reterr)
{
	struct sg_trust *trust = calloc(1, sizeof(*trust));

	if (!trust)
		return error_nomem(reterr);
	trust->users = 1;
	pthread_mutex_init(&trust->lock, NULL);
	pthread_mutex_init(&trust->flushing, NULL);
	pthread_cond_init(&trust->answered, NULL);
	*ret = trust;
	return 0;
}

struct sg_trust *sg_trust_ref(struct sg_trust *trust)
{
	SCOPED_LOCK(&trust->lock);
	trust->users++;
	return trust;
}

void sg_trust_unref(struct sg_trust *trust)
{
	if (!trust)
		return;
	pthread_mutex_lock(&trust->lock);

	bool last = --trust->users == 0;

	pthread_mutex_unlock(&trust->lock);
	if (!last)
		return;
	pthread_cond_destroy(&trust->answered);
	pthread_mutex_destroy(&trust->flushing);
	pthread_mutex_destroy(&trust->lock);
	free(trust);
}

unsigned sg_trust_sent(struct sg_trust *trust)
{
	SCOPED_LOCK(&trust->lock);

	unsigned generation = trust->generation;

	trust->on_the_way[generation % 2]++;
	return generation;
}

void sg_trust_answered(struct sg_trust *trust, unsigned generation)
{
	SCOPED_LOCK(&trust->lock);
	if (--trust->on_the_way[generation % 2] == 0)
		pthread_cond_broadcast(&trust->answered);
}

void sg_trust_write_begins(struct sg_trust *trust)
{
	SCOPED_LOCK(&trust->lock);
	trust->begun++;
}

void sg_trust_write_ends(struct sg_trust *trust)
{
	SCOPED_LOCK(&trust->lock);
	trust->ended++;
}

static void lose(struct sg_trust *trust, int code, const struct sense *sense)
{
	if (trust->lost)
		return;
	trust->why = *sense;
	trust->lost = code;
}

bool sg_trust_reset(struct sg_trust *trust, const struct sense *sense, unsigned own)
{
	SCOPED_LOCK(&trust->lock);
	/* a write that is not answered yet may have been cached, too */
	if (trust->begun - trust->flushed > own)
		lose(trust, -ESTALE, sense);
	return trust->lost < 0;
}

void sg_trust_lose(struct sg_trust *trust, int code, const struct sense *sense)
{
	SCOPED_LOCK(&trust->lock);
	lose(trust, code, sense);
}

int sg_trust_lost(struct sg_trust *trust, struct sense *ret)
{
	SCOPED_LOCK(&trust->lock);
	if (trust->lost < 0)
		*ret = trust->why;
	return trust->lost;
}

void sg_trust_flush_begin(struct sg_trust *trust)
{
	pthread_mutex_lock(&trust->flushing);
	pthread_mutex_lock(&trust->lock);
	trust->flushing_to = trust->ended;
	pthread_mutex_unlock(&trust->lock);
}

/* Waits until all commands sent before now are answered. */
static int wait_for_answers(struct sg_trust *trust)
{
	unsigned before = trust->generation++ % 2;
	uint64_t until = clock_monotonic() + ANSWERS_WAIT;
	bool in_time = true;

	while (trust->on_the_way[before] > 0 && in_time)
		in_time = thread_wait(&trust->answered, &trust->lock, until);
	return trust->on_the_way[before] == 0 ? 0 : -ETIMEDOUT;
}

int sg_trust_flush_end(struct sg_trust *trust, int code, struct sense *retsense)
{
	pthread_mutex_lock(&trust->lock);
	if (code == 0)
		code = wait_for_answers(trust);
	if (code < 0)
		lose(trust, code, retsense);
	code = trust->lost;
	if (code < 0)
		*retsense = trust->why;
	else
		trust->flushed = trust->flushing_to;
	pthread_mutex_unlock(&trust->lock);
	pthread_mutex_unlock(&trust->flushing);
	return code;
}
