/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events for people: a short ring in memory, and the log. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "job/job_private.h"

void events_init(struct job *job)
{
	const struct job_setup *setup = &job->setup;
	struct events *events = &job->events;

	for (size_t i = 0; i < setup->event_count; i++) {
		events->newest = setup->events[i].number;
		events->ring[(events->newest - 1) % JOB_EVENTS_MAX] = setup->events[i];
	}
	/* The caller's. */
	job->setup.events = NULL;
	job->setup.event_count = 0;
}

void job_event_add(struct job *job, enum log_level level, const char *format, ...)
{
	struct events *events = &job->events;
	char raw[2 * sizeof(events->ring[0].text)];
	struct job_event *event;
	va_list ap;

	va_start(ap, format);
	vsnprintf(raw, sizeof(raw), format, ap);
	va_end(ap);

	pthread_mutex_lock(&events->lock);
	event = &events->ring[events->newest % JOB_EVENTS_MAX];
	event->number = ++events->newest;
	event->time = (int64_t)time(NULL);
	event->level = level;
	/* It may contain the name of an image, and that anything. */
	text_show(event->text, sizeof(event->text), raw);
	pthread_mutex_unlock(&events->lock);

	log_line(job->setup.log, level, "copy", "%s", raw);
	eventfd_signal(job->event_fd);
}

void events_look_at_log(struct job *job)
{
	struct error failure;
	bool failing = log_failing(job->setup.log, &failure);

	if (failing == job->keeper.log_failing)
		return;
	job->keeper.log_failing = failing;
	if (failing)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", failure.sentence);
	else
		job_event_add(job, LOG_LEVEL_INFO, _("The log is written again."));
}

size_t job_events(struct job *job, uint64_t after, struct job_event *ret, size_t max)
{
	struct events *events = &job->events;
	size_t n = 0;

	pthread_mutex_lock(&events->lock);

	uint64_t oldest = events->newest > JOB_EVENTS_MAX ? events->newest - JOB_EVENTS_MAX : 0;

	for (uint64_t i = after > oldest ? after : oldest; i < events->newest && n < max; i++)
		ret[n++] = events->ring[i % JOB_EVENTS_MAX];
	pthread_mutex_unlock(&events->lock);
	return n;
}
