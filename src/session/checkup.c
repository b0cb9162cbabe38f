/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The health of disks that the user looks at before a copy: asked one after the other, and kept. */
#include <string.h>

#include "session/session_private.h"

static struct checkup *find(const struct session *session, const struct identity *identity)
{
	const struct checkup_task *task = &session->checkup;

	for (unsigned i = 0; i < task->count; i++)
		if (identity_same(&task->items[i].identity, identity))
			return (struct checkup *)&task->items[i];
	return NULL;
}

static void *ask_body(void *argument)
{
	struct checkup_task *task = argument;

	session_ask_at(&task->asked, &task->answer);
	task_announce(&task->task);
	return NULL;
}

static void ask_next(struct session *session)
{
	struct checkup_task *task = &session->checkup;

	for (unsigned i = 0; i < task->count && !task->task.running; i++) {
		struct checkup *item = &task->items[i];

		if (!item->wanted)
			continue;
		item->wanted = false;
		task->at = i;
		task->asked = item->end;
		task_start(&task->task, ask_body, task, NULL);
	}
}

void session_begin_checkup(struct session *session, const struct disk *disk)
{
	struct checkup_task *task = &session->checkup;
	struct checkup *item = find(session, &disk->identity);

	/* A disk that is being written to must not be disturbed. */
	if (session_busy(session, "show", NULL) < 0)
		return;
	if (!item) {
		if (task->count == CHECKUPS_MAX && task->task.running)
			return;
		/* More than anybody looks at; the oldest is dropped. */
		if (task->count == CHECKUPS_MAX)
			memmove(&task->items[0], &task->items[1],
				--task->count * sizeof(task->items[0]));
		item = &task->items[task->count++];
		*item = (struct checkup){ .identity = disk->identity };
		health_clear(&item->health, NULL);
	}
	session_address_disk(disk, &item->end);
	item->wanted = item->end.node[0];
	ask_next(session);
}

void session_take_checkup(struct session *session, unsigned *changes)
{
	struct checkup_task *task = &session->checkup;

	task_join(&task->task);
	task->items[task->at].health = task->answer;
	*changes |= SESSION_CHANGE_HEALTH;
	ask_next(session);
}

const struct health *session_checkup(const struct session *session, const struct disk *disk,
				     bool *retasking)
{
	const struct checkup_task *task = &session->checkup;
	const struct checkup *item = find(session, &disk->identity);

	*retasking =
		item && (item->wanted || (task->task.running && item == &task->items[task->at]));
	return item && item->end.node[0] ? &item->health : NULL;
}
