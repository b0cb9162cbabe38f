/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "health/smartctl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"

/* Ten times what the most talkative disk fills. */
#define OUTPUT_MAX (256UL * 1024)
#define ENDS       8
#define TIMEOUT    (5 * NSEC_PER_SEC) /* of all together */
#define POLL_MAX   1000               /* ms */

struct answer {
	pid_t pid; /* 0: none was started, or it is gone */
	int fd;    /* its standard output, -1: closed */
	char *text;
	size_t length;
};

static const char *node_of(const struct disk *disk)
{
	switch (disk->kind) {
	case DISK_SCSI:
		/* smartctl recognises USB bridges, and which of them it must not ask, only by the
		 * node of the disk. */
		return disk->sg[0] && strcmp(disk->transport, "usb") != 0 ? disk->sg : disk->node;
	case DISK_NVME:
		return disk->node;
	default:
		return "";
	}
}

static bool has_error_counters(const struct disk *disk)
{
	return disk->kind == DISK_SCSI && !text_is_one_of(disk->transport, "usb", "sata", "pata");
}

void health_address(const struct disk *disk, struct health_end *ret)
{
	text_copy(ret->node, sizeof(ret->node), disk ? node_of(disk) : "");
	ret->error_counters = disk && has_error_counters(disk);
	text_copy(ret->disk, sizeof(ret->disk), disk ? disk->node : "");
}

bool health_is_written_to(const char *node)
{
	CLEANUP(close) int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* It runs as root, so only from directories that nobody else can write to. */
static const char *find_program(void)
{
	static const char *const places[] = { "/usr/sbin/smartctl", "/sbin/smartctl",
					      "/usr/bin/smartctl", "/usr/local/sbin/smartctl" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

static int start(const char *program, const struct health_end *end, struct answer *answer)
{
	/* It wants the node last. */
	const char *const usual[] = { "smartctl", "--json", "-H", "-A", "-i", end->node, NULL };
	const char *const scsi[] = { "smartctl", "--json",      "-H",      "-A",
				     "-i",       "--log=error", end->node, NULL };
	int pipes[2];

	answer->text = malloc(OUTPUT_MAX);
	if (!answer->text)
		return -ENOMEM;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	int r = child_start(program, end->error_counters ? scsi : usual, NULL, -1, pipes[1],
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
		struct pollfd fds[ENDS];
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

static void finish(struct answer *answer)
{
	fd_close(answer->fd);
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

static void ask(const char *program, const struct health_end *ends, struct health *healths,
		size_t count, uint64_t timeout)
{
	struct answer answers[ENDS];
	int started[ENDS];

	for (size_t i = 0; i < count; i++) {
		answers[i] = (struct answer){ .fd = -1 };
		started[i] = ends[i].node[0] ? start(program, &ends[i], &answers[i]) : 0;
	}
	listen_to(answers, count, clock_monotonic() + timeout);
	for (size_t i = 0; i < count; i++) {
		if (ends[i].node[0])
			say(&healths[i], (int64_t)time(NULL), started[i], &answers[i]);
		finish(&answers[i]);
		free(answers[i].text);
	}
}

void smartctl_ask(const char *program, const struct health_end *ends, struct health *answers,
		  size_t count, uint64_t timeout)
{
	if (!program)
		program = find_program();
	for (size_t i = 0; i < count; i++)
		health_clear(&answers[i],
			     program || !ends[i].node[0] ? NULL : _("smartctl is not installed."));
	if (program)
		ask(program, ends, answers, count < ENDS ? count : ENDS, timeout);
}

void health_ask(const struct health_end *end, struct health *ret)
{
	health_clear(ret, NULL);
	if (!end->node[0])
		return;
	if (health_is_written_to(end->disk))
		health_clear(ret, _("Another program has locked the disk."));
	else
		smartctl_ask(NULL, end, ret, 1, TIMEOUT);
}

void health_ask_both(const struct health_end ends[2], struct health answers[2])
{
	smartctl_ask(NULL, ends, answers, 2, TIMEOUT);
}
