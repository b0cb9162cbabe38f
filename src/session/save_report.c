/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report, text and certificate as files: at the end of the copy, and wherever the user wants. */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/partial_digests.h"
#include "report/mask.h"
#include "session/session_private.h"

static void take_text(char *to, size_t size, const char *text)
{
	if (text)
		text_sanitise(to, size, text, strlen(text));
}

static int save(struct session *session, enum report_form form, const char *path, dev_t beneath,
		struct error *reterr)
{
	struct file_timeout *timeout = &session->finishing.timeout;
	int r;

	timeout->beneath = beneath;
	r = report_save(&session->report, form, path, timeout, reterr);

	if (r < 0 && session->log)
		log_line(session->log, LOG_LEVEL_ERROR, "session", "%s: %s", path, file_phrase(r));
	return r;
}

/* A masked report needs a masked list. It is loaded and saved anew, so that a damaged one is not
 * passed on. */
static int put_list(const struct report *report, const char *path, struct file_timeout *timeout,
		    struct error *reterr)
{
	const struct plan *plan;
	struct recorded_copy recorded;
	struct plan masked;
	int r;

	if (!report->job.digests_saved)
		return 0;
	r = recorded_copy_load(report->digests_path, &recorded, reterr);
	if (r < 0)
		return r;
	plan = recorded.plan;
	if (report->mask_serials && !recorded.masked) {
		report_mask_plan(plan, &masked);
		plan = &masked;
	}
	r = partial_digests_save(recorded.digests, plan,
				 plan == &masked || recorded.masked ? recorded.id : NULL,
				 recorded.map, path, timeout, reterr);
	recorded_copy_done(&recorded);
	return r;
}

static int mask_list(const struct report *report, struct file_timeout *timeout,
		     struct error *reterr)
{
	return report->mask_serials ? put_list(report, report->digests_path, timeout, reterr) : 0;
}

static int save_sums(struct session *session, struct error *reterr)
{
	int r = report_save_sums(&session->report, &session->finishing.timeout, reterr);

	if (r < 0 && session->log)
		log_line(session->log, LOG_LEVEL_ERROR, "session", "%s: %s",
			 session->report.sums_stem, file_phrase(r));
	return r;
}

int session_save_first(struct session *session, struct error *reterr)
{
	const struct session_files *files = &session->files;
	struct report *report = &session->report;

	text_copy(report->sums_stem, sizeof(report->sums_stem), files->sums_stem);
	text_copy(report->json_path, sizeof(report->json_path), files->report);
	text_copy(report->certificate_path, sizeof(report->certificate_path), files->certificate);
	session->finishing.timeout.beneath = files->report_beneath;
	int list = mask_list(report, &session->finishing.timeout, reterr);
	int sums = save_sums(session, reterr);

	/* Only existing files are named. */
	if (sums < 0)
		report->sums_stem[0] = '\0';
	int certificate = save(session, REPORT_HTML, report->certificate_path,
			       files->certificate_beneath, reterr);

	if (certificate < 0)
		report->certificate_path[0] = '\0';
	/* The report is more important: return its error. */
	int json = save(session, REPORT_JSON, report->json_path, files->report_beneath, reterr);

	if (json < 0)
		report->json_path[0] = '\0';
	if (json < 0 || certificate < 0)
		return json < 0 ? json : certificate;
	return list < 0 ? list : sums;
}

/* The paths of the three forms, the list of digests and the checksum lists. */
struct report_files {
	char json[512], text[512], certificate[512], digests[512], sums_stem[512];
};

/* In a directory they get the names that they have in the log directory. */
static int name_stem(const struct report *report, const char *path, char stem[static 512],
		     struct error *reterr)
{
	char first[512];
	struct stat st;
	size_t length;

	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		length = (size_t)snprintf(stem, 512, "%s", path);
	else
		length = (size_t)snprintf(
			stem, 512, "%s/%s", path,
			basename(text_copy(first, sizeof(first), report->log_path)));
	if (length < 512)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
			 _("The report cannot be saved there: the path is too long."));
}

static int name_files(const struct report *report, const char *path, struct report_files *ret,
		      struct error *reterr)
{
	char stem[512];
	int r = name_stem(report, path, stem, reterr);
	size_t length = r < 0 ? 0 : strlen(stem);

	if (r < 0)
		return r;
	/* The stem is that of the log. */
	if (length > 4 && strcmp(stem + length - 4, ".log") == 0)
		stem[length - 4] = '\0';
	if (session_name_beside(ret->json, sizeof(ret->json), stem, ".json") &&
	    session_name_beside(ret->text, sizeof(ret->text), stem, ".txt") &&
	    session_name_beside(ret->certificate, sizeof(ret->certificate), stem, ".html") &&
	    session_name_beside(ret->digests, sizeof(ret->digests), stem, REPORT_LIST_ENDING)) {
		/* Otherwise they stay where they are. */
		if (!session_name_sums(report->plan->options.sums, stem, ret->sums_stem,
				       sizeof(ret->sums_stem)))
			text_copy(ret->sums_stem, sizeof(ret->sums_stem), report->sums_stem);
		return 0;
	}
	return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
			 _("The report cannot be saved there: the path is too long."));
}

/* Neither disk may be changed any more, even if something of it is mounted by now. */
static int check_place(const struct plan *plan, const char *path, struct error *reterr)
{
	const struct endpoint *on = NULL;

	if (facts_path_on(path, &plan->destination))
		on = &plan->destination;
	else if (facts_path_on(path, &plan->source))
		on = &plan->source;
	if (!on)
		return 0;
	return error_set(
		reterr, ERROR_CLASS_REFUSED, -EACCES, "save", path,
		on == &plan->source
			? _("Not saved: %s lies on the source %s, which must stay as it is. "
			    "Choose another disk.")
			: _("Not saved: %s lies on the destination %s, which would differ "
			    "from the source then. Choose another disk."),
		path, on->node);
}

static void name_in_report(struct report *report, const char *json, const char *certificate,
			   const char *digests, const char *sums_stem)
{
	text_copy(report->json_path, sizeof(report->json_path), json);
	text_copy(report->certificate_path, sizeof(report->certificate_path), certificate);
	text_copy(report->digests_path, sizeof(report->digests_path), digests);
	text_copy(report->sums_stem, sizeof(report->sums_stem), sums_stem);
}

/* ---- in the background ---- */

static int save_where_it_is(const struct report *report, struct error *reterr)
{
	int r = mask_list(report, NULL, reterr);

	if (r == 0 && report->certificate_path[0])
		r = report_save(report, REPORT_HTML, report->certificate_path, NULL, reterr);
	if (r == 0 && report->json_path[0])
		r = report_save(report, REPORT_JSON, report->json_path, NULL, reterr);
	return r;
}

static int check_files(const struct report *report, const struct report_files *files,
		       struct error *reterr)
{
	const char *const paths[] = { files->json, files->text, files->certificate,
				      files->digests };
	int r = check_place(report->plan, files->json, reterr);

	for (size_t i = 0; r == 0 && i < sizeof(paths) / sizeof(paths[0]); i++)
		r = session_check_not_an_end(report->plan, paths[i], reterr);
	return r;
}

static int save_as(struct report *report, const char *path, struct error *reterr)
{
	struct report_files files;
	int r = name_files(report, path, &files, reterr), list;

	if (r == 0)
		r = check_files(report, &files, reterr);
	if (r < 0)
		return r;
	list = put_list(report, files.digests, NULL, reterr);
	/* The files name each other; the report is worth keeping without a list. */
	name_in_report(report, files.json, files.certificate,
		       list < 0 ? report->digests_path : files.digests, files.sums_stem);
	r = report_save_sums(report, NULL, reterr);
	if (r == 0)
		r = report_save(report, REPORT_JSON, files.json, NULL, reterr);
	if (r == 0)
		r = report_save(report, REPORT_TEXT, files.text, NULL, reterr);
	if (r == 0)
		r = report_save(report, REPORT_HTML, files.certificate, NULL, reterr);
	return r < 0 ? r : list;
}

static void *save_body(void *argument)
{
	struct save_task *saving = argument;

	saving->error = (struct error){ 0 };
	saving->result = saving->path[0] ? save_as(&saving->report, saving->path, &saving->error)
					 : save_where_it_is(&saving->report, &saving->error);
	task_announce(&saving->task);
	return NULL;
}

void session_forget_save(struct session *session)
{
	struct save_task *saving = &session->saving;

	report_done(&saving->report);
	plan_destroy(cleanup_steal(saving->plan));
}

/* A copy of everything, so that another plan can be made meanwhile. */
static int copy_report(const struct report *from, struct save_task *ret)
{
	size_t events = from->event_count, verdicts = from->verdicts.count;
	struct report *report = &ret->report;

	*report = *from;
	report->events = calloc(events ? events : 1, sizeof(*report->events));
	report->verdicts.items = calloc(verdicts ? verdicts : 1, sizeof(*report->verdicts.items));
	if (!report->events || !report->verdicts.items || plan_copy(from->plan, &ret->plan) < 0)
		return -ENOMEM;
	report->plan = ret->plan;
	for (size_t i = 0; i < events; i++)
		report->events[i] = from->events[i];
	for (size_t i = 0; i < verdicts; i++)
		report->verdicts.items[i] = from->verdicts.items[i];
	return 0;
}

static int check_idle(const struct session *session, struct error *reterr)
{
	if (!session->saving.task.running)
		return 0;
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EBUSY, "save", NULL,
		_("The report is still being saved; that takes as long as the disk does."));
}

static int begin(struct session *session, struct error *reterr)
{
	struct save_task *saving = &session->saving;
	int r;

	session_forget_save(session);
	if (copy_report(&session->report, saving) < 0) {
		session_forget_save(session);
		return error_nomem(reterr);
	}
	r = task_start(&saving->task, save_body, saving, reterr);
	if (r < 0)
		session_forget_save(session);
	return r;
}

int session_begin_sign(struct session *session, const char *operator_name, const char *ticket,
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
	session->saving.path[0] = '\0';
	return begin(session, reterr);
}

int session_begin_save(struct session *session, const char *path, struct error *reterr)
{
	struct save_task *saving = &session->saving;
	int r = check_idle(session, reterr);

	if (r < 0)
		return r;
	if (!session->has_report)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "save", path,
				 _("There is no report yet."));
	if (strlen(path) >= sizeof(saving->path))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
				 _("The report cannot be saved there: the path is too long."));
	session_absolute(saving->path, sizeof(saving->path), path);
	return begin(session, reterr);
}

void session_take_save(struct session *session, unsigned *changes)
{
	struct save_task *saving = &session->saving;

	task_join(&saving->task);
	/* The session may have the report of another copy by now. */
	if (saving->result == 0 && session->has_report &&
	    strcmp(session->report.log_path, saving->report.log_path) == 0)
		name_in_report(&session->report, saving->report.json_path,
			       saving->report.certificate_path, saving->report.digests_path,
			       saving->report.sums_stem);
	session_forget_save(session);
	*changes |= SESSION_CHANGE_SAVED;
}

const struct error *session_save_error(const struct session *session)
{
	return &session->saving.error;
}
