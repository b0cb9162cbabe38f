/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can a file be written at some place? A thread tries, and is abandoned if the disk does not
 * answer. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "base/worker.h"
#include "session/place.h"

/* The size of a map with a few hundred areas. */
#define ROOM (16 << 10)

struct question {
	enum place_kind kind;
	char path[512], name[512];
	struct found_place found;
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

	if (question->kind == PLACE_DIRECTORY && !directory)
		return -ENOTDIR;
	char *found = question->found.path;
	size_t size = sizeof(question->found.path);
	int length = directory ? snprintf(found, size, "%s/%s", question->path, question->name)
			       : snprintf(found, size, "%s", question->path);

	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}

static int try(struct question *question)
{
	struct found_place *found = &question->found;
	enum place_kind kind = question->kind;
	int r = kind == PLACE_MADE ? make_directory(question->path) : 0;

	if (r == 0 && (kind == PLACE_AS_IT_IS || kind == PLACE_UNTRIED))
		text_copy(found->path, sizeof(found->path), question->path);
	else if (r == 0)
		r = name_in(question);
	/* A map is the only way to resume its copy, so existing files are never replaced. */
	if (r == 0 && (kind == PLACE_NEW || kind == PLACE_DIRECTORY) &&
	    access(found->path, F_OK) == 0)
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

int session_try_place(enum place_kind kind, const char *path, const char *name,
		      struct found_place *ret)
{
	struct question *question = calloc(1, sizeof(*question));
	char copy[PATH_MAX];
	struct worker *worker;
	int r;

	*ret = (struct found_place){ 0 };
	if (!question)
		return -ENOMEM;
	question->kind = kind;
	text_copy(question->path, sizeof(question->path), path);
	text_copy(question->name, sizeof(question->name),
		  basename(text_copy(copy, sizeof(copy), name)));
	const struct worker_order order = {
		.body = ask,
		.destroy = free,
		.data = question,
		.name = "place",
	};

	r = worker_start(&order, &worker);
	if (r < 0) {
		free(question);
		return r;
	}
	r = -ETIMEDOUT;
	if (worker_wait(worker, clock_monotonic() + TIMEOUT_DURING_COPY)) {
		r = question->result;
		*ret = question->found;
	}
	worker_abandon(worker);
	return r;
}
