/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's own command that tells somebody who is elsewhere: by mail, on a phone, on a desktop.
 * The shell runs it with the event in $1 ("end", "gone", "back") and a sentence in $2. Nothing
 * waits for it, and the copy does not depend on it.
 */
#ifndef CLONEDECK_SESSION_NOTIFY_H
#define CLONEDECK_SESSION_NOTIFY_H

#include <sys/types.h>

#include "report/report.h"
#include "session/choose.h"

struct notifier {
	const char *command; /* NULL: nobody is told; borrowed */
	enum session_state told;
	pid_t pid; /* of the last command; 0: none */
};

/* After each change. who: while a disk is missing, what is; report: of a copy that has ended. */
void notify_follow(struct notifier *notifier, enum session_state state, const char *who,
		   const struct report *report);

#endif
