/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's life, and what wakes its front end. */
#include "session/session.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/i18n.h"
#include "session/session_private.h"

static void take_health(struct session *session, unsigned *changes)
{
	task_join(&session->asking.task);
	*changes |= SESSION_CHANGE_JOB;
}

static void take_timer(struct session *session, unsigned *changes)
{
	session_take_timer(session);
}

static void take_heartbeat(struct session *session, unsigned *changes)
{
	heartbeat_take_timer(session);
}

static void take_job(struct session *session, unsigned *changes)
{
	*changes |= SESSION_CHANGE_JOB;
}

#define TASK(member) offsetof(struct session, member)

/* The events that wake the front end, and what handles them. */
static const struct {
	void (*take)(struct session *session, unsigned *changes);
	size_t task; /* whose end it is; 0: no task's */
} sources[EVENT_COUNT] = {
	[EVENT_HOTPLUG] = { session_take_hotplug, 0 },
	[EVENT_SCAN] = { session_take_scan, TASK(scanning.task) },
	[EVENT_START] = { session_take_start, TASK(starting.task) },
	[EVENT_JOB] = { take_job, 0 },
	[EVENT_HEALTH] = { take_health, TASK(asking.task) },
	[EVENT_TIMER] = { take_timer, 0 },
	[EVENT_HEARTBEAT] = { take_heartbeat, 0 },
	[EVENT_MOVE] = { session_take_move, TASK(moving.task) },
	[EVENT_CHECK] = { session_take_check, TASK(checking.task) },
	[EVENT_FIND] = { session_take_find, TASK(finding.task) },
	[EVENT_FINISH] = { session_take_finish, TASK(finishing.task) },
	[EVENT_SAVE] = { session_take_save, TASK(saving.task) },
	[EVENT_REVERIFY] = { session_take_verify, TASK(reverifying.start.task) },
	[EVENT_CHECKUP] = { session_take_checkup, TASK(checkup.task) },
	[EVENT_MEASURE] = { session_take_measure, TASK(measuring.task) },
};

_Static_assert(offsetof(struct session, options) == 0, "no task lies at 0");

/* NULL: no task's. */
static struct task *task_of(struct session *session, enum session_event_source source)
{
	size_t offset = sources[source].task;

	return offset ? (struct task *)((char *)session + offset) : NULL;
}

int session_watch(struct session *session, int fd, enum session_event_source source,
		  struct error *reterr)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = source };

	if (epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("An event descriptor could not be watched: %s."),
				 error_phrase(errno));
	return 0;
}

static int init(struct session *session, struct error *reterr)
{
	int r = 0;

	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("No event descriptor could be made: %s."), error_phrase(errno));
	session->images = image_store_new();
	if (!session->images)
		return error_nomem(reterr);
	session_find_log_dir(session);
	for (int source = 0; r == 0 && source < EVENT_COUNT; source++) {
		struct task *task = task_of(session, (enum session_event_source)source);

		if (!task)
			continue;
		r = task_init(task, reterr);
		if (r == 0)
			r = session_watch(session, task->event_fd,
					  (enum session_event_source)source, reterr);
	}
	if (r == 0)
		r = session_disks_init(session, reterr);
	if (r == 0)
		r = heartbeat_init(session, reterr);
	return r < 0 ? r : session_waiting_init(session, reterr);
}

/* Links to files that are to be written are followed once, here. What cannot be followed is refused
 * with the plan. */
static void follow(struct session *session, int number, const char **path)
{
	if (!*path)
		return;
	(void)file_follow(*path, session->given[number], sizeof(session->given[number]));
	*path = session->given[number];
}

int session_new(const struct session_options *options, struct session **ret, struct error *reterr)
{
	struct session *session;
	int r = rules_check_allow(options->allow, reterr);

	if (r < 0)
		return r;
	session = calloc(1, sizeof(*session));
	if (!session)
		return error_nomem(reterr);
	session->options = *options;
	while (options->allow && options->allow[session->allowed_always] &&
	       session->allowed_always < ALLOWED_MAX) {
		session->allowed[session->allowed_always] = options->allow[session->allowed_always];
		session->allowed_always++;
	}
	session->options.allow = NULL;
	follow(session, 0, &session->options.map_path);
	follow(session, 1, &session->options.report_path);
	follow(session, 2, &session->options.certificate_path);
	session_begin_sign(session, options->operator_name, options->ticket, options->mask_serials,
			   NULL);
	session->epoll_fd = session->waiting.timer_fd = session->heartbeat.timer_fd = -1;
	for (int source = 0; source < EVENT_COUNT; source++) {
		struct task *task = task_of(session, (enum session_event_source)source);

		if (task)
			task->event_fd = -1;
	}
	r = init(session, reterr);
	if (r < 0)
		session_destroy(session);
	else
		*ret = session;
	return r;
}

static bool any_task_runs(struct session *session)
{
	for (int source = 0; source < EVENT_COUNT; source++) {
		const struct task *task = task_of(session, (enum session_event_source)source);

		if (task && task->running)
			return true;
	}
	return false;
}

bool session_settle(struct session *session, unsigned patience)
{
	uint64_t now = clock_monotonic(), end = now + patience * NSEC_PER_MSEC;
	struct pollfd fd = { .fd = session->epoll_fd, .events = POLLIN };

	/* Hot-plug no longer matters. */
	session->scanning.follows = session->scanning.again = false;
	for (; any_task_runs(session); now = clock_monotonic()) {
		if (now >= end)
			return false;
		poll(&fd, 1, (int)((end - now) / NSEC_PER_MSEC) + 1);
		session_dispatch(session);
	}
	return true;
}

/* Ends whatever is running. */
static void settle(struct session *session)
{
	unsigned changes = 0;

	/* Nobody waits for disks or their health any more. */
	session->options.on_vanish = SESSION_VANISH_STOP;
	session->asking.asked = true;
	session_forget_measure(session);
	if (session->state == SESSION_VERIFYING)
		session_stop_verify(session);
	if (session->starting.task.running) {
		session_stop(session);
		session_take_start(session, &changes);
	}
	if (session->state == SESSION_RUNNING)
		job_stop(session->starting.job);
	if (session->state == SESSION_RUNNING || session->state == SESSION_WAITING ||
	    session->state == SESSION_FINISHING)
		session_finish(session, NULL);
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	settle(session);
	for (int source = 0; source < EVENT_COUNT; source++) {
		struct task *task = task_of(session, (enum session_event_source)source);

		if (task)
			task_done(task);
	}
	awake_end(&session->awake);
	session_release_job(session);
	session_forget_check(session);
	session_forget_save(session);
	session_disks_done(session);
	image_store_destroy(session->images);
	verdict_list_done(&session->verdicts);
	held_done(&session->held);
	map_destroy(session->resume);
	map_destroy(session->moving.map);
	range_list_done(&session->retry);
	recorded_copy_done(&session->recorded);
	plan_destroy(session->plan);
	log_close(session->log);
	if (session->waiting.timer_fd >= 0)
		close(session->waiting.timer_fd);
	if (session->heartbeat.timer_fd >= 0)
		close(session->heartbeat.timer_fd);
	if (session->epoll_fd >= 0)
		close(session->epoll_fd);
	free(session);
}

enum session_state session_state(const struct session *session)
{
	return session->state;
}

int session_fd(const struct session *session)
{
	return session->epoll_fd;
}

unsigned session_dispatch(struct session *session)
{
	struct epoll_event events[EVENT_COUNT];
	unsigned changes = 0;
	int count = epoll_wait(session->epoll_fd, events, EVENT_COUNT, 0);

	for (int i = 0; i < count; i++)
		sources[events[i].data.u32].take(session, &changes);
	session_follow_awake(session);
	return changes;
}
