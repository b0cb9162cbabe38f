/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the machine from going to sleep during a copy, since USB disks would be gone
 * when it wakes up. With logind, systemd-inhibit holds sleep off for as long as its
 * program runs: cat, reading from a pipe of ours. However this process ends, the
 * pipe ends with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/child.h"
#include "base/i18n.h"
#include "session/session_private.h"

/* Made by logind when it starts; by this its own library knows it, too. */
#define LOGIND  "/run/systemd/seats/"
#define PROGRAM "/usr/bin/systemd-inhibit"

int awake_begin(const char *program, struct awake *awake)
{
	const char *const argv[] = { program,
				     "--what=sleep:idle:handle-lid-switch",
				     "--who=clonedeck",
				     "--why",
				     _("A disk is being copied"),
				     "--mode=block",
				     "cat",
				     NULL };
	int pipes[2], r;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	r = child_start(program, argv, pipes[0], -1, &awake->pid);
	close(pipes[0]);
	if (r < 0) {
		awake->pid = 0;
		close(pipes[1]);
		return r;
	}
	awake->pipe = pipes[1];
	return 0;
}

void awake_end(struct awake *awake)
{
	if (awake->pid <= 0)
		return;
	close(awake->pipe);
	child_end(awake->pid);
	awake->pid = 0;
}

static bool busy(enum session_state state)
{
	return state == SESSION_STARTING || state == SESSION_RUNNING || state == SESSION_WAITING ||
	       state == SESSION_FINISHING || state == SESSION_VERIFYING;
}

void session_follow_awake(struct session *session)
{
	struct awake *awake = &session->awake;

	if (busy(session->state) == awake->wanted)
		return;
	awake->wanted = busy(session->state);
	if (!awake->wanted)
		awake_end(awake);
	/* The copy is as safe without it, so a failure is not reported. */
	else if (access(LOGIND, F_OK) == 0 && access(PROGRAM, X_OK) == 0)
		awake_begin(PROGRAM, awake);
}
