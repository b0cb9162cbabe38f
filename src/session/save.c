/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report, text and certificate as files: at the end of the copy, and wherever the user wants. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/i18n.h"
#include "base/text.h"
#include "session/private.h"

static void take_text(char *to, size_t size, const char *text)
{
	if (text)
		text_sanitise(to, size, text, strlen(text));
}

static int save(struct session *session, enum report_form form, const char *path,
		struct error *reterr)
{
	int r = report_save(&session->report, form, path, reterr);

	if (r < 0 && session->log)
		log_line(session->log, LOG_LEVEL_ERROR, "session", "%s: %s", path, error_phrase(r));
	return r;
}

int session_sign_report(struct session *session, const char *operator_name, const char *ticket,
			bool mask_serials, struct error *reterr)
{
	struct report *report = &session->report;
	int r = 0;

	take_text(session->operator_name, sizeof(session->operator_name), operator_name);
	take_text(session->ticket, sizeof(session->ticket), ticket);
	session->options.mask_serials = mask_serials;
	if (!session->has_report)
		return 0;
	text_copy(report->operator_name, sizeof(report->operator_name), session->operator_name);
	text_copy(report->ticket, sizeof(report->ticket), session->ticket);
	report->mask_serials = mask_serials;
	if (report->certificate_path[0])
		r = save(session, REPORT_HTML, report->certificate_path, reterr);
	if (r == 0 && report->json_path[0])
		r = save(session, REPORT_JSON, report->json_path, reterr);
	return r;
}

int session_save_first(struct session *session, struct error *reterr)
{
	struct report *report = &session->report;

	text_copy(report->json_path, sizeof(report->json_path), session->files.report);
	text_copy(report->certificate_path, sizeof(report->certificate_path),
		  session->files.certificate);
	int certificate = save(session, REPORT_HTML, report->certificate_path, reterr);

	/* What is not there is not named. */
	if (certificate < 0)
		report->certificate_path[0] = '\0';
	/* The report is the more important one: its error is the one to be told. */
	int json = save(session, REPORT_JSON, report->json_path, reterr);

	if (json < 0)
		report->json_path[0] = '\0';
	return json < 0 ? json : certificate;
}

/* Where the three forms go. */
struct report_files {
	char json[512], text[512], certificate[512];
};

/* In a directory they get the name that they have in the log directory. */
static int name_stem(const struct session *session, const char *path, char stem[static 512],
		     struct error *reterr)
{
	char absolute[512], first[512];
	struct stat st;
	size_t length;

	session_absolute(absolute, sizeof(absolute), path);
	if (strlen(path) >= sizeof(absolute))
		length = sizeof(absolute);
	else if (stat(absolute, &st) < 0 || !S_ISDIR(st.st_mode))
		length = (size_t)snprintf(stem, 512, "%s", absolute);
	else
		length = (size_t)snprintf(
			stem, 512, "%s/%s", absolute,
			basename(text_copy(first, sizeof(first), session->files.log)));
	if (length < 512)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
			 _("The report cannot be saved there: the path is too long."));
}

static int name_files(const struct session *session, const char *path, struct report_files *ret,
		      struct error *reterr)
{
	char stem[512];
	int r = name_stem(session, path, stem, reterr);
	size_t length = r < 0 ? 0 : strlen(stem);

	if (r < 0)
		return r;
	/* The log's name lends its stem. */
	if (length > 4 && strcmp(stem + length - 4, ".log") == 0)
		stem[length - 4] = '\0';
	if (session_name_beside(ret->json, sizeof(ret->json), stem, ".json") &&
	    session_name_beside(ret->text, sizeof(ret->text), stem, ".txt") &&
	    session_name_beside(ret->certificate, sizeof(ret->certificate), stem, ".html"))
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
			 _("The report cannot be saved there: the path is too long."));
}

/* Neither may change any more, whatever is mounted from them by now. */
static int check_place(const struct session *session, const char *path, struct error *reterr)
{
	const struct plan *plan = session->plan;
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

static void name_in_report(struct report *report, const char *json, const char *certificate)
{
	text_copy(report->json_path, sizeof(report->json_path), json);
	text_copy(report->certificate_path, sizeof(report->certificate_path), certificate);
}

int session_save_report(struct session *session, const char *path, struct error *reterr)
{
	struct report *report = &session->report;
	struct report_files files, before;

	if (!session->has_report)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "save", path,
				 _("There is no report yet."));
	int r = name_files(session, path, &files, reterr);

	if (r == 0)
		r = check_place(session, files.json, reterr);
	if (r < 0)
		return r;
	text_copy(before.json, sizeof(before.json), report->json_path);
	text_copy(before.certificate, sizeof(before.certificate), report->certificate_path);
	/* Each of them names the others. */
	name_in_report(report, files.json, files.certificate);
	r = save(session, REPORT_JSON, files.json, reterr);
	if (r == 0)
		r = save(session, REPORT_TEXT, files.text, reterr);
	if (r == 0)
		r = save(session, REPORT_HTML, files.certificate, reterr);
	if (r < 0)
		name_in_report(report, before.json, before.certificate);
	return r;
}
