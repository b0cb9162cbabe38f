/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a job shows of itself: plain data, a copy of which anybody may keep, and
 * the words for it. Everything is of one moment.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "io/io.h"
#include "plan/plan.h"
#include "stats/cpu.h"
#include "stats/latency.h"
#include "stats/zones.h"
#include "stats/rates.h"
#include "verify/outcome.h"

#define JOB_LANES_MAX        PLAN_LANES_MAX
#define JOB_ENDS_MAX         (1 + PLAN_DESTINATIONS_MAX) /* the source, then the destinations */
#define JOB_EVENTS_MAX       128
#define JOB_BAD_SHOWN        64
#define JOB_PASSES_MAX       48
#define JOB_TEMPERATURES     48
#define JOB_TEMPERATURE_STEP 15 /* seconds */
#define JOB_FORECASTS        3

enum job_state {
	JOB_READY,
	JOB_COPYING,
	JOB_PAUSED,
	JOB_STOPPING, /* no new requests; draining */
	JOB_FLUSHING, /* everything is written; flushing the destination */
	JOB_VERIFYING,
	JOB_ENDED,
	JOB_WAITING, /* for a missing disk, between two parts of a copy; set by the session only */
};

/* A job is a sequence of passes; those with nothing to do are skipped. */
enum pass_kind {
	PASS_NONE,
	PASS_BASELINE, /* reads the held areas, to be compared with later */
	PASS_PROBE,    /* is the destination as large as it claims? */
	PASS_WIPE,     /* the held areas, so that nothing is found there before the end */
	PASS_COPY,
	PASS_TRIM,   /* the good edges of failed areas */
	PASS_SCRAPE, /* the rest of them, sector by sector */
	PASS_RETRY,  /* bad sectors again */
	PASS_FILL,   /* zeros or a mark in place of bad sectors */
	PASS_FLUSH,
	PASS_ARM,         /* all passes over the held areas */
	PASS_VERIFY,      /* reads the destination back */
	PASS_COMPARE,     /* reads both ends */
	PASS_REWRITE,     /* copies what differs once more */
	PASS_RECHECK,     /* reads some of the source again: did it change? */
	PASS_LOOK,        /* reads some of the destination again after the last write */
	PASS_DISARM,      /* takes away the held areas, as the copy differs */
	PASS_COPY_FREE,   /* free places, after all else (plan/free_places.h) */
	PASS_CLEAR,       /* zeros or discards those that are left out */
	PASS_CLEAR_CHECK, /* reads zeros back */
};

struct job_pass {
	enum pass_kind kind;
	unsigned rounds;      /* begun so far; a pass may have several */
	bool backwards;       /* the last round goes from the end of the source */
	uint64_t ns;          /* pauses included */
	uint64_t done, total; /* bytes of all rounds begun; total 0: not counted in bytes */
	uint64_t errors;      /* requests that failed for good */
};

/* How it ended. */
enum job_result {
	JOB_RESULT_NONE, /* not ended */
	JOB_RESULT_COMPLETE,
	JOB_RESULT_PARTIAL,  /* everything but recorded bad areas, or not all verified */
	JOB_RESULT_MISMATCH, /* everything was written, but the destination differs */
	JOB_RESULT_STOPPED,  /* by the user, or at a bad sector as asked (with error set);
			      * resumable if map_safe */
	JOB_RESULT_FAILED,   /* a device or the claim failed; resumable if map_safe */
};

struct job_end {
	const char *backend; /* static name */
	uint32_t depth, in_flight;
	struct latency_summary latency; /* of the source's reads, of the destination's writes */
	struct latency_summary recent;  /* the same of about the last ten seconds */
	uint64_t requests;
	struct io_stats stats; /* of all lanes; `first` is NULL */
	int temperature;       /* degrees Celsius */
	bool temperature_known;
	/* Its course, oldest first, one step apart; the last one is the newest. */
	int16_t temperatures[JOB_TEMPERATURES];
	unsigned temperature_count;
	int hot; /* degrees from which on the disk itself says that it is too hot; 0: it does not */
};

struct job_lane {
	bool alive;
	struct cpu_share cpu;
	double rate; /* bytes written, or read back, in the last second */
	uint32_t in_flight;
	float waiting[2]; /* of the last second: requests at the source, at the destination; mean */
};

/* How long the rest of a job takes, where nobody can know what bad sectors need: if all that failed
 * is read at once, and if all of it fails again. */
struct job_range {
	bool known;
	uint64_t least, most; /* seconds */
};

/* The time left that was shown at a certain percentage of the job, and the time that it really
 * took. */
struct job_forecast {
	bool known;    /* something was said */
	uint64_t told; /* seconds, as all that follows; pauses not counted */
	uint64_t at;   /* since the start */
	uint64_t took; /* from then on, until now */
};

/* Percent of a job at which they are made. */
extern const unsigned job_forecast_at[JOB_FORECASTS];

struct job_event {
	uint64_t number; /* counts from 1 over the whole job */
	int64_t time;    /* unix seconds */
	enum log_level level;
	char text[640]; /* translated, printable */
};

struct job_bad_area {
	uint64_t lba, sectors; /* of the source, plan->sector_size */
	struct sense sense;
	int code;           /* negative errno; 0: already bad in the resumed map */
	bool write;         /* the destination failed, not the source */
	unsigned partition; /* of the source's disk, 0 none or unknown */
};

/* The state of a rescue, in the words of GNU ddrescue. */
struct job_rescue {
	bool trouble; /* some reads failed, now or before a resume */
	uint64_t non_tried, rescued, non_trimmed, non_scraped, bad_sector; /* bytes */
	uint64_t bad_areas;       /* contiguous areas of these except non-tried and rescued */
	uint64_t read_errors;     /* failed reads, retries included */
	bool good_read_known;     /* there was a good read in this run */
	uint64_t since_good_read; /* ns since the last one, or since reading began */
};

/* Requests in flight for longer than the plan's limit for slow reads, or 5 s if it has none. */
struct job_hang {
	unsigned count; /* 0: none, and the rest is zero */
	/* The oldest one: */
	bool write;   /* at the destination */
	uint64_t lba; /* on its end, in the sectors of that */
	uint64_t ns;  /* in flight so far */
};

/* The free places that are left out (plan/free_places.h). */
struct job_free {
	uint64_t bytes; /* 0: there are none, and the rest is zero */
	uint64_t areas;
	uint64_t cleared;  /* bytes zeroed or discarded, in earlier parts of the copy, too */
	uint64_t to_clear; /* bytes still to be cleared in this part of the copy */
	uint64_t to_check; /* bytes still to be read back */
	bool as_written;   /* clearing them takes as long as writing them */
	bool cannot;       /* the destination cannot discard: the rest stays as it was */
	bool checked;      /* zeros were read back: all of these bytes, or a sample of all */
	uint64_t checked_bytes, wrong_bytes;
};

struct job_snapshot {
	enum job_state state;
	enum job_result result;
	struct error error;                       /* of JOB_RESULT_FAILED, or why it stopped */
	bool flushed;                             /* the final flush succeeded */
	int64_t started_at, ended_at, flushed_at; /* unix seconds, 0 not yet */
	uint64_t elapsed;                         /* ns since the start, pauses included */
	uint64_t copy_ns, flush_ns, verify_ns, paused_ns;
	uint64_t total, read, written; /* bytes; written: finished, resumed ones included */
	uint64_t already;              /* bytes that a resumed map called finished */
	uint64_t position;             /* bytes of the source: the highest byte taken */
	/* Bytes per second. In a pass that reads back, minute and average are of that. */
	double now_read, now_write, minute, average, peak;
	/* Of what the pass under way counts in job_pass.done; in the passes of a rescue, where a
	 * sector may take seconds, over about the last ten seconds. */
	double now_pass;
	double now_back; /* bytes per second read back during the copy */
	/* Of the time that all takes, 0 to 1, verification included; never falls, and is 1 only
	 * at the end (overall.h). */
	double overall;
	/* For all of it, and for the pass under way. Not known where bad areas are still to be
	 * read again, in a flush, and in a pause. */
	struct eta eta, pass_eta;
	struct job_range left; /* while eta is not known for bad areas */
	struct job_forecast forecasts[JOB_FORECASTS];
	bool only_reads;     /* as of job_setup.verify_only */
	enum pass_kind pass; /* the current one; PASS_NONE between two and at the end */
	/* All passes that have begun, in order; the last is the current one, if there is one. */
	struct job_pass passes[JOB_PASSES_MAX];
	unsigned pass_count;
	struct job_end source, destination;
	struct latency_summary read_back, recent_back; /* of the destination's reads */
	struct zones_shown zones; /* the source's good reads, by where they were */
	struct job_lane lanes[JOB_LANES_MAX];
	unsigned lane_count;
	uint32_t chunk;
	uint32_t buffers, buffers_in_use;
	struct cpu_share cpu_system, cpu_process, cpu_coordinator;
	double process_cpu_user, process_cpu_system; /* seconds since the start */
	uint64_t rate_limit;                         /* bytes per second, 0 none */
	uint64_t errors, retries, slow_reads;        /* slow: over 1 s */
	struct job_bad_area bad[JOB_BAD_SHOWN];
	size_t bad_shown;
	uint64_t bad_areas, bad_bytes;
	uint64_t refused_bytes; /* by the destination, in a copy that goes on nevertheless */
	struct job_rescue rescue;
	struct job_hang hang;
	struct job_proof proof;
	struct job_look look;
	struct job_sums sums;
	struct job_free free;
	bool digests_saved; /* the list is at digests_path */
	int digests_code;   /* below 0: why it could not be saved there, a negative errno */
	uint64_t events;    /* number of the newest event */
	bool map_failed; /* the last save failed; the map is in memory, and will be tried again */
	bool map_safe;   /* the last save succeeded */
	bool log_failed; /* the log cannot be written, or its disk does not answer */
	int64_t map_saved_at;
	char engine[256]; /* the choice in words */
	/* Held areas (plan/held.h); 0: none. */
	unsigned held_areas;
	uint64_t held_bytes;
	uint64_t held_from_memory; /* copied as read before the copy began: the source has failed
				    * since */
	bool source_in_use;        /* as of job_setup */
	bool armed;                /* and now on the medium; false if there are no held areas */
};

/* "copy", "trim", …: for JSON and logs, never translated; "" for PASS_NONE. */
const char *pass_name(enum pass_kind kind);
/* The same for people, translated, in lower case: "copying". */
const char *pass_words(enum pass_kind kind);

/* The pass under way, if it is counted in bytes and is not the copy itself, which `written` counts;
 * else NULL. */
const struct job_pass *job_pass_counted(const struct job_snapshot *job);

/* Why an area is bad that a map names: what a device said about any sector of it, if it did. */
void job_bad_area_explain(struct job_bad_area *area, const struct job_bad_area *seen, size_t count);
/* Adds what the parts before have done to that of a later part of the same copy. */
void job_snapshot_join(const struct job_snapshot *earlier, struct job_snapshot *job);

/* "copying", "paused", …: for people, translated, in lower case. */
const char *job_state_words(enum job_state state);
/* "copying": the member of the JSON. */
const char *job_state_name(enum job_state state);
