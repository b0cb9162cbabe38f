/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/heartbeat.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/text.h"
#include "session/progress.h"
#include "session/session_private.h"

#define BEAT       2  /* seconds */
#define BEATS_LINE 30 /* a minute */

int heartbeat_init(struct session *session, struct error *reterr)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	session->heartbeat.timer_fd = fd;
	if (fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "start", NULL,
				 _("No event descriptor could be made: %s."), error_phrase(errno));
	return session_watch(session, fd, EVENT_HEARTBEAT, reterr);
}

static void set_timer(const struct session *session, time_t seconds)
{
	struct itimerspec when = {
		.it_value.tv_sec = seconds,
		.it_interval.tv_sec = seconds,
	};

	timerfd_settime(session->heartbeat.timer_fd, 0, &when, NULL);
}

static void describe(const struct endpoint *endpoint, struct running_end *ret)
{
	struct stat st;

	*ret = (struct running_end){ 0 };
	if (endpoint->kind == ENDPOINT_IMAGE)
		return;
	text_copy(ret->node, sizeof(ret->node), endpoint->node);
	text_copy(ret->serial, sizeof(ret->serial), endpoint->identity.serial);
	ret->diskseq = endpoint->identity.diskseq;
	if (stat(endpoint->disk_node, &st) == 0 && S_ISBLK(st.st_mode))
		ret->devno = st.st_rdev;
}

static void update(struct session *session)
{
	struct heartbeat *heartbeat = &session->heartbeat;
	char line[PROGRESS_LINE_MAX];
	struct job_snapshot job;

	if (!session_snapshot(session, &job))
		return;
	heartbeat->running.percent = progress_percent(job.overall);
	text_copy(heartbeat->running.map, sizeof(heartbeat->running.map),
		  session_map_path(session));
	/* Nothing is held while a disk is missing, and another one may get its number. */
	if (session->state == SESSION_WAITING)
		heartbeat->running.source.devno = heartbeat->running.destination.devno = 0;
	if (heartbeat->record)
		running_update(heartbeat->record, &heartbeat->running);
	if (heartbeat->beats++ % BEATS_LINE == BEATS_LINE - 1 &&
	    session->state == SESSION_RUNNING && job.state != JOB_ENDED)
		log_line(session->log, LOG_LEVEL_INFO, "progress", "%s", progress_line(&job, line));
}

/* After a disk was gone, its name and number may be others. */
void heartbeat_begin(struct session *session)
{
	struct heartbeat *heartbeat = &session->heartbeat;
	char folder[512];

	heartbeat->running.pid = getpid();
	if (!heartbeat->running.started)
		heartbeat->running.started = (int64_t)time(NULL);
	describe(&session->plan->source, &heartbeat->running.source);
	describe(&session->plan->destination, &heartbeat->running.destination);
	if (!heartbeat->record && running_folder(folder, sizeof(folder)) &&
	    running_new(folder, &heartbeat->running, &heartbeat->record) < 0)
		heartbeat->record = NULL;
	update(session);
	set_timer(session, BEAT);
}

void heartbeat_end(struct session *session)
{
	struct heartbeat *heartbeat = &session->heartbeat;

	running_destroy(heartbeat->record);
	heartbeat->record = NULL;
	heartbeat->beats = 0;
	heartbeat->running = (struct running){ 0 };
	if (heartbeat->timer_fd >= 0)
		set_timer(session, 0);
}

void heartbeat_take_timer(struct session *session)
{
	uint64_t times;

	if (read(session->heartbeat.timer_fd, &times, sizeof(times)) == (ssize_t)sizeof(times))
		update(session);
}
