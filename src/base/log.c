/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log. A thread writes the file: who says something only puts it into a ring,
 * where it stays until the medium has it, as far as a sync can tell.
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
#include "base/file.h"
#include "base/i18n.h"
#include "base/log_file.h"
#include "base/text.h"
#include "base/worker.h"

/* Some thousand lines. */
#define RING_SIZE (256 << 10)
#define LINE_SIZE 2200
/* A sync for many lines, so that a slow disk has something else to do as well; and what failed is
 * tried again. */
#define SYNC_EVERY  (2 * NSEC_PER_SEC)
#define AGAIN_EVERY (5 * NSEC_PER_SEC)

/* A file and the thread that writes it, until another one has taken its place. */
struct writer {
	struct log *log;
	struct log_file file;  /* the thread's */
	struct worker *worker; /* this is its data */
	size_t written;      /* of the ring, from its start: the file has it, the medium may not */
	uint64_t busy_since; /* monotonic ns; 0: the disk is not waited for */
	uint64_t next;       /* monotonic ns: the next sync or, once it failed, the next try */
	bool failed;         /* and has not been seen to work since */
	bool tried;          /* and is not tried again before `next` */
	struct error failure;
};

struct log {
	char *debug_modules;  /* NULL: none */
	pthread_mutex_t lock; /* over all that follows, and keeps the lines in order */
	pthread_cond_t work, settled;
	struct writer *writer; /* of the file as it is now */
	unsigned users;        /* who opened it, and every writer that there still is */
	char ring[RING_SIZE];  /* whole lines that the medium is not known to have */
	size_t start, used;
	unsigned lost;    /* lines that did not fit: until there is room to say so */
	unsigned waiting; /* for all to be on the medium */
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

/* ---- the ring; with the lock held ---- */

/* The line that lies there, which is left there. */
static size_t get_line(const struct log *log, size_t at, char line[static LINE_SIZE])
{
	size_t length = 0;
	char c = 0;

	while (at + length < log->used && length < LINE_SIZE && c != '\n') {
		c = line[length] = log->ring[(log->start + at + length) % RING_SIZE];
		length++;
	}
	return length;
}

static void put_line(struct log *log, const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		log->ring[(log->start + log->used + i) % RING_SIZE] = line[i];
	log->used += length;
}

/* Once a line is lost all are, until it is said where they are missing. */
static void enqueue(struct log *log, const char *line, size_t length)
{
	if (log->lost || length > RING_SIZE - log->used) {
		log->lost++;
		return;
	}
	put_line(log, line, length);
	pthread_cond_signal(&log->work);
}

/* The first of them are on the medium. */
static void forget(struct log *log, size_t length)
{
	char stamp[CLOCK_TEXT_MAX], line[LINE_SIZE];

	log->start = (log->start + length) % RING_SIZE;
	log->used -= length;
	if (!log->lost || RING_SIZE - log->used < LINE_SIZE)
		return;
	put_line(
		log, line,
		(size_t)snprintf(line, sizeof(line),
				 "%s warning log: %u lines are missing here: the disk of this file "
				 "did not take them in time\n",
				 clock_print_iso(time(NULL), stamp), log->lost));
	log->lost = 0;
}

/* ---- the writer; with the lock held but where it says so ---- */

static void begin_work(struct writer *writer)
{
	writer->busy_since = clock_monotonic();
	pthread_mutex_unlock(&writer->log->lock);
}

/* synced: what was written up to here, all the same. */
static void end_work(struct writer *writer, const char *operation, int code, bool synced)
{
	struct log *log = writer->log;

	pthread_mutex_lock(&log->lock);
	writer->busy_since = 0;
	if (synced && log->writer == writer)
		forget(log, writer->written);
	if (synced || code < 0)
		writer->written = 0;
	if (code < 0) {
		writer->failed = writer->tried = true;
		writer->next = clock_monotonic() + AGAIN_EVERY;
		error_set(&writer->failure, ERROR_CLASS_ENVIRONMENT, code, operation,
			  writer->file.path,
			  _("The log file %s could not be written: %s. The copy goes on, and what "
			    "is to be in the log waits in memory; make room, or choose another "
			    "place for map and log."),
			  writer->file.path, error_phrase(code));
	} else if (synced) {
		writer->failed = false;
	}
}

/* The disk is waited for without the lock. */
static void write_next(struct writer *writer)
{
	char line[LINE_SIZE];
	size_t length = get_line(writer->log, writer->written, line);
	bool synced = false;
	int code;

	begin_work(writer);
	code = log_file_write(&writer->file, line, length);
	/* Where there is no room for more, what is there is as good as before. */
	if (code < 0 && writer->written)
		synced = log_file_sync(&writer->file) == 0;
	end_work(writer, "write", code, synced);
	if (code < 0)
		return;
	if (writer->written == 0)
		writer->next = clock_monotonic() + SYNC_EVERY;
	writer->written += length;
}

static void sync_written(struct writer *writer)
{
	int code;

	begin_work(writer);
	code = log_file_sync(&writer->file);
	end_work(writer, "sync", code, code == 0);
}

static bool has_more(const struct writer *writer)
{
	return !writer->tried && writer->log->used > writer->written;
}

/* Somebody waits for it, or it is time. */
static bool must_sync(const struct writer *writer)
{
	const struct log *log = writer->log;

	if (writer->written == 0)
		return false;
	if (!has_more(writer) && (log->quit || log->waiting || writer->failed))
		return true;
	return writer->written > RING_SIZE / 2 || clock_monotonic() >= writer->next;
}

static bool is_settled(const struct log *log)
{
	return !log->writer->busy_since && (!log->used || log->writer->tried);
}

static void wait_for_work(struct writer *writer)
{
	struct log *log = writer->log;
	struct timespec at = {
		.tv_sec = (time_t)(writer->next / NSEC_PER_SEC),
		.tv_nsec = (long)(writer->next % NSEC_PER_SEC),
	};

	if (!writer->tried && !writer->written)
		pthread_cond_wait(&log->work, &log->lock);
	else
		pthread_cond_timedwait(&log->work, &log->lock, &at);
	if (writer->tried && clock_monotonic() >= writer->next)
		writer->tried = false;
}

static void writer_main(void *data)
{
	struct writer *writer = data;
	struct log *log = writer->log;

	pthread_mutex_lock(&log->lock);
	while (log->writer == writer) {
		if (must_sync(writer))
			sync_written(writer);
		else if (has_more(writer))
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
	log_file_close(&writer->file);
}

static void destroy_writer(void *data)
{
	struct writer *writer = data;

	log_file_close(&writer->file);
	free(writer->file.path);
	let_go(writer->log);
	free(writer);
}

/* The new writer takes over. The old one may hang in a write to its disk, so nobody waits for it.
 */
static int start_writer(struct log *log, const char *path, int fd, off_t length)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	const struct worker_order order = {
		.body = writer_main,
		.destroy = destroy_writer,
		.data = writer,
		.name = "log",
	};
	struct worker *before;
	int r = -ENOMEM;

	if (!writer)
		return r;
	*writer = (struct writer){
		.log = log,
		.file = { strdup(path), .fd = fd, .safe = length, .end = length },
	};
	pthread_mutex_lock(&log->lock);
	if (writer->file.path)
		r = worker_start(&order, &writer->worker);
	before = r == 0 && log->writer ? log->writer->worker : NULL;
	if (r == 0) {
		log->writer = writer;
		log->users++;
		pthread_cond_broadcast(&log->work);
	}
	pthread_mutex_unlock(&log->lock);
	worker_abandon(before);
	if (r < 0) {
		free(writer->file.path);
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
	int fd CLEANUP(close) = open(path, LOG_FILE_FLAGS | O_CREAT, 0600);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return open_refusal(path, -errno, reterr);
	if (!S_ISREG(status.st_mode))
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EINVAL, "open", path,
				 _("The log file %s is not a regular file. Name another place for "
				   "the logs."),
				 path);

	struct log *log = make(debug_modules);
	int r = log ? start_writer(log, path, fd, status.st_size) : -ENOMEM;

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
	int r = log ? start_writer(log, path, -1, 0) : 0;

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
	log->waiting++;
	log->writer->tried = false;
	pthread_cond_broadcast(&log->work);
	while (!is_settled(log) && r == 0)
		r = pthread_cond_timedwait(&log->settled, &log->lock, &at);

	bool settled = is_settled(log);

	log->waiting--;

	pthread_mutex_unlock(&log->lock);
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
	log->writer->tried = false;
	pthread_cond_signal(&log->work);
	pthread_mutex_unlock(&log->lock);

	bool written = worker_wait(worker, since + TIMEOUT_AT_END);

	worker_abandon(worker);
	/* A writer of an earlier place may still hang in a write to its disk. */
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

void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
{
	static const char *const levels[] = { "error", "warning", "info", "debug" };
	char raw[2048], text[2048], stamp[CLOCK_TEXT_MAX], line[LINE_SIZE];
	va_list args;

	if (!log || (level == LOG_LEVEL_DEBUG && !debug_wanted(log->debug_modules, module)))
		return;
	va_start(args, format);
	int formatted = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (formatted < 0)
		return;
	text_show(text, sizeof(text), raw);
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
	bool silent = writer->busy_since && now - writer->busy_since >= TIMEOUT_DURING_COPY;
	bool failing = writer->failed || silent;

	if (silent)
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ETIMEDOUT, "write", writer->file.path,
			  _("The log file %s could not be written: its disk has not answered for "
			    "%u seconds. The copy goes on, and what is to be in the log waits in "
			    "memory."),
			  writer->file.path, (unsigned)(TIMEOUT_DURING_COPY / NSEC_PER_SEC));
	else if (failing && reterr)
		*reterr = writer->failure;
	pthread_mutex_unlock(&log->lock);
	return failing;
}
