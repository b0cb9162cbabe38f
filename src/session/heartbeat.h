/* SPDX-License-Identifier: GPL-3.0-or-later */
/* While a copy runs: its record for other processes (discover/running.h), every few seconds, and a
 * line of progress in its log, every minute. */
#ifndef CLONEDECK_SESSION_HEARTBEAT_H
#define CLONEDECK_SESSION_HEARTBEAT_H

#include "base/error.h"
#include "discover/running.h"

struct session;

struct heartbeat {
	int timer_fd;
	unsigned beats;                /* since the last line in the log */
	struct running_record *record; /* NULL: none */
	struct running running;
};

int heartbeat_init(struct session *session, struct error *reterr);
/* The copy has begun, or goes on. A record that cannot be made is no reason not to copy. */
void heartbeat_begin(struct session *session);
/* Its disks are free again. */
void heartbeat_end(struct session *session);
void heartbeat_take_timer(struct session *session);

#endif
