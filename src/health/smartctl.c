/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/smartctl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/process.h"

/* Ten times what the most talkative disk fills. */
#define OUTPUT_MAX (256UL * 1024)
#define QUESTIONS  8
#define POLL_MAX   1000 /* ms */

struct answer {
	pid_t pid; /* 0: none was started, or it is gone */
	int fd;    /* its standard output, -1: closed */
	char *text;
	size_t length;
};

const char *smartctl_node(const struct disk *disk)
{
	switch (disk->kind) {
	case DISK_SCSI:
		/* Only by the name of the disk does it know USB bridges, and which of them bear
		 * being asked. */
		return disk->sg[0] && strcmp(disk->transport, "usb") != 0 ? disk->sg : disk->node;
	case DISK_NVME:
		return disk->node;
	default:
		return "";
	}
}

bool smartctl_has_error_counters(const struct disk *disk)
{
	static const char *const others[] = { "usb", "sata", "pata" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(disk->transport, others[i]) == 0)
			return false;
	return disk->kind == DISK_SCSI;
}

/* It runs as root, so only from directories that nobody else can write to. */
static const char *find_program(void)
{
	static const char *const places[] = { "/usr/sbin/smartctl", "/sbin/smartctl",
					      "/usr/bin/smartctl", "/usr/local/sbin/smartctl" };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

static int start(const char *program, const struct smartctl_question *question,
		 struct answer *answer)
{
	/* It wants the node last. */
	const char *const usual[] = {
		"smartctl", "--json", "-H", "-A", "-i", question->node, NULL
	};
	const char *const scsi[] = { "smartctl", "--json",      "-H",           "-A",
				     "-i",       "--log=error", question->node, NULL };
	int pipes[2];

	answer->text = malloc(OUTPUT_MAX);
	if (!answer->text)
		return -ENOMEM;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	int r = child_start(program, question->error_counters ? scsi : usual, NULL, -1, pipes[1],
			    &answer->pid);

	close(pipes[1]);
	if (r < 0) {
		answer->pid = 0;
		close(pipes[0]);
		return r;
	}
	answer->fd = pipes[0];
	return 0;
}

/* Takes what is there; at the end, or when there is more than there can be, the pipe is closed. */
static void take(struct answer *answer)
{
	ssize_t n = read(answer->fd, answer->text + answer->length, OUTPUT_MAX - answer->length);

	if (n < 0 && errno == EINTR)
		return;
	if (n > 0)
		answer->length += (size_t)n;
	if (n > 0 && answer->length < OUTPUT_MAX)
		return;
	close(answer->fd);
	answer->fd = -1;
}

/* Until all have said all they have to say, or the time is over. */
static void listen_to(struct answer *answers, size_t count, uint64_t deadline)
{
	for (;;) {
		struct pollfd fds[QUESTIONS];
		uint64_t now = clock_monotonic();
		bool any = false;

		for (size_t i = 0; i < count; i++) {
			fds[i] = (struct pollfd){ .fd = answers[i].fd, .events = POLLIN };
			any = any || answers[i].fd >= 0;
		}
		if (!any || now >= deadline)
			return;
		uint64_t left = (deadline - now) / NSEC_PER_MSEC + 1;

		if (poll(fds, count, left > POLL_MAX ? POLL_MAX : (int)left) <= 0)
			continue;
		for (size_t i = 0; i < count; i++)
			if (answers[i].fd >= 0 && fds[i].revents)
				take(&answers[i]);
	}
}

static void end(struct answer *answer)
{
	if (answer->fd >= 0)
		close(answer->fd);
	/* A program that has closed its output has answered. */
	if (answer->pid)
		child_end(answer->pid);
}

static void say(struct health *health, int64_t now, int started, const struct answer *answer)
{
	char why[sizeof(health->why)];

	if (started < 0) {
		snprintf(why, sizeof(why), _("smartctl could not be started: %s."),
			 error_phrase(started));
		health_clear(health, why);
	} else if (answer->fd >= 0) {
		health_clear(health, _("The disk did not answer in time."));
	} else {
		health_clear(health, NULL);
		health->time = now;
		health_parse(answer->text, answer->length, health);
	}
}

static void ask(const char *program, struct smartctl_question *questions, size_t count,
		uint64_t timeout)
{
	struct answer answers[QUESTIONS];
	int started[QUESTIONS];

	for (size_t i = 0; i < count; i++) {
		answers[i] = (struct answer){ .fd = -1 };
		started[i] = questions[i].node[0] ? start(program, &questions[i], &answers[i]) : 0;
	}
	listen_to(answers, count, clock_monotonic() + timeout);
	for (size_t i = 0; i < count; i++) {
		if (questions[i].node[0])
			say(questions[i].health, (int64_t)time(NULL), started[i], &answers[i]);
		end(&answers[i]);
		free(answers[i].text);
	}
}

void smartctl_ask(const char *program, struct smartctl_question *questions, size_t count,
		  uint64_t timeout)
{
	if (!program)
		program = find_program();
	for (size_t i = 0; i < count; i++)
		health_clear(questions[i].health, program || !questions[i].node[0]
							  ? NULL
							  : _("smartctl is not installed."));
	if (program)
		ask(program, questions, count < QUESTIONS ? count : QUESTIONS, timeout);
}
