/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The copy that has just ended is read back once more; its report stays as it is. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "guard/claim.h"
#include "session/private.h"

/* What is mounted or changed since the copy may differ by right. */
static int look_around(struct session *session)
{
	struct again_task *again = &session->again;
	struct verdict_list verdicts = { 0 };
	struct guard_facts facts;
	int r = facts_gather(session->plan, again->disks, session->log_dir, NULL, &facts,
			     &again->start.error);

	if (r == 0)
		r = session_judge(session, session->plan, NULL, &facts, &verdicts,
				  &again->start.error);
	if (r == 0)
		r = session_check_readable(session->plan, &verdicts, again->known.digests != NULL,
					   &again->start.error);
	verdict_list_done(&verdicts);
	return r;
}

/* The digests that were taken as the source was read; without them both ends are read, and then
 * all of both. */
static int find_proof(struct session *session)
{
	struct again_task *again = &session->again;
	struct error *error = &again->start.error;
	const char *list = session->files.digests;
	char id[9];
	int r;

	if (!session->report.job.digests_saved)
		return session_map_of_all(session->plan, &again->map, error);
	/* The first one: where it was saved as well may have been unplugged since. */
	r = known_load(list, &again->known, error);
	if (r == 0 && strcmp(again->known.id, plan_id(session->plan, id)) != 0)
		r = error_set(error, ERROR_CLASS_USAGE, -EINVAL, "verify", list,
			      _("The list of digests %s belongs to another copy than the report "
				"%s."),
			      list, session->report.json_path);
	return r;
}

static int open_ends(struct session *session)
{
	struct again_task *again = &session->again;
	const struct map *map = again->known.map ? again->known.map : again->map;
	struct start_task *start = &again->start;
	int r = session_open_to_verify(start, session->plan, session->started_disks,
				       again->known.digests, map, &start->error);

	start->plan.options = (struct plan_options){
		.retries = PLAN_RETRIES_DEFAULT,
		/* As it was wished last. */
		.rate = session->report.job.rate_limit,
		.source_backend =
			endpoint_is_sg_only(&start->plan.source) ? BACKEND_SG : BACKEND_AUTO,
		.verify = again->known.digests ? VERIFY_DIGEST : VERIFY_COMPARE,
	};
	return r;
}

static void close_ends(struct start_task *start)
{
	claim_discard(cleanup_steal(start->destination));
	claim_discard(cleanup_steal(start->source));
}

static void *start_body(void *argument)
{
	struct session *session = argument;
	struct again_task *again = &session->again;
	struct start_task *start = &again->start;
	int r = find_proof(session);

	if (r == 0)
		r = look_around(session);
	if (r == 0)
		r = open_ends(session);
	if (r == 0) {
		/* What it finds goes into the log of the copy, where there is one to write to. */
		log_open(session->report.log_path, NULL, &again->log, NULL);
		start->setup.log = again->log;
		r = job_new(&start->setup, &start->job, &start->error);
	}
	if (r == 0)
		r = job_start(start->job, &start->error);
	if (r < 0) {
		job_destroy(cleanup_steal(start->job));
		close_ends(start);
	}
	start->result = r;
	task_announce(&start->task);
	return NULL;
}

static void *end_body(void *argument)
{
	struct again_task *again = argument;

	close_ends(&again->start);
	task_announce(&again->start.task);
	return NULL;
}

/* Nothing of it runs any more. */
static void forget(struct session *session)
{
	struct again_task *again = &session->again;
	const struct disk_list *disks = again->disks;

	job_destroy(cleanup_steal(again->start.job));
	close_ends(&again->start);
	known_done(&again->known);
	again->known = (struct known){ 0 };
	map_destroy(cleanup_steal(again->map));
	log_close(cleanup_steal(again->log));
	again->disks = NULL;
	again->ending = false;
	if (disks)
		session_drop_disks(session, disks);
	if (session->state == SESSION_VERIFYING)
		session->state = SESSION_FINISHED;
}

int session_begin_verify(struct session *session, struct error *reterr)
{
	struct again_task *again = &session->again;
	int r;

	if (session->state != SESSION_FINISHED || !session->has_report)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "verify", NULL,
				 _("There is nothing to verify."));
	again->start.error = (struct error){ 0 };
	again->start.result = 0;
	again->disks = session->disks;
	again->verified = false;
	r = task_start(&again->start.task, start_body, session, reterr);
	if (r < 0)
		again->disks = NULL;
	else
		session->state = SESSION_VERIFYING;
	return r;
}

bool session_verify_ended(const struct session *session)
{
	const struct again_task *again = &session->again;
	struct job_snapshot job;

	if (session->state != SESSION_VERIFYING || again->start.task.running || !again->start.job)
		return false;
	job_snapshot(again->start.job, &job);
	return job.state == JOB_ENDED;
}

void session_end_verify(struct session *session)
{
	struct again_task *again = &session->again;

	epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, job_event_fd(again->start.job), NULL);
	job_wait(again->start.job, NULL);
	job_snapshot(again->start.job, &again->last);
	again->verified = true;
	again->ending = true;
	/* Without a thread: then here. */
	if (task_start(&again->start.task, end_body, again, NULL) < 0)
		forget(session);
}

void session_take_verify(struct session *session, unsigned *changes)
{
	struct start_task *start = &session->again.start;

	task_join(&start->task);
	*changes |= SESSION_CHANGE_STATE;
	if (!session->again.ending && start->result == 0)
		start->result =
			session_watch(session, job_event_fd(start->job), EVENT_JOB, &start->error);
	if (session->again.ending || start->result < 0)
		forget(session);
}

void session_stop_verify(struct session *session)
{
	struct again_task *again = &session->again;

	task_join(&again->start.task);
	if (again->start.job)
		job_stop(again->start.job);
	forget(session);
}

struct job *session_verify_job(const struct session *session)
{
	const struct again_task *again = &session->again;

	/* Until it is open it belongs to the thread that opens it. */
	return again->start.task.running && !again->ending ? NULL : again->start.job;
}

const struct error *session_verify_error(const struct session *session)
{
	return &session->again.start.error;
}

const struct job_snapshot *session_verified(const struct session *session)
{
	return session->again.verified ? &session->again.last : NULL;
}
