/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a session, for session.c, disks.c, plan.c, start.c, unplug.c and finish.c. The
 * front end's thread owns everything, except what a background task was given while that runs.
 */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/file.h"
#include "base/log.h"
#include "base/worker.h"
#include "health/smartctl.h"
#include "session/check.h"
#include "session/compare.h"
#include "session/files.h"
#include "session/heartbeat.h"
#include "session/measure.h"
#include "session/opened.h"
#include "session/past_copies.h"
#include "session/plan_from_file.h"
#include "session/run.h"
#include "session/save.h"
#include "session/scanning.h"
#include "session/used.h"

#define ALLOWED_MAX   64
#define HOTPLUG_LINES 32
#define CHECKUPS_MAX  SESSION_HEALTH_MAX

struct finding {
	bool again;
	const struct disk_list *disks; /* as in struct check */
	struct image_store *images;    /* likewise */
	char wanted[PATH_MAX];         /* asked for last, by the front end */
	bool wanted_destination;
	char text[PATH_MAX];
	bool destination;
	struct endpoint endpoint;
	struct error error; /* code 0: found */
};

/* Disks that are asked for their health before there is a copy, one after the other. */
struct checkups {
	struct checkup {
		struct identity identity;
		struct health_end end;
		bool wanted; /* its turn is still to come */
		struct health health;
	} items[CHECKUPS_MAX];
	unsigned count, at; /* `at` is being asked */
	struct health_end asked;
	struct health answer; /* the asking thread's while it runs */
};

/* The health of both ends, source first, before and after their copy. */
struct ends_health {
	struct health_end ends[2];
	struct health before[2], after[2];
	bool asked; /* after the copy */
};

/* The start of a copy, and of each part of one whose disk was away. */
struct starting {
	struct plan *plan; /* of the part that starts, with its ends as they are claimed; then
			    * session->plan */
	/* The copy continues after a disk was unplugged: it keeps its files, its rate limit and its
	 * pause, and a sample of the destination is compared first. */
	bool goes_on;
	bool pause;
	uint64_t rate;
	struct error error;
	int result;
};

/* Waiting for a missing disk, and the parts of the copy that have ended before. */
struct unplugged {
	struct session_waiting shown;
	struct job *job;     /* the part that ended; shown until the next one runs */
	uint64_t tried[2];   /* diskseq of the ends that came back last */
	uint64_t refused[2]; /* of ends that were compared and differ */
	bool went[2];        /* source, destination: was missing at some time */
	bool has_looked;     /* `images` has a result */
	struct looked images[2];
	struct job_event *told; /* events of all parts so far; borrowed by the next job's setup */
	size_t told_count;
	int timer_fd;
	unsigned parts;
	bool source_gone; /* between two of them */
	struct job_snapshot sum;
};

/* Releases the disks once the job has ended, makes the report, saves it. The claims in
 * session->opened are its thread's while it runs. */
struct finishing {
	/* The last step: the destination's partition table is read anew when it is closed, and the
	 * report made and saved. */
	bool report;
	bool wanted; /* the next step is, when this one is done */
	bool made;   /* session->report is there */
	struct error close_error, error;
	bool left_behind;     /* a file of it, or the log, is still being written */
	atomic_bool changing; /* session_copy().changing */
};

struct session {
	struct session_options options;       /* allow: NULL, `allowed` has them */
	const char *allowed[ALLOWED_MAX + 1]; /* rule ids, NULL-terminated */
	size_t allowed_always; /* so many are from the options, the rest are for this plan */
	enum session_state state;
	atomic_bool stopped; /* by the user: the copy or verification, maybe as it starts */
	int epoll_fd;
	struct worker *tasks[SESSION_TASK_COUNT]; /* NULL: it does not run */
	int wakes[SESSION_TASK_COUNT];            /* readable when it has ended; -1: none */
	struct error errors[SESSION_TASK_COUNT];  /* of the last one */

	struct scan *scan; /* the front end's: hot-plug */
	struct scanning scanning;
	struct disk_list *disks;
	struct image_store *images; /* what image files hold, for any thread */
	char hotplug[HOTPLUG_LINES][160];
	unsigned hotplug_count; /* so far */
	struct finding finding;
	struct used_reading using;
	struct checkups checkups;
	struct past *past, *reading_past; /* NULL: not read; no task runs */

	struct wish wish; /* with loads: where the plan is to come from */
	bool loads;       /* it is still in a file */
	struct plan *plan;
	struct used_modes modes; /* of it */
	struct check checking;
	bool check_again;              /* plan or disks have changed while it ran */
	struct recorded_copy recorded; /* the copy to be verified without its source */
	bool from_report;              /* the plan is of that */
	bool resumes;                  /* from a map, which calls so many bytes finished */
	uint64_t finished_bytes;
	/* That map; while a disk is missing, also what a copy from the start has confirmed. The
	 * starting thread's from the start on, and then the job's. */
	struct map *resume;
	char resume_path[512];
	struct range_list retry; /* with resume: the chosen bad areas; empty: all */
	struct verdict_list verdicts;
	struct end_writers source_writers; /* when the verdicts were made */
	struct held held;                  /* of the plan */
	struct boot_look boot;             /* of the source of the plan */
	struct volumes volumes;            /* of its LVM members */
	struct layout offer;               /* what --table=fit --grow=last would do */
	struct error no_offer;             /* or why it cannot */
	struct layout_shrink shrink;       /* in the image of the plan, when that is complete */
	struct layout_table table;         /* of the plan; no partitions: not known */
	char token[512];
	char token_phrase[256];
	struct measurement measurement;
	bool measured;                 /* and it is of this plan */
	struct session_measured known; /* of its disks, from earlier */

	struct files files;
	bool log_dir_in_memory;
	struct log *log;
	struct starting starting;
	struct opened opened;                  /* of the copy */
	const struct disk_list *started_disks; /* borrowed by the job; may be `disks` */
	struct ends_health health;
	struct unplugged unplugged;
	struct move move;
	bool log_moved;
	bool map_in_memory, left_behind; /* as in struct session_copy */
	/* At the end of this copy, saving its map at another place was begun; it has succeeded; no
	 * map of this copy exists anywhere. */
	bool map_tried, map_saved, map_lost;

	struct compare compare;
	bool compare_ends; /* its ends are being closed */
	bool compared;     /* `verified` tells what came of it */
	struct job_snapshot verified;

	struct awake awake;
	struct notifier notifier;
	struct heartbeat heartbeat;
	struct finishing finishing;
	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	struct saving saving;
	struct report report;
	bool has_report;
};

/* ---- session.c ---- */

enum session_event {
	EVENT_HOTPLUG = SESSION_TASK_COUNT, /* those before are the ends of tasks */
	EVENT_JOB,
	EVENT_TIMER,
	EVENT_HEARTBEAT,
	EVENT_COUNT,
};

int session_watch(struct session *session, int fd, int event, struct error *reterr);
int session_begin_task(struct session *session, enum session_task task, void (*body)(void *),
		       void *data, struct error *reterr);
bool session_runs(const struct session *session, enum session_task task);
/* Waits for its end; then its data is the session's again. */
void session_join(struct session *session, enum session_task task);
/* session_copy().busy */
bool session_is_busy(const struct session *session);
/* session_start() of a copy that waits for a disk. */
int session_go_on(struct session *session, struct error *reterr);
/* -EBUSY while a copy is in progress and nothing else can be planned. */
int session_refuse_busy(const struct session *session, const char *operation, struct error *reterr);
struct job *session_job(const struct session *session);

/* ---- disks.c ---- */

int session_disks_init(struct session *session, struct error *reterr);
void session_disks_done(struct session *session);
/* As session_scan() of all disks, but those that have not changed are not read again. */
void session_look_again(struct session *session);
/* The destination was written to: it is read again with the next list. */
void session_forget_destination(struct session *session);
/* Reads what the destination of a new plan holds anew, where nobody tells of what is written. */
void session_renew_destination(struct session *session);
/* -EAGAIN before the first list, or why there is none. */
int session_need_disks(const struct session *session, const char *operation, const char *object,
		       struct error *reterr);
/* Lets go of a list, which is freed unless the session, a job or a task still looks at it. */
void session_drop_disks(struct session *session, const struct disk_list **held);
/* The disk that an end is or lies on; NULL for an image. */
const struct disk *session_disk(const struct session *session, const struct endpoint *endpoint);
/* The same, but of an image the disk that it holds, as far as it could be read. */
const struct disk *session_contents(const struct session *session, const struct endpoint *endpoint);
void session_take_hotplug(struct session *session, unsigned *changes);
void session_take_scan(struct session *session, unsigned *changes);
void session_take_find(struct session *session, unsigned *changes);
void session_take_checkup(struct session *session, unsigned *changes);
void session_take_used(struct session *session, unsigned *changes);
/* What was read of it is out of date: the source may be written to. */
void session_forget_used(struct session *session);
void session_take_measure(struct session *session, unsigned *changes);
/* What was measured is of another plan now. */
void session_forget_measure(struct session *session);
/* A copy or a verification is about to read disks: nothing else does then. */
void session_leave_disks(struct session *session);

/* ---- plan.c ---- */

/* The copy will go on from this map, now the session's; NULL: from the start. */
void session_resume_from(struct session *session, struct map *map);
/* Judges the plan anew after the disks changed. */
void session_recheck(struct session *session);
void session_take_check(struct session *session, unsigned *changes);

/* ---- start.c ---- */

/* Claims both ends of session->starting.plan (which it takes) and starts a job, in the
 * background. */
int session_begin(struct session *session, struct plan *plan, bool goes_on, struct error *reterr);
void session_take_start(struct session *session, unsigned *changes);
/* Stops what is starting, if anything is, and waits for that. */
void session_end_start(struct session *session);
void session_release_job(struct session *session);
/* Logs the plan, at the beginning of each log file. */
void session_log_plan(struct session *session);
void session_beat(struct session *session);
void session_take_verify(struct session *session, unsigned *changes);
/* The job has ended; its ends are still open until session_end_verify(). */
bool session_verify_ended(const struct session *session);
void session_end_verify(struct session *session);
/* At once, and waits for it; the session is about to go. */
void session_stop_verify(struct session *session);

/* ---- unplug.c ---- */

void session_waiting_done(struct session *session);
/* Would session_begin_waiting() wait? */
bool session_will_wait(const struct session *session);
/* After the job, with its ends still claimed. False: no disk is missing, or waiting is not
 * wanted. */
bool session_begin_waiting(struct session *session);
/* After a scan: are the missing ends back? */
void session_look_for_ends(struct session *session, unsigned *changes);
void session_take_timer(struct session *session, unsigned *changes);
/* Stops waiting for disks; waits for a start in progress. */
void session_give_up_waiting(struct session *session);
/* The next part has started, and is session->opened.job, or could not. */
void session_went_on(struct session *session, int result, const struct error *error);
/* Adds the parts that have ended to the snapshot of the current one. */
void session_join_parts(const struct unplugged *earlier, struct job_snapshot *job);

/* ---- finish.c ---- */

/* Closes both claims of the job that ended, in the background. */
void session_begin_release(struct session *session);
void session_take_finish(struct session *session, unsigned *changes);
void session_take_move(struct session *session, unsigned *changes);
void session_take_save(struct session *session, unsigned *changes);
/* A phrase for plan.source_writer. */
void session_writer_words(const struct end_writers *writers, char *buffer, size_t size);
