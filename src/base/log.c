/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log. log_line() only puts a line into memory; a worker writes the file. A line
 * stays in memory until a sync has succeeded, because writing to a stick that was
 * pulled succeeds for a while.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/worker.h"

#define LINES_SIZE (256 << 10) /* some thousand lines */
#define LINE_SIZE  2200
/* One sync for many lines costs a slow disk less. */
#define SYNC_EVERY  (2 * NSEC_PER_SEC)
#define RETRY_EVERY (5 * NSEC_PER_SEC)
/* O_NONBLOCK: a FIFO under that name must not hang the program. */
#define OPEN_FLAGS (O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

/* A file and the worker that writes it. log_move() abandons it for another one. */
struct writer {
	struct log *log;
	struct worker *worker; /* this is its data */
	char *path;
	/* The worker's: */
	int fd;        /* -1: not created yet */
	off_t safe;    /* bytes: the length at the last good sync */
	off_t reached; /* how far it has written at most, lines that were cut short included */
	bool in_doubt; /* something failed: what lies behind `safe` is not known */
	bool dir_synced;
	char batch[LINES_SIZE];
	/* Under the log's lock: */
	size_t written;      /* of log->lines: these were written after the last good sync */
	uint64_t busy_since; /* monotonic ns; 0: it does not wait for the disk */
	uint64_t next;       /* monotonic ns: of the next sync or, after a failure, the next try */
	bool failed;         /* since the last good sync */
	bool resting;        /* after a failure, until `next` */
	struct error failure;
};

struct log {
	pthread_mutex_t lock; /* protects all that follows */
	pthread_cond_t work, settled;
	struct writer *writer;  /* the current one */
	unsigned users;         /* the owner, and the writers that have not ended */
	char lines[LINES_SIZE]; /* not known to be on the medium */
	size_t used;
	unsigned lost;    /* lines that did not fit, since there was room last */
	unsigned waiting; /* threads in log_settle() */
	bool quit;
};

/* ---- the file; without the lock, since each call may wait for the disk ---- */

/* A file system that is gone may have come back and be mounted again: then the path leads to the
 * file, and the old descriptor to nothing. The file is created only once: what is mounted there
 * now may be another file system. */
static int open_again(struct writer *writer)
{
	int flags = OPEN_FLAGS | (writer->fd < 0 ? O_CREAT | O_EXCL : 0);
	int fd CLEANUP(close) = open(writer->path, flags, 0600);
	struct stat status;

	if (fd < 0)
		return writer->fd < 0 ? -errno : 0;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	fd_close(writer->fd);
	writer->fd = cleanup_steal_fd(&fd);
	return 0;
}

/* Cuts off what was written after the last good sync: lines, holes or a part of them. A file of
 * another length than that is not ours alone; it is continued on a line of its own. */
static int repair(struct writer *writer)
{
	struct stat status;
	int r = open_again(writer);

	if (r < 0)
		return r;
	if (fstat(writer->fd, &status) < 0)
		return -errno;
	if (status.st_size > writer->safe && status.st_size <= writer->reached) {
		if (ftruncate(writer->fd, writer->safe) < 0)
			return -errno;
	} else if (status.st_size != writer->safe) {
		if (status.st_size > 0 && write(writer->fd, "\n", 1) < 0)
			return -errno;
		writer->safe = status.st_size + (status.st_size > 0);
	}
	writer->reached = writer->safe;
	return 0;
}

static int write_batch(struct writer *writer, size_t length)
{
	off_t at;
	int r = writer->in_doubt ? repair(writer) : 0;

	at = writer->reached;
	for (size_t done = 0; r == 0 && done < length;) {
		ssize_t n = write(writer->fd, writer->batch + done, length - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			r = n < 0 ? -errno : -EIO;
		writer->reached = at + (off_t)done;
	}
	writer->in_doubt = r < 0;
	return r;
}

static int sync_file(struct writer *writer)
{
	if (fdatasync(writer->fd) < 0) {
		/* The kernel reports this once and then drops the data: the next sync would
		 * succeed. */
		writer->in_doubt = true;
		return -errno;
	}
	writer->safe = writer->reached;
	if (!writer->dir_synced)
		(void)file_sync_directory(writer->path);
	writer->dir_synced = true;
	return 0;
}

/* ---- the lines in memory; with the lock held ---- */

static void put_line(struct log *log, const char *line, size_t length)
{
	memcpy(log->lines + log->used, line, length);
	log->used += length;
}

/* After a lost line all are lost until there is room to say so. */
static void enqueue(struct log *log, const char *line, size_t length)
{
	if (log->lost || length > LINES_SIZE - log->used) {
		log->lost++;
		return;
	}
	put_line(log, line, length);
	pthread_cond_signal(&log->work);
}

/* The first `length` bytes are on the medium. */
static void forget(struct log *log, size_t length)
{
	char stamp[CLOCK_TEXT_MAX], line[LINE_SIZE];

	log->used -= length;
	memmove(log->lines, log->lines + length, log->used);
	if (!log->lost || LINES_SIZE - log->used < LINE_SIZE)
		return;

	int n = snprintf(line, sizeof(line),
			 "%s warning log: %u lines are missing here: the disk of this file did not "
			 "take them in time\n",
			 clock_print_iso(time(NULL), stamp), log->lost);

	put_line(log, line, (size_t)n);
	log->lost = 0;
}

/* ---- the worker; with the lock held, except while it waits for the disk ---- */

static bool has_more(const struct writer *writer)
{
	return !writer->resting && writer->log->used > writer->written;
}

static bool must_sync(const struct writer *writer)
{
	const struct log *log = writer->log;

	if (!writer->written)
		return false;
	return writer->written > LINES_SIZE / 2 || clock_monotonic() >= writer->next ||
	       (!has_more(writer) && (log->quit || log->waiting || writer->failed));
}

static void note_failure(struct writer *writer, const char *operation, int code)
{
	writer->failed = writer->resting = true;
	writer->written = 0;
	writer->next = clock_monotonic() + RETRY_EVERY;
	error_set(&writer->failure, ERROR_CLASS_ENVIRONMENT, code, operation, writer->path,
		  _("The log file %s could not be written: %s. The copy goes on, and what is to be "
		    "in the log waits in memory; make room, or choose another place for map and "
		    "log."),
		  writer->path, error_phrase(code));
}

/* Writes or syncs. */
static void work(struct writer *writer, bool sync)
{
	struct log *log = writer->log;
	size_t length = log->used - writer->written;
	int r;

	/* A copy: once abandoned, this worker may be in write() for ever. */
	if (!sync)
		memcpy(writer->batch, log->lines + writer->written, length);
	writer->busy_since = clock_monotonic();
	pthread_mutex_unlock(&log->lock);
	r = sync ? sync_file(writer) : write_batch(writer, length);
	pthread_mutex_lock(&log->lock);
	writer->busy_since = 0;
	if (r < 0) {
		note_failure(writer, sync ? "sync" : "write", r);
	} else if (sync) {
		if (log->writer == writer)
			forget(log, writer->written);
		writer->written = 0;
		writer->failed = false;
	} else {
		if (!writer->written)
			writer->next = clock_monotonic() + SYNC_EVERY;
		writer->written += length;
	}
}

static void wait_for_work(struct writer *writer)
{
	struct log *log = writer->log;

	thread_wait(&log->work, &log->lock,
		    writer->resting || writer->written ? writer->next : WORKER_FOREVER);
	if (writer->resting && clock_monotonic() >= writer->next)
		writer->resting = false;
}

static bool is_settled(const struct log *log)
{
	return !log->writer->busy_since && (!log->used || log->writer->resting);
}

static void run_writer(void *data)
{
	struct writer *writer = data;
	struct log *log = writer->log;

	pthread_mutex_lock(&log->lock);
	/* Once log_move() has set another writer, that one may be freed at any time. */
	while (log->writer == writer) {
		if (must_sync(writer))
			work(writer, true);
		else if (has_more(writer))
			work(writer, false);
		else if (log->quit)
			break;
		else
			wait_for_work(writer);
		if (log->writer == writer && is_settled(log))
			pthread_cond_broadcast(&log->settled);
	}
	pthread_mutex_unlock(&log->lock);
	if (writer->fd >= 0)
		close(cleanup_steal_fd(&writer->fd));
}

/* ---- opening, moving, closing ---- */

static void release_log(struct log *log)
{
	pthread_mutex_lock(&log->lock);

	bool last = --log->users == 0;

	pthread_mutex_unlock(&log->lock);
	if (!last)
		return;
	pthread_cond_destroy(&log->settled);
	pthread_cond_destroy(&log->work);
	pthread_mutex_destroy(&log->lock);
	free(log);
}

static void free_writer(struct writer *writer)
{
	free(writer->path);
	free(writer);
}

static void release_writer(void *data)
{
	struct writer *writer = data;

	release_log(writer->log);
	free_writer(writer);
}

/* Nobody waits for the writer before, which may hang in a call to its disk. */
static int start_writer(struct log *log, const char *path, int fd, off_t length)
{
	struct writer *writer = calloc(1, sizeof(*writer)), *before;
	const struct worker_order order = {
		.body = run_writer,
		.destroy = release_writer,
		.data = writer,
		.name = "log",
	};
	int r = -ENOMEM;

	if (!writer)
		return r;
	writer->log = log;
	writer->fd = fd;
	writer->in_doubt = fd < 0;
	writer->safe = writer->reached = length;
	writer->path = strdup(path);
	pthread_mutex_lock(&log->lock);
	before = log->writer;
	if (writer->path)
		r = worker_start(&order, &writer->worker);
	if (r == 0) {
		log->writer = writer;
		log->users++;
		pthread_cond_broadcast(&log->work);
	}
	pthread_mutex_unlock(&log->lock);
	if (r < 0)
		free_writer(writer);
	else if (before)
		worker_abandon(before->worker);
	return r;
}

static int open_refusal(const char *path, int code, struct error *reterr)
{
	if (code == -ELOOP)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", path,
				 _("The log file %s is a symbolic link or its path loops; it is "
				   "not followed. Name another place for the logs."),
				 path);
	return error_set(
		reterr, ERROR_CLASS_ENVIRONMENT, code, "open", path,
		_("The log file %s could not be opened: %s. Name another place for the logs."),
		path, error_phrase(code));
}

static int start_refusal(const char *path, int code, struct error *reterr)
{
	if (code == -ENOMEM)
		return error_nomem(reterr);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "thread", path,
			 _("A thread could not be started: %s."), error_phrase(code));
}

int log_open(const char *path, struct log **ret, struct error *reterr)
{
	int fd CLEANUP(close) = open(path, OPEN_FLAGS | O_CREAT, 0600);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return open_refusal(path, -errno, reterr);
	if (!S_ISREG(status.st_mode))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EINVAL, "open", path,
				 _("The log file %s is not a regular file. Name another place for "
				   "the logs."),
				 path);

	struct log *log = calloc(1, sizeof(*log));

	if (!log)
		return error_nomem(reterr);
	log->users = 1;
	pthread_mutex_init(&log->lock, NULL);
	pthread_cond_init(&log->work, NULL);
	pthread_cond_init(&log->settled, NULL);

	int r = start_writer(log, path, fd, status.st_size);

	if (r < 0) {
		release_log(log);
		return start_refusal(path, r, reterr);
	}
	cleanup_steal_fd(&fd);
	*ret = log;
	return 0;
}

int log_move(struct log *log, const char *path, struct error *reterr)
{
	int r = log ? start_writer(log, path, -1, 0) : 0;

	return r < 0 ? start_refusal(path, r, reterr) : 0;
}

bool log_settle(struct log *log, uint64_t until)
{
	bool settled = false, in_time = true;

	if (!log)
		return true;
	SCOPED_LOCK(&log->lock);
	log->waiting++;
	log->writer->resting = false;
	pthread_cond_broadcast(&log->work);
	while (!(settled = is_settled(log)) && in_time)
		in_time = thread_wait(&log->settled, &log->lock, until);
	log->waiting--;
	return settled;
}

bool log_close(struct log *log)
{
	if (!log)
		return true;
	pthread_mutex_lock(&log->lock);

	struct worker *worker = log->writer->worker;
	uint64_t busy = log->writer->busy_since;
	uint64_t since = busy ? busy : clock_monotonic();

	log->quit = true;
	log->writer->resting = false;
	pthread_cond_signal(&log->work);
	pthread_mutex_unlock(&log->lock);

	bool ended = worker_wait(worker, since + TIMEOUT_AT_END);

	worker_abandon(worker);
	/* One of an earlier place may hang, too. */
	pthread_mutex_lock(&log->lock);
	ended = ended && log->users == 1;
	pthread_mutex_unlock(&log->lock);
	release_log(log);
	return ended;
}

bool log_failing(struct log *log, struct error *reterr)
{
	uint64_t now = clock_monotonic();

	if (!log)
		return false;
	SCOPED_LOCK(&log->lock);

	const struct writer *writer = log->writer;
	bool silent = writer->busy_since && now - writer->busy_since >= TIMEOUT_DURING_COPY;
	bool failing = writer->failed || silent;

	if (silent)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ETIMEDOUT, "write", writer->path,
			  _("The log file %s could not be written: its disk has not answered for "
			    "%u seconds. The copy goes on, and what is to be in the log waits in "
			    "memory."),
			  writer->path, (unsigned)(TIMEOUT_DURING_COPY / NSEC_PER_SEC));
	else if (failing && reterr)
		*reterr = writer->failure;
	return failing;
}

/* ---- lines ---- */

void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
{
	static const char *const levels[] = { "error", "warning", "info" };
	char raw[2048], text[2048], stamp[CLOCK_TEXT_MAX], line[LINE_SIZE];

	if (!log)
		return;
	if (text_vprint(raw, sizeof(raw), format) < 0)
		return;
	text_show(text, sizeof(text), raw);
	SCOPED_LOCK(&log->lock);
	/* Taken under the lock: times in the file never go back. */
	clock_print_iso(time(NULL), stamp);

	int length =
		snprintf(line, sizeof(line), "%s %-7s %s: %s", stamp, levels[level], module, text);

	if (length >= (int)sizeof(line) - 1)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	enqueue(log, line, (size_t)length);
}

void log_error(struct log *log, const char *module, const struct error *error)
{
	if (error->sense.known)
		log_line(log, LOG_LEVEL_ERROR, module, "%s (%s, errno %d, sense %x/%02x/%02x)",
			 error->sentence, error->operation, -error->code, error->sense.key,
			 error->sense.asc, error->sense.ascq);
	else
		log_line(log, LOG_LEVEL_ERROR, module, "%s (%s, errno %d)", error->sentence,
			 error->operation, -error->code);
}
