/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/task.h"

#include <unistd.h>

#include "base/thread.h"

int task_init(struct task *task, struct error *reterr)
{
	int r = task->event_fd = eventfd_new(reterr);

	return r < 0 ? r : 0;
}

int task_start(struct task *task, void *(*body)(void *), void *argument, struct error *reterr)
{
	int r = thread_start(&task->thread, 0, body, argument, NULL, reterr);

	task->running = r == 0;
	return r;
}

void task_announce(struct task *task)
{
	eventfd_signal(task->event_fd);
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
