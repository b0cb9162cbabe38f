/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/save.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
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
	r = recorded_copy_load(report->files.digests, &recorded, reterr);
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
	return report->mask_serials ? put_list(report, report->files.digests, timeout, reterr) : 0;
}

static int save(struct report *report, enum report_form form, const char *path, dev_t beneath,
		struct log *log, struct file_timeout *timeout, struct error *reterr)
{
	int r;

	timeout->beneath = beneath;
	r = report_save(report, form, path, timeout, reterr);
	if (r < 0 && log)
		log_line(log, LOG_LEVEL_ERROR, "session", "%s: %s", path, file_phrase(r));
	return r;
}

static int save_checksums(const struct report *report, struct log *log,
			  struct file_timeout *timeout, struct error *reterr)
{
	int r = report_save_sums(report, timeout, reterr);

	if (r < 0 && log)
		log_line(log, LOG_LEVEL_ERROR, "session", "%s: %s", report->files.checksums,
			 file_phrase(r));
	return r;
}

/* The copy has tried at its end. No option asks for this list, so it is not file_missing. */
static int tell_digests(const struct report *report, struct error *reterr)
{
	int code = report->job.digests_code;

	if (code == 0)
		return 0;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "save", report->files.digests,
			 _("The list of digests could not be saved as %s: %s."),
			 report->files.digests, file_phrase(code));
}

int save_first(struct report *report, const struct files *files, struct log *log,
	       struct file_timeout *timeout, struct error *reterr)
{
	timeout->beneath = files->report_beneath;
	int list = mask_list(report, timeout, reterr);
	int checksums = save_checksums(report, log, timeout, reterr);

	/* Only existing files are named. */
	if (checksums < 0)
		report->files.checksums[0] = '\0';
	report->file_missing = checksums < 0 || list < 0;
	int certificate = save(report, REPORT_HTML, report->files.certificate,
			       files->certificate_beneath, log, timeout, reterr);

	if (certificate < 0) {
		report->files.certificate[0] = '\0';
		report->file_missing |= files->named.certificate[0] != '\0';
	}
	/* The report is more important: return its error. */
	int json = save(report, REPORT_JSON, report->files.json, files->report_beneath, log,
			timeout, reterr);

	if (json < 0) {
		report->files.json[0] = '\0';
		report->file_missing |= files->named.report[0] != '\0';
	}
	if (json < 0 || certificate < 0)
		return json < 0 ? json : certificate;
	if (list < 0 || checksums < 0)
		return list < 0 ? list : checksums;
	return tell_digests(report, reterr);
}

/* In a directory they get the names that they have in the log directory. Log and map stay where
 * they are. text: of the form that the copy itself does not save. */
static int name_files(const struct report *report, const char *path, struct report_files *ret,
		      char text[static 512], struct error *reterr)
{
	char stem[512], first[512];
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	const char *log = basename(text_copy(first, sizeof(first), report->files.log));
	int length =
		snprintf(stem, sizeof(stem), "%s%s%s", path, folder ? "/" : "", folder ? log : "");

	text_drop_ending(stem, ".log");
	*ret = report->files;
	if ((size_t)length >= sizeof(stem) ||
	    !files_name_beside(ret->json, sizeof(ret->json), stem, ".json") ||
	    !files_name_beside(text, 512, stem, ".txt") ||
	    !files_name_beside(ret->certificate, sizeof(ret->certificate), stem, ".html") ||
	    !files_name_beside(ret->digests, sizeof(ret->digests), stem, REPORT_LIST_ENDING))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "save", path,
				 _("The report cannot be saved there: the path is too long."));
	/* Otherwise they stay where they are, too. */
	files_name_checksums(report->plan->options.checksums, stem, ret->checksums,
			     sizeof(ret->checksums));
	return 0;
}

/* Nothing is saved on either disk of the copy, even if something of it is mounted by now. */
static int check_place(const struct plan *plan, const char *path, struct error *reterr)
{
	const struct endpoint *on = NULL;

	if (facts_path_on(path, &plan->destinations[0]))
		on = &plan->destinations[0];
	else if (facts_path_on(path, &plan->source))
		on = &plan->source;
	if (!on)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "save", path,
			 on == &plan->source
				 ? _("Not saved: %s lies on the source %s, which must stay as it "
				     "is. Choose another disk.")
				 : _("Not saved: %s lies on the destination %s, which would differ "
				     "from the source then. Choose another disk."),
			 path, on->node);
}

/* ---- in the background ---- */

static void save_where_it_is(struct report *report, struct error *reterr)
{
	int r = mask_list(report, NULL, reterr);

	if (r == 0 && report->files.certificate[0])
		r = report_save(report, REPORT_HTML, report->files.certificate, NULL, reterr);
	if (r == 0 && report->files.json[0])
		report_save(report, REPORT_JSON, report->files.json, NULL, reterr);
}

static void save_as(struct report *report, const char *path, struct error *reterr)
{
	struct report_files files;
	char text[512];
	int r = name_files(report, path, &files, text, reterr);
	const char *const paths[] = { files.json, text, files.certificate, files.digests };

	if (r == 0)
		r = check_place(report->plan, files.json, reterr);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(paths); i++)
		r = files_check_not_an_end(&report->plan->source, &report->plan->destinations[0],
					   paths[i], reterr);
	if (r < 0)
		return;
	/* The files name each other; the report is worth keeping without a list. */
	if (put_list(report, files.digests, NULL, reterr) < 0 || !report->job.digests_saved)
		text_copy(files.digests, sizeof(files.digests), report->files.digests);
	report->files = files;
	r = report_save_sums(report, NULL, reterr);
	for (unsigned form = REPORT_JSON; r == 0 && form <= REPORT_HTML; form++)
		r = report_save(report, (enum report_form)form, paths[form], NULL, reterr);
}

/* ---- on a stick ---- */

static void put_file(FILE *to, const void *user)
{
	FILE *from = *(FILE *const *)user;
	char buffer[4096];
	size_t n;

	/* What cannot be written, file_replace() asks the stream for. */
	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		(void)fwrite(buffer, 1, n, to);
}

/* Log and map, as they are; a copy may have none. */
static int copy_file(const char *from, const char *to)
{
	CLEANUP(fclose) FILE *file = from[0] ? fopen(from, "re") : NULL;
	int r = file ? file_replace(NULL, to, put_file, &file) : 0;

	return r == 0 && file && ferror(file) ? -EIO : r;
}

/* The files name where they are kept, not these copies of them. */
static int put_all(struct report *report, int folder, struct error *reterr)
{
	static const char *const endings[] = { ".json", ".txt", ".html" };
	char first[512], path[600], stem[560];
	int r = 0;

	snprintf(stem, sizeof(stem), "/proc/self/fd/%d/%s", folder,
		 basename(text_copy(first, sizeof(first), report->files.log)));
	text_drop_ending(stem, ".log");
	for (unsigned form = REPORT_JSON; r == 0 && form <= REPORT_HTML; form++) {
		snprintf(path, sizeof(path), "%s%s", stem, endings[form]);
		r = report_save(report, (enum report_form)form, path, NULL, reterr);
	}
	snprintf(path, sizeof(path), "%s" REPORT_LIST_ENDING, stem);
	if (r == 0)
		r = put_list(report, path, NULL, reterr);
	/* They name the serial numbers. */
	if (report->mask_serials)
		return r;
	snprintf(path, sizeof(path), "%s.log", stem);
	if (r == 0)
		r = copy_file(report->files.log, path);
	snprintf(path, sizeof(path), "%s.map", stem);
	return r == 0 ? copy_file(report->files.map, path) : r;
}

static void save_on_stick(struct report *report, const struct stick *stick, struct error *reterr)
{
	struct stick_mount mount;
	int r;

	if (stick_mount(stick, &mount, reterr) < 0)
		return;
	r = put_all(report, mount.folder, reterr);
	if (r < 0)
		stick_refuse(stick, r, reterr);
	stick_unmount(stick, &mount, r < 0 ? NULL : reterr);
}

int save_copy(const struct report *from, struct saving *ret)
{
	if (report_copy(from, &ret->report) < 0 || plan_copy(from->plan, &ret->plan) < 0)
		return -ENOMEM;
	ret->report.plan = ret->plan;
	return 0;
}

void save_run(void *data)
{
	struct saving *saving = data;

	saving->error = (struct error){ 0 };
	if (saving->stick.node[0])
		save_on_stick(&saving->report, &saving->stick, &saving->error);
	else if (saving->path[0])
		save_as(&saving->report, saving->path, &saving->error);
	else
		save_where_it_is(&saving->report, &saving->error);
}

void save_done(struct saving *saving)
{
	report_done(&saving->report);
	plan_destroy(cleanup_steal(saving->plan));
}
