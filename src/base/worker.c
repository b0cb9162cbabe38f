/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

struct worker {
	struct worker_order order;
	pthread_mutex_t lock; /* over both flags */
	pthread_cond_t cond;
	bool ended, abandoned;
};

static void release(struct worker *worker)
{
	if (worker->order.destroy)
		worker->order.destroy(worker->order.data);
	pthread_cond_destroy(&worker->cond);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

static void *run(void *argument)
{
	struct worker *worker = argument;

	worker->order.body(worker->order.data);
	pthread_mutex_lock(&worker->lock);

	bool abandoned = worker->abandoned;

	worker->ended = true;
	/* With the lock held: whoever abandons it may close the descriptor. */
	if (!abandoned && worker->order.wake > 0)
		eventfd_signal(worker->order.wake);
	pthread_cond_broadcast(&worker->cond);
	pthread_mutex_unlock(&worker->lock);
	if (abandoned)
		release(worker);
	return NULL;
}

int worker_start(const struct worker_order *order, struct worker **ret)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	pthread_t thread;

	if (!worker)
		return -ENOMEM;
	worker->order = *order;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->cond, NULL);

	int r = thread_create(&thread, 0, run, worker, order->name);

	if (r < 0) {
		worker->order.destroy = NULL;
		release(worker);
		return r;
	}
	pthread_detach(thread);
	*ret = worker;
	return 0;
}

bool worker_wait(struct worker *worker, uint64_t until)
{
	bool in_time = true;

	SCOPED_LOCK(&worker->lock);
	while (!worker->ended && in_time)
		in_time = thread_wait(&worker->cond, &worker->lock, until);
	return worker->ended;
}

void worker_abandon(struct worker *worker)
{
	if (!worker)
		return;
	pthread_mutex_lock(&worker->lock);

	bool ended = worker->ended;

	worker->abandoned = true;
	pthread_mutex_unlock(&worker->lock);
	if (ended)
		release(worker);
}

int worker_ask(const char *name, void (*body)(void *data), void *data, size_t size, uint64_t until)
{
	struct worker_order order = {
		.body = body,
		.destroy = free,
		.data = malloc(size),
		.name = name,
	};
	struct worker *worker;
	bool ended;
	int r;

	if (!order.data)
		return -ENOMEM;
	memcpy(order.data, data, size);
	r = worker_start(&order, &worker);
	if (r < 0) {
		free(order.data);
		return r;
	}
	ended = worker_wait(worker, until);
	if (ended)
		memcpy(data, order.data, size);
	worker_abandon(worker);
	return ended ? 0 : -ETIMEDOUT;
}
