/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Another place for a map that cannot be saved where it was to be: its file
 * system is full, read-only or gone, while the copy goes on and keeps the map in
 * memory. The place is tried in the background, for it may be as dead as the
 * first; then the job saves there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/patience.h"
#include "base/text.h"
#include "session/private.h"

static int try_path(struct move_task *moving, enum place_kind kind, const char *path)
{
	int r = session_try_place(kind, path, moving->from, moving->path);

	if (!moving->path[0])
		text_copy(moving->path, sizeof(moving->path), path);
	return r;
}

/* The first that takes it, of the places that a machine usually has. */
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

static void *move_body(void *argument)
{
	struct move_task *moving = argument;

	moving->result =
		moving->wanted[0] ? try_path(moving, PLACE_NEW, moving->wanted) : try_usual(moving);
	task_announce(&moving->task);
	return NULL;
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
	moving->wanted[0] = '\0';
	if (path)
		session_absolute(moving->wanted, sizeof(moving->wanted), path);
	text_copy(moving->from, sizeof(moving->from), session->files.map);
	text_copy(moving->log_dir, sizeof(moving->log_dir), session->log_dir);
	return task_start(&moving->task, move_body, moving, reterr);
}

static int save_there(struct session *session, struct move_task *moving)
{
	int r = session_check_map(session->plan, moving->path, &moving->error);

	return r < 0 ? r : job_set_map_path(session->starting.job, moving->path, &moving->error);
}

void session_take_move(struct session *session, unsigned *changes)
{
	struct move_task *moving = &session->moving;
	int r;

	task_join(&moving->task);
	r = moving->result;
	*changes |= SESSION_CHANGE_MAP;
	moving->error = (struct error){ 0 };
	if (r < 0)
		error_set(&moving->error, ERROR_CLASS_ENVIRONMENT, r, "save", moving->path,
			  _("The map cannot be kept as %s: %s."),
			  moving->path[0] ? moving->path : moving->wanted, patience_phrase(r));
	/* Of a copy that has ended by now the map stays where it is. */
	else if (session->state != SESSION_RUNNING)
		return;
	else
		r = save_there(session, moving);
	if (r < 0)
		return;
	text_copy(session->files.map, sizeof(session->files.map), moving->path);
	text_copy(session->resume_path, sizeof(session->resume_path), moving->path);
}

const char *session_map_path(const struct session *session)
{
	return session->files.map;
}

const struct error *session_move_error(const struct session *session)
{
	return &session->moving.error;
}
