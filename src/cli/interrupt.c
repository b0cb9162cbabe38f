/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/thread.h"

#define STACK_SIZE (256 << 10)

static void *watch(void *argument)
{
	const struct interrupt *interrupt = argument;
	struct signalfd_siginfo info;
	struct pollfd fds[] = {
		{ .fd = interrupt->quit_fd, .events = POLLIN },
		{ .fd = interrupt->signal_fd, .events = POLLIN },
	};

	while (!fds[0].revents) {
		if (poll(fds, 2, -1) < 0 || fds[0].revents || !fds[1].revents ||
		    read(interrupt->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
			continue;
		fputs(_("clonedeck: Stopped before anything was written.\n"), stderr);
		/* Exit at once: threads may be waiting for a disk, and there is nothing to save. */
		_exit(EXIT_STOPPED);
	}
	return NULL;
}

void interrupt_allow(struct interrupt *ret)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	*ret = (struct interrupt){
		.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
		.quit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	ret->started = ret->signal_fd >= 0 && ret->quit_fd >= 0 &&
		       thread_create(&ret->thread, STACK_SIZE, watch, ret, "interrupt") == 0;
}

void interrupt_forbid(struct interrupt *interrupt)
{
	if (interrupt->started) {
		eventfd_write(interrupt->quit_fd, 1);
		pthread_join(interrupt->thread, NULL);
	}
	if (interrupt->signal_fd >= 0)
		close(interrupt->signal_fd);
	if (interrupt->quit_fd >= 0)
		close(interrupt->quit_fd);
}
