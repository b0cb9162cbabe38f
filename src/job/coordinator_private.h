/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What only the coordinator has of a job, for the few files that are the coordinator.
 * Its thread's, unless it is atomic or protected by the lock next to it.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "job/core.h"
#include "job/io_sums.h"
#include "job/measure.h"
#include "job/overall.h"
#include "job/saver.h"
#include "job/unplug.h"
#include "rescue/bad_areas.h"

/* The position in the sequence of passes; changed by sequence.c only. */
struct course {
	size_t step;
	struct job_pass passes[JOB_PASSES_MAX];
	unsigned pass_count;
	uint64_t pass_started;                  /* monotonic ns; of the round */
	struct job_pass before;                 /* as of the start of the round */
	uint64_t handled_before, errors_before; /* counters then */
};

struct coordinator {
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
	uint64_t next_look;     /* for unplugged and silent disks */
	unsigned hangs_told;    /* events */
	uint64_t reading_since; /* monotonic ns: since the start or the last pause */
	uint64_t looked;        /* monotonic ns: last check of the error limits */
	struct bad_areas bad_areas;
	struct io_sums io_sums;
	unsigned resets[JOB_ENDS_MAX]; /* told so far */
	uint64_t next_save;
	bool map_safe, map_warned, digests_warned, digests_saved;
	int digests_code;
	int64_t map_saved_at;
	bool memory_short; /* what a lane has reported does not fit into the map */
	bool pass_waits;   /* there is no memory to begin it */
	bool armed;
	bool ever_copied; /* the claim was good and the gate was opened */

	uint32_t lanes_max;
	bool nameless; /* the name of the destination led to no such file from the start */
	atomic_bool want_pause, want_save, rate_changed;
	pthread_t thread;
	pthread_mutex_t place_lock;
	struct place map_place, digests_place;
	pthread_mutex_t shown_lock; /* shown_cond: the job has ended */
	pthread_cond_t shown_cond;
	struct job_snapshot shown;
	struct rates shown_rates;
	bool launched, joined; /* its threads */
};

/* A copy of one of the job's places; false: nowhere. */
bool job_place(struct job *job, const struct place *place, struct place *ret);

void *coordinator_main(void *job);
/* Figures of the reads so far. False: no read has succeeded. */
bool coordinator_rescue_figures(const struct job *job, uint64_t now, struct rescue_figures *ret);
void coordinator_set_state(struct job *job, enum job_state state, uint64_t now);

/* Has the saver flush, then save a copy of the map as of now. What the lanes add meanwhile belongs
 * to the next save. */
void coordinator_save_on_the_way(struct job *job, bool flush, uint64_t now);
/* Has the saver flush writes that are no part of the copy. */
void coordinator_flush(struct job *job);
/* Has it flush and save the map itself, which nothing changes meanwhile. */
void coordinator_flush_and_save(struct job *job, char letter, uint64_t now);
/* Collects the saver's result. */
void coordinator_take_saved(struct job *job);
/* Ten times a second: verification beside the copy, with its flushes. */
void coordinator_verify_beside(struct job *job);

/* Determines the result, joins all threads, closes the handles, and ends the job. */
void coordinator_end(struct job *job);
/* Ends the lanes and the saver. */
void coordinator_join(struct job *job);

/* Collects the reports of the lanes, and updates the map and the bad areas. */
void coordinator_collect(struct job *job);
void coordinator_tell_memory(struct job *job);

/* last: when all lanes are parked after a pass. */
void coordinator_measure(struct job *job, bool last, uint64_t now);
void coordinator_view(const struct job *job, struct measure_view *ret);

/* sequence.c: ends the finished pass and begins the next one that has something to do. False: there
 * is none left. */
bool pass_next(struct job *job, uint64_t now);
/* Is the current pass finished (its lanes parked, or its flush done)? True without a pass. */
bool pass_is_through(struct job *job);
/* The number of the current pass for the map file, from 1. */
unsigned pass_number(const struct job *job);
/* Fills in the passes. */
void pass_show(const struct job *job, uint64_t now, struct job_snapshot *ret);

/* show.c: has front ends see how things are now. */
void show_publish(struct job *job, uint64_t now);
