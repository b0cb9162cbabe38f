/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the coordinator, the passes and those who take part in them share of a job.
 *
 * Ownership: the coordinator's thread, between passes, unless it says otherwise.
 * Each lane owns itself; the rest is constant after job_new(), atomic, or protected
 * by the lock next to it. No lock is ever held while waiting for a device.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "copy/copy.h"
#include "copy/lane.h"
#include "copy/rate_limit.h"
#include "copy/work.h"
#include "job/events.h"
#include "job/setup.h"
#include "job/snapshot.h"
#include "copy/stage.h"
#include "map/map.h"
#include "verify/verification.h"

struct coordinator;
struct pass;
struct probe;
struct saver;
struct sector_search;
struct skip;
struct tables;
struct zones;

/* Of the pass that reads the held areas before anything is written. */
struct baseline {
	uint64_t skip_to; /* chunks before this one are left out */
	unsigned failed;  /* areas in which a read failed, or took long */
};

/* Of the free places that are left out (pass_clear.c). */
struct clearing {
	/* By the coordinator: sectors of the source up to which all is cleared in this part of the
	 * copy, and with the pass under way. */
	uint64_t at, until;
	atomic_bool plain;         /* the destination clears nothing itself: zeros are written */
	bool cannot;               /* it was asked to discard, and cannot */
	bool checked;              /* what was chosen was read back */
	atomic_ullong good, wrong; /* bytes read back */
	atomic_ullong first_wrong; /* byte of the source, plus one; 0: none */
};

struct job {
	struct job_setup setup;
	const struct plan *plan;
	struct io_choice choice;
	struct copy copy;        /* what the lanes see of all this */
	const struct pass *pass; /* the current one, or NULL */
	unsigned round;          /* of this pass, from 0 */
	/* Its work; rebuilt while all lanes are parked, under the map's lock because front ends
	 * ask for the position. */
	struct work work;
	struct stages stages;
	struct rate_limit limit;
	struct events events;
	uint64_t total, already;

	atomic_int gate; /* enum gate */
	int wake;        /* the coordinator's eventfd */
	struct lane *lanes[JOB_LANES_MAX];
	atomic_uint lane_count;
	struct saver *saver;

	pthread_mutex_t failure_lock;
	enum failure_kind failure;
	struct error failure_error;

	pthread_mutex_t map_lock; /* only the coordinator changes the map and the areas of work */
	struct map *map;
	struct map *confirmed; /* as of the last good flush; NULL: there was none */
	bool map_changed;      /* since it was last handed to the saver */
	bool flush_due;        /* something may not be on the medium yet */
	bool fill_due;         /* bad sectors are still to be filled */
	unsigned filled_stage; /* the last one filled, and its bad bytes */
	uint64_t filled_bytes;
	uint64_t refused_bytes; /* by the destination */

	/* Of the copy pass; `halves` is the number of sweeps that halve what was skipped. */
	unsigned sweep, halves;
	atomic_uint errors_told;
	struct skip *skip;
	struct sector_search *search; /* of the passes that rescue */
	struct zones *zones;          /* latency of the source */
	struct baseline baseline;     /* lane 0's while it runs */
	struct probe *probe;          /* the same */
	struct clearing clearing;
	struct tables *tables; /* the coordinator's */
	struct verification verification;
	struct coordinator *coordinator;
};

/* ---- in any thread ---- */

int job_gate(const struct job *job);
/* Wakes all lanes. Does not lower the gate below GATE_STOP again. */
void job_gate_raise(struct job *job, enum gate gate);
/* Keeps the first failure and raises the gate according to its kind. */
void job_fail(struct job *job, enum failure_kind kind, const struct error *error);
/* The kind of the first failure, and, unless ret is NULL, what it was. */
enum failure_kind job_failure(struct job *job, struct error *ret);
void job_kick(struct job *job);
#define job_event_add(job, level, ...) events_add(&(job)->events, level, __VA_ARGS__)
/* The sum of one member of struct lane_counters over all lanes. */
#define JOB_SUM(job, member) lanes_sum((job)->lanes, (job)->lane_count, member)

/* ---- by the coordinator, while all lanes are parked ---- */

/* Rebuilds job->work: the parts of this stage with one of these statuses in the map, in chunks of
 * `chunk` bytes. -ENOMEM. */
int job_make_work(struct job *job, const char *statuses, uint32_t chunk, bool descending);
/* The same, for these parts only (sectors). */
int job_make_work_of(struct job *job, const struct range_list *parts, const char *statuses,
		     uint32_t chunk, bool descending);
/* Is all of the plan on the destination, or known to be bad? */
bool job_nothing_left(const struct job *job);
