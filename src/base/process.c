/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define KILL_WAIT (100 * NSEC_PER_MSEC)
#define WAIT_STEP NSEC_PER_MSEC

void signals_that_stop(sigset_t *ret)
{
	static const int signals[] = { SIGINT,  SIGTERM,   SIGQUIT, SIGPWR,   SIGXCPU,
				       SIGPROF, SIGVTALRM, SIGIO,   SIGSTKFLT };

	sigemptyset(ret);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(ret, signals[i]);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(ret, signal);
}

static void add_stream(posix_spawn_file_actions_t *actions, int given, int stream)
{
	if (given >= 0)
		posix_spawn_file_actions_adddup2(actions, given, stream);
	else
		posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0);
}

static const char *const small_environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
						 NULL };

static int spawn(const char *program, const char *const *argv, const char *const *environment,
		 int input, int output, pid_t *ret, posix_spawn_file_actions_t *actions,
		 posix_spawnattr_t *attributes)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	add_stream(actions, input, STDIN_FILENO);
	add_stream(actions, output, STDOUT_FILENO);
	add_stream(actions, -1, STDERR_FILENO);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &all);
	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						     POSIX_SPAWN_SETSIGDEF);
	/* posix_spawn() changes neither; its declaration is older than const. */
	return -posix_spawn(ret, program, actions, attributes, (char *const *)argv,
			    (char *const *)(environment ? environment : small_environment));
}

int child_start(const char *program, const char *const *argv, const char *const *environment,
		int input, int output, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return -ENOMEM;
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return -ENOMEM;
	}
	int r = spawn(program, argv, environment, input, output, ret, &actions, &attributes);

	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

void child_end(pid_t pid)
{
	uint64_t deadline = clock_monotonic() + KILL_WAIT;

	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG) == 0 && clock_monotonic() < deadline)
		clock_sleep_until(clock_monotonic() + WAIT_STEP);
}

int standard_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* Opened for the other direction, so that using it fails. open() returns the lowest
		 * descriptor that is free, which is this one. */
		int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && (errno != EBADF || open("/dev/null", way) < 0))
			return -errno;
	}
	return 0;
}

int standard_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool process_is_stopped(pid_t pid)
{
	char path[32], text[512];
	const char *state = NULL;
	CLEANUP(fclose) FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	file = fopen(path, "re");
	/* The name of the program comes first, in parentheses, and may contain anything. */
	if (file && fgets(text, sizeof(text), file))
		state = strrchr(text, ')');
	return state && strncmp(state, ") T", 3) == 0;
}
