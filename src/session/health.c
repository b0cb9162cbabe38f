/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The health of both disks, before the first byte is read and after the last
 * one was flushed: what a copy cost a weak disk is the difference. Nobody
 * waits for it longer than PATIENCE, and the front end not at all.
 */
#include "base/clock.h"
#include "base/text.h"
#include "discover/smartctl.h"
#include "session/private.h"

#define PATIENCE (5 * NSEC_PER_SEC)

static void address(const struct disk *disk, struct smartctl_question *ret)
{
	text_copy(ret->node, sizeof(ret->node), disk ? smartctl_node(disk) : "");
}

void session_address_health(struct session *session)
{
	struct health_task *asking = &session->asking;

	asking->asked = false;
	address(session_source_disk(session), &asking->source);
	address(session_destination_disk(session), &asking->destination);
}

void session_ask_health(struct session *session, struct health *source, struct health *destination)
{
	const struct health_task *asking = &session->asking;
	struct smartctl_question questions[] = { asking->source, asking->destination };

	questions[0].health = source;
	questions[1].health = destination;
	smartctl_ask(NULL, questions, 2, PATIENCE);
}

static void *ask_after(void *argument)
{
	struct session *session = argument;

	session_ask_health(session, &session->asking.source_after,
			   &session->asking.destination_after);
	task_announce(&session->asking.task);
	return NULL;
}

void session_begin_health_after(struct session *session)
{
	struct health_task *asking = &session->asking;

	if (asking->asked)
		return;
	asking->asked = true;
	health_clear(&asking->source_after, NULL);
	health_clear(&asking->destination_after, NULL);
	if (asking->source.node[0] || asking->destination.node[0])
		task_start(&asking->task, ask_after, session, NULL);
}

bool session_can_finish(struct session *session)
{
	struct job_snapshot job;

	if (session->state != SESSION_RUNNING)
		return false;
	job_snapshot(session->starting.job, &job);
	if (job.state != JOB_ENDED)
		return false;
	/* A disk that is gone says nothing, and the copy will go on. */
	if (session_will_wait(session))
		return true;
	session_begin_health_after(session);
	return !session->asking.task.running;
}
