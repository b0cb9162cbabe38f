/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: what they start with, and that an overflowing one still reaches a handler. */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"

#define STACK  (256 << 10)
#define CAUGHT 42

static void *look(void *argument)
{
	sigset_t blocked;
	char name[16] = "";

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	ck_assert(sigismember(&blocked, SIGTERM));
	ck_assert(sigismember(&blocked, SIGHUP));
	ck_assert(!sigismember(&blocked, SIGSEGV));
	pthread_getname_np(pthread_self(), name, sizeof(name));
	return strcmp(name, "looker") == 0 || !*(int *)argument ? argument : NULL;
}

TEST(starts_with_signals_blocked)
{
	int quiet = 0;
	pthread_t thread;
	sigset_t blocked;
	void *result;

	ck_assert_int_eq(thread_create(&thread, STACK, look, &quiet, "looker"), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
	ck_assert_ptr_eq(result, &quiet);
	/* The one who starts it keeps its own. */
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	ck_assert(!sigismember(&blocked, SIGTERM));
	ck_assert_int_eq(thread_create(&thread, 0, look, &quiet, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, &result), 0);
}

static void caught(int signal)
{
	_exit(CAUGHT);
}

static volatile bool deeper = true;

static __attribute__((noinline)) int overflow(int depth)
{
	volatile char page[4096];

	page[depth % 4096] = (char)depth;
	return deeper ? overflow(depth + 1) + page[0] : depth;
}

static void *overflowing(void *argument)
{
	*(int *)argument = overflow(0);
	return NULL;
}

static void overflow_in_a_thread(void)
{
	struct sigaction action = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
	struct rlimit none = { 0 };
	pthread_t thread;
	int result;

	setrlimit(RLIMIT_CORE, &none);
	sigaction(SIGSEGV, &action, NULL);
	if (thread_create(&thread, STACK, overflowing, &result, "deep") == 0)
		pthread_join(thread, NULL);
	_exit(1);
}

/* Without a stack for its handler the kernel would kill at once, and nothing be put in order. */
TEST(overflow_reaches_a_handler)
{
	pid_t child = fork();
	int status;

	ck_assert_int_ge(child, 0);
	if (child == 0)
		overflow_in_a_thread();
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == CAUGHT, "status %#x", status);
}

TEST(more_than_there_is_room_for)
{
	pthread_t thread;
	int quiet = 0;

	ck_assert_int_lt(thread_create(&thread, SIZE_MAX / 4 * 3, look, &quiet, "looker"), 0);
}
