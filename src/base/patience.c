/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/patience.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/replace.h"
#include "base/worker.h"

/* A buffer that doubles, as open_memstream()'s, takes twice a map of 100,000 areas and more. */
struct piece {
	struct piece *next;
	size_t length;
	char bytes[256 << 10];
};

/* Everything the worker needs, since its caller may not wait for its end. */
struct patience_file {
	char *path;
	dev_t beneath;
	mode_t mode;
	bool remove;
	struct piece *pieces, *last;
	int result;
};

static struct piece *add_piece(struct patience_file *work)
{
	struct piece *piece = malloc(sizeof(*piece));

	if (!piece)
		return NULL;
	piece->next = NULL;
	piece->length = 0;
	if (work->last)
		work->last->next = piece;
	else
		work->pieces = piece;
	work->last = piece;
	return piece;
}

static ssize_t keep_bytes(void *cookie, const char *bytes, size_t length)
{
	struct patience_file *work = cookie;

	for (size_t done = 0, some; done < length; done += some) {
		struct piece *piece = work->last;

		if (!piece || piece->length == sizeof(piece->bytes))
			piece = add_piece(work);
		if (!piece)
			return 0;
		some = length - done;
		if (some > sizeof(piece->bytes) - piece->length)
			some = sizeof(piece->bytes) - piece->length;
		memcpy(&piece->bytes[piece->length], &bytes[done], some);
		piece->length += some;
	}
	return (ssize_t)length;
}

static void put_bytes(FILE *file, const void *user)
{
	const struct patience_file *work = user;

	/* Whether it all went out is asked of the stream. */
	for (const struct piece *piece = work->pieces; piece; piece = piece->next)
		(void)fwrite(piece->bytes, 1, piece->length, file);
}

static void run_work(void *data)
{
	struct patience_file *work = data;

	work->result =
		work->remove ? file_remove(work->path, work->beneath)
			     : file_replace(work->path, work->beneath, work->mode, put_bytes, work);
}

static void destroy_work(void *data)
{
	struct patience_file *work = data;

	for (struct piece *piece = work->pieces, *next; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	free(work->path);
	free(work);
}

/* fill: NULL to remove the file. NULL: there is no memory for it. */
static struct patience_file *prepare(const char *path, mode_t mode,
				     void (*fill)(FILE *file, const void *user), const void *user)
{
	struct patience_file *work = calloc(1, sizeof(*work));
	FILE *file;
	bool failed;

	if (!work)
		return NULL;
	work->path = strdup(path);
	work->mode = mode;
	work->remove = !fill;
	failed = !work->path;
	if (fill && !failed) {
		file = fopencookie(work, "w", (cookie_io_functions_t){ .write = keep_bytes });
		if (file)
			fill(file, user);
		failed = !file || ferror(file);
		failed |= file && fclose(file);
	}
	if (!failed)
		return work;
	destroy_work(work);
	return NULL;
}

/* If one file of a directory hangs, so do all others in it; other directories need not. */
static bool same_directory(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX];

	return file_directory(one, a) == 0 && file_directory(other, b) == 0 && strcmp(a, b) == 0;
}

static bool still_hangs(struct patience *patience, const char *path)
{
	if (!patience->hung)
		return false;
	if (same_directory(patience->file->path, path) &&
	    !worker_wait(patience->hung, patience->since + patience->ns))
		return true;
	patience_done(patience);
	return false;
}

/* 1: there is no memory, or no thread, for it. */
static int do_patiently(struct patience_file *work, struct patience *patience)
{
	uint64_t now = clock_monotonic();
	struct worker *worker;
	int r;

	if (!work)
		return 1;
	const struct worker_order order = {
		.body = run_work,
		.destroy = destroy_work,
		.data = work,
		.name = "files",
	};

	work->beneath = patience->beneath;
	if (worker_start(&order, &worker) < 0) {
		destroy_work(work);
		return 1;
	}
	if (!worker_wait(worker, now + patience->ns)) {
		patience->hung = worker;
		patience->file = work;
		patience->since = now;
		return -ETIMEDOUT;
	}
	r = work->result;
	worker_abandon(worker);
	return r;
}

void patience_done(struct patience *patience)
{
	worker_abandon(patience->hung);
	patience->hung = NULL;
	patience->file = NULL;
}

int patience_replace(struct patience *patience, const char *path, mode_t mode,
		     void (*fill)(FILE *file, const void *user), const void *user)
{
	int r = 1;

	if (patience && still_hangs(patience, path))
		return -ETIMEDOUT;
	if (patience)
		r = do_patiently(prepare(path, mode, fill, user), patience);
	return r > 0 ? file_replace(path, patience ? patience->beneath : 0, mode, fill, user) : r;
}

int patience_remove(struct patience *patience, const char *path)
{
	int r = 1;

	if (patience && still_hangs(patience, path))
		return -ETIMEDOUT;
	if (patience)
		r = do_patiently(prepare(path, 0, NULL, NULL), patience);
	return r > 0 ? file_remove(path, patience ? patience->beneath : 0) : r;
}

const char *patience_phrase(int code)
{
	if (code == -ETIMEDOUT)
		return _("its disk does not answer");
	return code == -EXDEV ? _("its disk is not mounted any more") : error_phrase(code);
}
