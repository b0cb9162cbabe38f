/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Can a file be written at some place? A thread tries, and is abandoned if the disk does not
 * answer. And a map that cannot be saved, because its file system is full, read-only or gone, while
 * the copy goes on with the map in memory: it finds another place, which may be as dead as the old
 * one.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/worker.h"
#include "guard/facts.h"
#include "session/files.h"

/* The size of a map with a few hundred areas. */
#define ROOM (16 << 10)
/* Names that are tried. */
#define FALLBACKS 99

struct question {
	enum place_kind kind;
	char path[512], name[512];
	struct file_place found;
	int result;
};

static int make_directory(const char *path)
{
	char part[PATH_MAX];
	struct stat st;

	if (strlen(path) >= sizeof(part))
		return -ENAMETOOLONG;
	text_copy(part, sizeof(part), path);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	if (mkdir(part, 0700) < 0 && errno != EEXIST)
		return -errno;
	if (stat(part, &st) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

/* The map is saved by writing a new file beside it and renaming that: try it. */
static int try_beside(const char *path)
{
	static const char much[ROOM];
	char beside[PATH_MAX];

	if ((size_t)snprintf(beside, sizeof(beside), "%s.XXXXXX", path) >= sizeof(beside))
		return -ENAMETOOLONG;
	int fd = mkostemp(beside, O_CLOEXEC);

	if (fd < 0)
		return -errno;
	/* Only writing shows whether there is room. */
	ssize_t n = write(fd, much, sizeof(much));
	int r = n < 0 || fsync(fd) < 0 ? -errno : 0;

	if (r == 0 && n < (ssize_t)sizeof(much))
		r = -ENOSPC;

	close(fd);
	unlink(beside);
	return r;
}

/* Something of that name which would not be replaced, such as a link. */
static bool is_taken(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* PATH itself, or NAME in it if it is a directory. */
static int name_in(struct question *question)
{
	struct stat st;
	bool directory = stat(question->path, &st) == 0 && S_ISDIR(st.st_mode);

	char *found = question->found.path;
	size_t size = sizeof(question->found.path);
	int length = directory ? snprintf(found, size, "%s/%s", question->path, question->name)
			       : snprintf(found, size, "%s", question->path);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int try(struct question *question)
{
	struct file_place *found = &question->found;
	enum place_kind kind = question->kind;
	int r = kind == PLACE_MADE ? make_directory(question->path) : 0;

	if (r == 0 && (kind == PLACE_AS_IT_IS || kind == PLACE_UNTRIED))
		text_copy(found->path, sizeof(found->path), question->path);
	else if (r == 0)
		r = name_in(question);
	/* A map is the only way to resume its copy, so existing files are never replaced. */
	if (r == 0 && kind == PLACE_NEW && access(found->path, F_OK) == 0)
		r = -EEXIST;
	if (r < 0)
		return r;
	/* First, so that it is of what was tried. */
	found->beneath = file_beneath(found->path);
	if (kind == PLACE_UNTRIED)
		return 0;
	return kind != PLACE_MADE && is_taken(found->path) ? -EEXIST : try_beside(found->path);
}

static void ask(void *data)
{
	struct question *question = data;

	question->result = try(question);
}

int place_try(enum place_kind kind, const char *path, const char *name, struct file_place *ret)
{
	struct question question = { .kind = kind };
	char copy[PATH_MAX];
	int r;

	text_copy(question.path, sizeof(question.path), path);
	text_copy(question.name, sizeof(question.name),
		  basename(text_copy(copy, sizeof(copy), name)));
	r = worker_ask("place", ask, &question, sizeof(question),
		       clock_monotonic() + TIMEOUT_DURING_COPY);
	*ret = question.found;
	return r < 0 ? r : question.result;
}

/* ---- another place for the map ---- */

/* -EXDEV: it is on a disk of the copy, which must not be changed. */
static int look_below(struct move *move)
{
	struct guard_place place;

	facts_find_path(move->place.path, &place);
	move->in_memory = place.in_memory;
	return facts_place_on(&place, &move->source) || facts_place_on(&place, &move->destination)
		       ? -EXDEV
		       : 0;
}

static int try_wanted(struct move *move)
{
	int r = place_try(PLACE_NEW, move->wanted, move->from, &move->place);

	if (!move->place.path[0])
		text_copy(move->place.path, sizeof(move->place.path), move->wanted);
	if (r == 0 &&
	    files_has_foreign_beside(move->place.path, move->place.path, sizeof(move->place.path)))
		r = -EEXIST;
	if (r == 0)
		r = look_below(move);
	return r < 0 ? r
		     : files_check_map(&move->source, &move->destination, move->place.path,
				       &move->error);
}

/* Another copy that began in the same second may have taken this name already: then a number is
 * added. */
static int try_fallback(struct move *move)
{
	char stem[sizeof(move->wanted)];
	const char *ending = text_has_ending(move->wanted, ".map") ? ".map" : "";
	int r = try_wanted(move);

	text_drop_ending(text_copy(stem, sizeof(stem), move->wanted), ending);
	for (unsigned n = 2; r == -EEXIST && n <= FALLBACKS; n++) {
		snprintf(move->wanted, sizeof(move->wanted), "%.500s-%u%s", stem, n, ending);
		r = try_wanted(move);
	}
	return r;
}

/* Existing files are never replaced. */
static void find_stem(struct move *move)
{
	static const char *const endings[] = { ".log", ".json", ".html", ".digests" };
	char path[sizeof(move->place.path) + 16];

	text_drop_ending(text_copy(move->stem, sizeof(move->stem), move->place.path), ".map");
	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		snprintf(path, sizeof(path), "%s%s", move->stem, endings[i]);
		if (access(path, F_OK) < 0 && errno == ENOENT)
			continue;
		move->stem[0] = '\0';
		return;
	}
}

/* Is no map left there? An older one is better than none, and a disk that does not answer may still
 * have it. */
static bool is_lost(const char *path)
{
	struct file_place place;
	int r = place_try(PLACE_NEW, path, "", &place);

	return r != -EEXIST && r != -ETIMEDOUT;
}

static int save_at_the_end(const struct move *move)
{
	const struct map_state state = { .status = '?', .pass = 1 };
	struct file_timeout timeout = { .ns = TIMEOUT_AT_END, .beneath = move->place.beneath };
	int r = map_save(move->map, move->place.path, &state, &timeout, NULL);

	file_timeout_done(&timeout);
	return r;
}

static void refuse(struct move *move, int code)
{
	const char *path = move->place.path[0] ? move->place.path : move->wanted;

	if (code == -EXDEV)
		error_set(&move->error, ERROR_CLASS_REFUSED, -EXDEV, "save", path,
			  _("The map cannot be kept as %s: that is on a disk of this copy. "
			    "Choose another disk."),
			  path);
	else
		error_set(&move->error, ERROR_CLASS_ENVIRONMENT, code, "save", path,
			  _("The map cannot be kept as %s: %s."), path, file_phrase(code));
}

void move_run(void *data)
{
	struct move *move = data;
	int r;

	move->error = (struct error){ 0 };
	r = move->fallback ? try_fallback(move) : try_wanted(move);
	if (r == 0)
		find_stem(move);
	if (r == 0 && move->map)
		r = save_at_the_end(move);
	move->map_is_lost = move->map && r < 0 && is_lost(move->from);
	if (r < 0 && !move->error.code)
		refuse(move, r);
}

/* A name in it, not the directory: a file must not take the place of one that is not there. */
static void find_fallback(const struct files *files, char *ret, size_t size)
{
	const char *temporary = getenv("TMPDIR");

	if (!temporary || temporary[0] != '/')
		temporary = "/dev/shm";
	snprintf(ret, size, "%.255s/%.255s",
		 files_beside(files->at.map, files->at.log) ? temporary : files->directory,
		 text_base_name(files->at.map));
}

void move_prepare(struct move *move, const struct files *files, const struct plan *plan,
		  const char *wanted)
{
	move->fallback = !wanted;
	if (wanted)
		files_absolute(move->wanted, sizeof(move->wanted), wanted);
	else
		find_fallback(files, move->wanted, sizeof(move->wanted));
	text_copy(move->from, sizeof(move->from), files->at.map);
	move->source = plan->source;
	move->destination = plan->destinations[0];
}

void move_rename(const struct move *move, struct files *files)
{
	bool certificate_too = files_beside(files->at.certificate, files->at.log);

	snprintf(files->at.log, sizeof(files->at.log), "%.500s.log", move->stem);
	if (!files->named.report[0]) {
		snprintf(files->at.json, sizeof(files->at.json), "%.500s.json", move->stem);
		snprintf(files->at.digests, sizeof(files->at.digests), "%.500s.digests",
			 move->stem);
		text_copy(files->at.checksums, sizeof(files->at.checksums), move->stem);
		files->report_beneath = move->place.beneath;
	}
	if (!files->named.certificate[0] && certificate_too) {
		snprintf(files->at.certificate, sizeof(files->at.certificate), "%.500s.html",
			 move->stem);
		files->certificate_beneath = move->place.beneath;
	}
}
