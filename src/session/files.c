/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where log, map and report go, and the opening of the log. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/partial_digests.h"
#include "session/session_private.h"

#define SAME_SECOND_MAX 100

static bool could_be_made(const char *directory)
{
	char part[PATH_MAX];

	text_copy(part, sizeof(part), directory);
	while (access(part, F_OK) < 0) {
		char *slash = strrchr(part, '/');

		if (!slash || slash == part)
			return access(slash ? "/" : ".", W_OK | X_OK) == 0;
		*slash = '\0';
	}
	return access(part, W_OK | X_OK) == 0;
}

void session_absolute(char *to, size_t size, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here)) ||
	    (size_t)snprintf(to, size, "%s/%s", here, path) >= size)
		text_copy(to, size, path);
}

void session_find_log_dir(struct session *session)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *directory = session->log_dir;
	size_t size = sizeof(session->log_dir);

	if (session->options.log_dir) {
		session_absolute(directory, size, session->options.log_dir);
		return;
	}
	/* Practice copies keep their logs apart from those of real ones. */
	if (session->options.practice_dir) {
		text_copy(directory, size, session->options.practice_dir);
		return;
	}
	text_copy(directory, size, "/var/log/clonedeck");
	if (geteuid() == 0 && could_be_made(directory))
		return;
	if (state && state[0] == '/')
		snprintf(directory, size, "%s/clonedeck", state);
	else if (home && home[0] == '/')
		snprintf(directory, size, "%s/.local/state/clonedeck", home);
}

static bool name_files(struct session *session, const char *stem)
{
	struct session_files *files = &session->files;

	text_copy(files->sums_stem, sizeof(files->sums_stem), stem);
	return (size_t)snprintf(files->log, sizeof(files->log), "%s.log", stem) <
		       sizeof(files->log) &&
	       (size_t)snprintf(files->map, sizeof(files->map), "%s.map", stem) <
		       sizeof(files->map) &&
	       (size_t)snprintf(files->certificate, sizeof(files->certificate), "%s.html", stem) <
		       sizeof(files->certificate) &&
	       (size_t)snprintf(files->report, sizeof(files->report), "%s.json", stem) <
		       sizeof(files->report) &&
	       (size_t)snprintf(files->digests, sizeof(files->digests), "%s" REPORT_LIST_ENDING,
				stem) < sizeof(files->digests);
}

/* If several programs start in the same second, only one gets the name. */
static int reserve(const char *log)
{
	int fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* DATE-TIME, with a number appended for the second copy in a second. Creates the log. */
static int find_names(struct session *session)
{
	const struct session_files *files = &session->files;
	char stamp[32] = "", stem[512];
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	for (unsigned i = 1; i < SAME_SECOND_MAX; i++) {
		int length = i == 1 ? snprintf(stem, sizeof(stem), "%s/%s", session->log_dir, stamp)
				    : snprintf(stem, sizeof(stem), "%s/%s-%u", session->log_dir,
					       stamp, i);

		if ((size_t)length >= sizeof(stem) || !name_files(session, stem))
			return -ENAMETOOLONG;
		if (access(files->map, F_OK) == 0 || access(files->report, F_OK) == 0 ||
		    access(files->certificate, F_OK) == 0 || access(files->digests, F_OK) == 0)
			continue;
		int r = reserve(files->log);

		if (r != -EEXIST)
			return r;
	}
	return -EEXIST;
}

void session_log_plan(struct session *session)
{
	const struct plan *plan = session->plan;
	const struct identity *from = &plan->source.identity, *to = &plan->destination.identity;
	struct utsname host;
	char id[9], node[2][3 * sizeof(plan->source.node)], map[3 * sizeof(session->resume_path)];

	text_encode(node[0], sizeof(node[0]), plan->source.node);
	text_encode(node[1], sizeof(node[1]), plan->destination.node);
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
		 plan_id(plan, id), plan->extent_count, (unsigned long long)plan_bytes(plan),
		 session->resumes ? ", goes on from " : "", map);
	for (size_t i = 0; i < session->verdicts.count; i++) {
		const struct verdict *verdict = &session->verdicts.items[i];

		if (verdict->kind != VERDICT_OK)
			log_line(session->log, LOG_LEVEL_WARNING, "guard", "%s%s: %s",
				 verdict->rule, verdict->lifted ? " (lifted)" : "",
				 verdict->sentence);
	}
}

bool session_name_beside(char *to, size_t size, const char *path, const char *ending)
{
	static const char *const endings[] = { ".json", ".txt", ".html" };
	size_t length = strlen(path);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t tail = strlen(endings[i]);

		if (length > tail && path[length - tail - 1] != '/' &&
		    strcmp(path + length - tail, endings[i]) == 0) {
			length -= tail;
			break;
		}
	}
	return (size_t)snprintf(to, size, "%.*s%s", (int)length, path, ending) < size;
}

/* Beside a report named by the user, unless that would replace an existing file. */
static void name_certificate(struct session *session)
{
	struct session_files *files = &session->files;
	char beside[sizeof(files->certificate)];

	if (session->options.certificate_path)
		session_absolute(files->certificate, sizeof(files->certificate),
				 session->options.certificate_path);
	else if (session->options.report_path &&
		 session_name_beside(beside, sizeof(beside), files->report, ".html") &&
		 access(beside, F_OK) < 0)
		text_copy(files->certificate, sizeof(files->certificate), beside);
}

bool session_name_sums(unsigned sums, const char *report, char *ret, size_t size)
{
	char stem[512], path[sizeof(stem) + 16];

	if (!session_name_beside(stem, sizeof(stem), report, ""))
		return false;
	for (unsigned i = 0; i < SUM_ALGORITHMS; i++) {
		snprintf(path, sizeof(path), "%s.%s", stem, sum_name((enum sum_algorithm)i));
		if (sums & 1u << i && access(path, F_OK) == 0)
			return false;
	}
	text_copy(ret, size, stem);
	return true;
}

/* The list of digests is beside the report, wherever that is. */
static void name_report(struct session *session)
{
	struct session_files *files = &session->files;

	session_absolute(files->report, sizeof(files->report), session->options.report_path);
	snprintf(files->digests, sizeof(files->digests), "%.503s" REPORT_LIST_ENDING,
		 files->report);
	session_name_sums(session->plan->options.sums, files->report, files->sums_stem,
			  sizeof(files->sums_stem));
}

static dev_t beneath(const char *path)
{
	struct found_place place;

	session_try_place(PLACE_UNTRIED, path, "", &place);
	return place.beneath;
}

int session_make_files(struct session *session, struct error *reterr)
{
	struct session_files *files = &session->files;
	struct found_place tried;
	int r = session_try_place(PLACE_MADE, session->log_dir, "try", &tried);

	/* The copy goes on without a log; the map may be elsewhere. */
	if (r == -ENOSPC || r == -EDQUOT)
		r = 0;

	if (r == 0)
		r = find_names(session);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "log", session->log_dir,
				 _("Log and map cannot be kept in %s: %s. Name another directory "
				   "with --log-dir."),
				 session->log_dir, file_phrase(r));
	if (session->resumes)
		session_absolute(files->map, sizeof(files->map), session->resume_path);
	else if (session->options.map_path)
		session_absolute(files->map, sizeof(files->map), session->options.map_path);
	if (session->options.report_path)
		name_report(session);
	name_certificate(session);
	files->report_beneath = beneath(files->report);
	files->certificate_beneath = beneath(files->certificate);
	r = session_try_place(PLACE_AS_IT_IS, files->map, "", &tried);
	files->map_beneath = tried.beneath;
	if (r < 0) {
		struct file_timeout timeout = { .ns = TIMEOUT_DURING_COPY };

		file_remove(&timeout, files->log);
		file_timeout_done(&timeout);
		return error_set(
			reterr, ERROR_CLASS_ENVIRONMENT, r, "map", files->map,
			_("The map %s cannot be written: %s. Without it the copy could not "
			  "be resumed; name another file with --map."),
			files->map, file_phrase(r));
	}
	log_close(session->log);
	session->log = NULL;
	r = log_open(files->log, getenv("CLONEDECK_DEBUG"), &session->log, reterr);
	if (r == 0)
		session_log_plan(session);
	return r;
}

static int cannot_be_kept(const char *path, int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "plan", path,
			 _("%s cannot be written: %s. Name another file."), path,
			 error_phrase(code));
}

/* Replacing a file by renaming needs a writable directory. */
static int check_file(const char *path, struct error *reterr)
{
	char copy[PATH_MAX];
	struct stat st;

	if (!path)
		return 0;
	if (strlen(path) >= sizeof(((struct session_files *)0)->map) - 8)
		return cannot_be_kept(path, -ENAMETOOLONG, reterr);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", path,
				 _("%s is not a regular file and cannot be replaced by one."),
				 path);
	text_copy(copy, sizeof(copy), path);
	return access(dirname(copy), W_OK | X_OK) < 0 ? cannot_be_kept(path, -errno, reterr) : 0;
}

/* Is it the same name in the same directory, however spelled? */
static bool same_file(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX], name[PATH_MAX];
	struct stat at_a, at_b;

	text_copy(a, sizeof(a), one);
	text_copy(name, sizeof(name), basename(a));
	text_copy(b, sizeof(b), other);
	if (strcmp(name, basename(b)) != 0)
		return false;
	text_copy(a, sizeof(a), one);
	text_copy(b, sizeof(b), other);
	return stat(dirname(a), &at_a) == 0 && stat(dirname(b), &at_b) == 0 &&
	       at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

/* The later file would replace the earlier one. */
static int check_apart(const char *one, const char *other, struct error *reterr)
{
	if (!one || !other || !same_file(one, other))
		return 0;
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", one,
		_("Map, report and certificate each need a file of their own: %s is named twice."),
		one);
}

int session_check_not_an_end(const struct plan *plan, const char *path, struct error *reterr)
{
	const struct endpoint *ends[] = { &plan->source, &plan->destination };

	for (size_t i = 0; path && i < 2; i++)
		if ((ends[i]->kind == ENDPOINT_IMAGE && same_file(path, ends[i]->node)) ||
		    facts_is_storage(path, ends[i]))
			return error_set(
				reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", path,
				_("%s is the source or the destination itself and would be "
				  "replaced. Name another file."),
				path);
	return 0;
}

int session_check_map(const struct plan *plan, const char *map, struct error *reterr)
{
	char list[PATH_MAX];
	int r = session_check_not_an_end(plan, map, reterr);

	if (!map || r < 0)
		return r;
	partial_digests_path(map, list);
	return session_check_not_an_end(plan, list, reterr);
}

static int check_report(const struct plan *plan, const char *report, struct error *reterr)
{
	char list[PATH_MAX];
	int r = session_check_not_an_end(plan, report, reterr);

	if (!report || r < 0)
		return r;
	snprintf(list, sizeof(list), "%.503s" REPORT_LIST_ENDING, report);
	return session_check_not_an_end(plan, list, reterr);
}

int session_check_files(const struct session *session, struct error *reterr)
{
	const struct session_options *options = &session->options;
	const char *map = session->resumes ? session->resume_path : options->map_path;
	int r = session_check_map(session->plan, map, reterr);

	if (r == 0)
		r = check_report(session->plan, options->report_path, reterr);
	if (r == 0)
		r = session_check_not_an_end(session->plan, options->certificate_path, reterr);
	if (r == 0)
		r = check_file(options->map_path, reterr);
	if (r == 0)
		r = check_file(options->report_path, reterr);
	if (r == 0)
		r = check_file(options->certificate_path, reterr);
	if (r == 0)
		r = check_apart(map, options->report_path, reterr);
	if (r == 0)
		r = check_apart(map, options->certificate_path, reterr);
	return r < 0 ? r : check_apart(options->report_path, options->certificate_path, reterr);
}

const char *session_log_dir(const struct session *session)
{
	return session->log_dir;
}

void session_note(struct session *session, const char *text)
{
	if (session->state == SESSION_RUNNING || session->state == SESSION_WAITING)
		log_line(session->log, LOG_LEVEL_WARNING, "session", "%s", text);
}

bool session_log_dir_in_memory(const struct session *session)
{
	return session->log_dir_in_memory;
}
