/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/saver.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/i18n.h"
#include "base/thread.h"
#include "map/recorded_copy.h"

#define STACK_SIZE (256 << 10)

enum saver_state { SAVER_IDLE, SAVER_ASKED, SAVER_DONE };

struct saver {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	int wake;
	enum saver_state state;
	bool quit;
	bool lost;                   /* a flush has failed; the thread's, as resets is */
	unsigned resets;             /* of the destination, so far */
	struct file_timeout timeout; /* belongs to the thread while it is not idle */
	struct saver_order order;
	struct saver_result result;
};

/* The map is worth saving even without them. */
static void save_digests(const struct saver_order *order, struct file_timeout *timeout,
			 struct saver_result *ret)
{
	char path[PATH_MAX];

	if (!order->digests)
		return;
	partial_digests_path(order->place.path, path);
	ret->digests_code = partial_digests_save(order->digests, order->plan, NULL, order->map,
						 path, timeout, &ret->digests_error);
}

/* A resumed copy whose source is gone needs them; any other one does without. */
static void save_tables(const struct saver_order *order, struct file_timeout *timeout,
			struct saver_result *ret)
{
	char path[PATH_MAX];

	if (!order->tables)
		return;
	saved_tables_path(order->place.path, path);
	ret->tables_code =
		saved_tables_save(order->tables, order->plan, path, timeout, &ret->tables_error);
}

struct file_timeout *saver_timeout(struct saver *saver, uint64_t ns, dev_t beneath)
{
	saver->timeout.ns = ns;
	saver->timeout.beneath = beneath;
	return &saver->timeout;
}

const char *saver_reset_name(const struct io_end *end, char *buffer, size_t size)
{
	bool below = end->regular_file || end->kind == DISK_LOOP || end->kind == DISK_DM ||
		     end->kind == DISK_MD;

	snprintf(buffer, size, below ? _("A disk below %s") : "%s", end->name);
	return buffer;
}

/* Not -ESTALE, which would be an image that may come back by itself. */
static int explain_reset(const struct io_end *end, struct error *reterr)
{
	char who[RESET_NAME_MAX];

	return error_set(reterr, ERROR_CLASS_DESTINATION, -EIO, "flush", end->name,
			 _("%s was reset or lost power (%s), and with it what its write cache "
			   "held. Resume: what was written since the last flush is written again."),
			 saver_reset_name(end, who, sizeof(who)), JOB_RESET_EVENT);
}

/* Only what was written since the last flush can be lost, and that is why there was a flush. */
static void ask_for_resets(struct saver *saver, const struct saver_order *order,
			   struct saver_result *ret)
{
	if (!order->resets)
		return;
	for (unsigned end = 0; end < JOB_ENDS_MAX; end++)
		ret->resets[end] = order->resets(order->resets_user, end > 0);
	if (ret->resets[1] > saver->resets && !order->verified && ret->flush_code == 0)
		ret->flush_code = explain_reset(order->flush->end, &ret->flush_error);
	saver->resets = ret->resets[1];
}

/* The kernel reports a lost write only once: the next flush succeeds, and confirms nothing of what
 * was written before. */
static void carry_out(struct saver *saver, const struct saver_order *order,
		      struct saver_result *ret)
{
	*ret = (struct saver_result){ 0 };
	if (order->flush) {
		ret->flush_code = order->flush->backend->flush(order->flush, &ret->flush_error);
		ask_for_resets(saver, order, ret);
		saver->lost |= ret->flush_code < 0;
		ret->flushed = !saver->lost;
	}
	if (order->forget)
		io_forget(order->forget);
	/* A map that calls more finished than is on the medium is worse than an old one. */
	if (!order->map || saver->lost)
		return;
	saver_timeout(saver, order->timeout, order->place.beneath);
	save_digests(order, &saver->timeout, ret);
	save_tables(order, &saver->timeout, ret);
	ret->code = map_save(order->map, order->place.path, &order->state, &saver->timeout,
			     &ret->error);
	ret->saved = ret->code == 0;
}

static void *saver_main(void *arg)
{
	struct saver *saver = arg;

	pthread_mutex_lock(&saver->lock);
	for (;;) {
		struct saver_order order;
		struct saver_result result;

		while (!saver->quit && saver->state != SAVER_ASKED)
			pthread_cond_wait(&saver->cond, &saver->lock);
		if (saver->state != SAVER_ASKED)
			break;
		order = saver->order;
		pthread_mutex_unlock(&saver->lock);
		carry_out(saver, &order, &result);
		digests_destroy(order.digests);
		if (result.flushed)
			result.confirmed = order.owned;
		else
			map_destroy(order.owned);
		pthread_mutex_lock(&saver->lock);
		saver->result = result;
		saver->state = SAVER_DONE;
		eventfd_signal(saver->wake);
	}
	pthread_mutex_unlock(&saver->lock);
	return NULL;
}

int saver_new(int wake, struct saver **ret, struct error *reterr)
{
	struct saver *saver = calloc(1, sizeof(*saver));
	int r;

	if (!saver)
		return error_nomem(reterr);
	saver->wake = wake;
	pthread_mutex_init(&saver->lock, NULL);
	pthread_cond_init(&saver->cond, NULL);
	r = thread_start(&saver->thread, STACK_SIZE, saver_main, saver, "saver", reterr);
	if (r < 0) {
		pthread_cond_destroy(&saver->cond);
		pthread_mutex_destroy(&saver->lock);
		free(saver);
		return r;
	}
	*ret = saver;
	return 0;
}

void saver_destroy(struct saver *saver)
{
	if (!saver)
		return;
	pthread_mutex_lock(&saver->lock);
	saver->quit = true;
	pthread_cond_signal(&saver->cond);
	pthread_mutex_unlock(&saver->lock);
	pthread_join(saver->thread, NULL);
	if (saver->state == SAVER_DONE)
		map_destroy(saver->result.confirmed);
	file_timeout_done(&saver->timeout);
	pthread_cond_destroy(&saver->cond);
	pthread_mutex_destroy(&saver->lock);
	free(saver);
}

bool saver_idle(struct saver *saver)
{
	SCOPED_LOCK(&saver->lock);
	return saver->state == SAVER_IDLE;
}

void saver_ask(struct saver *saver, const struct saver_order *order)
{
	SCOPED_LOCK(&saver->lock);
	saver->order = *order;
	saver->state = SAVER_ASKED;
	pthread_cond_signal(&saver->cond);
}

bool saver_take_result(struct saver *saver, struct saver_result *ret)
{
	SCOPED_LOCK(&saver->lock);

	bool done = saver->state == SAVER_DONE;

	if (done) {
		*ret = saver->result;
		saver->state = SAVER_IDLE;
	}
	return done;
}
