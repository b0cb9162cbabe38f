/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a job, shared by the files of this folder and by nobody else.
 *
 * Who owns what: the keeper's thread owns everything marked so; lanes own
 * themselves; the rest is constant after job_new(), atomic, or under the lock
 * that is named with it. No lock is ever held while a device is waited for.
 */
#ifndef CLONEDECK_COPY_CORE_H
#define CLONEDECK_COPY_CORE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "copy/capacity.h"
#include "copy/hang.h"
#include "copy/job.h"
#include "copy/lane.h"
#include "copy/limit.h"
#include "copy/prober.h"
#include "copy/proof.h"
#include "copy/rolling.h"
#include "copy/saver.h"
#include "copy/skip.h"
#include "copy/spot.h"
#include "copy/stage.h"
#include "copy/sums.h"
#include "copy/work.h"

#define BAD_KEPT       256
#define JOB_STACK_SIZE (256 << 10)
/* Nobody waits longer than this for a wish to be seen. */
#define JOB_PATIENCE (100 * NSEC_PER_MSEC)

/* What lanes may do. It rises only, but for pausing and going on. */
enum gate {
	GATE_RUN,
	GATE_PAUSE,   /* no new reads */
	GATE_STOP,    /* no new reads; what was read is written */
	GATE_ABANDON, /* no new requests at all */
	GATE_EXIT,    /* the threads end */
};

enum failure_kind {
	FAILURE_NONE,
	FAILURE_BAD_SECTOR, /* of the source, and the plan says to stop at it */
	FAILURE_LIMIT,      /* more trouble than the plan allows */
	FAILURE_SOURCE,     /* the source is gone or cannot be used */
	FAILURE_DESTINATION,
	FAILURE_REFUSED, /* the claim check, before anything was written */
	FAILURE_INTERNAL,
};

struct events {
	pthread_mutex_t lock;
	struct job_event ring[JOB_EVENTS_MAX];
	uint64_t newest; /* number; 0 none */
};

struct temperature {
	bool known;
	int degrees; /* Celsius */
};

#define GONE_DOUBTS 512

/* Bytes of the source that were found bad a moment ago (gone.c). */
struct doubt {
	uint64_t time, start, length;
};

/* Where in the sequence of passes the job is: pass.c alone changes this. */
struct course {
	size_t step;
	unsigned round;
	struct job_pass passes[JOB_PASSES_MAX];
	unsigned pass_count;
	uint64_t pass_started;                  /* monotonic ns; of the round */
	struct job_pass before;                 /* as it was when the round began */
	uint64_t handled_before, errors_before; /* counters at that time */
};

/* What there is to show of its speed, and what is asked for it (measure.c). */
struct measured {
	struct rates rates;
	bool resting;            /* nothing was copied at the last tick */
	struct rates proving;    /* of the pass that reads back, begun at `proving_since` */
	uint64_t proving_since;  /* monotonic ns; 0 none yet */
	uint64_t proving_before; /* the counter of what is handled, then */
	struct cpu_reader *cpu;
	uint64_t next_second, next_temperature;
	struct job_lane shown_lanes[JOB_LANES_MAX];
	uint64_t lane_bytes[JOB_LANES_MAX];
	bool lanes_proving; /* lane_bytes are those that were read back */
	/* ns of a lane's thread on a processor, and in submit, when that was looked at last */
	uint64_t lane_ran[JOB_LANES_MAX], lane_submit[JOB_LANES_MAX];
	uint64_t handled_then;               /* a second ago */
	double handled_rate;                 /* bytes per second, of whatever pass */
	uint64_t read_back_then;             /* a second ago */
	double back_rate;                    /* bytes per second */
	uint64_t busy_since;                 /* monotonic ns; when that was */
	unsigned busy_spans;                 /* in a row in which a lane was at its limit */
	double process_user, process_system; /* seconds at the start */
	struct cpu_share cpu_system, cpu_process, cpu_keeper;
	struct latency_summary read_latency, write_latency;
	/* Of source and destination; NULL: none. */
	struct thermometer *thermometer[2];
	struct sg_gauge *gauge[2];
	struct temperature temperature[2];
};

/* Whether both ends are still there (gone.c). */
struct presence {
	struct doubt doubt[GONE_DOUBTS]; /* a ring */
	uint64_t doubts;                 /* ever */
	uint64_t next_look;
	/* Source, destination: requests that came back, and since when none did while some were
	 * under way. */
	uint64_t answers[2], silent_since[2];
	bool silence_told[2];
	unsigned hangs_told;  /* events */
	uint64_t source_gone; /* monotonic ns; 0 it is not */
};

/* The keeper's own. */
struct keeper {
	enum job_state state;
	enum job_result result;
	/* Monotonic ns; 0 not yet; copied: the first flush began. */
	uint64_t started, copied, ended;
	int64_t started_at, flushed_at, ended_at; /* unix seconds */
	uint64_t paused_since, paused_ns, copied_paused_ns;
	struct course course;
	struct measured measured;
	struct presence presence;
	bool flush_due;        /* something may not be on the medium yet */
	bool fill_due;         /* there are bad sectors to be filled, and they were not yet */
	unsigned filled_stage; /* the last one that was filled, and the bad bytes then */
	uint64_t filled_bytes;
	uint64_t refused_bytes; /* by the destination */
	uint64_t reading_since; /* monotonic ns: the latest of the start and the end of a pause */
	uint64_t looked;        /* monotonic ns: whether there is too much trouble */
	uint64_t error_bytes;   /* the counter a second ago */
	double error_rate;
	struct job_bad_area bad[BAD_KEPT]; /* ascending: what devices said */
	size_t bad_count;
	unsigned bad_told;          /* events */
	struct io_truth truth[2];   /* source, destination: of all lanes */
	unsigned recovered_told[2]; /* events */
	uint8_t recovered_seen[2][JOB_LANES_MAX];
	/* What the last good flush has confirmed; NULL: there was none. */
	struct map *confirmed;
	uint64_t next_save;
	bool map_changed; /* since it was last given to the saver */
	bool map_safe, map_warned, digests_warned, digests_saved;
	bool log_failing;
	int64_t map_saved_at;
	bool memory_short;
	bool armed;
	bool ever_copied; /* the claim was good, and the gate opened */
};

/* Lane 0's while it runs, else the keeper's. */
struct probe {
	struct capacity capacity;
	size_t next;
};

struct job {
	struct job_setup setup;
	const struct plan *plan;
	struct io_choice choice;
	uint32_t lanes_max;
	/* The pass under way. Set by the keeper while all lanes rest, and published to them by the
	 * generation that goes up; NULL for none. */
	const struct pass *pass;
	atomic_uint generation;
	/* Its work; remade by the keeper while all lanes rest, under the map's lock, since front
	 * ends ask for the position. */
	struct work work;
	struct stages stages; /* `now` is the keeper's */
	struct probe probe;
	struct spots spots;
	struct limit limit;
	/* Of the copy pass. `sweep` is the keeper's while all lanes rest, else constant. */
	unsigned sweep;
	struct skip skip;
	atomic_uint errors_told;
	struct prober prober; /* of the passes that rescue */
	struct proof *proof;  /* NULL: not asked for */
	struct sums sums;
	struct rolling rolling;
	uint64_t total, already;
	bool nameless; /* the destination, from the start: a file that nobody is to find */

	atomic_int gate; /* enum gate */
	atomic_bool want_pause, want_save, rate_changed;
	int keeper_wake; /* eventfd */
	int event_fd;

	struct lane *lanes[JOB_LANES_MAX]; /* the keeper's once it runs */
	atomic_uint lane_count;
	struct saver *saver;
	pthread_t thread;
	struct keeper keeper;

	pthread_mutex_t failure_lock;
	enum failure_kind failure;
	struct error failure_error;

	pthread_mutex_t map_lock; /* the keeper alone changes the map, and the areas of work */
	struct map *map;

	pthread_mutex_t path_lock;
	char map_path[PATH_MAX], digests_path[PATH_MAX]; /* "" none */

	struct events events;

	pthread_mutex_t shown_lock; /* with the condition: ended changed */
	pthread_cond_t shown_cond;
	struct job_snapshot shown;
	struct rates shown_rates;
	bool started, joined;
};

/* job.c */
int job_gate(struct job *job);
/* Never lowers it. Wakes all. */
void job_gate_raise(struct job *job, enum gate gate);
/* The first failure is kept; raises the gate as its kind asks. */
void job_fail(struct job *job, enum failure_kind kind, const struct error *error);
void job_kick_keeper(struct job *job);

/* job->work anew: what of this stage has one of the statuses in the map now, chunks of at most
 * `chunk` bytes. While all lanes rest. -ENOMEM. */
int job_make_work(struct job *job, const char *statuses, uint32_t chunk, bool descending);

/* The same of these parts only (sectors). */
int job_make_work_of(struct job *job, const struct range_list *parts, const char *statuses,
		     uint32_t chunk);

/* resume.c */
/* Takes over what job->setup.resume knows. -ENOMEM. */
int resume_map(struct job *job);
/* Once the map is as the job begins with it. -ENOMEM. */
int rescue_prepare(struct job *job);

/* events.c */
/* Takes over what the setup brings. */
void events_init(struct job *job);
void job_event_add(struct job *job, enum log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Now and then: says when the log cannot be written, and when it can again. */
void events_look_at_log(struct job *job);

/* keeper.c */
void *keeper_main(void *job);
/* The state as it is before the keeper runs. */
void keeper_init(struct job *job);
void keeper_set_state(struct job *job, enum job_state state, uint64_t now);

/* keeper_save.c */
/* Asks the saver for a copy of the map: it shows what was complete before the flush begins; what
 * the lanes add meanwhile belongs to the next time. */
void keeper_save_on_the_way(struct job *job, bool flush, uint64_t now);
/* Asks the saver to flush what is none of the copy's: the map knows nothing of it. */
void keeper_flush(struct job *job);
/* Asks it to save the map as well, as it is: nothing changes it meanwhile. */
void keeper_flush_and_save(struct job *job, char letter, uint64_t now);
/* Asks it for no more than a flush on the way, while it is idle. Without memory: not this time. */
void keeper_flush_window(struct job *job);
/* Takes in what the saver has done. */
void keeper_take_saved(struct job *job);

/* keeper_end.c */
/* Judges what came of it. The threads are gone and the handles closed before it is called ended. */
void keeper_end(struct job *job);

/* collect.c */
/* Takes in what the lanes report. */
void keeper_collect(struct job *job);
void keeper_pause_for_memory(struct job *job);

/* gone.c */
/* A request came back: one that failed because its disk is gone gets -ENODEV, and the job ends. In
 * the lane's thread. */
void gone_ask(struct lane *lane, struct slot *slot);
/* The destination could not be flushed: true when it is gone, which then ends the job. */
bool gone_is_why(struct job *job);
/* Now and then: a disk that nothing is asked of, or that answers nothing, may be gone as well. */
void gone_look(struct job *job, uint64_t now);
/* Sectors were found bad. */
void gone_remember(struct job *job, const struct report *report);
/* Once the source is gone: what failed just before it tells nothing of the disk. */
void gone_take_back(struct job *job);

/* bad.c */
/* Remembers what a device said of a bad, or a refused, area. */
void bad_note(struct job *job, const struct report *report);
/* Fills in the bad areas as the map has them. */
void bad_show(const struct job *job, struct job_snapshot *ret);
/* A partition of the source that holds this LBA; 0 none or unknown. */
unsigned job_partition_at(const struct job *job, uint64_t lba);

/* abort.c */
/* Stops the copy where there is more trouble than the plan allows. */
void abort_check(struct job *job, uint64_t now);
/* Fills in how the rescue stands. */
void rescue_show(const struct job *job, uint64_t now, struct job_snapshot *ret);
/* Once a second. */
void rescue_measure(struct job *job, double seconds);

/* truth.c */
/* Sums over the lanes what their handles tell; says what a person should know of it, once.
 * While the lanes run only. */
void truth_take(struct job *job);

/* measure.c */
int measure_init(struct job *job, struct error *reterr);
void measure_done(struct job *job);
/* Of one counter over all lanes; offset: of a uint64_t in struct lane_counters. */
uint64_t measure_sum(const struct job *job, size_t offset);
#define MEASURE_SUM(job, member) measure_sum(job, offsetof(struct lane_counters, member))
/* At the start, and then ten times a second. */
void measure_start(struct job *job, uint64_t now);
void measure_tick(struct job *job, uint64_t now);
/* Once more when all lanes rest, so that the last figures are whole. */
void measure_end(struct job *job, uint64_t now);
/* Their temperature is not asked any more. */
void measure_leave_disks(struct job *job);
/* True when a lane has worked at its limit for a while. */
bool measure_lanes_busy(struct job *job);
void measure_publish(struct job *job, uint64_t now);

#endif
