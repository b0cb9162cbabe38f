/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log file. Each line is one write to a descriptor in append mode, so lines
 * of several threads (and of a second program) never mix. A thread writes them:
 * who says something only puts it into a ring.
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
#include "base/text.h"

/* Some hundred lines. */
#define RING_SIZE (64 << 10)
#define LINE_SIZE 1200
/* A disk that is well, however busy, has taken a line by then. */
#define SILENT_AFTER 10 /* seconds */
#define PATIENCE     30 /* likewise, at the end */

struct log {
	int fd;
	char *path;
	char *debug_modules;   /* NULL: none */
	struct errand *writer; /* the log is its data */
	pthread_mutex_t lock;  /* over everything below, and keeps the lines in order */
	pthread_cond_t work, settled;
	char ring[RING_SIZE]; /* whole lines */
	size_t start, used;
	unsigned lost;          /* lines that did not fit: until all before them are written */
	uint64_t writing_since; /* monotonic ns; 0: nothing is being written */
	bool torn;              /* the file ends in part of a line */
	bool failed;            /* the last line could not be written */
	bool quit;
	struct error failure;
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

/* ---- the writer ---- */

/* With the lock held: the next line, or what has to be said instead of those that are lost. */
static size_t take(struct log *log, char line[static LINE_SIZE])
{
	char stamp[CLOCK_TEXT_MAX], c = 0;
	size_t length = 0;

	if (log->used == 0) {
		length = (size_t)snprintf(line, LINE_SIZE,
					  "%s warning log: %u lines are missing here: the disk of "
					  "this file took too long\n",
					  clock_print_iso(time(NULL), stamp), log->lost);
		log->lost = 0;
		return length;
	}
	while (log->used > 0 && length < LINE_SIZE && c != '\n') {
		c = line[length++] = log->ring[log->start];
		log->start = (log->start + 1) % RING_SIZE;
		log->used--;
	}
	return length;
}

/* What is left of a line is ended first. Returns how much was written; *retcode: 0, or why not all
 * of it. */
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

/* With the lock held, but not while the disk is waited for. */
static void write_next(struct log *log)
{
	char line[LINE_SIZE + 1] = "\n";
	size_t length = take(log, line + 1) + log->torn, done;
	const char *from = line + !log->torn;
	int code;

	log->writing_since = clock_monotonic();
	pthread_mutex_unlock(&log->lock);
	done = put(log->fd, from, length, &code);
	pthread_mutex_lock(&log->lock);
	log->writing_since = 0;
	log->failed = code < 0;
	log->torn = code < 0 && (log->torn || done > 0);
	if (code < 0)
		error_set(&log->failure, ERROR_CLASS_ENVIRONMENT, code, "write", log->path,
			  _("The log file %s could not be written: %s. The copy goes on; "
			    "make room, or copy the report elsewhere at the end."),
			  log->path, error_phrase(code));
}

static void writer_main(void *data)
{
	struct log *log = data;

	pthread_mutex_lock(&log->lock);
	for (;;) {
		while (log->used == 0 && log->lost == 0 && !log->quit)
			pthread_cond_wait(&log->work, &log->lock);
		if (log->used == 0 && log->lost == 0)
			break;
		write_next(log);
		if (log->used == 0 && log->lost == 0)
			pthread_cond_broadcast(&log->settled);
	}
	pthread_mutex_unlock(&log->lock);
}

static void destroy(void *data)
{
	struct log *log = data;

	if (log->fd >= 0)
		close(log->fd);
	pthread_cond_destroy(&log->settled);
	pthread_cond_destroy(&log->work);
	pthread_mutex_destroy(&log->lock);
	free(log->debug_modules);
	free(log->path);
	free(log);
}

/* ---- its life ---- */

static struct log *make(const char *path, const char *debug_modules)
{
	struct log *log = calloc(1, sizeof(*log));
	pthread_condattr_t attributes;

	if (!log)
		return NULL;
	log->fd = -1;
	pthread_mutex_init(&log->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&log->work, &attributes);
	pthread_cond_init(&log->settled, &attributes);
	pthread_condattr_destroy(&attributes);
	log->path = strdup(path);
	if (debug_modules)
		log->debug_modules = strdup(debug_modules);
	if (log->path && (!debug_modules || log->debug_modules))
		return log;
	destroy(log);
	return NULL;
}

int log_open(const char *path, const char *debug_modules, struct log **ret, struct error *reterr)
{
	/* O_NONBLOCK: a FIFO under that name must not hang the program. */
	int fd CLEANUP(close) =
		open(path,
		     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
		     0600);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return open_refusal(path, -errno, reterr);
	if (!S_ISREG(status.st_mode))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EINVAL, "open", path,
				 _("The log file %s is not a regular file. Name another place for "
				   "the logs."),
				 path);

	struct log *log = make(path, debug_modules);

	if (!log)
		return error_nomem(reterr);
	log->fd = cleanup_steal_fd(&fd);

	int r = errand_start(writer_main, destroy, log, "log", &log->writer);

	if (r < 0) {
		destroy(log);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "thread", path,
				 _("A thread could not be started: %s."), error_phrase(r));
	}
	*ret = log;
	return 0;
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
	while ((log->used || log->lost || log->writing_since) && r == 0)
		r = pthread_cond_timedwait(&log->settled, &log->lock, &at);

	bool settled = log->used == 0 && log->lost == 0 && log->writing_since == 0;

	pthread_mutex_unlock(&log->lock);
	return settled;
}

bool log_close(struct log *log)
{
	if (!log)
		return true;
	pthread_mutex_lock(&log->lock);

	struct errand *writer = log->writer;
	uint64_t since = log->writing_since ? log->writing_since : clock_monotonic();

	log->quit = true;
	pthread_cond_signal(&log->work);
	pthread_mutex_unlock(&log->lock);

	bool written = errand_wait(writer, since + PATIENCE * NSEC_PER_SEC);

	errand_leave(writer);
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

	bool silent = log->writing_since && now - log->writing_since >= SILENT_AFTER * NSEC_PER_SEC;
	bool failing = log->failed || silent;

	if (silent)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ETIMEDOUT, "write", log->path,
			  _("The log file %s could not be written: its disk has not answered for "
			    "%u seconds. The copy goes on, and what is to be in the log waits in "
			    "memory."),
			  log->path, SILENT_AFTER);
	else if (failing && reterr)
		*reterr = log->failure;
	pthread_mutex_unlock(&log->lock);
	return failing;
}
