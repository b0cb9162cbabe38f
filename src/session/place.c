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
#include "base/errand.h"
#include "base/patience.h"
#include "base/text.h"
#include "session/place.h"

/* The size of a map with a few hundred areas. */
#define ROOM (16 << 10)

struct question {
	enum place_kind kind;
	char path[512], name[512];
	char found[512];
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

/* PATH itself, or NAME in it if it is a directory. */
static int name_in(struct question *question)
{
	struct stat st;
	bool directory = stat(question->path, &st) == 0 && S_ISDIR(st.st_mode);

	if (question->kind == PLACE_DIRECTORY && !directory)
		return -ENOTDIR;
	int length = directory ? snprintf(question->found, sizeof(question->found), "%s/%s",
					  question->path, question->name)
			       : snprintf(question->found, sizeof(question->found), "%s",
					  question->path);

	return length < 0 || (size_t)length >= sizeof(question->found) ? -ENAMETOOLONG : 0;
}

static void ask(void *data)
{
	struct question *question = data;
	int r = question->kind == PLACE_MADE ? make_directory(question->path) : 0;

	if (r == 0 && question->kind == PLACE_AS_IT_IS)
		text_copy(question->found, sizeof(question->found), question->path);
	else if (r == 0)
		r = name_in(question);
	/* A map is the only way to resume its copy, so existing files are never replaced. */
	if (r == 0 && question->kind != PLACE_AS_IT_IS && question->kind != PLACE_MADE &&
	    access(question->found, F_OK) == 0)
		r = -EEXIST;
	question->result = r < 0 ? r : try_beside(question->found);
}

int session_try_place(enum place_kind kind, const char *path, const char *name,
		      char ret[static 512])
{
	struct question *question = calloc(1, sizeof(*question));
	char copy[PATH_MAX];
	struct errand *errand;
	int r;

	ret[0] = '\0';
	if (!question)
		return -ENOMEM;
	question->kind = kind;
	text_copy(question->path, sizeof(question->path), path);
	text_copy(question->name, sizeof(question->name),
		  basename(text_copy(copy, sizeof(copy), name)));
	r = errand_start(ask, free, question, "place", &errand);
	if (r < 0) {
		free(question);
		return r;
	}
	r = -ETIMEDOUT;
	if (errand_wait(errand, clock_monotonic() + PATIENCE_ON_THE_WAY)) {
		r = question->result;
		text_copy(ret, 512, question->found);
	}
	errand_leave(errand);
	return r;
}
