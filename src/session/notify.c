/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/notify.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"

static void tell(struct notifier *notifier, const char *event, const char *sentence)
{
	/* The sentence is an argument, never part of the command: names of disks and files are in
	 * it. */
	const char *const argv[] = { "sh",     "-c", notifier->command, "clonedeck", event,
				     sentence, NULL };

	if (notifier->pid > 0)
		waitpid(notifier->pid, NULL, WNOHANG);
	if (child_start("/bin/sh", argv, (const char *const *)environ, -1, -1, &notifier->pid) < 0)
		notifier->pid = 0;
}

static void tell_end(struct notifier *notifier, const struct report *report)
{
	char line[512], sentence[1024], source[192], destination[192];

	snprintf(sentence, sizeof(sentence), _("%s -> %s: %s"),
		 text_show(source, sizeof(source), report->plan->source.node),
		 text_show(destination, sizeof(destination), report->plan->destinations[0].node),
		 report_result_line(report, line, sizeof(line)));
	tell(notifier, "end", sentence);
}

static bool is_copying(enum session_state state)
{
	return state == SESSION_RUNNING || state == SESSION_WAITING || state == SESSION_FINISHING;
}

void notify_follow(struct notifier *notifier, enum session_state state, const char *who,
		   const struct report *report)
{
	enum session_state before = notifier->told;

	notifier->told = state;
	if (!notifier->command || state == before)
		return;
	if (state == SESSION_WAITING)
		tell(notifier, "gone", who);
	else if (before == SESSION_WAITING && state == SESSION_RUNNING)
		tell(notifier, "back", _("The disk is back; the copy goes on."));
	else if (is_copying(before) && state == SESSION_FINISHED && report)
		tell_end(notifier, report);
}
