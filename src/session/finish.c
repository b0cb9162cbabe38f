/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a copy: claims go, the report is made and saved. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/file.h"
#include "base/text.h"
#include "guard/claim.h"
#include "session/outcome.h"
#include "session/session_private.h"

static int copy_warnings(const struct verdict_list *from, struct verdict_list *ret)
{
	ret->items = calloc(from->count ? from->count : 1, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (size_t i = 0; i < from->count; i++)
		if (from->items[i].kind != VERDICT_OK)
			ret->items[ret->count++] = from->items[i];
	return 0;
}

void session_writer_words(const struct end_writers *writers, char *buffer, size_t size)
{
	if (writers->mount[0])
		snprintf(buffer, size, _("it was mounted read-write at %s"), writers->mount);
	else
		text_copy(buffer, size, writers->other);
}

/* A writer that came while the source was copied is found only if it is still there. */
static void find_writer(const struct session *session, struct report *report)
{
	struct end_writers writers;

	text_copy(report->source_writer, sizeof(report->source_writer),
		  session->plan->source_writer);
	if (report->source_writer[0])
		return;
	facts_find_writers(&session->plan->source, session->started_disks, &writers);
	session_writer_words(&writers, report->source_writer, sizeof(report->source_writer));
}

/* The disk as it was when the copy began. */
static void describe_disk(const struct session *session, const struct endpoint *endpoint,
			  struct report_disk *ret)
{
	const struct disk *disk = endpoint_disk(session->started_disks, endpoint);

	ret->rotational = UNKNOWN;
	if (!disk)
		return;
	text_copy(ret->transport, sizeof(ret->transport), disk->transport);
	text_copy(ret->hctl, sizeof(ret->hctl), disk->hctl);
	text_copy(ret->bsg, sizeof(ret->bsg), disk->bsg);
	text_copy(ret->nvme_generic, sizeof(ret->nvme_generic), disk->nvme_generic);
	text_copy(ret->path, sizeof(ret->path), disk->path);
	text_copy(ret->by_id, sizeof(ret->by_id), disk->by_id);
	ret->rotational = disk->rotational;
}

/* The disk or image that was copied, as it was when the copy began; NULL: unknown. */
static const struct disk *copied(const struct session *session)
{
	const struct endpoint *source = &session->plan->source;

	return source->kind == ENDPOINT_IMAGE ? session_image(session, source)
					      : endpoint_disk(session->started_disks, source);
}

void session_shrink_after(struct session *session, const struct layout_shrink *shrink)
{
	session->shrink = *shrink;
}

static int make_report(struct session *session, const struct error *close_error,
		       struct error *reterr)
{
	struct report *report = &session->report;
	struct job *job = session_job(session);
	struct utsname host;

	*report = (struct report){ .plan = session->plan,
				   .mask_serials = session->options.mask_serials };
	text_copy(report->operator_name, sizeof(report->operator_name), session->operator_name);
	text_copy(report->ticket, sizeof(report->ticket), session->ticket);
	describe_disk(session, &session->plan->source, &report->source);
	describe_disk(session, &session->plan->destinations[0], &report->destination);
	report->source.before = session->health.before[0];
	report->source.after = session->health.after[0];
	report->destination.before = session->health.before[1];
	report->destination.after = session->health.after[1];
	job_map_cells(job, 0, 0, REPORT_MAP_CELLS, report->map_cells);
	session_snapshot(session, &report->job);
	job_rates(job, &report->rates);
	rates_level_profile(&report->rates);
	report->events = calloc(JOB_EVENTS_MAX, sizeof(*report->events));
	if (!report->events || copy_warnings(&session->verdicts, &report->verdicts) < 0) {
		report_done(report);
		return error_nomem(reterr);
	}
	report->event_count = job_events(job, 0, report->events, JOB_EVENTS_MAX);
	report->files = session->files.at;
	/* Refused when the disks were opened: nobody tried to save a map. */
	if (!report->job.map_saved_at && !report->job.map_failed && !session->resumes)
		report->files.map[0] = '\0';
	text_copy(report->version, sizeof(report->version), PACKAGE_VERSION);
	report->log_dir_in_memory = session->log_dir_in_memory;
	report->map_lost = session->map_lost;
	if (uname(&host) == 0) {
		text_sanitise(report->host, sizeof(report->host), host.nodename,
			      sizeof(host.nodename));
		text_sanitise(report->kernel, sizeof(report->kernel), host.release,
			      sizeof(host.release));
	}
	find_writer(session, report);
	outcome_find_hurt(job, copied(session), report);
	identifiers_find(report->plan, copied(session), &session->volumes, &report->identifiers);
	atomic_store(&session->finishing.changing, aftercare_asked(&session->shrink, report));
	aftercare_run(session->log, copied(session), &session->shrink, report);
	atomic_store(&session->finishing.changing, false);
	boot_check_copy(job, copied(session), report);
	outcome_say_next(copied(session), close_error, report);
	return 0;
}

/* The log is closed last. */
static int tell_and_save(struct session *session, struct finishing *finishing)
{
	struct file_timeout timeout = { .ns = TIMEOUT_AT_END };
	char line[256];
	int r = make_report(session, &finishing->close_error, &finishing->error);

	if (r < 0)
		return r;
	finishing->made = true;
	log_line(session->log, LOG_LEVEL_INFO, "session", "%s",
		 report_result_line(&session->report, line, sizeof(line)));
	r = save_first(&session->report, &session->files, session->log, &timeout,
		       &finishing->error);
	finishing->left_behind |= timeout.hung != NULL;
	file_timeout_done(&timeout);
	finishing->left_behind |= !log_close(cleanup_steal(session->log));
	return r;
}

static void close_claims(struct session *session, struct finishing *finishing)
{
	struct opened *opened = &session->opened;

	if (opened->source)
		opened_look_for_writer(opened);
	if (opened->destination && claim_close(cleanup_steal(opened->destination),
					       finishing->report, &finishing->close_error) < 0)
		log_error(session->log, "session", &finishing->close_error);
	claim_close(cleanup_steal(opened->source), false, NULL);
}

/* Rereading a partition table, closing a disk and saving a file may take long. The front end's
 * thread changes nothing of what is used here before the state changes. */
static void finish_body(void *data)
{
	struct session *session = data;
	struct finishing *finishing = &session->finishing;

	close_claims(session, finishing);
	if (finishing->report)
		tell_and_save(session, finishing);
}

static int begin_closing(struct session *session, bool report)
{
	struct finishing *finishing = &session->finishing;
	int r;

	finishing->report = report;
	finishing->made = false;
	finishing->close_error = finishing->error = (struct error){ 0 };
	r = session_begin_task(session, SESSION_TASK_FINISH, finish_body, session, NULL);
	/* Without a thread: then here. */
	if (r < 0)
		finish_body(session);
	return r;
}

void session_begin_release(struct session *session)
{
	if (begin_closing(session, false) < 0)
		session_look_again(session);
}

static void take_report(struct session *session)
{
	const struct finishing *finishing = &session->finishing;

	session->state = SESSION_FINISHED;
	heartbeat_end(&session->heartbeat, finishing->made ? session->report.files.json : NULL,
		      finishing->made ? (int)report_end_code(&session->report) : 0);
	session->has_report = finishing->made;
	session->left_behind = finishing->left_behind;
	session->errors[SESSION_TASK_FINISH] = finishing->error;
}

/* The last step. If the disks are still being released, or the map is being rescued, it begins when
 * that is done. */
static void begin_report(struct session *session)
{
	struct finishing *finishing = &session->finishing;

	session->state = SESSION_FINISHING;
	finishing->wanted = session_runs(session, SESSION_TASK_FINISH) || session->move.map;
	if (finishing->wanted || begin_closing(session, true) == 0)
		return;
	take_report(session);
	session_forget_destination(session);
}

/* ---- the health of both disks, after the final flush ---- */

/* Compared with the health before, this shows what the copy did to a weak disk. */
static void ask_after(void *data)
{
	struct ends_health *health = data;

	health_ask_both(health->ends, health->after);
}

static void begin_health_after(struct session *session)
{
	struct ends_health *health = &session->health;

	if (health->asked)
		return;
	health->asked = true;
	health_clear(&health->after[0], NULL);
	health_clear(&health->after[1], NULL);
	if (health->ends[0].node[0] || health->ends[1].node[0])
		session_begin_task(session, SESSION_TASK_AFTER, ask_after, health, NULL);
}

/* ---- another place for the map ---- */

/* A copy has ended that could be resumed, and its map could not be saved: begins to save it at
 * another place, once. */
static void begin_map_rescue(struct session *session)
{
	struct move *move = &session->move;
	struct job *job = session_job(session);
	struct job_snapshot snapshot;

	if (session->map_tried || session_runs(session, SESSION_TASK_MOVE))
		return;
	session->map_tried = true;
	job_snapshot(job, &snapshot);
	if (snapshot.map_safe || !session->files.at.map[0] || snapshot.error.code == -ENOENT ||
	    (snapshot.result != JOB_RESULT_STOPPED && snapshot.result != JOB_RESULT_FAILED))
		return;
	move->map = session->state == SESSION_WAITING ? cleanup_steal(session->resume)
						      : job_take_confirmed(job);
	if (!move->map)
		return;
	session->log_moved = false;
	move_prepare(move, &session->files, session->plan, NULL);
	if (session_begin_task(session, SESSION_TASK_MOVE, move_run, move, NULL) < 0)
		map_destroy(cleanup_steal(move->map));
}

int session_move_map(struct session *session, const char *path, struct error *reterr)
{
	struct move *move = &session->move;

	if (session->state != SESSION_RUNNING)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "save", NULL,
				 _("No copy runs, so there is no map to be moved."));
	if (session_runs(session, SESSION_TASK_MOVE))
		return error_set(reterr, ERROR_CLASS_USAGE, -EBUSY, "save", NULL,
				 _("A place for the map is being tried already."));
	session->log_moved = false;
	move_prepare(move, &session->files, session->plan, path);
	return session_begin_task(session, SESSION_TASK_MOVE, move_run, move, reterr);
}

static void move_log(struct session *session)
{
	const struct move *move = &session->move;
	struct files *files = &session->files, before = *files;
	struct error error;

	if (!move->stem[0] ||
	    (!files_beside(files->at.log, files->at.map) && !log_failing(session->log, &error)))
		return;
	move_rename(move, files);
	if (log_move(session->log, files->at.log, NULL) < 0) {
		*files = before;
		return;
	}
	session->log_moved = true;
	session->log_dir_in_memory = move->in_memory;
	log_line(session->log, LOG_LEVEL_INFO, "session", "this log begins in %s", before.at.log);
	session_log_plan(session);
}

static void name_map(struct session *session)
{
	struct files *files = &session->files;

	move_log(session);
	text_copy(files->at.map, sizeof(files->at.map), session->move.place.path);
	files->map_beneath = session->move.place.beneath;
	session->map_in_memory = session->move.in_memory;
}

static void save_there(struct session *session, struct error *reterr)
{
	struct files *files = &session->files, before = *files;
	struct job *job = session->opened.job;

	name_map(session);
	text_copy(session->resume_path, sizeof(session->resume_path), files->at.map);
	if (job_set_map_path(job, files->at.map, files->map_beneath, reterr) < 0)
		*files = before;
	else
		job_set_digests_path(job, files->at.digests, files->report_beneath);
}

/* The job has ended: only the files are named anew. */
static void take_rescued(struct session *session)
{
	map_destroy(cleanup_steal(session->move.map));
	session->map_lost = session->move.map_is_lost;
	if (session->move.error.code)
		return;
	session->map_saved = true;
	log_line(session->log, LOG_LEVEL_WARNING, "session", "the map could not be saved as %s: %s",
		 session->files.at.map, session->move.place.path);
	name_map(session);
}

static bool has_ended(struct job *job)
{
	struct job_snapshot snapshot;

	job_snapshot(job, &snapshot);
	return snapshot.state == JOB_ENDED;
}

void session_take_move(struct session *session, unsigned *changes)
{
	struct error *error = &session->errors[SESSION_TASK_MOVE];
	struct move *move = &session->move;

	*changes |= SESSION_CHANGE_MAP;
	*error = move->error;
	if (move->map)
		take_rescued(session);
	/* If the copy has ended by now, the map stays where it is. */
	else if (!move->error.code && session->state == SESSION_RUNNING &&
		 !has_ended(session->opened.job))
		save_there(session, error);
	if (session->finishing.wanted)
		session_take_finish(session, changes);
}

/* ---- the end ---- */

bool session_can_finish(struct session *session)
{
	if (session->state == SESSION_VERIFYING)
		return session_verify_ended(session);
	if (session->state != SESSION_RUNNING || !has_ended(session->opened.job))
		return false;
	/* A missing disk does not answer, and the copy will go on. */
	if (session_will_wait(session))
		return true;
	begin_map_rescue(session);
	begin_health_after(session);
	return !session_runs(session, SESSION_TASK_AFTER) &&
	       !session_runs(session, SESSION_TASK_MOVE);
}

static int finish_waiting(struct session *session, struct error *reterr)
{
	session_give_up_waiting(session);
	/* The next part has just begun: stop it first. */
	if (session->state == SESSION_RUNNING) {
		job_stop(session->opened.job);
		return session_finish(session, reterr);
	}
	/* A missing disk does not answer, and who gives up waiting does not want to wait for the
	 * health of the other disk. */
	health_clear(&session->health.after[0], NULL);
	health_clear(&session->health.after[1], NULL);
	begin_map_rescue(session);
	begin_report(session);
	return 0;
}

int session_finish(struct session *session, struct error *reterr)
{
	struct opened *opened = &session->opened;

	if (session->state == SESSION_FINISHED || session->state == SESSION_FINISHING)
		return 0;
	if (session->state == SESSION_VERIFYING) {
		if (session_verify_ended(session))
			session_end_verify(session);
		return 0;
	}
	if (session->state == SESSION_WAITING)
		return finish_waiting(session, reterr);
	if (session->state != SESSION_RUNNING)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "finish", NULL,
				 _("There is no running copy to finish."));
	epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, job_event_fd(opened->job), NULL);
	/* The result of the copy itself is in the report. */
	job_wait(opened->job, NULL);
	if (session_begin_waiting(session))
		return 0;
	begin_health_after(session);
	session_join(session, SESSION_TASK_AFTER);
	begin_map_rescue(session);
	begin_report(session);
	return 0;
}

void session_take_finish(struct session *session, unsigned *changes)
{
	struct finishing *finishing = &session->finishing;

	if (finishing->wanted) {
		finishing->wanted = false;
		*changes |= SESSION_CHANGE_STATE;
		begin_report(session);
		return;
	}
	if (session->state == SESSION_FINISHING) {
		take_report(session);
		*changes |= SESSION_CHANGE_STATE;
	}
	session_forget_destination(session);
	if (session->scanning.follows || session->state == SESSION_WAITING)
		session_look_again(session);
}

/* ---- the report once more ---- */

static void take_text(char *to, size_t size, const char *text)
{
	if (text)
		text_sanitise(to, size, text, strlen(text));
}

static int check_idle(const struct session *session, struct error *reterr)
{
	if (!session_runs(session, SESSION_TASK_SAVE))
		return 0;
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EBUSY, "save", NULL,
		_("The report is still being saved; that takes as long as the disk does."));
}

static int begin_save(struct session *session, struct error *reterr)
{
	struct saving *saving = &session->saving;
	int r;

	save_done(saving);
	if (save_copy(&session->report, saving) < 0) {
		save_done(saving);
		return error_nomem(reterr);
	}
	r = session_begin_task(session, SESSION_TASK_SAVE, save_run, saving, reterr);
	if (r < 0)
		save_done(saving);
	return r;
}

int session_sign(struct session *session, const char *operator_name, const char *ticket,
		 bool mask_serials, struct error *reterr)
{
	struct report *report = &session->report;
	int r = check_idle(session, reterr);

	if (r < 0)
		return r;
	take_text(session->operator_name, sizeof(session->operator_name), operator_name);
	take_text(session->ticket, sizeof(session->ticket), ticket);
	session->options.mask_serials = mask_serials;
	if (!session->has_report)
		return 0;
	text_copy(report->operator_name, sizeof(report->operator_name), session->operator_name);
	text_copy(report->ticket, sizeof(report->ticket), session->ticket);
	report->mask_serials = mask_serials;
	session->saving.path[0] = session->saving.stick.node[0] = '\0';
	return begin_save(session, reterr);
}

int session_save(struct session *session, const char *path, const struct stick *stick,
		 struct error *reterr)
{
	struct saving *saving = &session->saving;
	int r = check_idle(session, reterr);

	if (r < 0)
		return r;
	if (!session->has_report)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "save",
				 stick ? stick->node : path, _("There is no report yet."));
	if (stick) {
		saving->stick = *stick;
		return begin_save(session, reterr);
	}
	if (strlen(path) >= sizeof(saving->path))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
				 _("The report cannot be saved there: the path is too long."));
	files_absolute(saving->path, sizeof(saving->path), path);
	saving->stick.node[0] = '\0';
	return begin_save(session, reterr);
}

size_t session_sticks(const struct session *session, struct stick ret[static STICKS_MAX])
{
	return session->plan ? stick_list(session->disks, session->plan,
					  session->options.practice_dir != NULL, ret)
			     : 0;
}

void session_take_save(struct session *session, unsigned *changes)
{
	struct saving *saving = &session->saving;
	const struct report *saved = &saving->report;

	/* The session may have the report of another copy by now. */
	if (!saving->error.code && session->has_report &&
	    strcmp(session->report.files.log, saved->files.log) == 0)
		session->report.files = saved->files;
	session->errors[SESSION_TASK_SAVE] = saving->error;
	save_done(saving);
	*changes |= SESSION_CHANGE_SAVED;
}

void session_note(struct session *session, const char *text)
{
	if (session->state == SESSION_RUNNING || session->state == SESSION_WAITING)
		log_line(session->log, LOG_LEVEL_WARNING, "session", "%s", text);
}
