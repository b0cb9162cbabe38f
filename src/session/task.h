/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that does one thing and then makes a descriptor readable. What `data` points to belongs
 * to the thread from task_start() to task_join().
 */
#ifndef CLONEDECK_SESSION_TASK_H
#define CLONEDECK_SESSION_TASK_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"

struct task {
	pthread_t thread;
	bool running;
	int event_fd; /* -1: none */
	void (*body)(void *data);
	void *data;
};

int task_init(struct task *task, struct error *reterr);
int task_start(struct task *task, void (*body)(void *data), void *data, struct error *reterr);
void task_join(struct task *task);
/* Joins the thread and closes the descriptor, if any. */
void task_done(struct task *task);

#endif
