/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a copy: claims go, the report is made and saved. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "guard/claim.h"
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

bool session_warned(const struct session *session, enum verdict_means means)
{
	const struct verdict *verdict = verdict_list_find(&session->verdicts, means);

	return verdict && verdict->kind == VERDICT_WARN;
}

const char *session_writer_words(const struct source_writers *writers, char *buffer, size_t size)
{
	if (writers->mount[0])
		snprintf(buffer, size, _("it was mounted read-write at %s"), writers->mount);
	else
		text_copy(buffer, size, writers->other);
	return buffer;
}

/* Who came while it was copied is seen if he is still there. */
static void find_writer(const struct session *session, struct report *report)
{
	struct source_writers writers;

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
	const struct disk *disk = NULL;

	ret->rotational = UNKNOWN;
	if (endpoint->kind != ENDPOINT_IMAGE)
		disk = endpoint_disk(session->started_disks, endpoint);
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
	describe_disk(session, &session->plan->destination, &report->destination);
	report->source.before = session->asking.source_before;
	report->source.after = session->asking.source_after;
	report->destination.before = session->asking.destination_before;
	report->destination.after = session->asking.destination_after;
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
	text_copy(report->log_path, sizeof(report->log_path), session->files.log);
	text_copy(report->map_path, sizeof(report->map_path), session->files.map);
	text_copy(report->digests_path, sizeof(report->digests_path), session->files.digests);
	text_copy(report->version, sizeof(report->version), PACKAGE_VERSION);
	report->log_dir_in_memory = session->log_dir_in_memory;
	report->map_lost = session->moving.lost;
	if (uname(&host) == 0) {
		text_sanitise(report->host, sizeof(report->host), host.nodename,
			      sizeof(host.nodename));
		text_sanitise(report->kernel, sizeof(report->kernel), host.release,
			      sizeof(host.release));
	}
	find_writer(session, report);
	session_find_hurt(session, job, report);
	session_say_next(session, close_error, report);
	return 0;
}

/* The log is closed last. */
static int tell_and_save(struct session *session, struct finish_task *finishing)
{
	char line[256];
	int r = make_report(session, &finishing->close_error, &finishing->error);

	if (r < 0)
		return r;
	finishing->made = true;
	log_line(session->log, LOG_LEVEL_INFO, "session", "%s",
		 report_result_line(&session->report, line, sizeof(line)));
	finishing->timeout.ns = TIMEOUT_AT_END;
	r = session_save_first(session, &finishing->error);
	finishing->left_behind |= finishing->timeout.hung != NULL;
	file_timeout_done(&finishing->timeout);
	finishing->left_behind |= !log_close(cleanup_steal(session->log));
	return r;
}

static void close_claims(struct session *session, struct finish_task *finishing)
{
	if (finishing->destination && claim_close(cleanup_steal(finishing->destination),
						  finishing->reread, &finishing->close_error) < 0)
		log_error(session->log, "session", &finishing->close_error);
	claim_close(cleanup_steal(finishing->source), false, NULL);
}

/* Rereading a partition table, closing a disk and saving a file may take long. The front end's
 * thread changes nothing of what is used here before the state changes. */
static void *finish_body(void *argument)
{
	struct session *session = argument;
	struct finish_task *finishing = &session->finishing;

	close_claims(session, finishing);
	if (finishing->report)
		tell_and_save(session, finishing);
	task_announce(&finishing->task);
	return NULL;
}

static int begin(struct session *session, bool report, bool reread, struct error *reterr)
{
	struct finish_task *finishing = &session->finishing;
	int r;

	finishing->report = report;
	finishing->reread = reread;
	finishing->made = false;
	finishing->close_error = finishing->error = (struct error){ 0 };
	r = task_start(&finishing->task, finish_body, session, reterr);
	/* Without a thread: then here. */
	if (r < 0)
		close_claims(session, finishing);
	return r;
}

void session_begin_release(struct session *session)
{
	struct finish_task *finishing = &session->finishing;

	finishing->destination = cleanup_steal(session->starting.destination);
	finishing->source = cleanup_steal(session->starting.source);
	if (begin(session, false, false, NULL) < 0)
		session_look_again(session);
}

/* The last step; if the disks are still being released, it follows that. */
static int begin_report(struct session *session, bool reread, struct error *reterr)
{
	struct finish_task *finishing = &session->finishing;
	int r;

	session->state = SESSION_FINISHING;
	finishing->wanted = finishing->task.running;
	if (finishing->wanted)
		return 0;
	r = begin(session, true, reread, reterr);
	if (r < 0) {
		session->state = SESSION_FINISHED;
		heartbeat_end(session);
	}
	return r;
}

static int finish_waiting(struct session *session, struct error *reterr)
{
	session_give_up_waiting(session);
	/* The next part has just begun: stop it first. */
	if (session->state == SESSION_RUNNING) {
		job_stop(session->starting.job);
		return session_begin_finish(session, reterr);
	}
	/* Not if a disk is gone; and who gives up waiting does not want to wait for the other
	 * one. */
	health_clear(&session->asking.source_after, NULL);
	health_clear(&session->asking.destination_after, NULL);
	return begin_report(session, false, reterr);
}

int session_begin_finish(struct session *session, struct error *reterr)
{
	struct start_task *starting = &session->starting;
	struct finish_task *finishing = &session->finishing;
	unsigned changes = 0;

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
	epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, job_event_fd(starting->job), NULL);
	/* The result of the copy itself is in the report. */
	job_wait(starting->job, NULL);
	if (session_begin_waiting(session))
		return 0;
	session_begin_health_after(session);
	task_join(&session->asking.task);
	session_begin_map_rescue(session);
	if (session->moving.map)
		session_take_move(session, &changes);
	finishing->destination = cleanup_steal(starting->destination);
	finishing->source = cleanup_steal(starting->source);
	return begin_report(session, true, reterr);
}

void session_take_finish(struct session *session, unsigned *changes)
{
	struct finish_task *finishing = &session->finishing;

	task_join(&finishing->task);
	if (finishing->wanted) {
		finishing->wanted = false;
		*changes |= SESSION_CHANGE_STATE;
		begin_report(session, false, &finishing->error);
		return;
	}
	if (session->state == SESSION_FINISHING) {
		session->state = SESSION_FINISHED;
		heartbeat_end(session);
		session->has_report = finishing->made;
		*changes |= SESSION_CHANGE_STATE;
	}
	session_forget_destination(session);
	if (session->scanning.follows || session->state == SESSION_WAITING)
		session_look_again(session);
}

const struct error *session_finish_error(const struct session *session)
{
	return &session->finishing.error;
}

int session_finish(struct session *session, struct error *reterr)
{
	unsigned changes = 0;
	int r;

	if (session->state == SESSION_FINISHED)
		return 0;
	r = session_begin_finish(session, reterr);

	while (session->finishing.task.running)
		session_take_finish(session, &changes);
	if (r < 0 || session->state != SESSION_FINISHED)
		return r;
	if (session->finishing.error.code && reterr)
		*reterr = session->finishing.error;
	return session->finishing.error.code;
}

bool session_left_behind(const struct session *session)
{
	return session->finishing.left_behind;
}

const struct report *session_report(const struct session *session)
{
	return session->has_report ? &session->report : NULL;
}
