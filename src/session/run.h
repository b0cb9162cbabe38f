/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session's copy: from the start of what was confirmed to its report; and what only reads. */
#pragma once

#include "after/report_stick.h"
#include "job/job.h"
#include "report/report.h"
#include "session/choose.h"

/* A disk of the copy is missing. */
struct session_waiting {
	bool source, destination; /* which of them is missing */
	bool back;                /* nothing is missing; session_start() continues */
	bool trying;              /* is being claimed and compared */
	uint64_t since;           /* monotonic ns */
	int64_t at;               /* the same in unix seconds */
	/* The missing disk by model, serial number and name; and what was found in its place, or
	 * why the copy does not continue, or "". Translated, printable. */
	char who[320], note[400];
};

/* The copy as of now; borrowed like struct session_choice. */
struct session_copy {
	struct job *job; /* NULL unless running, waiting (the job that ended) or finished */
	const struct session_waiting *waiting; /* NULL: no disk is missing */
	const struct report *report;           /* NULL: none yet */
	const char *map_path;                  /* "": not known yet */
	/* Of the last session_move_map(): will the new place be lost at a restart, and did the log
	 * move, too? */
	bool map_in_memory, log_moved;
	/* What the last verification found (session_verify()); NULL: it did not start, or has not
	 * ended. */
	const struct job_snapshot *verified;
	/* From the start of a copy or of a verification to its end: no other plan can be made. */
	bool busy;
	/* Report or log were abandoned on a disk that does not answer. If the kernel waits for it,
	 * the process ends only when the disk answers. */
	bool left_behind;
	/* The copy is complete, and what was asked for is changed on it, by tools that take their
	 * time. Whoever leaves then leaves them to themselves. */
	bool changing;
};
struct session_copy session_copy(const struct session *session);

/* In the background: opens and checks both ends, creates the log files, starts the job. On failure
 * the state goes back to SESSION_PLANNED and session_error(SESSION_TASK_START) says why. A copy
 * that waits for a disk continues, if the options say to ask, or continuing has failed: -EAGAIN
 * while the disk is missing. */
int session_start(struct session *session, struct error *reterr);
/* Stops the job in any state. A job that is still starting then writes nothing. Never waits. */
void session_stop(struct session *session);
/* The job's snapshot, with earlier parts of the copy added, and in state JOB_WAITING while a disk
 * is missing. False: there is no job. */
bool session_snapshot(const struct session *session, struct job_snapshot *ret);
/* Has the job ended, and is everything known that the report needs? The first call after the end
 * asks the disks for their health; session_fd() shows when they have answered. Never waits. */
bool session_can_finish(struct session *session);
/*
 * After the job has ended (it waits for that): releases the disks, makes and saves the report, in
 * the background. The state is SESSION_FINISHING until SESSION_CHANGE_STATE announces
 * SESSION_FINISHED; session_error(SESSION_TASK_FINISH) tells what went wrong. If the copy ended
 * because a disk is gone, and the options say to wait, the state becomes SESSION_WAITING instead:
 * when the same disk is back, under any name, it is claimed and compared again and the copy
 * continues. If called in that state, it gives up waiting and makes the report. Also ends a
 * verification (session_verify()).
 */
int session_finish(struct session *session, struct error *reterr);
/*
 * Moves the map of a running copy: to a new file, into a directory, or (NULL) to the one fallback:
 * the log directory or, if it was there, $TMPDIR or /dev/shm. In the background; SESSION_CHANGE_MAP
 * announces the result: session_error(SESSION_TASK_MOVE) and session_copy().map_path. What was
 * beside the map moves with it, and so does a log that cannot be written. Existing files and the
 * disks of the copy are never used.
 */
int session_move_map(struct session *session, const char *path, struct error *reterr);
/* Sets operator and ticket for report and certificate, and saves these again, in the background:
 * SESSION_CHANGE_SAVED announces the result in session_error(SESSION_TASK_SAVE). NULL: keep it; "":
 * remove it. -EBUSY while an earlier save is in progress. */
int session_sign(struct session *session, const char *operator_name, const char *ticket,
		 bool mask_serials, struct error *reterr);
/* The sticks of the newest list that the report can be saved on, none of a disk of the plan, none
 * in use. Returns their number. */
size_t session_sticks(const struct session *session, struct stick ret[static STICKS_MAX]);
/*
 * Saves report, text and certificate elsewhere, likewise. path: a directory, or a file name whose
 * ending is replaced by .json, .txt and .html. -EACCES (class REFUSED) on a disk of the plan. Or,
 * with log and map, on a stick, which is mounted only for that; path is NULL then.
 */
int session_save(struct session *session, const char *path, const struct stick *stick,
		 struct error *reterr);
/* Adds a (translated) line to the log of a copy that runs or waits; otherwise does nothing. */
void session_note(struct session *session, const char *text);

/* ---- a session that only reads: is a copy what its source is, or was? ---- */

/*
 * Only reads, in the background:
 * - of a plan (SESSION_PLANNED) both ends, and compares them instead of copying, whatever made the
 *   copy; of a plan from a report, the destination. Of the plan's options, its rate, retries and
 *   checksums count. What was found ends the plan (SESSION_FINISHED, without a report); if it could
 *   not start, the state is as before. Refusals that also concern reading are errors (-EBUSY, class
 *   REFUSED).
 * - of a copy that has ended (SESSION_FINISHED with a report) the destination once more, and
 *   compares it with the digests of the source; without a saved list of these
 *   (report.job.digests_saved), both ends, which makes sense only for a complete copy. The report
 *   stays as it is; the log gets some lines.
 * The same again of what was compared so. The state is SESSION_VERIFYING, session_copy().job is its
 * job once both ends are open, and session_finish() ends it once session_can_finish().
 * SESSION_CHANGE_STATE announces the end: session_copy().verified, or
 * session_error(SESSION_TASK_VERIFY) why it could not start.
 */
int session_verify(struct session *session, struct error *reterr);
