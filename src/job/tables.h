/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a job keeps of the source beside its map (map/saved_tables.h): the held areas,
 * as they were read before anything was written. Loaded when the copy is resumed, saved once they
 * were read, and removed when nothing is left to copy.
 */
#pragma once

#include "base/file.h"
#include "base/range.h"
#include "job/saver.h"

struct job;

struct tables {
	struct saved_tables kept; /* constant while the saver has it */
	char path[PATH_MAX];      /* where they are saved; "" nowhere, or not yet */
	bool read, warned;
};

/* Into job->copy.held. What cannot be loaded is not there. */
void tables_load(struct job *job);
/* They were read of the source, and are saved with the next map. */
void tables_read(struct job *job);
/* Has the saver save them, if they are not yet where its map goes. */
void tables_order(struct job *job, struct saver_order *order);
void tables_take_saved(struct job *job, const struct saver_result *result);
void tables_remove(struct job *job, struct file_timeout *timeout);
void tables_done(struct tables *tables);
/* The parts of this list (sectors of the source) that were read. -ENOMEM. */
int tables_known(const struct job *job, const struct range_list *list, struct range_list *ret);
