/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events for people: the newest ones in memory, all of them in the log. Any thread. */
#pragma once

#include <pthread.h>

#include "job/snapshot.h"

struct events {
	struct log *log; /* may be NULL */
	int fd;          /* an eventfd: something is to be shown */
	pthread_mutex_t lock;
	struct job_event ring[JOB_EVENTS_MAX];
	uint64_t newest; /* number; 0 none */
	bool log_failing;
};

/* Events of earlier parts of the copy come first. Call events_done() in any case. */
int events_init(struct events *events, struct log *log, const struct job_event *earlier,
		size_t count, struct error *reterr);
void events_done(struct events *events);
/* Translated. It may contain the name of an image, and that anything: it is made printable. */
void events_add(struct events *events, enum log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* By one thread, now and then: tells when the log cannot be written, and when it can again. */
void events_look_at_log(struct events *events);
/* The same as job_events(). */
size_t events_after(struct events *events, uint64_t after, struct job_event *ret, size_t max);
uint64_t events_newest(struct events *events);
