/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pair of made-up disks over temporary files for the tests of the copy: every
 * sector of the source tells which one it is, the destination is scribbled on
 * before, and after a copy all of both is looked at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "job/job.h"
#include "map/recorded_copy.h"
#include "fake/fault.h"
#include "plan/plan.h"

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define MS  1000000ULL

struct rig {
	char dir[64];
	char source_path[128], destination_path[128], map_path[128];
	int source, destination;
	uint64_t size; /* of the source; the destination is larger by `spare` */
	uint64_t spare;
	uint32_t sector;
	bool verified; /* set before rig_plan(): the copy is read back as the options say */
	struct free_places free_places; /* set before rig_plan() */
	struct plan *plan;
	struct job_setup setup;
	struct job *job;
	struct map **maps; /* rig_own() */
	size_t map_count;
	struct recorded_copy earlier; /* rig_load_earlier() */
	bool filled;                  /* the last job ended with its bad sectors filled */
	struct fault_script *source_script, *destination_script;
	struct fault_backend bad_source, bad_destination;
};

/* Two disks of `size` bytes, O_DIRECT where the file system takes it. Nothing planned yet. */
void rig_new(struct rig *rig, uint64_t size, uint32_t sector);
/* The same without contents, for tests whose backends have none either. */
void rig_new_empty(struct rig *rig, uint64_t size, uint32_t sector);
void rig_done(struct rig *rig);
/* The same for the rig that a test has left, if there is one. */
void rig_teardown(void);
/* count 0: everything, else pairs of first sector and number of sectors. */
void rig_plan(struct rig *rig, const struct range *ranges, size_t count,
	      const uint64_t *destination_lba, const struct plan_options *options);
/* Puts the fault backend around both ends. */
void rig_faults(struct rig *rig, const struct io_backend *source,
		const struct io_backend *destination);
/* To the end that it is about, or to both. */
void rig_add(struct rig *rig, const struct fault_rule *rule);
/* The same, of the members of a rule. */
#define rig_fault(rig, ...) rig_add(rig, &(struct fault_rule){ __VA_ARGS__ })
void rig_heal(struct rig *rig);

/* job_new and job_start, both of which must succeed. */
void rig_start(struct rig *rig);
/* Waits for the end; the last snapshot. */
struct job_snapshot rig_wait(struct rig *rig);
/* rig_start and rig_wait. */
struct job_snapshot rig_run(struct rig *rig);
/* The same, and with this result. */
#define rig_run_to(rig, wanted)                                                                    \
	({                                                                                         \
		struct job_snapshot ended = rig_run(rig);                                          \
                                                                                                   \
		ck_assert_msg(ended.result == (wanted), "%d, not " #wanted ": %s",                 \
			      (int)ended.result, ended.error.sentence);                            \
		ended;                                                                             \
	})
void rig_drop_job(struct rig *rig);
struct job_snapshot rig_look(struct rig *rig);
/* Until written >= bytes, or ended. */
struct job_snapshot rig_until_written(struct rig *rig, uint64_t bytes);
/* Until the job is in this state; that it ends before is a failure. */
struct job_snapshot rig_until_state(struct rig *rig, enum job_state state);
/* An end over threads. The first request that stops at it, and all that do after it, wait until it
 * is opened. */
typedef bool rig_gate_stops(const struct io_request *request);
const struct io_backend *rig_gate(rig_gate_stops *stops);
/* rig_start, then until a request waits, or it has ended. */
void rig_start_to_gate(struct rig *rig);
void rig_gate_open(void);
/* Stops a copy once so much of it is written; the destination waits for that. */
struct job_snapshot rig_stop_when(struct rig *rig, uint64_t written);
/* The same, and what is run next goes on from the map of then, which is returned. */
struct map *rig_stop_at(struct rig *rig, uint64_t written);
/* Starts it in a process of its own, which is killed at some moment within so many microseconds. */
void rig_run_and_die(struct rig *rig, unsigned within);
/* Of rand(): told, and CLONEDECK_SEED repeats it. */
void rig_seed(void);
/* Until nothing is under way and nothing new begins: it is paused, at its limit, or ended. */
struct job_snapshot rig_until_still(struct rig *rig);

/*
 * Compares all of the destination: what the map calls finished is the source's,
 * bad sectors are filled once the job is through, everything outside the plan is as it was; free
 * places that are left out are not looked at. Inside
 * the plan and not finished it may be either. Returns the bytes found copied.
 */
uint64_t rig_check(struct rig *rig, const struct map *map);
/* The plan complete, nothing else touched. */
void rig_check_complete(struct rig *rig);
/* The same, and it came of copying and flushing alone, without an error. */
void rig_check_copied(struct rig *rig, const struct job_snapshot *s);
/* For rig.setup: the digests beside the map file as they are now, if there are any. */
void rig_load_earlier(struct rig *rig);
void rig_forget_earlier(struct rig *rig);
/* Maps that live until rig_done(): one that is handed over, which may be NULL; that of a copy that
 * has not begun; and the map file as it is now, whose plan must be the rig's. */
struct map *rig_own(struct rig *rig, struct map *map);
struct map *rig_new_map(struct rig *rig);
struct map *rig_load_map(struct rig *rig);
