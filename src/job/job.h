/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job: one copy while it runs. Its interface is plain data both ways, so that any
 * front end (deck, headless, later a socket) can drive it: calls only make requests,
 * and job_snapshot() returns a copy of everything there is to show.
 *
 * Threads: lanes move the bytes; one coordinator collects their reports, maintains and
 * saves the map, measures, and decides the state. All functions may be called from
 * any thread, return at once (except job_wait) and never wait for a disk.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "job/setup.h"
#include "job/snapshot.h"
#include "map/map.h"
#include "stats/rates.h"

struct job;

/* Chooses backends and sizes, allocates all memory. Takes setup->resume over unless it fails. */
int job_new(const struct job_setup *setup, struct job **ret, struct error *reterr);
int job_start(struct job *job, struct error *reterr);
void job_pause(struct job *job, bool pause);
/* The last value given to job_pause(); also of a job that has ended. */
bool job_pause_wanted(struct job *job);
void job_stop(struct job *job);
void job_set_rate(struct job *job, uint64_t bytes_per_second); /* 0: no limit */

void job_snapshot(struct job *job, struct job_snapshot *ret);
/* Shows the map as it is now, which stays the job's and does not change until look() returns. */
void job_look_at_map(struct job *job, void (*look)(const struct map *map, void *user), void *user);
/* A copy of the rate history and profile; in a pass that reads back, of that. */
void job_rates(struct job *job, struct rates *ret);
/* Events with a number above `after`, oldest first, at most `max`; returns their count. */
size_t job_events(struct job *job, uint64_t after, struct job_event *ret, size_t max);
/* As map_cells(), with '>' at the current position; size 0: the whole source. */
void job_map_cells(struct job *job, uint64_t start, uint64_t size, int cells, char *out);
/* Moves the map to another file, and saves it there at once. */
int job_set_map_path(struct job *job, const char *path, dev_t beneath, struct error *reterr);
/* Another file for the list of digests that is saved at the end. */
void job_set_digests_path(struct job *job, const char *path, dev_t beneath);

/* A descriptor that polls readable when the state changed or an event was added. The job's;
 * cleared by job_snapshot(). */
int job_event_fd(const struct job *job);
/* Waits for JOB_ENDED and joins all threads. 0, or the code of the error that ended the job early
 * (snapshot.error); a stop by the user is no error. May be called by several threads. */
int job_wait(struct job *job, struct error *reterr);
/* Of a job that has ended, or never ran: the map of what the destination confirmed to be on the
 * medium, for job_setup.resume of another job, even if the file could not be saved. Of what it was
 * to resume, all that was finished counts as confirmed. NULL: nothing, or already taken, or the job
 * only verifies. The caller destroys it. */
struct map *job_take_confirmed(struct job *job);
/* Stops the job and waits, if necessary. NULL is fine. */
void job_destroy(struct job *job);
