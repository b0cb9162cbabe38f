/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking for disks, and for image files that are waited for. */
#ifndef CLONEDECK_SESSION_DISKS_H
#define CLONEDECK_SESSION_DISKS_H

#include <stdbool.h>

#include "base/error.h"
#include "discover/disk.h"
#include "discover/endpoint.h"
#include "discover/scan.h"
#include "session/task.h"

struct session;

#define HOTPLUG_LINES 32

/* An image file that is waited for. Its path may lead to a file system that does not answer. */
struct looked {
	struct endpoint recorded, found;
	int result;
	struct error error;
};

struct scan_task {
	struct task task;
	bool again;   /* something changed while it ran */
	bool patient; /* for disks that take their time to answer */
	bool follows; /* the front end wants lists in the background, not just the first one */
	bool looks;   /* for the ends of the plan that are images */
	struct looked images[2]; /* source, destination; of another kind: not looked for */
	struct scan_spared spared[2];
	dev_t bad_on;
	struct range_list bad;
	struct scan_options options;
	struct scan *scan;
	struct disk_list *disks;
	struct error error;
	int result;
};

/* As session_rescan(), but disks that have not changed are not read again. */
void session_look_again(struct session *session);
/* It was written to: it is read with the next list. */
void session_forget_destination(struct session *session);
void session_take_scan(struct session *session, unsigned *changes);
void session_take_hotplug(struct session *session, unsigned *changes);
/* Frees a list unless the session, a job or a task still looks at it. */
void session_drop_disks(struct session *session, const struct disk_list *disks);
int session_disks_init(struct session *session, struct error *reterr);
void session_disks_done(struct session *session);

#endif
