/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log file. Each line is one write to a descriptor in append mode, so lines
 * of several threads (and of a second program) never mix.
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
#include "base/i18n.h"
#include "base/text.h"

struct log {
	int fd;
	char *path;
	char *debug_modules;  /* NULL: none */
	pthread_mutex_t lock; /* over everything below, and keeps the lines in order */
	bool torn;            /* the file ends in part of a line */
	bool failed;
	bool failure_told;
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

	struct log *log = calloc(1, sizeof(*log));

	if (!log)
		return error_nomem(reterr);
	log->fd = -1;
	pthread_mutex_init(&log->lock, NULL);
	log->path = strdup(path);
	if (debug_modules)
		log->debug_modules = strdup(debug_modules);
	if (!log->path || (debug_modules && !log->debug_modules)) {
		log_close(log);
		return error_nomem(reterr);
	}
	log->fd = cleanup_steal_fd(&fd);
	*ret = log;
	return 0;
}

void log_close(struct log *log)
{
	if (!log)
		return;
	if (log->fd >= 0)
		close(log->fd);
	pthread_mutex_destroy(&log->lock);
	free(log->debug_modules);
	free(log->path);
	free(log);
}

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

/* With the lock held. */
static void put(struct log *log, const char *line, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t n = write(log->fd, line + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int code = n < 0 ? -errno : -EIO;

			log->torn = log->torn || done > 0;
			log->failed = true;
			error_set(&log->failure, ERROR_CLASS_ENVIRONMENT, code, "write", log->path,
				  _("The log file %s could not be written: %s. The copy goes on; "
				    "make room, or copy the report elsewhere at the end."),
				  log->path, error_phrase(code));
			return;
		}
		done += (size_t)n;
	}
	log->torn = false;
}

void log_line(struct log *log, enum log_level level, const char *module, const char *format, ...)
{
	static const char *const levels[] = { "error", "warning", "info", "debug" };
	char raw[1024], text[1024], stamp[CLOCK_TEXT_MAX], line[1200];
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

	int length = snprintf(line, sizeof(line), "\n%s %-7s %s: %s", stamp, levels[level], module,
			      text);

	if (length >= (int)sizeof(line) - 1)
		length = (int)sizeof(line) - 2;
	line[length++] = '\n';
	put(log, line + !log->torn, (size_t)length - !log->torn);
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

bool log_failed(struct log *log, struct error *reterr)
{
	if (!log)
		return false;
	pthread_mutex_lock(&log->lock);
	bool tell = log->failed && !log->failure_told;

	if (tell) {
		log->failure_told = true;
		if (reterr)
			*reterr = log->failure;
	}
	pthread_mutex_unlock(&log->lock);
	return tell;
}
