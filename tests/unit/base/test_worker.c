/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that may hang: waited for, woken by, abandoned. The sanitizers look on. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/worker.h"

#define SHORT (NSEC_PER_SEC / 10)
/* Only a hang takes that long. */
#define LONG (100 * NSEC_PER_SEC)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held, no_threads;
static unsigned begun, freed;

struct sum {
	int a, b, result;
};

int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *),
			  void *argument);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *),
			  void *argument);

int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *),
			  void *argument)
{
	return no_threads ? EAGAIN : __real_pthread_create(ret, attributes, body, argument);
}

static void set_held(bool on)
{
	pthread_mutex_lock(&lock);
	held = on;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for(const unsigned *count, unsigned number)
{
	uint64_t until = clock_monotonic() + LONG;

	pthread_mutex_lock(&lock);
	while (*count < number)
		ck_assert(thread_wait(&changed, &lock, until));
	pthread_mutex_unlock(&lock);
}

static void add(void *data)
{
	struct sum *sum = data;

	pthread_mutex_lock(&lock);
	begun++;
	pthread_cond_broadcast(&changed);
	while (held)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	sum->result = sum->a + sum->b;
}

static void count_and_free(void *data)
{
	free(data);
	pthread_mutex_lock(&lock);
	freed++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static struct worker *start(struct sum **ret, int wake)
{
	struct sum *sum = calloc(1, sizeof(*sum));
	const struct worker_order order = {
		.body = add,
		.destroy = count_and_free,
		.data = sum,
		.name = "adder",
		.wake = wake,
	};
	struct worker *worker;

	ck_assert_ptr_nonnull(sum);
	*sum = (struct sum){ 2, 3, 0 };
	ck_assert_int_eq(worker_start(&order, &worker), 0);
	if (ret)
		*ret = sum;
	return worker;
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) == 1;
}

static void set_up(void)
{
	begun = freed = 0;
	held = no_threads = false;
}

UNIT_CASE(.setup = set_up, .timeout = 200);

TEST(the_result_is_read_and_freed)
{
	struct sum *sum;
	struct worker *worker = start(&sum, 0);

	ck_assert(worker_wait(worker, WORKER_FOREVER));
	ck_assert_int_eq(sum->result, 5);
	/* Once it has ended, nobody waits. */
	ck_assert(worker_wait(worker, 0));
	ck_assert_uint_eq(freed, 0);
	worker_abandon(worker);
	ck_assert_uint_eq(freed, 1);
	worker_abandon(NULL);
}

TEST(one_that_hangs_is_waited_for_until_the_deadline)
{
	uint64_t before = clock_monotonic(), waited;
	struct worker *worker;
	struct sum *sum;

	set_held(true);
	worker = start(&sum, 0);
	ck_assert(!worker_wait(worker, 0));
	ck_assert(!worker_wait(worker, before + SHORT));
	waited = clock_monotonic() - before;
	ck_assert_uint_ge(waited, SHORT);
	ck_assert_uint_lt(waited, LONG);
	set_held(false);
	ck_assert(worker_wait(worker, before + LONG));
	ck_assert_int_eq(sum->result, 5);
	worker_abandon(worker);
}

TEST(an_abandoned_one_frees_itself)
{
	set_held(true);
	worker_abandon(start(NULL, 0));
	wait_for(&begun, 1);
	ck_assert_uint_eq(freed, 0);
	set_held(false);
	wait_for(&freed, 1);
}

TEST(abandoned_at_any_moment)
{
	for (unsigned i = 0; i < 200; i++)
		worker_abandon(start(NULL, 0));
	wait_for(&freed, 200);
}

TEST(whoever_polls_is_woken)
{
	int fd = eventfd_new(NULL);
	struct worker *worker;
	struct sum *sum;

	ck_assert_int_gt(fd, 0);
	set_held(true);
	worker = start(&sum, fd);
	ck_assert(!is_readable(fd, 0));
	set_held(false);
	ck_assert(is_readable(fd, (int)(LONG / NSEC_PER_MSEC)));
	ck_assert(worker_wait(worker, WORKER_FOREVER));
	ck_assert_int_eq(sum->result, 5);
	worker_abandon(worker);
	eventfd_clear(fd);
	ck_assert(!is_readable(fd, 0));
	close(fd);
}

TEST(an_abandoned_one_wakes_nobody)
{
	int fd = eventfd_new(NULL);

	ck_assert_int_gt(fd, 0);
	set_held(true);
	worker_abandon(start(NULL, fd));
	set_held(false);
	wait_for(&freed, 1);
	ck_assert(!is_readable(fd, 0));
	close(fd);
}

TEST(without_a_thread_the_data_stays_the_callers)
{
	struct sum sum = { 0 };
	const struct worker_order order = {
		.body = add,
		.destroy = count_and_free,
		.data = &sum,
	};
	struct worker *worker;

	no_threads = true;
	ck_assert_int_eq(worker_start(&order, &worker), -EAGAIN);
	ck_assert_uint_eq(freed + begun, 0);
}

TEST(an_answer_comes_in_time_or_not_at_all)
{
	struct sum sum = { 2, 3, 0 }, late = { 2, 3, 0 };

	ck_assert_int_eq(worker_ask("adder", add, &sum, sizeof(sum), WORKER_FOREVER), 0);
	ck_assert_int_eq(sum.result, 5);
	set_held(true);
	ck_assert_int_eq(worker_ask("adder", add, &late, sizeof(late), clock_monotonic() + SHORT),
			 -ETIMEDOUT);
	wait_for(&begun, 2);
	set_held(false);
	ck_assert_int_eq(late.result, 0);
	no_threads = true;
	ck_assert_int_eq(worker_ask("adder", add, &late, sizeof(late), WORKER_FOREVER), -EAGAIN);
	ck_assert_int_eq(late.result, 0);
}
