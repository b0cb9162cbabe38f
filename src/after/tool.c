/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "after/after.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"

#define ARGUMENTS_MAX 12
#define LINE_BYTES    256
#define LINES_MAX     400 /* in the log: as many as it takes at once, though none was written yet */
#define NOT_FOUND     127 /* exit status of a shell */
#define STEP          (10 * NSEC_PER_MSEC)

/* What a tool prints, line by line. */
struct output {
	struct log *log;
	const char *tool;
	char line[LINE_BYTES];
	size_t length;
	uint64_t lines;
	char *said;
	size_t size;
};

static void end_line(struct output *output)
{
	char line[LINE_BYTES];

	text_sanitise(line, sizeof(line), output->line, output->length);
	output->length = 0;
	if (!line[0])
		return;
	/* With "+ ", a shell (set -x) shows the next command: that was not said by a tool. */
	if (strncmp(line, "+ ", 2) != 0)
		text_copy(output->said, output->size, line);
	if (++output->lines <= LINES_MAX)
		log_line(output->log, LOG_LEVEL_INFO, "after", "%s: %s", output->tool, line);
	else if (output->lines == LINES_MAX + 1)
		log_line(output->log, LOG_LEVEL_INFO, "after",
			 "%s: of what follows, only the last line is kept", output->tool);
}

static void take(struct output *output, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '\n' || bytes[i] == '\r')
			end_line(output);
		else if (output->length < sizeof(output->line))
			output->line[output->length++] = bytes[i];
	}
}

/* Until it has closed its output. False: the time is over. */
static bool listen_to(int fd, uint64_t deadline, struct output *output)
{
	char bytes[1024];

	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
		uint64_t now = clock_monotonic();

		if (now >= deadline)
			return false;
		if (poll(&poll_fd, 1, 200) <= 0)
			continue;
		ssize_t n = read(fd, bytes, sizeof(bytes));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		take(output, bytes, (size_t)n);
	}
	end_line(output);
	return true;
}

static int wait_for(pid_t pid, uint64_t deadline)
{
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && clock_monotonic() < deadline)
		clock_sleep_until(clock_monotonic() + STEP);
	if (ended == 0)
		child_end(pid);
	if (ended != pid)
		return ended == 0 ? -ETIMEDOUT : -errno;
	if (!WIFEXITED(status))
		return -EINTR;
	return WEXITSTATUS(status) == NOT_FOUND ? -ENOENT : WEXITSTATUS(status);
}

bool after_tool_missing(const char *name)
{
	static const char *const folders[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		if (access(path, X_OK) == 0)
			return false;
	}
	return true;
}

int after_tool(const char *const *argv, unsigned seconds, struct log *log, char *said, size_t size)
{
	/* The shell sends both outputs the same way, and finds the program. That gets to its end
	 * even if nobody listens any more: what it writes to would be half done. */
	const char *words[ARGUMENTS_MAX + 5] = { "sh", "-c", "trap '' PIPE; exec \"$@\" 2>&1",
						 "sh" };
	struct output output = { .log = log, .tool = argv[0], .said = said, .size = size };
	uint64_t deadline = clock_monotonic() + seconds * NSEC_PER_SEC;
	int pipes[2];
	pid_t pid;

	said[0] = '\0';
	for (size_t i = 0; i < ARGUMENTS_MAX && argv[i]; i++)
		words[4 + i] = argv[i];
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	int r = child_start("/bin/sh", words, NULL, -1, pipes[1], &pid);

	close(pipes[1]);
	if (r == 0 && !listen_to(pipes[0], deadline, &output)) {
		child_end(pid);
		r = -ETIMEDOUT;
	} else if (r == 0) {
		r = wait_for(pid, deadline);
	}
	close(pipes[0]);
	if (output.lines > LINES_MAX)
		log_line(log, LOG_LEVEL_INFO, "after", "%s: %" PRIu64 " lines, the last one: %s",
			 argv[0], output.lines, said);
	log_line(log, LOG_LEVEL_INFO, "after", "%s %s: ends with %d", argv[0], argv[1], r);
	return r;
}
