/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/events.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/thread.h"
#include "base/i18n.h"
#include "base/text.h"

int events_init(struct events *events, struct log *log, const struct job_event *earlier,
		size_t count, struct error *reterr)
{
	events->log = log;
	pthread_mutex_init(&events->lock, NULL);
	for (size_t i = 0; i < count; i++) {
		events->newest = earlier[i].number;
		events->ring[(events->newest - 1) % JOB_EVENTS_MAX] = earlier[i];
	}
	return events->fd = eventfd_new(reterr);
}

void events_done(struct events *events)
{
	fd_close(events->fd);
	pthread_mutex_destroy(&events->lock);
}

void events_add(struct events *events, enum log_level level, const char *format, ...)
{
	char raw[2 * sizeof(events->ring[0].text)];
	struct job_event *event;

	text_vprint(raw, sizeof(raw), format);
	pthread_mutex_lock(&events->lock);
	event = &events->ring[events->newest % JOB_EVENTS_MAX];
	event->number = ++events->newest;
	event->time = (int64_t)time(NULL);
	event->level = level;
	text_show(event->text, sizeof(event->text), raw);
	pthread_mutex_unlock(&events->lock);

	log_line(events->log, level, "copy", "%s", raw);
	eventfd_signal(events->fd);
}

void events_look_at_log(struct events *events)
{
	struct error failure;
	bool failing = log_failing(events->log, &failure);

	if (failing == events->log_failing)
		return;
	events->log_failing = failing;
	if (failing)
		events_add(events, LOG_LEVEL_WARNING, "%s", failure.sentence);
	else
		events_add(events, LOG_LEVEL_INFO, _("The log is written again."));
}

size_t events_after(struct events *events, uint64_t after, struct job_event *ret, size_t max)
{
	size_t n = 0;

	SCOPED_LOCK(&events->lock);

	uint64_t oldest = events->newest > JOB_EVENTS_MAX ? events->newest - JOB_EVENTS_MAX : 0;

	for (uint64_t i = after > oldest ? after : oldest; i < events->newest && n < max; i++)
		ret[n++] = events->ring[i % JOB_EVENTS_MAX];
	return n;
}

uint64_t events_newest(struct events *events)
{
	SCOPED_LOCK(&events->lock);
	return events->newest;
}
