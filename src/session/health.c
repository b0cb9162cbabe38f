/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The health of both disks before the first read and after the final flush: the
 * difference is what the copy did to a weak disk. smartctl asks them. Nobody waits
 * for long, and the front end not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "health/smartctl.h"
#include "session/session_private.h"

#define SMARTCTL_TIMEOUT (5 * NSEC_PER_SEC) /* of all together */

static void address(const struct disk *disk, struct health_end *ret)
{
	text_copy(ret->node, sizeof(ret->node), disk ? smartctl_node(disk) : "");
	ret->error_counters = disk && smartctl_has_error_counters(disk);
	text_copy(ret->disk, sizeof(ret->disk), disk ? disk->node : "");
}

static void ask(const struct health_end *const *ends, struct health *const *answers, size_t count)
{
	struct smartctl_question questions[2];

	for (size_t i = 0; i < count; i++) {
		questions[i].health = answers[i];
		questions[i].error_counters = ends[i]->error_counters;
		text_copy(questions[i].node, sizeof(questions[i].node), ends[i]->node);
	}
	smartctl_ask(NULL, questions, count, SMARTCTL_TIMEOUT);
}

bool session_is_written_to(const char *node)
{
	CLEANUP(close) int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

void session_ask_at(const struct health_end *end, struct health *ret)
{
	health_clear(ret, NULL);
	if (!end->node[0])
		return;
	if (session_is_written_to(end->disk))
		health_clear(ret, _("Another program has locked the disk."));
	else
		ask(&end, &ret, 1);
}

void session_address_disk(const struct disk *disk, struct health_end *ret)
{
	address(disk, ret);
}

void session_disk_health(const struct disk *disk, struct health *ret)
{
	struct health_end end;

	address(disk, &end);
	session_ask_at(&end, ret);
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
	const struct health_end *ends[] = { &session->asking.source, &session->asking.destination };
	struct health *answers[] = { source, destination };

	ask(ends, answers, 2);
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

	if (session->state == SESSION_VERIFYING)
		return session_verify_ended(session);
	if (session->state != SESSION_RUNNING)
		return false;
	job_snapshot(session->starting.job, &job);
	if (job.state != JOB_ENDED)
		return false;
	/* A missing disk does not answer, and the copy will go on. */
	if (session_will_wait(session))
		return true;
	session_begin_map_rescue(session);
	session_begin_health_after(session);
	return !session->asking.task.running && !session->moving.task.running;
}
