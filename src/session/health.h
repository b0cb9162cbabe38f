/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The health of both disks, before and after their copy. */
#ifndef CLONEDECK_SESSION_HEALTH_H
#define CLONEDECK_SESSION_HEALTH_H

#include <stdbool.h>

#include "discover/disk.h"
#include "health/health.h"
#include "session/task.h"

struct session;

/* Where a disk is asked for its health. */
struct health_end {
	char node[64]; /* for smartctl; "" has no health */
	bool error_counters;
	char disk[64]; /* whoever writes to it holds its lock */
};

/* Who is asked for its health, and the answers: the asking thread's while it runs. */
struct health_task {
	struct task task;
	bool asked; /* after the copy */
	struct health_end source, destination;
	struct health source_before, destination_before;
	struct health source_after, destination_after;
};

/* Does another program hold the disk's lock? Then it is not asked: some answers (a deferred write
 * error, a reset) are given only once, and that program must get them. */
bool session_is_written_to(const char *node);
/* Where it is to be asked; an empty node: nowhere. */
void session_address_disk(const struct disk *disk, struct health_end *ret);
/* Asks and waits; any thread. */
void session_ask_at(const struct health_end *end, struct health *ret);
/* Before the start: which nodes are to be asked. */
void session_address_health(struct session *session);
/* Waits for the answers; any thread. */
void session_ask_health(struct session *session, struct health *source, struct health *destination);
/* In the background, once; task_join() waits for it. */
void session_begin_health_after(struct session *session);

#endif
