/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting in the background: claims both ends, creates the files, runs the job; and the same for a
 * verification. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "guard/claim.h"
#include "map/recorded_copy.h"
#include "session/half_made.h"
#include "session/measured_disks.h"
#include "session/session_private.h"

DEFINE_CLEANUP(digests, struct digests *, digests_destroy)

/* ---- in the background ---- */

/* A disk that came back may be in use by now. The contents of the destination were judged and
 * confirmed at the start. */
static int check_again(struct session *session)
{
	struct starting *starting = &session->starting;
	const struct plan *plan = starting->plan;
	struct verdict_list verdicts = { 0 };
	struct guard_facts facts;
	int r;

	facts_gather(plan, session->started_disks, session->files.directory,
		     session->resumes ? session->resume_path : NULL, &facts);
	check_images(session->images, plan, &facts);
	r = rules_check(plan, &facts, session->allowed, session->resumes ? RUN_RESUME : RUN_COPY,
			&verdicts, &starting->error);
	if (r == 0 && verdict_list_worst(&verdicts) == VERDICT_REFUSE)
		r = error_set(&starting->error, ERROR_CLASS_REFUSED, -EACCES, "check",
			      plan->destinations[0].node, "%s", verdicts.items[0].sentence);
	verdict_list_done(&verdicts);
	return r;
}

/* Sequence numbers of an earlier boot are not in the plan of a map. */
static bool was_never_detached(const struct endpoint *now, const struct plan *recorded)
{
	if (!recorded)
		return false;
	if (now->kind == ENDPOINT_IMAGE)
		return endpoint_inode_lasts(now) &&
		       identity_same_inode(&now->identity, &recorded->destinations[0].identity);
	return now->identity.diskseq &&
	       now->identity.diskseq == recorded->destinations[0].identity.diskseq;
}

/* Is the destination really the half-made copy? Disks without a label are found by their names, two
 * disks may have one label, and the map may be of another pair of disks. Where everything is
 * verified at the end, a single difference is found then and need not stop the copy now. Sectors
 * that have become unreadable do not count as differences. If the source is gone, only regions with
 * a digest can be compared. */
static int compare_before(struct session *session, const struct recorded_copy *earlier)
{
	struct starting *starting = &session->starting;
	bool gone = starting->plan->source.gone[0] != '\0';
	struct half_made half = {
		.plan = starting->plan,
		.map = session->resume,
		.source = session->opened.source ? claim_fd(session->opened.source) : -1,
		.destination = claim_fd(session->opened.destination),
		.strict = starting->goes_on || gone || starting->plan->options.verify == VERIFY_OFF,
		.confirmed = !starting->goes_on,
	};
	CLEANUP(digests) struct digests *known = NULL;
	int r;

	if (!session->resume)
		return 0;
	half.same_device = was_never_detached(&starting->plan->destinations[0], map_plan(half.map));
	if (earlier->digests &&
	    digests_new_sized(half.plan, digests_region_size(earlier->digests), &known) == 0)
		partial_digests_restore(known, half.map, earlier);
	half.known = known;
	r = sample_check_length(half.plan, half.map, half.destination, &starting->error);
	if (r == 0)
		r = half_made_check(&half, &starting->error);
	return r == -EIO && !starting->goes_on && !gone ? 0 : r;
}

/* Without digests, what was copied before is compared with its source. */
static void load_earlier(struct session *session, struct recorded_copy *ret)
{
	struct starting *starting = &session->starting;
	struct error error = { 0 };
	char path[PATH_MAX];

	partial_digests_path(session->files.at.map, path);
	if (!session->resumes || starting->plan->options.verify == VERIFY_OFF ||
	    access(path, F_OK) < 0)
		return;
	if (recorded_copy_load(path, ret, &error) < 0) {
		log_error(session->log, "session", &error);
	} else if (strcmp(ret->id, PLAN_ID(starting->plan)) != 0) {
		log_line(session->log, LOG_LEVEL_WARNING, "session",
			 "%s belongs to another plan and is not used", path);
		recorded_copy_done(ret);
	}
}

void session_log_plan(struct session *session)
{
	const struct plan *plan = session->plan;
	const struct identity *from = &plan->source.identity, *to = &plan->destinations[0].identity;
	struct utsname host;
	char node[2][3 * sizeof(plan->source.node)], map[3 * sizeof(session->resume_path)];

	text_encode(node[0], sizeof(node[0]), plan->source.node);
	text_encode(node[1], sizeof(node[1]), plan->destinations[0].node);
	text_encode(map, sizeof(map), session->resumes ? session->resume_path : "");
	if (uname(&host) == 0)
		log_line(session->log, LOG_LEVEL_INFO, "session", "clonedeck %s on %s, %s %s",
			 PACKAGE_VERSION, host.nodename, host.sysname, host.release);
	log_line(session->log, LOG_LEVEL_INFO, "session", "source %s, model %s, serial %s, wwn %s",
		 node[0], from->model, from->serial, from->wwn);
	log_line(session->log, LOG_LEVEL_INFO, "session",
		 "destination %s, model %s, serial %s, wwn %s", node[1], to->model, to->serial,
		 to->wwn);
	log_line(session->log, LOG_LEVEL_INFO, "session", "plan %s, %zu extents, %llu bytes%s%s",
		 PLAN_ID(plan), plan->extent_count, (unsigned long long)plan_bytes(plan),
		 session->resumes ? ", goes on from " : "", map);
	for (size_t i = 0; i < session->verdicts.count; i++) {
		const struct verdict *verdict = &session->verdicts.items[i];

		if (verdict->kind != VERDICT_OK)
			log_line(session->log, LOG_LEVEL_WARNING, "guard", "%s%s: %s",
				 verdict->rule, verdict->lifted ? " (lifted)" : "",
				 verdict->sentence);
	}
}

static int make_files(struct session *session)
{
	struct starting *starting = &session->starting;
	struct files *files = &session->files;
	int r = files_make(files, starting->plan->options.checksums,
			   session->resumes ? session->resume_path : NULL, &starting->error);

	if (r < 0)
		return r;
	log_close(cleanup_steal(session->log));
	r = log_open(files->at.log, &session->log, &starting->error);
	if (r == 0)
		session_log_plan(session);
	return r;
}

/* When a copy goes on after a disk was missing, its files exist already. */
static int prepare(struct session *session, struct recorded_copy *earlier)
{
	struct ends_health *health = &session->health;
	int r = 0;

	if (!session->starting.goes_on) {
		health_ask_both(health->ends, health->before);
		r = make_files(session);
	}
	if (r < 0)
		return r;
	load_earlier(session, earlier);
	if (session->opened.source)
		r = check_table(session->starting.plan, claim_fd(session->opened.source),
				&session->starting.error);
	return r < 0 ? r : compare_before(session, earlier);
}

/* The map of a job that could not be started. */
static void take_map_back(struct session *session)
{
	struct job *job = session->opened.job;

	if (!job || !session->resumes)
		return;
	job_stop(job);
	job_wait(job, NULL);
	session->resume = job_take_confirmed(job);
}

static int make_job(struct session *session, const struct recorded_copy *earlier)
{
	struct job_setup *setup = &session->opened.setup;
	const struct files *files = &session->files;
	int r;

	setup->earlier = earlier->digests ? earlier : NULL;
	setup->map_path = files->at.map;
	setup->map_beneath = files->map_beneath;
	setup->digests_path = files->at.digests;
	setup->digests_beneath = files->report_beneath;
	setup->log = session->log;
	r = job_new(setup, &session->opened.job, &session->starting.error);
	setup->earlier = NULL;
	if (r == 0)
		session->resume = NULL; /* the job has it */
	return r;
}

/* session_stop() knew no job yet. */
static void stop_if_wanted(const struct session *session, struct job *job)
{
	if (atomic_load(&session->stopped))
		job_stop(job);
}

static int claim_ends(struct session *session)
{
	struct starting *starting = &session->starting;
	const struct plan *plan = starting->plan;
	struct opened *opened = &session->opened;
	int r = opened_claim(opened, &starting->error);

	if (r < 0)
		return r;
	measured_apply(session->files.directory, &plan->source.identity, &opened->setup.source);
	measured_apply(session->files.directory, &plan->destinations[0].identity,
		       &opened->setup.destination);
	if (!opened->source || (starting->goes_on && !opened->setup.source_was_gone))
		return 0;
	/* While the source was away, another machine may have written to it, also in the places
	 * that the plan leaves out. */
	return used_check(plan, opened->setup.source_disk, claim_fd(opened->source),
			  &starting->error);
}

/* As the part before was set, and stopped by now if the user wants that. */
static int run_job(struct session *session)
{
	struct starting *starting = &session->starting;
	struct job *job = session->opened.job;

	if (starting->goes_on && starting->rate != starting->plan->options.rate)
		job_set_rate(job, starting->rate);
	if (starting->goes_on && starting->pause)
		job_pause(job, true);
	stop_if_wanted(session, job);
	return job_start(job, &starting->error);
}

static void start_body(void *data)
{
	struct session *session = data;
	struct starting *starting = &session->starting;
	struct recorded_copy earlier = { 0 };
	int r = starting->goes_on ? check_again(session) : 0;

	if (r == 0)
		r = claim_ends(session);
	if (r == 0)
		r = prepare(session, &earlier);
	if (r == 0)
		r = make_job(session, &earlier);
	recorded_copy_done(&earlier);
	if (r == 0)
		r = run_job(session);
	if (r < 0) {
		log_error(session->log, "session", &starting->error);
		take_map_back(session);
		/* Closing a disk may take long, too. */
		opened_discard(&session->opened);
	}
	starting->result = r;
}

/* ---- a copy ---- */

static void remember_settings(struct starting *starting, struct job *before)
{
	struct job_snapshot job;

	job_snapshot(before, &job);
	starting->rate = job.rate_limit;
	starting->pause = job_pause_wanted(before);
}

static void note_writer(const struct session *session, struct plan *plan)
{
	const struct verdict *written = verdict_list_find(&session->verdicts, MEANS_SOURCE_WRITTEN);

	if (plan->source_writer[0] || !written || !written->lifted)
		return;
	session_writer_words(&session->source_writers, plan->source_writer,
			     sizeof(plan->source_writer));
	if (!plan->source_writer[0])
		text_copy(plan->source_writer, sizeof(plan->source_writer),
			  _("it was used as swap or held by another program"));
}

static void fill_setup(struct session *session, bool goes_on)
{
	struct job_setup *setup = &session->opened.setup;
	const struct plan *plan = session->starting.plan;
	const struct unplugged *unplugged = &session->unplugged;

	setup->resume = session->resume;
	setup->held = &session->held;
	setup->retry = session->retry.count ? &session->retry : NULL;
	setup->source_disk = session_contents(session, &plan->source);
	setup->map_interval = session->options.map_interval * NSEC_PER_SEC;
	setup->source_in_use = plan->source_writer[0] != '\0';
	setup->source_gone = plan->source.gone[0] != '\0';
	setup->source_was_gone =
		plan->source.gone[0] || (goes_on && (unplugged->went[0] || unplugged->source_gone));
	setup->events = unplugged->told;
	setup->event_count = unplugged->told_count;
}

int session_begin(struct session *session, struct plan *plan, bool goes_on, struct error *reterr)
{
	struct starting *starting = &session->starting;
	const struct disk *source, *destination;
	int r;

	/* First of all, since the job borrows its disks from this list. */
	session_drop_disks(session, &session->started_disks);
	session->started_disks = session->disks;
	source = session_disk(session, &plan->source);
	destination = session_disk(session, &plan->destinations[0]);
	note_writer(session, plan);
	starting->plan = plan;
	starting->goes_on = goes_on;
	session->map_tried = session->map_saved = session->map_lost = false;
	opened_prepare(&session->opened, plan, source, destination);
	fill_setup(session, goes_on);
	if (goes_on)
		remember_settings(starting, session->unplugged.job);
	atomic_store(&session->stopped, false);
	starting->error = (struct error){ 0 };
	session_leave_disks(session);
	session->health.asked = false;
	health_address(source, &session->health.ends[0]);
	health_address(destination, &session->health.ends[1]);
	r = session_begin_task(session, SESSION_TASK_START, start_body, session, reterr);
	if (r < 0)
		plan_destroy(cleanup_steal(starting->plan));
	return r;
}

int session_start(struct session *session, struct error *reterr)
{
	struct plan *plan = NULL;
	int r;

	if (session->state == SESSION_WAITING)
		return session_go_on(session, reterr);
	if (session->state != SESSION_CONFIRMED)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "start", NULL,
				 _("Nothing can be started before it is confirmed."));
	session->errors[SESSION_TASK_START] = (struct error){ 0 };
	if (plan_copy(session->plan, &plan) < 0)
		return error_nomem(reterr);
	r = session_begin(session, plan, false, reterr);
	if (r == 0)
		session->state = SESSION_STARTING;
	return r;
}

void session_stop(struct session *session)
{
	struct job *job = session_job(session);

	atomic_store(&session->stopped, true);
	if (job)
		job_stop(job);
}

void session_release_job(struct session *session)
{
	opened_discard(&session->opened);
	session_waiting_done(session);
	heartbeat_end(&session->heartbeat, NULL, 0);
	session->unplugged.parts = 0;
	session->unplugged.source_gone = false;
	if (session->has_report)
		report_done(&session->report);
	session->has_report = false;
	session_drop_disks(session, &session->started_disks);
}

void session_beat(struct session *session)
{
	struct job_snapshot job;

	if (!session_snapshot(session, &job))
		return;
	if (session->state == SESSION_RUNNING)
		notify_trouble(&session->notifier, &job);
	/* At the end, the log is the finishing thread's. */
	heartbeat_beat(&session->heartbeat, &job, session->files.at.map,
		       session->state == SESSION_WAITING,
		       session->state == SESSION_RUNNING ? session->log : NULL);
}

static void not_started(struct session *session)
{
	struct starting *starting = &session->starting;

	take_map_back(session);
	opened_discard(&session->opened);
	plan_destroy(cleanup_steal(starting->plan));
	if (session->state == SESSION_WAITING) {
		session_went_on(session, starting->result, &starting->error);
		return;
	}
	session->errors[SESSION_TASK_START] = starting->error;
	session_release_job(session);
	session->state = SESSION_PLANNED;
	/* The plan was checked against a list that may be out of date. */
	if (session->scanning.follows)
		session_look_again(session);
}

void session_take_start(struct session *session, unsigned *changes)
{
	struct starting *starting = &session->starting;

	*changes |= SESSION_CHANGE_STATE;
	if (starting->result == 0)
		starting->result = session_watch(session, job_event_fd(session->opened.job),
						 EVENT_JOB, &starting->error);
	if (starting->result < 0) {
		/* What was read of the source may be out of date, which may be why the start
		 * failed. */
		session_forget_used(session);
		not_started(session);
		return;
	}
	if (session->state == SESSION_WAITING)
		session_went_on(session, 0, NULL);
	session->state = SESSION_RUNNING;
	stop_if_wanted(session, session->opened.job);
	/* The job borrows the plan that it was started with, so that one stays. */
	plan_destroy(session->plan);
	session->plan = cleanup_steal(starting->plan);
	heartbeat_begin(&session->heartbeat, session->plan);
	session_beat(session);
}

void session_end_start(struct session *session)
{
	unsigned changes = 0;

	if (!session_runs(session, SESSION_TASK_START))
		return;
	session_stop(session);
	session_join(session, SESSION_TASK_START);
	session_take_start(session, &changes);
}

/* ---- a verification ---- */

/* A plan that resumes from a map is of a copy that is not finished; and what a report recorded is
 * used up by the first verification. */
static bool can_verify(const struct session *session)
{
	if (session->from_report && !session->recorded.digests)
		return false;
	if (session->state == SESSION_FINISHED)
		return session->has_report || session->compared;
	return (session->state == SESSION_PLANNED || session->state == SESSION_CONFIRMED) &&
	       !session->resumes;
}

static int prepare_compare(struct session *session)
{
	struct compare *compare = &session->compare;
	const struct report *report = &session->report;
	bool of_copy = session->has_report;

	compare_done(compare);
	*compare = (struct compare){
		.disks = session->disks,
		.described = of_copy ? session->started_disks : session->disks,
		.images = session->images,
		.allowed = session->allowed,
		.log_dir = session->files.directory,
		.of_copy = of_copy,
		/* The limit that the user set last. */
		.rate = of_copy ? report->job.rate_limit : session->plan->options.rate,
		.recorded = session->recorded,
	};
	session->recorded = (struct recorded_copy){ 0 };
	if (of_copy) {
		/* The list that the copy saved first: a later one may be on a stick that was
		 * unplugged. */
		text_copy(compare->list, sizeof(compare->list),
			  report->job.digests_saved ? session->files.at.digests : "");
		text_copy(compare->report, sizeof(compare->report), report->files.json);
		text_copy(compare->log_path, sizeof(compare->log_path), report->files.log);
	}
	return plan_copy(session->plan, &compare->plan);
}

int session_verify(struct session *session, struct error *reterr)
{
	struct compare *compare = &session->compare;
	int r;

	if (!can_verify(session))
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "verify", NULL,
				 _("There is nothing to verify."));
	session_leave_disks(session);
	if (prepare_compare(session) < 0)
		r = error_nomem(reterr);
	else
		r = session_begin_task(session, SESSION_TASK_VERIFY, compare_start, compare,
				       reterr);
	if (r < 0) {
		compare->disks = NULL;
		return r;
	}
	session->compared = false;
	session->compare_ends = false;
	session->state = SESSION_VERIFYING;
	atomic_store(&session->stopped, false);
	return 0;
}

/* Only when no thread of it runs any more. */
static void forget_verify(struct session *session)
{
	struct compare *compare = &session->compare;

	session->errors[SESSION_TASK_VERIFY] = compare->error;
	compare_done(compare);
	session_drop_disks(session, &compare->disks);
	if (session->state == SESSION_VERIFYING)
		session->state = session->has_report || session->compared ? SESSION_FINISHED
									  : SESSION_PLANNED;
}

bool session_verify_ended(const struct session *session)
{
	struct job_snapshot job;

	if (session->state != SESSION_VERIFYING || session_runs(session, SESSION_TASK_VERIFY) ||
	    !session->compare.opened.job)
		return false;
	job_snapshot(session->compare.opened.job, &job);
	return job.state == JOB_ENDED;
}

void session_end_verify(struct session *session)
{
	struct opened *opened = &session->compare.opened;
	struct job *job = opened->job;

	epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, job_event_fd(job), NULL);
	job_wait(job, NULL);
	job_snapshot(job, &session->verified);
	session->compared = true;
	session->compare_ends = true;
	/* Without a thread: then here. */
	if (session_begin_task(session, SESSION_TASK_VERIFY, opened_close, opened, NULL) < 0)
		forget_verify(session);
}

void session_take_verify(struct session *session, unsigned *changes)
{
	struct compare *compare = &session->compare;

	*changes |= SESSION_CHANGE_STATE;
	if (!session->compare_ends && compare->result == 0)
		compare->result = session_watch(session, job_event_fd(compare->opened.job),
						EVENT_JOB, &compare->error);
	if (!session->compare_ends && compare->result == 0) {
		stop_if_wanted(session, compare->opened.job);
		return;
	}
	forget_verify(session);
	/* If the plan stays, it is checked again: disks may have come or gone meanwhile. */
	session_recheck(session);
}

void session_stop_verify(struct session *session)
{
	session_join(session, SESSION_TASK_VERIFY);
	if (session->compare.opened.job)
		job_stop(session->compare.opened.job);
	forget_verify(session);
}
