/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/i18n.h"

struct start {
	void *(*body)(void *);
	void *argument;
	stack_t stack;
};

/* A thread that has such a stack already (from a sanitizer) keeps it. */
static void *main_of(void *argument)
{
	struct start *start = argument;
	stack_t stack = start->stack, before = { .ss_flags = 0 };
	void *(*body)(void *) = start->body, *result;

	argument = start->argument;
	free(start);
	sigaltstack(NULL, &before);
	if (before.ss_flags & SS_DISABLE)
		sigaltstack(&stack, NULL);
	result = body(argument);
	if (before.ss_flags & SS_DISABLE)
		sigaltstack(&before, NULL);
	munmap(stack.ss_sp, stack.ss_size);
	return result;
}

/* Pages of this stack take no memory until a handler runs on it. */
static struct start *prepare(void *(*body)(void *), void *argument)
{
	struct start *start = malloc(sizeof(*start));
	void *stack = mmap(NULL, THREAD_SIGNAL_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!start || stack == MAP_FAILED) {
		if (stack != MAP_FAILED)
			munmap(stack, THREAD_SIGNAL_STACK);
		free(start);
		return NULL;
	}
	*start = (struct start){
		.body = body,
		.argument = argument,
		.stack = { .ss_sp = stack, .ss_size = THREAD_SIGNAL_STACK },
	};
	return start;
}

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

int thread_create(pthread_t *ret, size_t stack, void *(*body)(void *), void *argument,
		  const char *name)
{
	struct start *start = prepare(body, argument);
	pthread_attr_t attributes;
	sigset_t all, before;

	if (!start)
		return -ENOMEM;
	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	sigfillset(&all);
	/* Signals of a fault must not be blocked: the process would be killed without calling a
	 * handler. */
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &before);

	int r = pthread_create(ret, &attributes, main_of, start);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (r != 0) {
		munmap(start->stack.ss_sp, start->stack.ss_size);
		free(start);
	} else if (name) {
		pthread_setname_np(*ret, name);
	}
	return -r;
}

int thread_start(pthread_t *ret, size_t stack, void *(*body)(void *), void *argument,
		 const char *name, struct error *reterr)
{
	int r = thread_create(ret, stack, body, argument, name);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "thread", name,
				 _("A thread could not be started: %s."), error_phrase(r));
	return 0;
}

bool thread_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until)
{
	struct timespec at = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};

	return pthread_cond_clockwait(cond, lock, CLOCK_MONOTONIC, &at) == 0;
}

static int check_made(int fd, struct error *reterr)
{
	if (fd >= 0)
		return fd;
	fd = -errno;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, fd, "eventfd", "",
			 _("No file descriptor could be made: %s."), error_phrase(fd));
}

int eventfd_new(struct error *reterr)
{
	return check_made(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), reterr);
}

int timer_new(struct error *reterr)
{
	return check_made(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), reterr);
}

void timer_set(int fd, unsigned seconds)
{
	struct itimerspec when = {
		.it_value.tv_sec = seconds,
		.it_interval.tv_sec = seconds,
	};

	timerfd_settime(fd, 0, &when, NULL);
}

/* These calls fail only if the counter is full or empty, and then it is as it should be. */
void eventfd_signal(int fd)
{
	uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
}

void eventfd_clear(int fd)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n;
}
