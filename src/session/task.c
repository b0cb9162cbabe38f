/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/task.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/thread.h"

int task_init(struct task *task, struct error *reterr)
{
	task->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (task->event_fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("No event descriptor could be made: %s."), error_phrase(errno));
	return 0;
}

int task_start(struct task *task, void *(*body)(void *), void *argument, struct error *reterr)
{
	int r = thread_create(&task->thread, 0, body, argument, NULL);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "start", NULL,
				 _("No thread could be started: %s."), error_phrase(r));
	task->running = true;
	return 0;
}

void task_announce(struct task *task)
{
	uint64_t one = 1;

	while (write(task->event_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void task_join(struct task *task)
{
	uint64_t count;

	if (!task->running)
		return;
	pthread_join(task->thread, NULL);
	task->running = false;
	while (read(task->event_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

void task_done(struct task *task)
{
	task_join(task);
	if (task->event_fd >= 0)
		close(task->event_fd);
	task->event_fd = -1;
}
