/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A job: one copy while it runs. Its interface is plain data both ways, so that
 * any front end (deck, headless, later a socket) can drive it: calls only set
 * wishes, job_snapshot() hands out a copy of everything there is to show.
 *
 * Threads: lanes move the bytes; one keeper gathers what they did, keeps the
 * map, saves it, measures, and decides the state. All functions here may be
 * called from any thread, return at once (job_wait excepted) and never wait
 * for a disk.
 */
#ifndef CLONEDECK_COPY_JOB_H
#define CLONEDECK_COPY_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "copy/map.h"
#include "io/backends.h"
#include "io/io.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "plan/sums.h"
#include "stats/cpu.h"
#include "stats/latency.h"
#include "stats/rates.h"

#define JOB_LANES_MAX  PLAN_LANES_MAX
#define JOB_EVENTS_MAX 128
#define JOB_BAD_SHOWN  64
#define JOB_PASSES_MAX 32

#define JOB_MISMATCHES_SHOWN 16

enum job_state {
	JOB_READY,
	JOB_COPYING,
	JOB_PAUSED,
	JOB_STOPPING, /* no new requests; draining */
	JOB_FLUSHING, /* the destination's caches, all written */
	JOB_VERIFYING,
	JOB_ENDED,
	JOB_WAITING, /* of a copy in several parts: between two of them, for a disk that is gone;
		      * no job is ever in it (session.h) */
};

/* A job is a sequence of passes; those that have nothing to do are left out. */
enum pass_kind {
	PASS_NONE,
	PASS_PROBE, /* is the destination as large as it says? */
	PASS_WIPE,  /* of what is held back: nobody finds anything there before the end */
	PASS_COPY,
	PASS_TRIM,   /* of what failed: what is good at its edges */
	PASS_SCRAPE, /* the rest of it, sector by sector */
	PASS_RETRY,  /* bad sectors again */
	PASS_FILL,   /* zeros or a mark in place of bad sectors */
	PASS_FLUSH,
	PASS_ARM,     /* all passes over what was held back */
	PASS_VERIFY,  /* the destination is read back */
	PASS_COMPARE, /* both ends are read */
	PASS_REWRITE, /* what differs is copied once more */
};

struct job_pass {
	enum pass_kind kind;
	unsigned rounds;      /* begun so far: a pass may go over its areas more than once */
	bool backwards;       /* the last of them: from the end of the source */
	uint64_t ns;          /* pauses included */
	uint64_t done, total; /* bytes of the rounds begun; total 0: not counted in bytes */
	uint64_t errors;      /* requests that failed for good */
};

/* How it ended. */
enum job_result {
	JOB_RESULT_NONE, /* not ended */
	JOB_RESULT_COMPLETE,
	JOB_RESULT_PARTIAL,  /* all but recorded bad areas */
	JOB_RESULT_MISMATCH, /* all is written, but the destination does not hold it all */
	JOB_RESULT_STOPPED,  /* by the user, or at a bad sector as asked (then error is set);
			      * resumable when map_safe */
	JOB_RESULT_FAILED,   /* a device or the claim failed; resumable when map_safe */
};

struct job_end {
	const char *backend; /* static name */
	uint32_t depth, in_flight;
	uint64_t bytes_in_flight;
	struct latency_summary latency;
	uint64_t requests;
	struct io_truth truth; /* of all lanes; `first` is NULL */
	int temperature;       /* degrees Celsius */
	bool temperature_known;
};

struct job_lane {
	bool alive;
	struct cpu_share cpu;
	double rate; /* bytes written, or read back, per second, last second */
	uint32_t in_flight;
};

struct job_event {
	uint64_t number; /* counts from 1 over the whole job */
	int64_t time;    /* unix seconds */
	enum log_level level;
	char text[256]; /* translated, printable */
};

struct job_bad_area {
	uint64_t lba, sectors; /* of the source, plan->sector_size */
	struct sense sense;
	int code;           /* negative errno; 0: bad in the map that was resumed */
	bool write;         /* the destination failed there */
	unsigned partition; /* of the source's disk, 0 none or unknown */
};

/* The state of a rescue, in the words of GNU ddrescue. */
struct job_rescue {
	bool trouble; /* something could not be read at once, now or before a resume */
	uint64_t non_tried, rescued, non_trimmed, non_scraped, bad_sector; /* bytes */
	uint64_t bad_areas;       /* contiguous ones of non-trimmed, non-scraped and bad sectors */
	uint64_t read_errors;     /* reads that failed, each try */
	double error_rate;        /* bytes per second that failed, last second */
	bool good_read_known;     /* there was one in this run */
	uint64_t since_good_read; /* ns since it, or since reading began */
};

/* Requests that have been under way for too long: longer than the plan's limit for slow reads, or
 * than 5 s where it has none. */
struct job_hang {
	unsigned count; /* 0: none, and all that follows is zero */
	/* The oldest one: */
	bool write;   /* at the destination */
	uint64_t lba; /* of its end, in that one's sectors */
	uint64_t ns;  /* under way so far */
};

/* Which end is to blame, by reading both once more. */
enum mismatch_kind {
	MISMATCH_DESTINATION, /* the source is as it was, the destination is not it */
	MISMATCH_UNSTABLE,    /* the destination gives other data from one time to the next */
	MISMATCH_SOURCE,      /* the source is not what was read of it before */
	MISMATCH_UNKNOWN,     /* they differ; which of the two is right cannot be told */
	MISMATCH_UNREADABLE,  /* the destination cannot be read back */
	MISMATCH_NO_SOURCE,   /* the source cannot be read for the comparison */
};

struct job_mismatch {
	enum mismatch_kind kind;
	uint64_t lba, sectors; /* of the source, plan->sector_size */
	uint64_t destination_lba;
	unsigned partition; /* of the source's disk, 0 none or unknown */
	/* It lies somewhere in there: only the digest of all of it is known, or it cannot be read.
	 */
	bool somewhere;
	/* The first byte that differs, from the start of the area, and what it is. */
	bool has_byte;
	uint32_t byte;
	uint8_t at_source, at_destination;
	/* Of the region that it lies in: as the source was read, and as it was read back. */
	bool has_digests;
	uint64_t region_lba, region_sectors;
	char expected[33], found[33];
	int code; /* of the reading that failed */
};

/* How the copy was proven. */
struct job_proof {
	bool asked;        /* else all that follows is zero */
	bool complete;     /* all that is on the destination was read back, and is right */
	uint64_t verified; /* bytes that were, of those `compared` with the source itself */
	uint64_t compared;
	bool rolling;       /* it is read back while it is copied */
	uint64_t early;     /* of `verified`: what was while the copy still ran */
	uint64_t rewritten; /* bytes that were wrong and were written once more */
	struct job_mismatch mismatches[JOB_MISMATCHES_SHOWN];
	size_t shown;
	uint64_t areas, bytes; /* of all mismatches that stayed; whole sectors */
};

/* What is known of the sums that were asked for. */
enum job_sums_state {
	JOB_SUMS_PENDING,        /* not yet */
	JOB_SUMS_OF_SOURCE,      /* of the source, as it was read */
	JOB_SUMS_OF_DESTINATION, /* of the destination, as it was read back and proven */
	JOB_SUMS_INCOMPLETE,     /* unknown: the copy is not complete */
	JOB_SUMS_DIFFERS,        /* unknown: the copy is not what the source was */
	JOB_SUMS_NOT_READ_BACK,  /* unknown: neither of both was read in one go */
};

struct job_sum {
	enum sum_algorithm algorithm;
	char hex[129]; /* "": unknown */
};

/* Of all bytes of the plan in the order of the source; several ranges one behind the other. */
struct job_sums {
	enum job_sums_state state;
	unsigned count; /* 0: none were asked for */
	struct job_sum items[SUM_ALGORITHMS];
	uint64_t zeros; /* bytes that could not be read, and went into them as zeros */
};

static inline bool job_sums_known(const struct job_sums *sums)
{
	return sums->state == JOB_SUMS_OF_SOURCE || sums->state == JOB_SUMS_OF_DESTINATION;
}

struct job_snapshot {
	enum job_state state;
	enum job_result result;
	struct error error;                       /* of JOB_RESULT_FAILED or what stopped it */
	bool flushed;                             /* the final flush succeeded */
	int64_t started_at, ended_at, flushed_at; /* unix seconds, 0 not yet */
	uint64_t elapsed;                         /* ns since the start, pauses included */
	uint64_t copy_ns, flush_ns, verify_ns, paused_ns;
	uint64_t total, read, written; /* bytes; written: for good, resumed ones included */
	uint64_t already;              /* bytes that a resumed map called finished */
	uint64_t position;             /* bytes of the source: highest byte handed out */
	/* Bytes per second. While all is read back, minute and average are of that. */
	double now_read, now_write, minute, average, peak;
	double now_back; /* bytes per second read back while it is copied */
	struct eta eta;
	enum pass_kind pass; /* the one under way; PASS_NONE between two and at the end */
	/* All that began, in their order; the last is the one under way while there is one. */
	struct job_pass passes[JOB_PASSES_MAX];
	unsigned pass_count;
	struct job_end source, destination;
	struct job_lane lanes[JOB_LANES_MAX];
	unsigned lane_count;
	uint32_t chunk;
	uint32_t buffers, buffers_in_use;
	struct cpu_share cpu_system, cpu_process, cpu_keeper;
	double process_cpu_user, process_cpu_system; /* seconds since the start */
	uint64_t rate_limit;                         /* bytes per second, 0 none */
	uint64_t errors, retries, slow_reads;        /* slow: over 1 s */
	struct job_bad_area bad[JOB_BAD_SHOWN];
	size_t bad_shown;
	uint64_t bad_areas, bad_bytes;
	uint64_t refused_bytes; /* that the destination did not take, where the copy went on */
	struct job_rescue rescue;
	struct job_hang hang;
	struct job_proof proof;
	struct job_sums sums;
	bool digests_saved; /* the list is at digests_path */
	uint64_t events;    /* number of the newest event */
	bool map_failed;    /* the last saving failed; the map is in memory and is tried again */
	bool map_safe;      /* the map file on disk could be written last time */
	bool log_failed;    /* the log cannot be written, or its disk does not answer */
	int64_t map_saved_at;
	char engine[256]; /* the choice in words */
	/* Held back to the end (plan/held.h); 0 nothing. */
	unsigned held_areas;
	uint64_t held_bytes;
	bool armed; /* and it is on the medium now; with nothing held back: false */
};

struct digests;
struct known;

struct job_setup {
	const struct plan *plan; /* borrowed, outlives the job */
	struct io_end source, destination;
	const struct io_backend *source_backend;      /* overrides the choice; NULL: choose */
	const struct io_backend *destination_backend; /* (tests wrap a fault backend) */
	const struct held *held;  /* copied last; NULL or empty: nothing. Borrowed by job_new() */
	bool probe;               /* ask first whether the destination has its size */
	enum rolling_how rolling; /* when what is copied is read back; needs digests */
	uint64_t rolling_window;  /* bytes between the flushes for that; 0: by the copy's size */
	const struct map *resume; /* finished parts are skipped; NULL: from the start */
	/* Passes over bad sectors read only those in here again (plan->sector_size); NULL: all.
	 * Borrowed, outlives the job. */
	const struct range_list *retry;
	const char *map_path;  /* NULL: no map file (tests, benchmarks) */
	uint64_t map_interval; /* ns; 0: 30 s */
	/* Nothing is written, the destination is open for reading only: what `resume` calls
	 * finished is verified as the plan's options say, and that is all. */
	bool verify_only;
	/* With that: the digests of a source that is not there any more; borrowed. */
	const struct digests *known;
	/* The digests that an earlier part of the copy took of what `resume` calls finished, of the
	 * same plan; NULL: none, both ends are compared. Borrowed by job_new(). */
	const struct known *taken;
	const char *digests_path; /* where the list of digests goes at the end; NULL: none */
	const char *source_hwmon, *destination_hwmon; /* sysfs files, "" or NULL */
	/* sg nodes to ask for the temperature where there is no such file, "" or NULL */
	const char *source_gauge, *destination_gauge;
	struct log *log;                /* may be NULL */
	const struct disk *source_disk; /* to name partitions of bad areas; may be NULL */
	/* Called by the keeper right before the first write, again after a long pause: claim
	 * check. A failure ends the job with nothing (more) written. May be NULL. */
	int (*check)(void *user, struct error *reterr);
	/* Is this end still attached? Called by any thread, when a request has failed and once a
	 * second; must not wait for the device. An end that is gone ends the job with -ENODEV of
	 * its class. May be NULL. */
	bool (*present)(void *user, bool destination);
	void *check_user;
	/* What earlier parts of the copy have told, oldest first: the job's own events go on from
	 * there. Copied. */
	const struct job_event *events;
	size_t event_count;
};

struct job;

/* Chooses backends and sizes, allocates all memory. */
int job_new(const struct job_setup *setup, struct job **ret, struct error *reterr);
int job_start(struct job *job, struct error *reterr);
void job_pause(struct job *job, bool pause);
/* What was last wished of it; also of a job that has ended. */
bool job_pause_wanted(struct job *job);
void job_stop(struct job *job);
void job_set_rate(struct job *job, uint64_t bytes_per_second); /* 0: no limit */

/* "copy", "trim", …: in JSON and logs, never translated; "" for PASS_NONE. */
const char *pass_name(enum pass_kind kind);
/* The same for people, translated: what the job is doing, in lower case. */
const char *pass_words(enum pass_kind kind);

/* "copying", "paused", …: for people, translated, in lower case. */
const char *job_state_words(enum job_state state);
/* What is wrong, in a translated phrase. */
const char *job_mismatch_words(enum mismatch_kind kind);

void job_snapshot(struct job *job, struct job_snapshot *ret);
/* A copy of the rate history and profile; while all is read back, of that pass. */
void job_rates(struct job *job, struct rates *ret);
/* Events with a number above `after`, oldest first, at most `max`; returns their count. */
size_t job_events(struct job *job, uint64_t after, struct job_event *ret, size_t max);
/* As map_cells(), with '>' where the copy is now; size 0: the whole source's node. */
void job_map_cells(struct job *job, uint64_t start, uint64_t size, int cells, char *out);
/* Another place for the map (the old one failed); saved there at once. digests_path: for the list
 * at the end, NULL as before. */
int job_set_map_path(struct job *job, const char *path, const char *digests_path,
		     struct error *reterr);

/* Descriptor that polls readable when the state changed or an event was added; owned by the
 * job; cleared by job_snapshot(). */
int job_event_fd(const struct job *job);
/* Waits for JOB_ENDED and joins all threads. 0, or the code of the error that ended it early
 * (snapshot.error); a stop by the user is none. May be called by several threads. */
int job_wait(struct job *job, struct error *reterr);
/* Of a job that has ended: what the destination has confirmed to be on the medium, for
 * job_setup.resume of another one, whether or not the file could be saved. NULL: nothing, or it
 * was taken already. The caller destroys it. */
struct map *job_take_confirmed(struct job *job);
/* Stops and waits when needed. NULL is fine. */
void job_destroy(struct job *job);

#endif
