/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log file. Each line is one write to a descriptor in append mode, so lines
 * of several threads (and of a second program) never mix. A thread writes them:
 * who says something only puts it into a ring, where it stays until the file has it.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/errand.h"
#include "base/i18n.h"
#include "base/patience.h"
#include "base/text.h"

/* Some hundred lines. */
#define RING_SIZE (64 << 10)
#define LINE_SIZE 1200
/* What failed is tried again with the next line, and without one as often as this. */
#define AGAIN_EVERY 5 /* seconds */

/* O_NONBLOCK: a FIFO under that name must not hang the program. */
#define OPEN_FLAGS (O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

/* A file and the thread that writes it, until another one has taken its place. */
struct writer {
	struct log *log;
	char *path;
	int fd;                 /* -1: to be made first */
	struct errand *errand;  /* this is its data */
	uint64_t writing_since; /* monotonic ns; 0: nothing is being written */
	bool torn;              /* the file ends in part of a line */
	bool failed;            /* the last line could not be written */
	bool tried;             /* and has not been said to be tried again */
	struct error failure;
};

struct log {
	char *debug_modules;  /* NULL: none */
	pthread_mutex_t lock; /* over all that follows, and keeps the lines in order */
	pthread_cond_t work, settled;
	struct writer *writer; /* of the file as it is now */
	unsigned users;        /* who opened it, and every writer that there still is */
	char ring[RING_SIZE];  /* whole lines */
	size_t start, used;
	unsigned lost; /* lines that did not fit: until all before them are written */
	bool quit;
};

static int open_refusal(const char *path, int code, struct error *reterr)
{
	if (code == -ELOOP)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", path,
				 _("The log file %s is a symbolic link or its path loops; it is "
				   "not followed. Name another place for the logs."),
				 path);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "open", path,
			 _("The log file %s could not be opened: %s. Name another place for the "
			   "logs."),
			 path, error_phrase(code));
}

static void let_go(struct log *log)
{
	pthread_mutex_lock(&log->lock);
	bool last = --log->users == 0;

	pthread_mutex_unlock(&log->lock);
	if (!last)
		return;
	pthread_cond_destroy(&log->settled);
	pthread_cond_destroy(&log->work);
	pthread_mutex_destroy(&log->lock);
	free(log->debug_modules);
	free(log);
}

/* ---- the writer ---- */

/* With the lock held, as all of this but where it says so: the next line, which stays where it is.
 */
static size_t next_line(const struct log *log, char line[static LINE_SIZE])
{
	size_t length = 0;
	char c = 0;

	while (length < log->used && length < LINE_SIZE && c != '\n') {
		c = line[length] = log->ring[(log->start + length) % RING_SIZE];
		length++;
	}
	return length;
}

/* What has to be said instead of those that are lost. */
static size_t lost_line(const struct log *log, char line[static LINE_SIZE])
{
	char stamp[CLOCK_TEXT_MAX];

	return (size_t)snprintf(line, LINE_SIZE,
				"%s warning log: %u lines are missing here: the disk of this file "
				"did not take them in time\n",
				clock_print_iso(time(NULL), stamp), log->lost);
}

/* Returns how much was written; *retcode: 0, or why not all of it. */
static size_t put(int fd, const char *line, size_t length, int *retcode)
{
	size_t done = 0;

	*retcode = 0;
	while (done < length && *retcode == 0) {
		ssize_t n = write(fd, line + done, length - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			*retcode = n < 0 ? -errno : -EIO;
	}
	return done;
}

/* Where there was no room, the file itself is in order. */
static bool may_be_stale(const struct writer *writer)
{
	int code = writer->failure.code;

	return writer->failed && code != -ENOSPC && code != -EDQUOT && code != -EFBIG;
}

/* Without the lock. A file system that is gone may have come back, and be mounted in its place:
 * then the name leads to the file, and the old descriptor to nothing. Somebody else's file is
 * never taken for ours. */
static int open_again(struct writer *writer)
{
	int flags = OPEN_FLAGS | (writer->fd < 0 ? O_CREAT | O_EXCL : 0);
	int fd CLEANUP(close) = open(writer->path, flags, 0600);
	struct stat status;

	if (fd < 0)
		return writer->fd < 0 ? -errno : 0;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = cleanup_steal_fd(&fd);
	return 0;
}

/* The lock is not held while the disk is waited for. */
static void write_next(struct writer *writer)
{
	struct log *log = writer->log;
	char line[LINE_SIZE + 1] = "\n";
	unsigned lost = log->used ? 0 : log->lost;
	size_t length = lost ? lost_line(log, line + 1) : next_line(log, line + 1), done = 0;
	bool torn = writer->torn;
	int code = 0;

	writer->writing_since = clock_monotonic();
	pthread_mutex_unlock(&log->lock);
	if (writer->fd < 0 || may_be_stale(writer))
		code = open_again(writer);
	/* What is left of a line is ended first. */
	if (code == 0)
		done = put(writer->fd, line + !torn, length + torn, &code);
	pthread_mutex_lock(&log->lock);
	writer->writing_since = 0;
	writer->failed = writer->tried = code < 0;
	writer->torn = code < 0 && (torn || done > 0);
	if (code < 0) {
		error_set(&writer->failure, ERROR_CLASS_ENVIRONMENT, code, "write", writer->path,
			  _("The log file %s could not be written: %s. The copy goes on, and what "
			    "is to be in the log waits in memory; make room, or choose another "
			    "place for map and log."),
			  writer->path, error_phrase(code));
	} else if (log->writer == writer && lost) {
		log->lost -= lost;
	} else if (log->writer == writer) {
		log->start = (log->start + length) % RING_SIZE;
		log->used -= length;
	}
}

static bool has_lines(const struct log *log)
{
	return log->used || log->lost;
}

static bool is_settled(const struct log *log)
{
	return !log->writer->writing_since && (!has_lines(log) || log->writer->tried);
}

static void wait_for_work(struct writer *writer)
{
	struct log *log = writer->log;
	uint64_t until = clock_monotonic() + AGAIN_EVERY * NSEC_PER_SEC;
	struct timespec at = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};

	if (!has_lines(log))
		pthread_cond_wait(&log->work, &log->lock);
	else if (pthread_cond_timedwait(&log->work, &log->lock, &at) == ETIMEDOUT)
		writer->tried = false;
}

static void writer_main(void *data)
{
	struct writer *writer = data;
	struct log *log = writer->log;

	pthread_mutex_lock(&log->lock);
	while (log->writer == writer) {
		if (has_lines(log) && !writer->tried)
			write_next(writer);
		else if (log->quit)
			break;
		else
			wait_for_work(writer);
		/* Of a log that was closed meanwhile the writer of today may be gone. */
		if (log->writer == writer && is_settled(log))
			pthread_cond_broadcast(&log->settled);
	}
	pthread_mutex_unlock(&log->lock);
	if (writer->fd >= 0)
		close(writer->fd);
	writer->fd = -1;
}

static void destroy_writer(void *data)
{
	struct writer *writer = data;

	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->path);
	let_go(writer->log);
	free(writer);
}

/* From now on it is who writes; the one before leaves when its disk lets it. */
static int start_writer(struct log *log, const char *path, int fd)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	struct errand *before;
	int r = -ENOMEM;

	if (!writer)
		return r;
	*writer = (struct writer){ .log = log, .path = strdup(path), .fd = fd };
	pthread_mutex_lock(&log->lock);
	if (writer->path)
		r = errand_start(writer_main, destroy_writer, writer, "log", &writer->errand);
	before = r == 0 && log->writer ? log->writer->errand : NULL;
	if (r == 0) {
		log->writer = writer;
		log->users++;
		pthread_cond_broadcast(&log->work);
	}
	pthread_mutex_unlock(&log->lock);
	errand_leave(before);
	if (r < 0) {
		free(writer->path);
		free(writer);
	}
	return r;
}

/* ---- its life ---- */

static struct log *make(const char *debug_modules)
{
	struct log *log = calloc(1, sizeof(*log));
	pthread_condattr_t attributes;

	if (!log)
		return NULL;
	log->users = 1;
	pthread_mutex_init(&log->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&log->work, &attributes);
	pthread_cond_init(&log->settled, &attributes);
	pthread_condattr_destroy(&attributes);
	if (debug_modules)
		log->debug_modules = strdup(debug_modules);
	if (!debug_modules || log->debug_modules)
		return log;
	let_go(log);
	return NULL;
}

static int thread_refusal(const char *path, int code, struct error *reterr)
{
	if (code == -ENOMEM)
		return error_nomem(reterr);
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "thread", path,
			 _("A thread could not be started: %s."), error_phrase(code));
}

int log_open(const char *path, const char *debug_modules, struct log **ret, struct error *reterr)
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

	struct log *log = make(debug_modules);
	int r = log ? start_writer(log, path, fd) : -ENOMEM;

	if (r < 0) {
		if (log)
			let_go(log);
		return thread_refusal(path, r, reterr);
	}
	cleanup_steal_fd(&fd);
	*ret = log;
	return 0;
}

int log_move(struct log *log, const char *path, struct error *reterr)
{
	int r = log ? start_writer(log, path, -1) : 0;

	return r < 0 ? thread_refusal(path, r, reterr) : 0;
}

bool log_settle(struct log *log, uint64_t until)
{
	struct timespec at = {
		.tv_sec = (time_t)(until / NSEC_PER_SEC),
		.tv_nsec = (long)(until % NSEC_PER_SEC),
	};
	int r = 0;

	if (!log)
		return true;
	pthread_mutex_lock(&log->lock);
	while (!is_settled(log) && r == 0)
		r = pthread_cond_timedwait(&log->settled, &log->lock, &at);

	bool settled = is_settled(log);

	pthread_mutex_unlock(&log->lock);
	return settled;
}

bool log_close(struct log *log)
{
	if (!log)
		return true;
	pthread_mutex_lock(&log->lock);

	struct errand *errand = log->writer->errand;
	uint64_t writing = log->writer->writing_since;
	uint64_t since = writing ? writing : clock_monotonic();

	log->quit = true;
	log->writer->tried = false;
	pthread_cond_signal(&log->work);
	pthread_mutex_unlock(&log->lock);

	bool written = errand_wait(errand, since + PATIENCE_AT_THE_END);

	errand_leave(errand);
	/* Of a place that was left, too, somebody may still wait for the disk. */
	pthread_mutex_lock(&log->lock);
	written = written && log->users == 1;
	pthread_mutex_unlock(&log->lock);
	let_go(log);
	return written;
}

/* ---- lines ---- */

/* Is `module` (or "all") an item of the comma list? */
static bool debug_wanted(const char *list, const char *module)
{
	size_t length = strlen(module);

	while (list && *list) {
		size_t item = strcspn(list, ",");

		if ((item == length && strncmp(list, module, item) == 0) ||
		    (item == 3 && strncmp(list, "all", 3) == 0))
			return true;
		list += item;
		list += *list == ',';
	}
	return false;
}

/* With the lock held. Once a line is lost all are, until it is said where they are missing. */
static void enqueue(struct log *log, const char *line, size_t length)
{
	if (log->lost || length > RING_SIZE - log->used) {
		log->lost++;
		return;
	}
	for (size_t i = 0; i < length; i++)
		log->ring[(log->start + log->used + i) % RING_SIZE] = line[i];
	log->used += length;
	log->writer->tried = false;
	pthread_cond_signal(&log->work);
}

void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
{
	static const char *const levels[] = { "error", "warning", "info", "debug" };
	char raw[1024], text[1024], stamp[CLOCK_TEXT_MAX], line[LINE_SIZE];
	va_list args;

	if (!log || (level == LOG_LEVEL_DEBUG && !debug_wanted(log->debug_modules, module)))
		return;
	va_start(args, format);
	int formatted = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (formatted < 0)
		return;
	text_sanitise(text, sizeof(text), raw, sizeof(raw));
	pthread_mutex_lock(&log->lock);
	/* Taken under the lock: times in the file never go back. */
	clock_print_iso(time(NULL), stamp);

	int length =
		snprintf(line, sizeof(line), "%s %-7s %s: %s", stamp, levels[level], module, text);

	if (length >= (int)sizeof(line) - 1)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	enqueue(log, line, (size_t)length);
	pthread_mutex_unlock(&log->lock);
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

bool log_failing(struct log *log, struct error *reterr)
{
	uint64_t now = clock_monotonic();

	if (!log)
		return false;
	pthread_mutex_lock(&log->lock);

	const struct writer *writer = log->writer;
	bool silent = writer->writing_since && now - writer->writing_since >= PATIENCE_ON_THE_WAY;
	bool failing = writer->failed || silent;

	if (silent)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ETIMEDOUT, "write", writer->path,
			  _("The log file %s could not be written: its disk has not answered for "
			    "%u seconds. The copy goes on, and what is to be in the log waits in "
			    "memory."),
			  writer->path, (unsigned)(PATIENCE_ON_THE_WAY / NSEC_PER_SEC));
	else if (failing && reterr)
		*reterr = writer->failure;
	pthread_mutex_unlock(&log->lock);
	return failing;
}
