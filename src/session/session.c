/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's life, its background tasks, what wakes its front end, and what it shows of a copy,
 * and of earlier ones. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "session/session_private.h"

#define WITHOUT_POLL (NSEC_PER_SEC / 10)

static void take_job(struct session *session, unsigned *changes)
{
	*changes |= SESSION_CHANGE_JOB;
}

static void take_heartbeat(struct session *session, unsigned *changes)
{
	session_beat(session);
}

static void take_past(struct session *session, unsigned *changes)
{
	past_free(session->past);
	session->past = cleanup_steal(session->reading_past);
	*changes |= SESSION_CHANGE_PAST;
}

/* What handles the end of each task, which was joined before, and other events. */
static void (*const take[EVENT_COUNT])(struct session *session, unsigned *changes) = {
	[SESSION_TASK_SCAN] = session_take_scan,
	[SESSION_TASK_FIND] = session_take_find,
	[SESSION_TASK_PLAN] = session_take_check,
	[SESSION_TASK_MEASURE] = session_take_measure,
	[SESSION_TASK_USED] = session_take_used,
	[SESSION_TASK_HEALTH] = session_take_checkup,
	[SESSION_TASK_START] = session_take_start,
	[SESSION_TASK_AFTER] = take_job,
	[SESSION_TASK_MOVE] = session_take_move,
	[SESSION_TASK_FINISH] = session_take_finish,
	[SESSION_TASK_SAVE] = session_take_save,
	[SESSION_TASK_VERIFY] = session_take_verify,
	[SESSION_TASK_PAST] = take_past,
	[EVENT_HOTPLUG] = session_take_hotplug,
	[EVENT_JOB] = take_job,
	[EVENT_TIMER] = session_take_timer,
	[EVENT_HEARTBEAT] = take_heartbeat,
};

int session_watch(struct session *session, int fd, int event, struct error *reterr)
{
	struct epoll_event wanted = { .events = EPOLLIN, .data.u32 = (uint32_t)event };

	if (epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &wanted) < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("An event descriptor could not be watched: %s."),
				 error_phrase(errno));
	return 0;
}

int session_begin_task(struct session *session, enum session_task task, void (*body)(void *),
		       void *data, struct error *reterr)
{
	const struct worker_order order = {
		.body = body,
		.data = data,
		.name = "session",
		.wake = session->wakes[task],
	};
	int r = worker_start(&order, &session->tasks[task]);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "thread", NULL,
				 _("A thread could not be started: %s."), error_phrase(r));
	return 0;
}

void session_join(struct session *session, enum session_task task)
{
	if (!session->tasks[task])
		return;
	worker_wait(session->tasks[task], WORKER_FOREVER);
	worker_abandon(cleanup_steal(session->tasks[task]));
	eventfd_clear(session->wakes[task]);
}

bool session_runs(const struct session *session, enum session_task task)
{
	return session->tasks[task] != NULL;
}

static int watch_timer(struct session *session, int *fd, enum session_event event,
		       struct error *reterr)
{
	*fd = timer_new(reterr);
	return *fd < 0 ? *fd : session_watch(session, *fd, event, reterr);
}

static int init(struct session *session, struct error *reterr)
{
	const struct session_options *options = &session->options;
	int r = 0;

	session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (session->epoll_fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("No event descriptor could be made: %s."), error_phrase(errno));
	session->images = image_store_new();
	if (!session->images)
		return error_nomem(reterr);
	files_find_directory(&session->files, options->log_dir, options->practice_dir);
	for (int i = 0; r == 0 && i < SESSION_TASK_COUNT; i++) {
		r = session->wakes[i] = eventfd_new(reterr);
		if (r >= 0)
			r = session_watch(session, session->wakes[i], i, reterr);
	}
	if (r == 0)
		r = session_disks_init(session, reterr);
	if (r == 0)
		r = watch_timer(session, &session->heartbeat.timer_fd, EVENT_HEARTBEAT, reterr);
	return r < 0 ? r : watch_timer(session, &session->unplugged.timer_fd, EVENT_TIMER, reterr);
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
	session->notifier.command = options->notify;
	session_sign(session, options->operator_name, options->ticket, options->mask_serials, NULL);
	session->epoll_fd = session->unplugged.timer_fd = session->heartbeat.timer_fd = -1;
	for (int i = 0; i < SESSION_TASK_COUNT; i++)
		session->wakes[i] = -1;
	r = init(session, reterr);
	if (r < 0)
		session_destroy(session);
	else
		*ret = session;
	return r;
}

static bool any_task_runs(const struct session *session)
{
	for (int i = 0; i < SESSION_TASK_COUNT; i++)
		if (session->tasks[i])
			return true;
	return false;
}

bool session_wait(struct session *session, int interrupt, int timeout)
{
	uint64_t now = clock_monotonic();
	uint64_t end = timeout < 0 ? UINT64_MAX : now + (uint64_t)timeout * NSEC_PER_MSEC;
	struct pollfd fds[] = {
		{ .fd = session->epoll_fd, .events = POLLIN },
		{ .fd = interrupt, .events = POLLIN },
	};

	session->scanning.follows = session->scanning.again = false;
	for (; any_task_runs(session); now = clock_monotonic()) {
		int left = timeout < 0  ? -1
			   : now >= end ? 0
					: (int)((end - now) / NSEC_PER_MSEC) + 1;

		if (left == 0)
			return false;
		/* If memory is short, the kernel may refuse to wait. */
		if (poll(fds, 2, left) < 0 && errno != EINTR)
			clock_sleep_until(clock_monotonic() + WITHOUT_POLL);
		else if (fds[1].revents)
			return false;
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
	session->health.asked = true;
	session_forget_measure(session);
	session_forget_used(session);
	if (session->state == SESSION_VERIFYING)
		session_stop_verify(session);
	session_end_start(session);
	if (session->state == SESSION_RUNNING)
		job_stop(session->opened.job);
	if (session->state == SESSION_RUNNING || session->state == SESSION_WAITING)
		session_finish(session, NULL);
	while (session->state == SESSION_FINISHING) {
		enum session_task task =
			session->move.map ? SESSION_TASK_MOVE : SESSION_TASK_FINISH;

		session_join(session, task);
		take[task](session, &changes);
	}
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	settle(session);
	for (int i = 0; i < SESSION_TASK_COUNT; i++) {
		session_join(session, (enum session_task)i);
		fd_close(session->wakes[i]);
	}
	awake_end(&session->awake);
	session_release_job(session);
	compare_done(&session->compare);
	loaded_done(&session->checking.loaded);
	save_done(&session->saving);
	past_free(session->past);
	past_free(session->reading_past);
	session_disks_done(session);
	image_store_destroy(session->images);
	verdict_list_done(&session->verdicts);
	held_done(&session->held);
	layout_done(&session->offer);
	layout_done(&session->checking.layout);
	map_destroy(session->resume);
	map_destroy(session->move.map);
	range_list_done(&session->retry);
	used_done(&session->using.used);
	range_list_done(&session->wish.ranges);
	range_list_done(&session->checking.wish.ranges);
	recorded_copy_done(&session->recorded);
	plan_destroy(session->starting.plan);
	plan_destroy(session->plan);
	log_close(session->log);
	heartbeat_done(&session->heartbeat);
	fd_close(session->unplugged.timer_fd);
	fd_close(session->epoll_fd);
	free(session);
}

enum session_state session_state(const struct session *session)
{
	return session->state;
}

bool session_is_busy(const struct session *session)
{
	return session->state == SESSION_STARTING || session->state == SESSION_RUNNING ||
	       session->state == SESSION_WAITING || session->state == SESSION_FINISHING ||
	       session->state == SESSION_VERIFYING;
}

int session_refuse_busy(const struct session *session, const char *operation, struct error *reterr)
{
	if (!session_is_busy(session))
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -EBUSY, operation, NULL,
			 _("A copy is running. Another one can be planned when it has ended."));
}

int session_fd(const struct session *session)
{
	return session->epoll_fd;
}

const struct error *session_error(const struct session *session, enum session_task task)
{
	return &session->errors[task];
}

unsigned session_dispatch(struct session *session)
{
	struct epoll_event events[EVENT_COUNT];
	unsigned changes = 0;
	int count = epoll_wait(session->epoll_fd, events, EVENT_COUNT, 0);

	for (int i = 0; i < count; i++) {
		uint32_t event = events[i].data.u32;

		if (event < SESSION_TASK_COUNT) {
			/* Another event of this round may have handled the end of this task. */
			if (!session->tasks[event])
				continue;
			session_join(session, (enum session_task)event);
		}
		take[event](session, &changes);
	}
	awake_follow(&session->awake, session_is_busy(session));
	notify_follow(&session->notifier, session->state, session->unplugged.shown.who,
		      session->has_report ? &session->report : NULL);
	return changes;
}

struct job *session_job(const struct session *session)
{
	const struct unplugged *unplugged = &session->unplugged;

	switch (session->state) {
	case SESSION_WAITING:
		return unplugged->job;
	case SESSION_RUNNING:
		return session->opened.job;
	case SESSION_VERIFYING:
		/* Until the ends are open, the job belongs to the thread that opens them. */
		return session_runs(session, SESSION_TASK_VERIFY) && !session->compare_ends
			       ? NULL
			       : session->compare.opened.job;
	/* The copy whose report is still shown, if any. */
	case SESSION_CHECKING:
	case SESSION_FINISHING:
	case SESSION_FINISHED:
		return unplugged->job ? unplugged->job : session->opened.job;
	default:
		return NULL;
	}
}

bool session_snapshot(const struct session *session, struct job_snapshot *ret)
{
	struct job *job = session_job(session);

	if (!job)
		return false;
	job_snapshot(job, ret);
	if (session->state == SESSION_VERIFYING)
		return true;
	session_join_parts(&session->unplugged, ret);
	if (session->state == SESSION_WAITING) {
		ret->state = JOB_WAITING;
		ret->elapsed += clock_monotonic() - session->unplugged.shown.since;
	}
	if (session->map_saved) {
		ret->map_safe = true;
		ret->map_failed = false;
	}
	return true;
}

struct session_copy session_copy(const struct session *session)
{
	bool waits = session->state == SESSION_WAITING, starts = session->state == SESSION_STARTING;

	return (struct session_copy){
		.job = session_job(session),
		.waiting = waits ? &session->unplugged.shown : NULL,
		.report = session->has_report ? &session->report : NULL,
		/* It is the starting thread's until then. */
		.map_path = starts ? "" : session->files.at.map,
		.map_in_memory = session->map_in_memory,
		.log_moved = session->log_moved,
		.verified = session->compared ? &session->verified : NULL,
		.busy = session_is_busy(session),
		.left_behind = session->left_behind,
		.changing = atomic_load(&session->finishing.changing),
	};
}

/* ---- earlier copies ---- */

void session_read_past(struct session *session)
{
	if (session_runs(session, SESSION_TASK_PAST))
		return;
	session->reading_past = calloc(1, sizeof(*session->reading_past));
	if (!session->reading_past)
		return;
	text_copy(session->reading_past->directory, sizeof(session->reading_past->directory),
		  session->files.directory);
	if (session_begin_task(session, SESSION_TASK_PAST, past_read, session->reading_past, NULL))
		past_free(cleanup_steal(session->reading_past));
}

const struct past_copy *session_past(const struct session *session, size_t *retcount)
{
	*retcount = session->past ? session->past->count : 0;
	return session->past ? session->past->items : NULL;
}

bool session_unfinished(const struct session *session, struct session_unfinished *ret)
{
	return files_unfinished(session->files.directory, ret);
}
