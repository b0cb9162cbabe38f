/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Report, text and certificate as files: at the end of the copy, and wherever the user wants. */
#include "session/save.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/partial_digests.h"
#include "map/recorded_copy.h"
#include "guard/facts.h"
#include "report/mask.h"

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

static int save(const struct report *report, enum report_form form, const char *path, dev_t beneath,
		struct log *log, struct file_timeout *timeout, struct error *reterr)
{
	int r;

	timeout->beneath = beneath;
	r = report_save(report, form, path, timeout, reterr);
	if (r < 0 && log)
		log_line(log, LOG_LEVEL_ERROR, "session", "%s: %s", path, file_phrase(r));
	return r;
}

static int save_sums(const struct report *report, struct log *log, struct file_timeout *timeout,
		     struct error *reterr)
{
	int r = report_save_sums(report, timeout, reterr);

	if (r < 0 && log)
		log_line(log, LOG_LEVEL_ERROR, "session", "%s: %s", report->sums_stem,
			 file_phrase(r));
	return r;
}

int save_first(struct report *report, const struct files *files, struct log *log,
	       struct file_timeout *timeout, struct error *reterr)
{
	text_copy(report->sums_stem, sizeof(report->sums_stem), files->sums_stem);
	text_copy(report->json_path, sizeof(report->json_path), files->report);
	text_copy(report->certificate_path, sizeof(report->certificate_path), files->certificate);
	timeout->beneath = files->report_beneath;
	int list = mask_list(report, timeout, reterr);
	int sums = save_sums(report, log, timeout, reterr);

	/* Only existing files are named. */
	if (sums < 0)
		report->sums_stem[0] = '\0';
	int certificate = save(report, REPORT_HTML, report->certificate_path,
			       files->certificate_beneath, log, timeout, reterr);

	if (certificate < 0)
		report->certificate_path[0] = '\0';
	/* The report is more important: return its error. */
	int json = save(report, REPORT_JSON, report->json_path, files->report_beneath, log, timeout,
			reterr);

	if (json < 0)
		report->json_path[0] = '\0';
	if (json < 0 || certificate < 0)
		return json < 0 ? json : certificate;
	return list < 0 ? list : sums;
}

/* The paths of the three forms, the list of digests and the checksum lists. */
struct places {
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

static int name_places(const struct report *report, const char *path, struct places *ret,
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
	if (files_name_beside(ret->json, sizeof(ret->json), stem, ".json") &&
	    files_name_beside(ret->text, sizeof(ret->text), stem, ".txt") &&
	    files_name_beside(ret->certificate, sizeof(ret->certificate), stem, ".html") &&
	    files_name_beside(ret->digests, sizeof(ret->digests), stem, REPORT_LIST_ENDING)) {
		/* Otherwise they stay where they are. */
		if (!files_name_sums(report->plan->options.checksums, stem, ret->sums_stem,
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

void save_name(struct report *report, const char *json, const char *certificate,
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

static int check_files(const struct report *report, const struct places *files,
		       struct error *reterr)
{
	const char *const paths[] = { files->json, files->text, files->certificate,
				      files->digests };
	int r = check_place(report->plan, files->json, reterr);

	for (size_t i = 0; r == 0 && i < sizeof(paths) / sizeof(paths[0]); i++)
		r = files_check_not_an_end(report->plan, paths[i], reterr);
	return r;
}

static int save_as(struct report *report, const char *path, struct error *reterr)
{
	struct places files;
	int r = name_places(report, path, &files, reterr), list;

	if (r == 0)
		r = check_files(report, &files, reterr);
	if (r < 0)
		return r;
	list = put_list(report, files.digests, NULL, reterr);
	/* The files name each other; the report is worth keeping without a list. */
	save_name(report, files.json, files.certificate,
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

/* A copy of everything, so that another plan can be made meanwhile. */
int save_copy(const struct report *from, struct saving *ret)
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

void save_run(void *data)
{
	struct saving *saving = data;

	saving->error = (struct error){ 0 };
	saving->result = saving->path[0] ? save_as(&saving->report, saving->path, &saving->error)
					 : save_where_it_is(&saving->report, &saving->error);
}

void save_done(struct saving *saving)
{
	report_done(&saving->report);
	plan_destroy(cleanup_steal(saving->plan));
}
