/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job is to do, and with what. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "io/io.h"
#include "plan/plan.h"

struct digests;
struct disk;
struct held;
struct job_event;
struct log;
struct map;
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
	/* The source will never be read again: what was not read is missing in the copy. The held
	 * areas are copied from the files that were saved beside the map of `resume`. */
	bool source_gone;
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
	/* The check of the claim, called by the coordinator right before the first write and after
	 * a long pause. A failure ends the job with nothing (more) written. May be NULL. */
	int (*check)(void *user, struct error *reterr);
	/* Is this end still attached? Called by any thread after a failed request, and once a
	 * second; must not wait for the device. If not, the job ends with -ENODEV. May be NULL. */
	bool (*present)(void *user, bool destination);
	/* A request has failed: lets the kernel look whether a medium was taken out; after that,
	 * present() tells. By the lane; may wait for the device. May be NULL. */
	void (*look)(void *user, bool destination);
	/* How often was the disk of this end reset since it was claimed? Called by the saver after
	 * each flush. May be NULL: nobody knows. */
	unsigned (*resets)(void *user, bool destination);
	void *check_user;
	/* The events of earlier parts of the copy, oldest first; the job's own follow. Copied. */
	const struct job_event *events;
	size_t event_count;
};

/* Whether all of the plan lies on both ends, in their sectors, and not in one place. Class REFUSED
 * or USAGE. */
int job_setup_check(const struct job_setup *setup, struct error *reterr);
