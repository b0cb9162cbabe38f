/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifying what was copied before, in two steps that both wait for disks. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "map/recorded_copy.h"
#include "guard/rules.h"
#include "session/opened.h"

struct compare {
	/* What is asked. */
	struct plan *plan;                 /* owned */
	const struct disk_list *disks;     /* as they are now */
	const struct disk_list *described; /* as the report names them */
	struct image_store *images;
	const char *const *allowed; /* rules, as rules_check() takes them */
	const char *log_dir;
	bool of_copy;                               /* that has ended; otherwise a plan */
	char list[512], report[512], log_path[512]; /* then; list "": both ends are compared */
	uint64_t rate;                              /* bytes per second; 0: no limit */
	/* Of the copy or of a plan from a report; without digests, both ends are compared. */
	struct recorded_copy recorded;
	/* What came of it. */
	struct opened opened;
	struct log *log;
	struct error error;
	int result;
};

/* Opens the ends and starts the job. data: a struct compare. */
void compare_start(void *data);
void compare_done(struct compare *compare);
/* Refuses what would prove nothing: -EBUSY. */
int compare_allowed(const struct plan *plan, const struct verdict_list *verdicts,
		    enum guard_run run, struct error *reterr);
