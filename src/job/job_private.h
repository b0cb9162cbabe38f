/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a job, for the files of this folder only.
 *
 * Ownership: the keeper's thread owns everything marked as the keeper's; each lane
 * owns itself; the rest is constant after job_new(), atomic, or protected by the
 * lock next to it. No lock is ever held while waiting for a device.
 */
#ifndef CLONEDECK_JOB_JOB_PRIVATE_H
#define CLONEDECK_JOB_JOB_PRIVATE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "job/hang.h"
#include "copy/copy.h"
#include "copy/lane.h"
#include "copy/rate_limit.h"
#include "copy/work.h"
#include "job/capacity.h"
#include "job/events.h"
#include "job/io_sums.h"
#include "job/job.h"
#include "job/measure.h"
#include "job/overall.h"
#include "job/saver.h"
#include "job/stage.h"
#include "job/unplug.h"
#include "rescue/bad_areas.h"
#include "rescue/error_limits.h"
#include "rescue/search.h"
#include "rescue/skip.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/recheck.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

#define JOB_STACK_SIZE (256 << 10)
/* The position in the sequence of passes; changed by sequence.c only. */
struct course {
	size_t step;
	unsigned round;
	struct job_pass passes[JOB_PASSES_MAX];
	unsigned pass_count;
	uint64_t pass_started;                  /* monotonic ns; of the round */
	struct job_pass before;                 /* as of the start of the round */
	uint64_t handled_before, errors_before; /* counters then */
};

/* The keeper's. */
struct keeper {
	enum job_state state;
	enum job_result result;
	/* Monotonic ns, 0: not yet; copied: when the first flush began. */
	uint64_t started, copied, ended;
	int64_t started_at, flushed_at, ended_at; /* unix seconds */
	uint64_t paused_since, paused_ns, copied_paused_ns;
	struct course course;
	struct measure measure;
	struct overall overall;
	struct unplug unplug;
	uint64_t next_look;    /* for unplugged and silent disks */
	unsigned hangs_told;   /* events */
	bool flush_due;        /* something may not be on the medium yet */
	bool fill_due;         /* bad sectors are still to be filled */
	unsigned filled_stage; /* the last one filled, and its bad bytes */
	uint64_t filled_bytes;
	uint64_t refused_bytes; /* by the destination */
	uint64_t reading_since; /* monotonic ns: since the start or the last pause */
	uint64_t looked;        /* monotonic ns: last check of the error limits */
	struct bad_areas bad_areas;
	struct io_sums io_sums;
	/* The map as of the last good flush; NULL: there was none. */
	struct map *confirmed;
	uint64_t next_save;
	bool map_changed; /* since it was last handed to the saver */
	bool map_safe, map_warned, digests_warned, digests_saved;
	int64_t map_saved_at;
	bool memory_short;
	bool armed;
	bool ever_copied; /* the claim was good and the gate was opened */
};

/* Lane 0's while it runs, otherwise the keeper's. */
struct probe {
	struct capacity capacity;
	size_t next;
};

struct job {
	struct job_setup setup;
	const struct plan *plan;
	struct io_choice choice;
	uint32_t lanes_max;
	struct copy copy;        /* what the lanes see of all this */
	const struct pass *pass; /* the current one, or NULL; the keeper's */
	/* Its work; rebuilt by the keeper while all lanes are parked, under the map's lock because
	 * front ends ask for the position. */
	struct work work;
	struct stages stages; /* `now` is the keeper's */
	struct probe probe;
	struct look look;
	struct rate_limit limit;
	/* Of the copy pass. Set by the keeper while all lanes are parked: `halves` is the number of
	 * sweeps that halve what was skipped. */
	unsigned sweep, halves;
	struct skip skip;
	atomic_uint errors_told;
	struct prober prober; /* of the passes that rescue */
	struct proof *proof;  /* NULL: not asked for */
	struct sums sums;
	struct rolling rolling;
	struct recheck recheck;
	uint64_t total, already;
	bool nameless; /* the name of the destination led to no such file from the start */

	atomic_int gate; /* enum gate */
	atomic_bool want_pause, want_save, rate_changed;
	int keeper_wake; /* eventfd */

	struct lane *lanes[JOB_LANES_MAX]; /* the keeper's once it runs */
	atomic_uint lane_count;
	struct saver *saver;
	pthread_t thread;
	struct keeper keeper;

	pthread_mutex_t failure_lock;
	enum failure_kind failure;
	struct error failure_error;

	pthread_mutex_t map_lock; /* only the keeper changes the map and the areas of work */
	struct map *map;

	pthread_mutex_t place_lock;
	struct place map_place, digests_place;

	struct events events;

	pthread_mutex_t shown_lock; /* shown_cond: the job has ended */
	pthread_cond_t shown_cond;
	struct job_snapshot shown;
	struct rates shown_rates;
	bool started, joined;
};

/* job.c */
int job_gate(struct job *job);
/* Wakes all lanes. Does not lower the gate below GATE_STOP again. */
void job_gate_raise(struct job *job, enum gate gate);
/* Keeps the first failure and raises the gate according to its kind. */
void job_fail(struct job *job, enum failure_kind kind, const struct error *error);
void job_kick_keeper(struct job *job);
/* A copy of one of the job's places; false: nowhere. */
bool job_place(struct job *job, const struct place *place, struct place *ret);

/* Rebuilds job->work: the parts of this stage with one of these statuses in the map, in chunks of
 * `chunk` bytes. While all lanes are parked. -ENOMEM. */
int job_make_work(struct job *job, const char *statuses, uint32_t chunk, bool descending);

/* The same, for these parts only (sectors). */
int job_make_work_of(struct job *job, const struct range_list *parts, const char *statuses,
		     uint32_t chunk);

/* The partition of the source that contains this LBA; 0: none or unknown. */
#define job_partition_at(job, lba)     partition_at((job)->plan, (job)->setup.source_disk, lba)
#define job_event_add(job, level, ...) events_add(&(job)->events, level, __VA_ARGS__)

/* coordinator.c */
void *keeper_main(void *job);
/* Sets the state for the time before the keeper runs. */
void keeper_init(struct job *job);
/* Of the reads so far. False: there was no good one. */
bool keeper_rescue_figures(const struct job *job, uint64_t now, struct rescue_figures *ret);
void keeper_set_state(struct job *job, enum job_state state, uint64_t now);

/* coordinator_save.c */
/* Has the saver flush, then save a copy of the map as of now. What the lanes add meanwhile belongs
 * to the next save. */
void keeper_save_on_the_way(struct job *job, bool flush, uint64_t now);
/* Has the saver flush writes that are no part of the copy. */
void keeper_flush(struct job *job);
/* Has it flush and save the map itself, which nothing changes meanwhile. */
void keeper_flush_and_save(struct job *job, char letter, uint64_t now);
/* Has it only flush on the way; it must be idle. Skipped if memory is short. */
void keeper_flush_window(struct job *job);
/* Collects the saver's result. */
void keeper_take_saved(struct job *job);

/* coordinator_end.c */
/* Determines the result, joins all threads, closes the handles, and ends the job. */
void keeper_end(struct job *job);

/* coordinator_collect.c */
/* Collects the reports of the lanes. */
void keeper_collect(struct job *job);
void keeper_pause_for_memory(struct job *job);

/* The sum of one member of struct lane_counters over all lanes. */
#define MEASURE_SUM(job, member) measure_sum((job)->lanes, (job)->lane_count, member)
/* last: when all lanes are parked after a pass. */
void keeper_measure(struct job *job, bool last, uint64_t now);
void keeper_view(const struct job *job, struct measure_view *ret);

/* show.c */
/* Has front ends see how things are now. */
void show_publish(struct job *job, uint64_t now);

#endif
