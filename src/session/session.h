/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: one clone from the choice to the report, as both front ends go
 * through it. It owns the disk list, the plan, the verdicts, the claims, the
 * job and the report, and keeps their order: nothing can be started that was
 * not planned, checked and confirmed.
 *
 *   disks -> session_plan() -> session_confirm() -> session_start() -> job -> session_finish()
 *
 * Called by one thread (the front end's). session_begin_…(), session_start() and
 * session_rescan() never wait for a disk or a file: what may (scanning, looking
 * at mounts, claiming, saving) runs in a thread of its own, and session_fd()
 * tells when to call session_dispatch(). The others wait.
 */
#ifndef CLONEDECK_SESSION_SESSION_H
#define CLONEDECK_SESSION_SESSION_H

#include <stdbool.h>

#include "base/error.h"
#include "copy/job.h"
#include "discover/disk.h"
#include "discover/health.h"
#include "discover/scan.h"
#include "guard/rules.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "report/report.h"

/* What becomes of the copy when a disk of it is unplugged. */
enum session_vanish {
	SESSION_VANISH_WAIT, /* until the disk is back, and go on by itself */
	SESSION_VANISH_ASK,  /* until it is back and session_go_on() is called */
	SESSION_VANISH_STOP, /* the copy ends; it can be resumed */
};

/* The strings are borrowed and outlive the session. */
struct session_options {
	bool all;                 /* list everything */
	const char *practice_dir; /* only practice disks; NULL: the machine */
	const char *log_dir;      /* NULL: the default for root or user, or the practice folder */
	const char *map_path;     /* NULL: in the log directory */
	const char *report_path;  /* NULL: in the log directory */
	const char *certificate_path;       /* NULL: beside the report */
	const char *operator_name, *ticket; /* for report and certificate; NULL: not told */
	bool mask_serials; /* report and certificate show but the end of serial numbers and WWNs */
	const char *const *allow; /* rule ids, NULL-terminated; NULL: none */
	uint32_t map_interval;    /* seconds between two savings of the map; 0: the job's default */
	enum session_vanish on_vanish;
	/* Over what a resumed map says; those with a bit (plan/options.h). NULL without any. */
	const struct plan_options *rescue;
	unsigned rescue_given;
};

enum session_state {
	SESSION_CHOOSING,
	SESSION_CHECKING,  /* a plan is being read or judged, in the background */
	SESSION_PLANNED,   /* plan and verdicts are there */
	SESSION_CONFIRMED, /* token accepted, all warnings accepted */
	SESSION_STARTING,  /* claiming both ends, in the background */
	SESSION_RUNNING,   /* the job is there */
	SESSION_WAITING,   /* a disk of the copy is gone: until it is back, or session_finish() */
	SESSION_FINISHING, /* the disks are released, the report is made, in the background */
	SESSION_FINISHED,  /* the report is there */
	SESSION_VERIFYING, /* and its copy is read back once more */
};

struct session;

int session_new(const struct session_options *options, struct session **ret, struct error *reterr);
/* Stops a running job cleanly first. NULL is fine. */
void session_destroy(struct session *session);
/* Lets what runs in the background come to its end, for so many milliseconds. False: something
 * still waits for a disk or a file system, and so would session_destroy(); whoever wants to leave
 * all the same leaves the session to the end of the process. */
bool session_settle(struct session *session, unsigned patience);
enum session_state session_state(const struct session *session);

/* ---- disks ---- */
/* Scans now and waits for it. */
int session_scan(struct session *session, struct error *reterr);
/* From now on session_scan() opens no other disks than those of these ends (NULL: none), and so
 * waits for no other; of the others udev and sysfs tell enough for every check. */
void session_look_only_at(struct session *session, const struct endpoint *source,
			  const struct endpoint *destination);
void session_look_at_all(struct session *session);
/* From now on session_scan() does not read what a map calls unreadable there: of a dying disk each
 * such read costs seconds. */
void session_avoid_bad(struct session *session, const char *map_path,
		       const struct endpoint *source);
/* The ends that a map names, in session_disks(). */
int session_ends_of_map(const struct session *session, const char *map_path,
			struct endpoint *source, struct endpoint *destination);
/* Starts a scan in the background; from then on hot-plug and the end of a copy start one, too. */
void session_rescan(struct session *session);
/* Poll descriptor: hot-plug, a finished scan, a finished start, job events. */
int session_fd(const struct session *session);
enum session_change {
	/* session_disks() returns a new list; older pointers into it are gone */
	SESSION_CHANGE_DISKS = 1 << 0,
	SESSION_CHANGE_EVENT = 1 << 1, /* new hot-plug lines */
	SESSION_CHANGE_STATE = 1 << 2,
	SESSION_CHANGE_JOB = 1 << 3,
	SESSION_CHANGE_MAP = 1 << 4,    /* another place for the map was taken, or is none */
	SESSION_CHANGE_SAVED = 1 << 5,  /* the report was saved, or could not be */
	SESSION_CHANGE_FOUND = 1 << 6,  /* session_found() knows */
	SESSION_CHANGE_HEALTH = 1 << 7, /* session_checkup() knows more */
	/* session_measured() knows, or session_measure_error() why not */
	SESSION_CHANGE_MEASURED = 1 << 8,
};
/* Handles what is pending, never blocks; returns a set of changes. */
unsigned session_dispatch(struct session *session);
const struct disk_list *session_disks(const struct session *session);
/* Hot-plug lines, newest first, NULL behind the last. */
const char *session_hotplug_line(const struct session *session, unsigned index);
/* Why the last background scan failed; code 0: it did not. */
const struct error *session_scan_error(const struct session *session);

/* Finds what was named, a device or an image file, in the list as it is now; in the background, in
 * place of what was asked before. */
int session_begin_find(struct session *session, const char *text, bool destination,
		       struct error *reterr);
/* What came of it: 0 and the end, or why there is none. */
int session_found(const struct session *session, struct endpoint *ret, struct error *reterr);

/* ---- plan ---- */
/* Replaces the plan and checks it. An error leaves no plan. Refusals are verdicts, not errors. */
int session_plan(struct session *session, const struct endpoint *source,
		 const struct endpoint *destination, const struct range_list *ranges,
		 const uint64_t *destination_lba, const struct plan_options *options,
		 struct error *reterr);
/* From a map file of ours: finds both disks by identity. Ready for session_confirm(). */
int session_plan_from_map(struct session *session, const char *map_path, struct error *reterr);
/*
 * Both in the background. What makes no sense is said at once; else the state is
 * SESSION_CHECKING until SESSION_CHANGE_STATE tells that it is SESSION_PLANNED, or
 * what it was before, and session_plan_error() why. The report of an earlier copy
 * stays until a map was read.
 */
int session_begin_plan(struct session *session, const struct endpoint *source,
		       const struct endpoint *destination, const struct range_list *ranges,
		       const uint64_t *destination_lba, const struct plan_options *options,
		       struct error *reterr);
int session_begin_plan_from_map(struct session *session, const char *map_path,
				struct error *reterr);
const struct error *session_plan_error(const struct session *session);
/* From a map of GNU ddrescue, which does not name its disks: everything, at the same place. */
int session_plan_from_other_map(struct session *session, const char *map_path,
				const struct endpoint *source, const struct endpoint *destination,
				const struct plan_options *options, struct error *reterr);
/*
 * Of a plan that goes on from a map, before session_confirm(): bad sectors are read again only in
 * these areas (plan's sector size), as often as the map says, at least once. All others stay as
 * they are; what was not tried yet is copied in any case. What was confirmed before has to be
 * confirmed again. -ENODATA where the map calls nothing in them bad.
 */
int session_retry_areas(struct session *session, const struct range_list *areas,
			struct error *reterr);
/* What was chosen of this plan; empty: all bad areas. */
const struct range_list *session_retried(const struct session *session);
/* Leaves of `ranges` (logical sectors of the source; empty: everything) what the map file `path`
 * calls finished, as ddrescue's domain. -ENODATA when that is nothing. */
int session_domain(const char *path, const struct endpoint *source, struct range_list *ranges,
		   struct error *reterr);
/* The plan goes on from a map: what is finished there is skipped. */
bool session_resumes(const struct session *session);
/* Bytes that this map calls finished; 0 without one. */
uint64_t session_already(const struct session *session);
const struct plan *session_current_plan(const struct session *session);
const struct verdict_list *session_verdicts(const struct session *session);
/* What the copy will hold back to its end; empty for most plans but whole disks. */
const struct held *session_held(const struct session *session);
const struct disk *session_source_disk(const struct session *session);
const struct disk *session_destination_disk(const struct session *session);
/* Back to choosing; not while running. */
void session_discard_plan(struct session *session);

/* What must be typed, "" for a new image; what it is, as a phrase ("the last 6 characters of the
 * serial of /dev/sdb"), translated. */
const char *session_token(const struct session *session);
const char *session_token_phrase(const struct session *session);
/* Accepts when the token is right and nothing refuses; -EACCES (class REFUSED) otherwise. -EAGAIN
 * while the plan is judged anew, because disks came or went. */
int session_confirm(struct session *session, const char *token, struct error *reterr);

/* ---- measuring ---- */
/* Bytes per second that an end reads, by some megabytes of what is to be copied; 0 unknown. */
struct session_measured {
	double source, destination;
};
/* Of a plan (SESSION_PLANNED): reads both ends, in the background; writes nothing. It is given up
 * when the plan changes or is started. */
int session_begin_measure(struct session *session, struct error *reterr);
bool session_measuring(const struct session *session);
const struct error *session_measure_error(const struct session *session);
/* NULL: not of this plan, or not yet. */
const struct session_measured *session_measured(const struct session *session);

/* ---- verify ---- */
/* The plan of a saved report, for its list of digests; the source need not be attached. sums: as
 * in struct plan_options. */
int session_plan_from_report(struct session *session, const char *path,
			     const struct endpoint *destination, unsigned sums,
			     struct error *reterr);
/* Of a plan that was made: reads both ends, or, after session_plan_from_report(), the destination,
 * and writes nothing. *ret is the running job, the session's as long as it lives. Waits for the
 * disks to open. Refusals that concern who only reads are errors (-EBUSY, class REFUSED). */
int session_verify(struct session *session, struct job **ret, struct error *reterr);

/*
 * Of a copy that has ended (SESSION_FINISHED): reads its destination back once more, against the
 * digests that were taken as the source was read; where no list of them was saved
 * (report.job.digests_saved) both ends are compared, all of them, which only a complete copy
 * stands. Nothing is written, and the report stays as it is; the log gets some lines. In the
 * background: SESSION_VERIFYING, its job in session_job() as soon as both are open, to be ended
 * like a copy by session_begin_finish() once session_can_finish(). SESSION_CHANGE_STATE tells that
 * it is SESSION_FINISHED again.
 */
int session_begin_verify(struct session *session, struct error *reterr);
/* Why it could not begin; code 0: it did. */
const struct error *session_verify_error(const struct session *session);
/* What came of the last one; NULL: it did not begin, or has not ended. */
const struct job_snapshot *session_verified(const struct session *session);

/* Asks a disk for its health in the way that suits it, by SCSI commands or through smartctl, and
 * waits for it, seven seconds at most. One that another program writes to is not asked. Needs no
 * session. */
void session_disk_health(const struct disk *disk, struct health *ret);
/* The same in the background, of a disk in session_disks(): one after the other, anew at each call.
 * SESSION_CHANGE_HEALTH tells of each answer. While a copy runs nothing is asked. */
void session_begin_checkup(struct session *session, const struct disk *disk);
/* What is known of it by now. NULL: nobody asked, or a device of that kind has no health.
 * *retasking: an answer is still to come. */
const struct health *session_checkup(const struct session *session, const struct disk *disk,
				     bool *retasking);

/* ---- copy ---- */
/* Opens and checks both ends, makes the log files, starts the job: in the background. When
 * it fails the state goes back to SESSION_PLANNED and session_start_error() says why. */
int session_start(struct session *session, struct error *reterr);
const struct error *session_start_error(const struct session *session);
/* Stops the job, whatever it does; one that is still being started writes nothing. Never waits. */
void session_stop(struct session *session);
/* NULL unless running, waiting (the job that ended) or finished. */
struct job *session_job(const struct session *session);
/* Has the job ended, and is all known that the report needs? The first time that it has, the disks
 * are asked for their health; session_fd() tells when they answered. Never waits. */
bool session_can_finish(struct session *session);
/* What there is to show of the copy: the job's snapshot, joined with the parts before it, and with
 * the state JOB_WAITING while a disk is gone. False: there is no job. */
bool session_snapshot(const struct session *session, struct job_snapshot *ret);
/*
 * Once the job ended: releases the claims, makes and saves the report. Waits for
 * the job. Where the copy ended because a disk of it is gone, and the options
 * say to wait for it, the state becomes SESSION_WAITING instead: nothing is
 * lost, and when the very disk is back, under whatever name, it is claimed and
 * compared again and the copy goes on. Called in that state it gives up waiting:
 * the report tells how the copy ended.
 */
int session_finish(struct session *session, struct error *reterr);
/* In the background, of a job that has ended: SESSION_FINISHING, until SESSION_CHANGE_STATE tells
 * that it is SESSION_FINISHED and session_finish_error() (code 0: all is well) how that went. */
int session_begin_finish(struct session *session, struct error *reterr);
const struct error *session_finish_error(const struct session *session);
/* Report or log were left to a disk that does not answer: where the kernel waits for it, the
 * process ends only when it does. */
bool session_left_behind(const struct session *session);

struct session_waiting {
	bool source, destination; /* which is waited for */
	bool back;                /* all is there; session_go_on() goes on */
	bool trying;              /* it is being claimed and compared */
	uint64_t since;           /* monotonic ns */
	int64_t at;               /* the same in unix seconds */
	/* Which disk by model, serial number and name; then what was found instead of it, or why
	 * it does not go on, "" nothing. Translated, printable. */
	char who[320], note[400];
};

/* NULL unless waiting. */
const struct session_waiting *session_waiting(const struct session *session);
/* At a key: where it was asked for, or where going on has failed. -EAGAIN while the disk is not
 * there. */
int session_go_on(struct session *session, struct error *reterr);
/*
 * Another place for the map of a running copy: a file that is not there yet, a
 * directory, or NULL for the first of the usual ones that takes it (the log
 * directory, $TMPDIR, $HOME, /var/tmp, /tmp, /run, /dev/shm). Tried in the
 * background; SESSION_CHANGE_MAP tells that it is known, session_move_error()
 * (code 0: it is saved there from now on) and session_map_path() how and where. What
 * lies beside the map goes with it, and so does a log that cannot be written: then
 * session_log_moved(). Neither takes a name that is taken there, nor a disk of the copy.
 */
int session_move_map(struct session *session, const char *path, struct error *reterr);
const struct error *session_move_error(const struct session *session);
bool session_log_moved(const struct session *session);
/* The place that was taken does not survive a restart. */
bool session_map_in_memory(const struct session *session);
const char *session_map_path(const struct session *session); /* "" not known yet */
const struct report *session_report(const struct session *session);
/* Who did it and for whom, for report and certificate; those that were saved already are saved
 * again, in the background: SESSION_CHANGE_SAVED tells that session_save_error() (code 0: they
 * are) knows. NULL leaves as it is, "" takes it back. -EBUSY while an earlier one is on its way. */
int session_begin_sign(struct session *session, const char *operator_name, const char *ticket,
		       bool mask_serials, struct error *reterr);
/*
 * Saves report, text and certificate once more, likewise: path is a directory, or the name of one
 * of them, whose ending makes way for .json, .txt and .html. -EACCES (class REFUSED) on a disk of
 * the plan.
 */
int session_begin_save(struct session *session, const char *path, struct error *reterr);
const struct error *session_save_error(const struct session *session);
const char *session_log_dir(const struct session *session);
/* One more line (translated) in the log of a copy that runs or waits; else nothing. */
void session_note(struct session *session, const char *text);
bool session_log_dir_in_memory(const struct session *session);

#endif
