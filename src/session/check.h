/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine has to be asked about a plan, before it can be judged. */
#ifndef CLONEDECK_SESSION_CHECK_H
#define CLONEDECK_SESSION_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "map/map.h"
#include "discover/image_store.h"
#include "guard/facts.h"
#include "plan/plan.h"
#include "session/task.h"

struct session;

/* Looks around for a plan: where files lie, what is mounted. Reads its map first, where it comes
 * from one. */
struct check_task {
	struct task task;
	bool again;                    /* plan or disks have changed while it ran */
	const struct disk_list *disks; /* the session keeps it so long; NULL while none runs */
	struct image_store *images;    /* the session's */
	char log_dir[512], map_path[512];
	bool load; /* the plan is in the map */
	const struct plan_options *rescue;
	unsigned rescue_given;
	struct plan ends; /* of the plan; without its extents */
	/* The destination is half made, and up to this byte nothing may show yet; 0: it may. */
	uint64_t empty_to;
	struct plan *plan;  /* as it was read; owned */
	struct map *resume; /* likewise */
	struct guard_facts facts;
	struct error error;
	int result;
};

/* Of session->plan, or of what is in the map at session->resume_path. */
int session_begin_check(struct session *session, struct error *reterr);
/* Judges the plan anew after the disks changed. */
void session_recheck(struct session *session);
void session_take_check(struct session *session, unsigned *changes);
/* Lets go of what the task has read. */
void session_forget_check(struct session *session);
/* Reads what images at the ends hold. */
void session_look_into_images(struct image_store *images, const struct plan *plan,
			      struct guard_facts *facts);
/* Until SESSION_CHECKING is over: 0, or why there is no plan. */
int session_wait_for_check(struct session *session, struct error *reterr);

#endif
