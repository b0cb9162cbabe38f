/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moves a map that cannot be saved because its file system is full, read-only or
 * gone, while the copy goes on with the map in memory. The new place is tried in the
 * background, since it may be as dead as the old one; then the job saves there. What
 * was beside the map, or cannot be written either, moves with it: the log, and what
 * is saved at the end.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "session/session_private.h"

/* ---- in the background ---- */

/* -EXDEV: it is on a disk of the copy, which must not be changed. */
static int look_below(struct move_task *moving)
{
	struct guard_place place;

	facts_find_path(moving->place.path, &place);
	moving->in_memory = place.in_memory;
	return facts_place_on(&place, &moving->source) ||
			       facts_place_on(&place, &moving->destination)
		       ? -EXDEV
		       : 0;
}

static int try_path(struct move_task *moving, enum place_kind kind, const char *path)
{
	int r = session_try_place(kind, path, moving->from, &moving->place);

	if (!moving->place.path[0])
		text_copy(moving->place.path, sizeof(moving->place.path), path);
	return r < 0 ? r : look_below(moving);
}

/* The first usual place that accepts it. */
static int try_usual(struct move_task *moving)
{
	const char *places[] = { moving->log_dir, getenv("TMPDIR"), getenv("HOME"), "/var/tmp",
				 "/tmp",          "/run",           "/dev/shm" };
	int r = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i] || places[i][0] != '/')
			continue;
		r = try_path(moving, PLACE_DIRECTORY, places[i]);
		if (r == 0)
			break;
	}
	return r;
}

/* Existing files are never replaced. */
static void find_stem(struct move_task *moving)
{
	static const char *const endings[] = { ".log", ".json", ".html", ".digests" };
	size_t length = strlen(moving->place.path);
	char path[sizeof(moving->place.path) + 16];

	text_copy(moving->stem, sizeof(moving->stem), moving->place.path);
	if (length > 4 && strcmp(moving->place.path + length - 4, ".map") == 0)
		moving->stem[length - 4] = '\0';
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", moving->stem, endings[i]);
		if (access(path, F_OK) < 0 && errno == ENOENT)
			continue;
		moving->stem[0] = '\0';
		return;
	}
}

/* An older one that is still there is better than none; and of a disk that does not answer, nothing
 * is known. */
static bool is_lost(const char *path)
{
	struct found_place place;
	int r = session_try_place(PLACE_NEW, path, "", &place);

	return r != -EEXIST && r != -ETIMEDOUT;
}

static void save_at_the_end(struct move_task *moving)
{
	const struct map_state state = { .status = '?', .pass = 1 };
	struct file_timeout timeout = { .ns = TIMEOUT_AT_END, .beneath = moving->place.beneath };

	if (moving->result == 0)
		moving->result = map_save(moving->map, moving->place.path, &state, &timeout, NULL);
	file_timeout_done(&timeout);
	moving->map_is_lost = moving->result < 0 && is_lost(moving->from);
}

static void *move_body(void *argument)
{
	struct move_task *moving = argument;

	moving->result =
		moving->wanted[0] ? try_path(moving, PLACE_NEW, moving->wanted) : try_usual(moving);
	if (moving->result == 0)
		find_stem(moving);
	if (moving->map)
		save_at_the_end(moving);
	task_announce(&moving->task);
	return NULL;
}

static void prepare(struct session *session, const char *path)
{
	struct move_task *moving = &session->moving;

	moving->wanted[0] = '\0';
	if (path)
		session_absolute(moving->wanted, sizeof(moving->wanted), path);
	text_copy(moving->from, sizeof(moving->from), session->files.map);
	text_copy(moving->log_dir, sizeof(moving->log_dir), session->log_dir);
	moving->source = session->plan->source;
	moving->destination = session->plan->destination;
	moving->log_moved = false;
}

void session_begin_map_rescue(struct session *session)
{
	struct move_task *moving = &session->moving;
	struct job_snapshot job;

	if (moving->tried || moving->task.running)
		return;
	moving->tried = true;
	job_snapshot(session->starting.job, &job);
	if (job.map_safe || !session->files.map[0] || job.error.code == -ENOENT ||
	    (job.result != JOB_RESULT_STOPPED && job.result != JOB_RESULT_FAILED))
		return;
	moving->map = job_take_confirmed(session->starting.job);
	if (!moving->map)
		return;
	prepare(session, NULL);
	if (task_start(&moving->task, move_body, moving, NULL) < 0)
		map_destroy(cleanup_steal(moving->map));
}

int session_move_map(struct session *session, const char *path, struct error *reterr)
{
	struct move_task *moving = &session->moving;

	if (session->state != SESSION_RUNNING)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "save", NULL,
				 _("No copy runs, so there is no map to be moved."));
	if (moving->task.running)
		return error_set(reterr, ERROR_CLASS_USAGE, -EBUSY, "save", NULL,
				 _("A place for the map is being tried already."));
	prepare(session, path);
	return task_start(&moving->task, move_body, moving, reterr);
}

/* ---- the session's files ---- */

static bool beside(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX];

	return strcmp(dirname(text_copy(a, sizeof(a), one)),
		      dirname(text_copy(b, sizeof(b), other))) == 0;
}

static bool log_goes_too(struct session *session, const struct session_files *files)
{
	struct error error;

	return session->moving.stem[0] &&
	       (beside(files->log, files->map) || log_failing(session->log, &error));
}

/* Files named by the user stay where they are. */
static void rename_rest(struct session *session, const struct session_files *before)
{
	struct session_files *files = &session->files;
	const char *stem = session->moving.stem;

	if (!session->options.report_path) {
		snprintf(files->report, sizeof(files->report), "%.500s.json", stem);
		snprintf(files->digests, sizeof(files->digests), "%.500s.digests", stem);
		text_copy(files->sums_stem, sizeof(files->sums_stem), stem);
		files->report_beneath = session->moving.place.beneath;
	}
	if (!session->options.certificate_path && beside(before->certificate, before->log)) {
		snprintf(files->certificate, sizeof(files->certificate), "%.500s.html", stem);
		files->certificate_beneath = session->moving.place.beneath;
	}
}

static void move_log(struct session *session)
{
	struct move_task *moving = &session->moving;
	const struct session_files before = session->files;
	struct session_files *files = &session->files;

	if (!log_goes_too(session, &before))
		return;
	snprintf(files->log, sizeof(files->log), "%.500s.log", moving->stem);
	if (log_move(session->log, files->log, NULL) < 0) {
		*files = before;
		return;
	}
	moving->log_moved = true;
	rename_rest(session, &before);
	session->log_dir_in_memory = moving->in_memory;
	log_line(session->log, LOG_LEVEL_INFO, "session", "this log begins in %s", before.log);
	session_log_plan(session);
}

static int save_there(struct session *session, struct move_task *moving)
{
	const struct session_files before = session->files;
	struct session_files *files = &session->files;
	struct job *job = session->starting.job;
	int r = session_check_map(session->plan, moving->place.path, &moving->error);

	if (r < 0)
		return r;
	move_log(session);
	text_copy(files->map, sizeof(files->map), moving->place.path);
	files->map_beneath = moving->place.beneath;
	text_copy(session->resume_path, sizeof(session->resume_path), files->map);
	r = job_set_map_path(job, files->map, files->map_beneath, &moving->error);
	if (r < 0)
		*files = before;
	else
		job_set_digests_path(job, files->digests, files->report_beneath);
	return r;
}

static int refuse(struct move_task *moving)
{
	const char *path = moving->place.path[0] ? moving->place.path : moving->wanted;

	if (moving->result == -EXDEV)
		return error_set(&moving->error, ERROR_CLASS_REFUSED, -EXDEV, "save", path,
				 _("The map cannot be kept as %s: that is on a disk of this copy. "
				   "Choose another disk."),
				 path);
	return error_set(&moving->error, ERROR_CLASS_ENVIRONMENT, moving->result, "save", path,
			 _("The map cannot be kept as %s: %s."), path, file_phrase(moving->result));
}

/* The job has ended: only the files are named anew. */
static void take_rescued(struct session *session, struct move_task *moving)
{
	struct session_files *files = &session->files;

	map_destroy(cleanup_steal(moving->map));
	moving->lost = moving->map_is_lost;
	if (moving->result < 0) {
		refuse(moving);
		return;
	}
	moving->saved = true;
	log_line(session->log, LOG_LEVEL_WARNING, "session", "the map could not be saved as %s: %s",
		 files->map, moving->place.path);
	move_log(session);
	text_copy(files->map, sizeof(files->map), moving->place.path);
	files->map_beneath = moving->place.beneath;
}

static bool has_ended(struct job *job)
{
	struct job_snapshot snapshot;

	job_snapshot(job, &snapshot);
	return snapshot.state == JOB_ENDED;
}

void session_take_move(struct session *session, unsigned *changes)
{
	struct move_task *moving = &session->moving;

	task_join(&moving->task);
	*changes |= SESSION_CHANGE_MAP;
	moving->error = (struct error){ 0 };
	if (moving->map)
		take_rescued(session, moving);
	else if (moving->result < 0)
		refuse(moving);
	/* If the copy has ended by now, the map stays where it is. */
	else if (session->state == SESSION_RUNNING && !has_ended(session->starting.job))
		save_there(session, moving);
}

const char *session_map_path(const struct session *session)
{
	return session->files.map;
}

const struct error *session_move_error(const struct session *session)
{
	return &session->moving.error;
}

bool session_log_moved(const struct session *session)
{
	return session->moving.log_moved;
}

bool session_map_in_memory(const struct session *session)
{
	return session->moving.in_memory;
}
