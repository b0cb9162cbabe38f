/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work in a process apart. */
#include "cli/apart.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"

struct outcome {
	int result;
	struct error error;
};

static int cannot_start(int code, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, "start", NULL,
			 _("No process could be started to look at the disks: %s."),
			 error_phrase(code));
}

/* Smaller than PIPE_BUF, so it is there as a whole or not at all. */
static bool read_outcome(int fd, struct outcome *ret)
{
	ssize_t n;

	do
		n = read(fd, ret, sizeof(*ret));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*ret);
}

static void work_and_tell(int fd, int (*work)(void *data, struct error *reterr), void *data)
{
	struct outcome outcome = { 0 };

	outcome.result = work(data, &outcome.error);
	if (fflush(NULL) != 0 && outcome.result == 0)
		outcome.result =
			error_set(&outcome.error, ERROR_CLASS_ENVIRONMENT, -errno, "print", NULL,
				  _("The output cannot be written: %s."), error_phrase(errno));
	if (write(fd, &outcome, sizeof(outcome)) != (ssize_t)sizeof(outcome))
		_exit(EXIT_INTERNAL);
	_exit(EXIT_COMPLETE);
}

int apart_run(int (*work)(void *data, struct error *reterr), void *data, struct error *reterr)
{
	CLEANUP(close) int from = -1;
	struct outcome outcome;
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		return cannot_start(-errno, reterr);
	from = ends[0];
	/* Or what is buffered would be printed twice. */
	fflush(NULL);
	child = fork();
	if (child < 0) {
		int code = -errno;

		close(ends[1]);
		return cannot_start(code, reterr);
	}
	if (child == 0)
		work_and_tell(ends[1], work, data);
	close(ends[1]);
	if (!read_outcome(from, &outcome)) {
		int status;

		/* The reader of the output has gone: end by the same signal, as if this process had
		 * written itself. */
		if (waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		    WTERMSIG(status) == SIGPIPE)
			raise(SIGPIPE);
		return error_set(reterr, ERROR_CLASS_INTERNAL, -ECHILD, "look", NULL, "%s",
				 _("The process that looked at the disks ended before its time. "
				   "This is a defect of the program; please report it."));
	}
	/* No waiting for it: see above. */
	waitpid(child, NULL, WNOHANG);
	if (outcome.result < 0 && reterr)
		*reterr = outcome.error;
	return outcome.result;
}
