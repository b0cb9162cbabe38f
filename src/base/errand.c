/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/errand.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"

/* Files are written in it, and little is called for that. */
#define STACK_SIZE (256 << 10)

struct errand {
	void (*body)(void *data);
	void (*destroy)(void *data);
	void *data;
	pthread_mutex_t lock; /* over both below */
	pthread_cond_t cond;
	bool ended, left;
};

static void dispose(struct errand *errand)
{
	if (errand->destroy)
		errand->destroy(errand->data);
	pthread_cond_destroy(&errand->cond);
	pthread_mutex_destroy(&errand->lock);
	free(errand);
}

static void *main_of(void *argument)
{
	struct errand *errand = argument;

	errand->body(errand->data);
	pthread_mutex_lock(&errand->lock);

	bool left = errand->left;

	errand->ended = true;
	pthread_cond_broadcast(&errand->cond);
	pthread_mutex_unlock(&errand->lock);
	if (left)
		dispose(errand);
	return NULL;
}

static struct errand *make(void (*body)(void *data), void (*destroy)(void *data), void *data)
{
	struct errand *errand = calloc(1, sizeof(*errand));
	pthread_condattr_t attributes;

	if (!errand)
		return NULL;
	errand->body = body;
	errand->destroy = destroy;
	errand->data = data;
	pthread_mutex_init(&errand->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&errand->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	return errand;
}

int errand_start(void (*body)(void *data), void (*destroy)(void *data), void *data,
		 const char *name, struct errand **ret)
{
	struct errand *errand = make(body, destroy, data);
	pthread_t thread;
	int r = errand ? thread_create(&thread, STACK_SIZE, main_of, errand, name) : -ENOMEM;

	if (r < 0) {
		if (errand) {
			errand->destroy = NULL;
			dispose(errand);
		}
		return r;
	}
	pthread_detach(thread);
	*ret = errand;
	return 0;
}

bool errand_wait(struct errand *errand, uint64_t until)
{
	struct timespec at = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};
	int r = 0;

	pthread_mutex_lock(&errand->lock);
	while (!errand->ended && r == 0)
		r = pthread_cond_timedwait(&errand->cond, &errand->lock, &at);

	bool ended = errand->ended;

	pthread_mutex_unlock(&errand->lock);
	return ended;
}

void errand_leave(struct errand *errand)
{
	if (!errand)
		return;
	pthread_mutex_lock(&errand->lock);

	bool ended = errand->ended;

	errand->left = true;
	pthread_mutex_unlock(&errand->lock);
	if (ended)
		dispose(errand);
}
