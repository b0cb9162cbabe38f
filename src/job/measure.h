/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns the counters of the lanes into rates, latencies and shares of the
 * processors. All by one thread, which is not that of a lane.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "copy/lane.h"
#include "job/snapshot.h"

struct sensor;

struct temperature {
	bool known;
	int degrees; /* Celsius */
};

/* Histograms of reading, writing and reading back, and how long a new one is compared with. */
#define MEASURE_KINDS   3
#define MEASURE_SECONDS 10

struct measure {
	struct rates rates;
	bool resting;            /* nothing was copied at the last tick */
	struct rates proving;    /* of the pass that reads back */
	uint64_t proving_since;  /* monotonic ns, its start; 0: not yet */
	uint64_t proving_before; /* counter of handled bytes then */
	struct cpu_reader *cpu;
	uint64_t next_second, next_temperature;
	struct job_lane shown_lanes[JOB_LANES_MAX];
	uint64_t lane_bytes[JOB_LANES_MAX];
	bool lanes_proving; /* lane_bytes counts what was read back */
	/* At the last measurement: ns of a lane's thread on a processor, and in submit. */
	uint64_t lane_ran[JOB_LANES_MAX], lane_submit[JOB_LANES_MAX];
	uint64_t handled_then;               /* a second ago */
	double handled_rate;                 /* bytes per second, in any pass */
	double slow_rate;                    /* the same over about ten seconds of a pass */
	uint64_t slow_since;                 /* monotonic ns: the start of that pass */
	uint64_t read_back_then;             /* a second ago */
	double back_rate;                    /* bytes per second */
	uint64_t busy_since;                 /* monotonic ns; of that measurement */
	unsigned busy_spans;                 /* in a row with a lane at its limit */
	double process_user, process_system; /* seconds at the start */
	struct cpu_share cpu_system, cpu_process, cpu_coordinator;
	uint64_t errors_then; /* bytes that failed, a second ago */
	double error_rate;    /* bytes per second */
	struct latency_summary latency[MEASURE_KINDS], recent[MEASURE_KINDS];
	struct latency then[MEASURE_SECONDS][MEASURE_KINDS]; /* one of each second */
	unsigned second;
	double waiting[JOB_LANES_MAX][2]; /* sums of this second's `samples` */
	unsigned samples;
	struct zones_shown zones;
	/* Source, destination; NULL: none. */
	struct sensor *sensor[2];
	struct temperature temperature[2];
	int16_t temperatures[2][JOB_TEMPERATURES];
	unsigned temperature_count[2];
	uint64_t next_kept[2]; /* monotonic ns */
};

/* What the lanes are doing. */
struct measure_view {
	struct lane *const *lanes;
	unsigned lane_count;
	const struct zones *zones;
	enum job_state state;
	uint64_t total;        /* bytes of the plan */
	bool reads_back;       /* the pass reads all of it back: its rates are shown */
	uint64_t pass_started; /* monotonic ns */
};

/* hwmon: sysfs files of the source's and the destination's temperature, "" or NULL. */
int measure_init(struct measure *measure, const char *const hwmon[static 2], struct error *reterr);
void measure_done(struct measure *measure);
/* At the start. already: bytes of `total` that are done before. */
void measure_start(struct measure *measure, uint64_t total, uint64_t already, uint64_t now);
/* Then ten times a second. */
void measure_tick(struct measure *measure, const struct measure_view *view, uint64_t now);
/* The latencies: of each second, and when all lanes are parked, so that the last are complete. */
void measure_latency(struct measure *measure, const struct measure_view *view);
/* Stops asking the disks for their temperature. */
void measure_leave_disks(struct measure *measure);
/* Has a lane been at its limit for a while? True once for each while. */
bool measure_lanes_busy(struct measure *measure);
/* Fills in the lanes, with their buffers, the shares of the processors, latencies and
 * temperatures. */
void measure_show(const struct measure *measure, const struct measure_view *view,
		  struct job_snapshot *ret);
