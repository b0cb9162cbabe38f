/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job: one copy while it runs. Its interface is plain data both ways, so that any
 * front end (deck, headless, later a socket) can drive it: calls only make requests,
 * and job_snapshot() returns a copy of everything there is to show.
 *
 * Threads: lanes move the bytes; one keeper collects their reports, maintains and
 * saves the map, measures, and decides the state. All functions may be called from
 * any thread, return at once (except job_wait) and never wait for a disk.
 */
#ifndef CLONEDECK_JOB_JOB_H
#define CLONEDECK_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "map/map.h"
#include "job/snapshot.h"
#include "io/backends.h"
#include "io/io.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "stats/rates.h"

struct digests;
struct recorded_copy;

struct job_setup {
	const struct plan *plan; /* borrowed, outlives the job */
	struct io_end source, destination;
	const struct io_backend *source_backend;      /* overrides the choice; NULL: choose */
	const struct io_backend *destination_backend; /* (tests wrap a fault backend) */
	const struct held *held;  /* copied last; NULL or empty: nothing. Borrowed by job_new() */
	bool probe;               /* test the real size of the destination first */
	enum rolling_how rolling; /* whether to verify during the copy; needs digests */
	uint64_t rolling_window;  /* bytes between the flushes for that; 0: by the copy's size */
	/* Finished parts are skipped; NULL: from the start. The job's once job_new() has succeeded;
	 * job_take_confirmed() gives it back, or what has taken its place. */
	struct map *resume;
	/* Passes over bad sectors read only these again (plan->sector_size); NULL: all. Borrowed,
	 * outlives the job. */
	const struct range_list *retry;
	const char *map_path;  /* NULL: no map file (tests, benchmarks) */
	dev_t map_beneath;     /* of its directory (base/file.h); 0: none */
	uint64_t map_interval; /* ns; 0: 30 s */
	uint32_t look_seed;    /* of the sample of the final look; 0: any */
	/* The source is written to while it is read, as was accepted at the start: what changes is
	 * listed and ends nothing. */
	bool source_in_use;
	/* In an earlier part of the copy: then it is not rechecked. */
	bool source_was_gone;
	/* Only verify what `resume` calls finished, as the plan's options say. Writes nothing; the
	 * destination is open for reading only. */
	bool verify_only;
	/* With verify_only: the digests of a source that is not there any more; borrowed. */
	const struct digests *source_digests;
	/* What an earlier part of this copy recorded, with the digests of what `resume` calls
	 * finished; NULL: nothing, compare both ends. Borrowed by job_new(). */
	const struct recorded_copy *earlier;
	const char *digests_path; /* of the list of digests saved at the end; NULL: none */
	dev_t digests_beneath;
	const char *source_hwmon, *destination_hwmon; /* sysfs files, "" or NULL */
	struct log *log;                              /* may be NULL */
	const struct disk *source_disk; /* to name partitions of bad areas; may be NULL */
	/* The check of the claim, called by the keeper right before the first write and after a
	 * long pause. A failure ends the job with nothing (more) written. May be NULL. */
	int (*check)(void *user, struct error *reterr);
	/* Is this end still attached? Called by any thread after a failed request, and once a
	 * second; must not wait for the device. If not, the job ends with -ENODEV. May be NULL. */
	bool (*present)(void *user, bool destination);
	void *check_user;
	/* The events of earlier parts of the copy, oldest first; the job's own follow. Copied. */
	const struct job_event *events;
	size_t event_count;
};

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

#endif
