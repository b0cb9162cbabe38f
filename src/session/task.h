/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that does one thing and then makes a descriptor readable. What its
 * struct holds is the thread's from task_start() until task_join().
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
};

int task_init(struct task *task, struct error *reterr);
int task_start(struct task *task, void *(*body)(void *), void *argument, struct error *reterr);
/* To be called as the last thing in a task's body. */
void task_announce(struct task *task);
void task_join(struct task *task);
/* Joins it and closes its descriptor, where it has one. */
void task_done(struct task *task);

#endif
