/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * While disks are being scanned and nothing is written yet, SIGINT and SIGTERM
 * end the program at once, even if it waits for a disk that hangs. The copy's
 * signals are always blocked (headless.h), so a thread receives these two.
 */
#ifndef CLONEDECK_CLI_INTERRUPT_H
#define CLONEDECK_CLI_INTERRUPT_H

#include <pthread.h>
#include <stdbool.h>

struct interrupt {
	pthread_t thread;
	bool started;
	int signal_fd, quit_fd;
};

/* After headless_block_signals(). Where it cannot be had, signals wait as they did. */
void interrupt_allow(struct interrupt *ret);
/* From here on they are for others again: those that came and were not taken yet, too. */
void interrupt_forbid(struct interrupt *interrupt);

#endif
