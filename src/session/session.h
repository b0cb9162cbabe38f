/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: one clone from the choice of disks to the report, for both front ends.
 * It owns the disk list, the plan, the verdicts, the claims, the job and the report,
 * and enforces their order: nothing can be started that was not planned, checked
 * and confirmed.
 *
 *   disks -> session_plan() -> session_confirm() -> session_start() -> job -> session_finish()
 *
 * One thread, the front end's. session_begin_…(), session_start() and
 * session_rescan() never wait for a disk or a file: whatever may (scanning, checking
 * mounts, claiming, saving) runs in a thread of its own, and session_fd() shows when
 * to call session_dispatch(). The other functions wait.
 */
#ifndef CLONEDECK_SESSION_SESSION_H
#define CLONEDECK_SESSION_SESSION_H

#include <stdbool.h>

#include "base/error.h"
#include "job/job.h"
#include "discover/disk.h"
#include "discover/scan.h"
#include "guard/rules.h"
#include "health/health.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "report/report.h"

/* What happens when a disk of the copy is unplugged. */
enum session_vanish {
	SESSION_VANISH_WAIT, /* wait for the disk, then continue automatically */
	SESSION_VANISH_ASK,  /* wait for the disk and for session_go_on() */
	SESSION_VANISH_STOP, /* stop; the copy can be resumed */
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
	bool mask_serials;        /* show only the end of serial numbers and WWNs in reports */
	const char *const *allow; /* rule ids, NULL-terminated; NULL: none */
	uint32_t map_interval;    /* seconds between two saves of the map; 0: the job's default */
	enum session_vanish on_vanish;
	/* Options that override a resumed map: those with a bit (plan/options.h). NULL: none. */
	const struct plan_options *rescue;
	unsigned rescue_given;
};

enum session_state {
	SESSION_CHOOSING,
	SESSION_CHECKING,  /* reading or judging a plan, in the background */
	SESSION_PLANNED,   /* there are a plan and verdicts */
	SESSION_CONFIRMED, /* the token and all warnings were accepted */
	SESSION_STARTING,  /* claiming both ends, in the background */
	SESSION_RUNNING,   /* there is a job */
	SESSION_WAITING,   /* for a missing disk, or session_finish() */
	SESSION_FINISHING, /* releasing the disks and making the report, in the background */
	SESSION_FINISHED,  /* there is a report, or session_verified() of the plan */
	SESSION_VERIFYING, /* the ends of the plan, or of a copy that has ended, are compared */
};

struct session;

int session_new(const struct session_options *options, struct session **ret, struct error *reterr);
/* Stops a running job cleanly first. NULL is fine. */
void session_destroy(struct session *session);
/* Waits for background tasks, at most `patience` milliseconds. False: one of them still waits for a
 * disk or a file system, and so would session_destroy(); to exit anyway, do not destroy the
 * session. */
bool session_settle(struct session *session, unsigned patience);
enum session_state session_state(const struct session *session);

/* ---- disks ---- */
/* Scans and waits for the result. */
int session_scan(struct session *session, struct error *reterr);
/* The ends as a command names them: as endpoint_resolve() takes them, or, without a destination, by
 * a map. */
struct session_names {
	const char *source, *destination, *map;
};
/*
 * Scans and waits for the result, but opens, and so waits for, only the disks of these ends. For
 * the checks, udev and sysfs tell enough about the others. Sectors that the map calls unreadable
 * are not read: on a dying disk, each such read costs seconds. Both apply to later calls of
 * session_scan(), too. If an end is not found, all disks are opened.
 */
int session_scan_named(struct session *session, const struct session_names *names,
		       struct error *reterr);
/* Starts a scan in the background, which reads all disks anew; from then on, hot-plug and the end
 * of a copy start one, too, which reads what has appeared or changed. */
void session_rescan(struct session *session);
/* Poll descriptor: hot-plug, a finished scan, a finished start, job events. */
int session_fd(const struct session *session);
enum session_change {
	/* session_disks() returns a new list; pointers into the old one are invalid */
	SESSION_CHANGE_DISKS = 1 << 0,
	SESSION_CHANGE_EVENT = 1 << 1, /* new hot-plug lines */
	SESSION_CHANGE_STATE = 1 << 2,
	SESSION_CHANGE_JOB = 1 << 3,
	SESSION_CHANGE_MAP = 1 << 4,    /* session_move_map() succeeded or failed */
	SESSION_CHANGE_SAVED = 1 << 5,  /* saving the report succeeded or failed */
	SESSION_CHANGE_FOUND = 1 << 6,  /* session_found() has a result */
	SESSION_CHANGE_HEALTH = 1 << 7, /* session_checkup() has a new answer */
	/* session_measured() or session_measure_error() has a result */
	SESSION_CHANGE_MEASURED = 1 << 8,
};
/* Handles pending events; never blocks. Returns a set of session_change. */
unsigned session_dispatch(struct session *session);
const struct disk_list *session_disks(const struct session *session);
/* Hot-plug lines, newest first; NULL after the last. */
const char *session_hotplug_line(const struct session *session, unsigned index);
/* Why the last background scan failed; code 0: it succeeded. */
const struct error *session_scan_error(const struct session *session);

/* Looks up a device or an image file by what the user typed, in the background and in the current
 * list. Replaces an earlier request. */
int session_begin_find(struct session *session, const char *text, bool destination,
		       struct error *reterr);
/* The result: 0 and the end, or why there is none. */
int session_found(const struct session *session, struct endpoint *ret, struct error *reterr);

/* The disk that an image file holds, as it was read last: by session_begin_find(), or with a plan.
 * NULL: not known. Borrowed until session_destroy(). */
const struct disk *session_image(const struct session *session, const struct endpoint *image);
/* The same; reads the file, and waits for it. */
const struct disk *session_read_image(const struct session *session, const struct endpoint *image);

/* ---- plan ---- */
/* Replaces the plan and checks it. An error leaves no plan. Refusals are verdicts, not errors. */
int session_plan(struct session *session, const struct endpoint *source,
		 const struct endpoint *destination, const struct range_list *ranges,
		 const uint64_t *destination_lba, const struct plan_options *options,
		 struct error *reterr);
/* The same from a map file of ours; finds both disks by identity. */
int session_plan_from_map(struct session *session, const char *map_path, struct error *reterr);
/*
 * Both in the background. Obvious errors are returned at once. Otherwise the state
 * is SESSION_CHECKING until SESSION_CHANGE_STATE announces SESSION_PLANNED, or the
 * previous state, with the reason in session_plan_error(). The report of an earlier
 * copy stays until the map was read.
 */
int session_begin_plan(struct session *session, const struct endpoint *source,
		       const struct endpoint *destination, const struct range_list *ranges,
		       const uint64_t *destination_lba, const struct plan_options *options,
		       struct error *reterr);
int session_begin_plan_from_map(struct session *session, const char *map_path,
				struct error *reterr);
const struct error *session_plan_error(const struct session *session);
/* From a map of GNU ddrescue, which does not name its disks: the whole source, at the same LBAs. */
int session_plan_from_other_map(struct session *session, const char *map_path,
				const struct endpoint *source, const struct endpoint *destination,
				const struct plan_options *options, struct error *reterr);
/*
 * For a plan that resumes from a map: reads bad sectors again only in these areas (plan's sector
 * size), as often as the map says but at least once, and leaves all others alone. What was not
 * tried yet is copied in any case. The plan must be confirmed again. -ENODATA if the map calls
 * nothing in them bad.
 */
int session_retry_areas(struct session *session, const struct range_list *areas,
			struct error *reterr);
/* The areas chosen for this plan; empty: all bad areas. */
const struct range_list *session_retried(const struct session *session);
/* Reduces `ranges` (logical sectors of the source; empty: everything) to what the map file `path`
 * calls finished, like ddrescue's domain. -ENODATA if nothing is left. */
int session_domain(const char *path, const struct endpoint *source, struct range_list *ranges,
		   struct error *reterr);
/* After planning with such ranges: for map and report. */
void session_name_domain(struct session *session, const char *path);
/* Does the plan resume from a map, and skip what is finished there? */
bool session_resumes(const struct session *session);
/* Bytes that this map calls finished; 0 without one. */
uint64_t session_finished_bytes(const struct session *session);
/* Where that is, as bytes of the source; empty without a map, and once the plan was started.
 * -ENOMEM. */
int session_list_finished(const struct session *session, struct range_list *ret);
const struct plan *session_current_plan(const struct session *session);
const struct verdict_list *session_verdicts(const struct session *session);
/* What the copy will hold back to its end; usually empty unless a whole disk is copied. */
const struct held *session_held(const struct session *session);
/* The disks that the ends are or lie on; NULL for images. */
const struct disk *session_source_disk(const struct session *session);
const struct disk *session_destination_disk(const struct session *session);
/* The same, but of an image the disk that it holds, as far as it could be read. */
const struct disk *session_source_contents(const struct session *session);
const struct disk *session_destination_contents(const struct session *session);
/* Lifts a rule that refuses this plan and may be lifted, as session_options.allow does from the
 * start, but for this plan only. The checks are made again in the background; the rule stands in
 * the report as lifted. -EINVAL (class USAGE): no such rule, or none that may be lifted here. */
int session_allow(struct session *session, const char *rule, struct error *reterr);
/* Back to SESSION_CHOOSING; not while a copy runs. */
void session_discard_plan(struct session *session);

/* What must be typed, "" for a new image; and a translated phrase for it ("the last 6 characters of
 * the serial number of /dev/sdb"). */
const char *session_token(const struct session *session);
const char *session_token_phrase(const struct session *session);
/* Accepts if the token is right and no rule refuses; otherwise -EACCES (class REFUSED). -EAGAIN
 * while the plan is being checked again because disks came or went. */
int session_confirm(struct session *session, const char *token, struct error *reterr);

/* ---- measuring ---- */
/* Read rates in bytes per second, from a few megabytes of what is to be copied; 0: unknown. */
struct session_measured {
	double source, destination;
};
/* For a plan (SESSION_PLANNED): reads both ends, in the background; writes nothing. Cancelled when
 * the plan changes or is started. */
int session_begin_measure(struct session *session, struct error *reterr);
bool session_measuring(const struct session *session);
const struct error *session_measure_error(const struct session *session);
/* NULL: not for this plan, or not yet. */
const struct session_measured *session_measured(const struct session *session);

/* ---- verify ---- */
/* Takes the plan of a saved report, with its list of digests; the source need not be attached.
 * sums: as in struct plan_options. */
int session_plan_from_report(struct session *session, const char *path,
			     const struct endpoint *destination, unsigned sums,
			     struct error *reterr);
/* Verifies a plan: reads both ends or, after session_plan_from_report(), the destination; writes
 * nothing. *ret is the running job, owned by the session. Waits for the disks to open. Refusals
 * that also concern reading are errors (-EBUSY, class REFUSED). */
int session_verify(struct session *session, struct job **ret, struct error *reterr);

/*
 * Only reads, in the background:
 * - of a plan (SESSION_PLANNED) both ends, and compares them instead of copying, whatever made the
 *   copy. Of the plan's options, its rate, retries and sums count. What was found ends the plan
 *   (SESSION_FINISHED, without a report); if it could not start, the state is as before.
 * - of a copy that has ended (SESSION_FINISHED with a report) the destination once more, and
 *   compares it with the digests of the source; without a saved list of these
 *   (report.job.digests_saved), both ends, which makes sense only for a complete copy. The report
 *   stays as it is; the log gets some lines.
 * The same again of what was compared so. The state is SESSION_VERIFYING, session_job() is its job
 * once both ends are open, and session_begin_finish() ends it once session_can_finish().
 * SESSION_CHANGE_STATE announces the end.
 */
int session_begin_verify(struct session *session, struct error *reterr);
/* May the ends of the plan be compared, as far as its checks know? -EBUSY, class REFUSED: no. */
int session_check_compare(const struct session *session, struct error *reterr);
/* Why it could not start; code 0: it did. */
const struct error *session_verify_error(const struct session *session);
/* The result of the last one; NULL: it did not start, or has not ended. */
const struct job_snapshot *session_verified(const struct session *session);

/* Asks a disk for its health through smartctl, and waits up to five seconds. A disk that another
 * program is writing to is not asked. Needs no session. */
void session_disk_health(const struct disk *disk, struct health *ret);
/* The same in the background, for a disk in session_disks(); several are asked one after the other.
 * SESSION_CHANGE_HEALTH announces each answer. While a copy runs, no disk is asked. */
void session_begin_checkup(struct session *session, const struct disk *disk);
/* The last answer. NULL: the disk was not asked, or a device of its kind has no health. *retasking:
 * an answer is pending. */
const struct health *session_checkup(const struct session *session, const struct disk *disk,
				     bool *retasking);

/* ---- copy ---- */
/* In the background: opens and checks both ends, creates the log files, starts the job. On failure
 * the state goes back to SESSION_PLANNED and session_start_error() says why. */
int session_start(struct session *session, struct error *reterr);
const struct error *session_start_error(const struct session *session);
/* Stops the job, whatever it does; one that is still starting writes nothing. Never waits. */
void session_stop(struct session *session);
/* NULL unless running, waiting (the job that ended) or finished. */
struct job *session_job(const struct session *session);
/* Has the job ended, and is everything known that the report needs? The first call after the end
 * asks the disks for their health; session_fd() shows when they have answered. Never waits. */
bool session_can_finish(struct session *session);
/* The job's snapshot, with earlier parts of the copy added, and in state JOB_WAITING while a disk
 * is missing. False: there is no job. */
bool session_snapshot(const struct session *session, struct job_snapshot *ret);
/*
 * After the job has ended (it waits for that): releases the claims, makes and saves
 * the report. If the copy ended because a disk is gone, and the options say to wait,
 * the state becomes SESSION_WAITING instead: when the same disk is back, under any
 * name, it is claimed and compared again and the copy continues. If called in that
 * state, it gives up waiting and makes the report.
 */
int session_finish(struct session *session, struct error *reterr);
/* The same in the background: SESSION_FINISHING until SESSION_CHANGE_STATE announces
 * SESSION_FINISHED, with the result in session_finish_error() (code 0: success). */
int session_begin_finish(struct session *session, struct error *reterr);
const struct error *session_finish_error(const struct session *session);
/* Were report or log abandoned on a disk that does not answer? If the kernel waits for it, the
 * process ends only when the disk answers. */
bool session_left_behind(const struct session *session);

struct session_waiting {
	bool source, destination; /* which of them is missing */
	bool back;                /* nothing is missing; session_go_on() continues */
	bool trying;              /* is being claimed and compared */
	uint64_t since;           /* monotonic ns */
	int64_t at;               /* the same in unix seconds */
	/* The missing disk by model, serial number and name; and what was found in its place, or
	 * why the copy does not continue, or "". Translated, printable. */
	char who[320], note[400];
};

/* NULL unless waiting. */
const struct session_waiting *session_waiting(const struct session *session);
/* Continues at the user's request, if the options say to ask, or continuing has failed. -EAGAIN
 * while the disk is missing. */
int session_go_on(struct session *session, struct error *reterr);
/*
 * Moves the map of a running copy: to a new file, into a directory, or (NULL) to the
 * first usual place that accepts it (the log directory, $TMPDIR, $HOME, /var/tmp, /tmp,
 * /run, /dev/shm). In the background; SESSION_CHANGE_MAP announces the result:
 * session_move_error() (code 0: success) and session_map_path(). What was beside the
 * map moves with it, and so does a log that cannot be written (session_log_moved()).
 * Existing files and the disks of the copy are never used.
 */
int session_move_map(struct session *session, const char *path, struct error *reterr);
const struct error *session_move_error(const struct session *session);
bool session_log_moved(const struct session *session);
/* Will the new place be lost at a restart? */
bool session_map_in_memory(const struct session *session);
const char *session_map_path(const struct session *session); /* "" not known yet */
const struct report *session_report(const struct session *session);
/* Sets operator and ticket for report and certificate, and saves these again, in the background:
 * SESSION_CHANGE_SAVED announces the result in session_save_error() (code 0: success). NULL: keep
 * it; "": remove it. -EBUSY while an earlier save is in progress. */
int session_begin_sign(struct session *session, const char *operator_name, const char *ticket,
		       bool mask_serials, struct error *reterr);
/*
 * Saves report, text and certificate elsewhere, likewise. path: a directory, or a file name whose
 * ending is replaced by .json, .txt and .html. -EACCES (class REFUSED) on a disk of the plan.
 */
int session_begin_save(struct session *session, const char *path, struct error *reterr);
const struct error *session_save_error(const struct session *session);
const char *session_log_dir(const struct session *session);
/* A copy that was not finished. */
struct session_unfinished {
	char map[512];
	struct endpoint source, destination; /* kind ENDPOINT_NONE: the map does not name them */
	uint64_t finished, total;            /* bytes; 0: unknown */
	int64_t at;                          /* unix seconds of the last save; 0: unknown */
	/* Which process still copies with that map, and how far it is, translated: then nobody else
	 * can go on with it. "": none does. */
	char running[160];
};

/* The copy of the newest map there; false: it was finished, there is none, or the directory does
 * not answer within a tenth of a second. */
bool session_unfinished(const struct session *session, struct session_unfinished *ret);
/* Adds a (translated) line to the log of a copy that runs or waits; otherwise does nothing. */
void session_note(struct session *session, const char *text);
bool session_log_dir_in_memory(const struct session *session);

#endif
