/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/task.h"

#include <unistd.h>

#include "base/thread.h"

int task_init(struct task *task, struct error *reterr)
{
	int r = task->event_fd = eventfd_new(reterr);

	return r < 0 ? r : 0;
}

static void *run(void *argument)
{
	struct task *task = argument;

	task->body(task->data);
	eventfd_signal(task->event_fd);
	return NULL;
}

int task_start(struct task *task, void (*body)(void *data), void *data, struct error *reterr)
{
	int r;

	task->body = body;
	task->data = data;
	r = thread_start(&task->thread, 0, run, task, NULL, reterr);
	task->running = r == 0;
	return r;
}

void task_join(struct task *task)
{
	if (!task->running)
		return;
	pthread_join(task->thread, NULL);
	task->running = false;
	eventfd_clear(task->event_fd);
}

void task_done(struct task *task)
{
	task_join(task);
	if (task->event_fd >= 0)
		close(task->event_fd);
	task->event_fd = -1;
}
