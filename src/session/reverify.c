/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifies in the background: the ends of a plan, or once more the copy that has just ended, whose
 * report stays as it is. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "guard/claim.h"
#include "session/session_private.h"

/* If it is mounted, or was changed since the copy, differences are legitimate. */
static int look_around(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;
	struct verdict_list verdicts = { 0 };
	struct guard_facts facts;
	enum guard_run run = reverifying->recorded.digests ? RUN_DIGESTS : RUN_COMPARE;
	int r = facts_gather(session->plan, reverifying->disks, session->log_dir, NULL, &facts,
			     &reverifying->start.error);

	if (r == 0)
		r = rules_check(session->plan, &facts, session->allowed, run, &verdicts,
				&reverifying->start.error);
	if (r == 0)
		r = session_check_readable(session->plan, &verdicts, run,
					   &reverifying->start.error);
	verdict_list_done(&verdicts);
	/* The copy itself may have made its image, or made it longer. */
	if (r == 0 && !session->has_report)
		r = session_check_length(session->plan, &reverifying->start.error);
	return r;
}

/* Uses the digests of the source; without them, both ends are read completely. */
static int find_proof(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;
	struct error *error = &reverifying->start.error;
	const char *list = session->files.digests;
	char id[9];
	int r;

	if (!session->has_report || !session->report.job.digests_saved)
		return session_map_of_all(session->plan, &reverifying->recorded.map, error);
	/* The first list: a later place may have been unplugged since. */
	r = recorded_copy_load(list, &reverifying->recorded, error);
	if (r == 0 && strcmp(reverifying->recorded.id, plan_id(session->plan, id)) != 0)
		r = error_set(error, ERROR_CLASS_USAGE, -EINVAL, "verify", list,
			      _("The list of digests %s belongs to another copy than the report "
				"%s."),
			      list, session->report.json_path);
	return r;
}

/* Of a copy's options, none that writes. */
static struct plan_options options_to_read(const struct session *session)
{
	const struct plan_options *planned = &session->plan->options;
	struct plan_options options = {
		.source_backend =
			endpoint_is_sg_only(&session->plan->source) ? BACKEND_SG : BACKEND_AUTO,
		.verify = session->reverifying.recorded.digests ? VERIFY_DIGEST : VERIFY_COMPARE,
	};

	if (session->has_report) {
		options.retries = PLAN_RETRIES_DEFAULT;
		/* As it was wished last. */
		options.rate = session->report.job.rate_limit;
	} else {
		options.retries = planned->retries;
		options.rate = planned->rate;
		options.sums = planned->sums;
	}
	return options;
}

static int open_ends(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;
	const struct disk_list *disks =
		session->has_report ? session->started_disks : reverifying->disks;
	struct start_task *start = &reverifying->start;
	int r = session_open_to_verify(start, session->plan, disks, session->images,
				       reverifying->recorded.digests, reverifying->recorded.map,
				       &start->error);

	start->plan.options = options_to_read(session);
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
	struct reverify_task *reverifying = &session->reverifying;
	struct start_task *start = &reverifying->start;
	int r = find_proof(session);

	if (r == 0)
		r = look_around(session);
	if (r == 0)
		r = open_ends(session);
	if (r == 0) {
		/* Findings go to the log of the copy, if there is one that can be written. */
		if (session->has_report)
			log_open(session->report.log_path, NULL, &reverifying->log, NULL);
		start->setup.log = reverifying->log;
		r = job_new(&start->setup, &start->job, &start->error);
	}
	if (r == 0) {
		reverifying->recorded.map = NULL; /* the job has it */
		r = job_start(start->job, &start->error);
	}
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
	struct reverify_task *reverifying = argument;

	close_ends(&reverifying->start);
	task_announce(&reverifying->start.task);
	return NULL;
}

/* Nothing of it runs any more. */
static void forget(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;
	const struct disk_list *disks = reverifying->disks;

	job_destroy(cleanup_steal(reverifying->start.job));
	close_ends(&reverifying->start);
	recorded_copy_done(&reverifying->recorded);
	reverifying->recorded = (struct recorded_copy){ 0 };
	log_close(cleanup_steal(reverifying->log));
	reverifying->disks = NULL;
	reverifying->ending = false;
	if (disks)
		session_drop_disks(session, disks);
	if (session->state == SESSION_VERIFYING)
		session->state = session->has_report || reverifying->verified ? SESSION_FINISHED
									      : SESSION_PLANNED;
}

/* A plan that resumes from a map is of a copy that is not finished. */
static bool is_possible(const struct session *session)
{
	if (session->state == SESSION_FINISHED)
		return session->has_report || session->reverifying.verified;
	return (session->state == SESSION_PLANNED || session->state == SESSION_CONFIRMED) &&
	       !session->resumes;
}

int session_begin_verify(struct session *session, struct error *reterr)
{
	struct reverify_task *reverifying = &session->reverifying;
	int r;

	if (!is_possible(session))
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "verify", NULL,
				 _("There is nothing to verify."));
	reverifying->start.error = (struct error){ 0 };
	reverifying->start.result = 0;
	reverifying->disks = session->disks;
	/* Both would read the same disks. */
	session_forget_measure(session);
	r = task_start(&reverifying->start.task, start_body, session, reterr);
	if (r < 0) {
		reverifying->disks = NULL;
		return r;
	}
	reverifying->verified = false;
	session->state = SESSION_VERIFYING;
	return 0;
}

bool session_verify_ended(const struct session *session)
{
	const struct reverify_task *reverifying = &session->reverifying;
	struct job_snapshot job;

	if (session->state != SESSION_VERIFYING || reverifying->start.task.running ||
	    !reverifying->start.job)
		return false;
	job_snapshot(reverifying->start.job, &job);
	return job.state == JOB_ENDED;
}

void session_end_verify(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;

	epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, job_event_fd(reverifying->start.job), NULL);
	job_wait(reverifying->start.job, NULL);
	job_snapshot(reverifying->start.job, &reverifying->last);
	reverifying->verified = true;
	reverifying->ending = true;
	/* Without a thread: then here. */
	if (task_start(&reverifying->start.task, end_body, reverifying, NULL) < 0)
		forget(session);
}

void session_take_verify(struct session *session, unsigned *changes)
{
	struct start_task *start = &session->reverifying.start;

	task_join(&start->task);
	*changes |= SESSION_CHANGE_STATE;
	if (!session->reverifying.ending && start->result == 0)
		start->result =
			session_watch(session, job_event_fd(start->job), EVENT_JOB, &start->error);
	if (!session->reverifying.ending && start->result == 0)
		return;
	forget(session);
	/* A plan that stays: disks may have come or gone meanwhile. */
	session_recheck(session);
}

void session_stop_verify(struct session *session)
{
	struct reverify_task *reverifying = &session->reverifying;

	task_join(&reverifying->start.task);
	if (reverifying->start.job)
		job_stop(reverifying->start.job);
	forget(session);
}

struct job *session_verify_job(const struct session *session)
{
	const struct reverify_task *reverifying = &session->reverifying;

	/* Until it is open, it belongs to the thread that opens it. */
	return reverifying->start.task.running && !reverifying->ending ? NULL
								       : reverifying->start.job;
}

const struct error *session_verify_error(const struct session *session)
{
	return &session->reverifying.start.error;
}

const struct job_snapshot *session_verified(const struct session *session)
{
	return session->reverifying.verified ? &session->reverifying.last : NULL;
}
