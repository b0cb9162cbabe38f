/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/heartbeat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"
#include "base/thread.h"
#include "session/progress.h"

#define BEAT       2  /* seconds */
#define BEATS_LINE 30 /* a minute */

/* logind makes this folder when it starts; libsystemd also looks for it. */
#define LOGIND  "/run/systemd/seats/"
#define PROGRAM "/usr/bin/systemd-inhibit"

static void describe(const struct endpoint *endpoint, struct running_end *ret)
{
	struct stat st;

	*ret = (struct running_end){ 0 };
	if (endpoint->kind == ENDPOINT_IMAGE) {
		text_copy(ret->file, sizeof(ret->file), endpoint->node);
		return;
	}
	text_copy(ret->node, sizeof(ret->node), endpoint->node);
	text_copy(ret->serial, sizeof(ret->serial), endpoint->identity.serial);
	ret->diskseq = endpoint->identity.diskseq;
	if (stat(endpoint->disk_node, &st) == 0 && S_ISBLK(st.st_mode))
		ret->devno = st.st_rdev;
}

void heartbeat_beat(struct heartbeat *heartbeat, const struct job_snapshot *job, const char *map,
		    bool away, struct log *log)
{
	struct running *running = &heartbeat->running;
	char line[PROGRESS_LINE_MAX];
	uint64_t times;

	/* EAGAIN: the first beat, before the timer has ended once. */
	if (read(heartbeat->timer_fd, &times, sizeof(times)) < 0 && errno != EAGAIN)
		return;
	running->percent = progress_percent(job->overall);
	running->left = job->eta.known ? (int64_t)job->eta.seconds : -1;
	running->left_least = job->left.known ? (int64_t)job->left.least : 0;
	running->left_most = job->left.known ? (int64_t)job->left.most : 0;
	text_copy(running->state, sizeof(running->state),
		  job_state_name(away ? JOB_WAITING : job->state));
	text_copy(running->stage, sizeof(running->stage), pass_name(job->pass));
	/* Before anything has moved, nothing is known of it. */
	running->rate = job->state == JOB_PAUSED || away ? 0 : job->average > 0 ? job->minute : -1;
	running->bad = job->bad_bytes;
	running->errors = job->errors;
	text_copy(running->map, sizeof(running->map), map);
	/* Nothing is held while a disk is missing, and another one may get its number. */
	if (away)
		running->source.devno = running->destination.devno = 0;
	if (heartbeat->record)
		running_update(heartbeat->record, running);
	if (heartbeat->beats++ % BEATS_LINE == BEATS_LINE - 1 && log && job->state != JOB_ENDED)
		log_line(log, LOG_LEVEL_INFO, "progress", "%s", progress_line(job, line));
}

void heartbeat_begin(struct heartbeat *heartbeat, const struct plan *plan)
{
	struct running *running = &heartbeat->running;
	char folder[512];

	running->pid = getpid();
	if (!running->started)
		running->started = (int64_t)time(NULL);
	describe(&plan->source, &running->source);
	describe(&plan->destinations[0], &running->destination);
	if (!heartbeat->record && running_folder(folder, sizeof(folder)) &&
	    running_new(folder, running, &heartbeat->record) < 0)
		heartbeat->record = NULL;
	timer_set(heartbeat->timer_fd, BEAT);
}

void heartbeat_end(struct heartbeat *heartbeat, const char *report, int exit_code)
{
	struct running *running = &heartbeat->running;

	if (report) {
		text_copy(running->report, sizeof(running->report), report);
		running->exit_code = exit_code;
		running_ended(heartbeat->record, running);
	} else {
		running_destroy(heartbeat->record);
	}
	heartbeat->record = NULL;
	heartbeat->beats = 0;
	*running = (struct running){ .left = -1, .rate = -1 };
	if (heartbeat->timer_fd >= 0)
		timer_set(heartbeat->timer_fd, 0);
}

void heartbeat_done(struct heartbeat *heartbeat)
{
	heartbeat_end(heartbeat, NULL, 0);
	fd_close(heartbeat->timer_fd);
}

/*
 * USB disks would be gone when the machine wakes up. With logind, systemd-inhibit holds sleep off
 * for as long as its program runs: cat, reading from a pipe of ours. However this process ends, the
 * pipe ends with it.
 */
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
	r = child_start(program, argv, NULL, pipes[0], -1, &awake->pid);
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

void awake_follow(struct awake *awake, bool wanted)
{
	if (wanted == awake->wanted)
		return;
	awake->wanted = wanted;
	if (!wanted)
		awake_end(awake);
	/* The copy is as safe without it, so a failure is not reported. */
	else if (access(LOGIND, F_OK) == 0 && access(PROGRAM, X_OK) == 0)
		awake_begin(PROGRAM, awake);
}

/* ---- the command ---- */

/* A command that sends a message takes a second or two, or hangs. The next one does not wait for
 * it. */
static pid_t *free_place(struct notifier *notifier)
{
	pid_t *place = &notifier->pids[0];

	for (int i = 0; i < NOTIFY_COMMANDS; i++) {
		pid_t *pid = &notifier->pids[i];

		if (*pid > 0 && waitpid(*pid, NULL, WNOHANG) != 0)
			*pid = 0;
		if (*pid == 0)
			place = pid;
	}
	return place;
}

static void tell(struct notifier *notifier, const char *event, const char *sentence)
{
	/* The sentence is an argument, never part of the command: names of disks and files are in
	 * it. */
	const char *const argv[] = { "sh",     "-c", notifier->command, "clonedeck", event,
				     sentence, NULL };
	pid_t *place = free_place(notifier);

	if (child_start("/bin/sh", argv, (const char *const *)environ, -1, -1, place) < 0)
		*place = 0;
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
	if (state == SESSION_STARTING)
		notifier->troubles = 0;
	if (!notifier->command || state == before)
		return;
	if (state == SESSION_WAITING)
		tell(notifier, "gone", who);
	else if (before == SESSION_WAITING && state == SESSION_RUNNING)
		tell(notifier, "back", _("The disk is back; the copy goes on."));
	else if (is_copying(before) && state == SESSION_FINISHED && report)
		tell_end(notifier, report);
}

void notify_trouble(struct notifier *notifier, const struct job_snapshot *job)
{
	const struct {
		bool is;
		const char *words;
	} troubles[] = {
		{ job->errors > 0, N_("A request has failed") },
		{ job->hang.count > 0, N_("A disk does not answer") },
		{ job->map_failed, N_("The map cannot be saved") },
	};
	char line[PROGRESS_LINE_MAX], sentence[PROGRESS_LINE_MAX + 64];

	for (unsigned i = 0; notifier->command && i < ARRAY_SIZE(troubles); i++) {
		if (!troubles[i].is || notifier->troubles & 1U << i)
			continue;
		notifier->troubles |= 1U << i;
		snprintf(sentence, sizeof(sentence), "%s: %s", _(troubles[i].words),
			 progress_line(job, line));
		tell(notifier, "trouble", sentence);
	}
}
