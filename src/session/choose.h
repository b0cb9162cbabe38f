/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session: one clone from the choice of disks to the report, for both front ends. It owns the
 * disk list, the plan, the verdicts, the claims, the job and the report, and enforces their order:
 * nothing can be started that was not planned, checked and confirmed.
 *
 *   session_scan() -> session_plan() -> session_confirm() -> session_start() -> session_finish()
 *
 * This header has its life and all up to the confirmation; run.h has the copy, and what
 * only reads. One thread, the front end's. No function waits for a disk or a file but
 * session_wait(), session_destroy() and session_finish() of a job that has not ended: whatever may
 * take long runs in a thread of its own, and session_fd() shows when to call session_dispatch().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "boot/boot.h"
#include "discover/disk.h"
#include "discover/endpoint.h"
#include "discover/lvm.h"
#include "guard/rules.h"
#include "health/health.h"
#include "layout/arrange.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "report/past_copy.h"
#include "session/used.h"

/* What happens when a disk of the copy is unplugged. */
enum session_vanish {
	SESSION_VANISH_WAIT, /* wait for the disk, then continue automatically */
	SESSION_VANISH_ASK,  /* wait for the disk and for session_start() */
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
	const char *notify; /* command that is told of the end and of missing disks; NULL: none */
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
	SESSION_FINISHED,  /* there is a report, or session_copy().verified of the plan */
	SESSION_VERIFYING, /* the ends of the plan, or of a copy that has ended, are compared */
};

/* What a session does in the background. */
enum session_task {
	SESSION_TASK_SCAN,
	SESSION_TASK_FIND,
	SESSION_TASK_PLAN,
	SESSION_TASK_MEASURE,
	SESSION_TASK_USED,
	SESSION_TASK_HEALTH, /* of a disk that is looked at */
	SESSION_TASK_START,
	SESSION_TASK_AFTER, /* the health of both disks after their copy */
	SESSION_TASK_MOVE,
	SESSION_TASK_FINISH,
	SESSION_TASK_SAVE,
	SESSION_TASK_VERIFY,
	SESSION_TASK_PAST,
	SESSION_TASK_COUNT,
};

enum session_change {
	/* session_disks() returns a new list; pointers into the old one are invalid */
	SESSION_CHANGE_DISKS = 1 << 0,
	SESSION_CHANGE_EVENT = 1 << 1, /* new hot-plug lines */
	SESSION_CHANGE_STATE = 1 << 2,
	SESSION_CHANGE_JOB = 1 << 3,
	SESSION_CHANGE_MAP = 1 << 4,      /* session_move_map() succeeded or failed */
	SESSION_CHANGE_SAVED = 1 << 5,    /* saving the report succeeded or failed */
	SESSION_CHANGE_FOUND = 1 << 6,    /* session_found() has a result */
	SESSION_CHANGE_HEALTH = 1 << 7,   /* session_health() has a new answer */
	SESSION_CHANGE_MEASURED = 1 << 8, /* measuring succeeded or failed */
	SESSION_CHANGE_USED = 1 << 9,     /* session_read_used() succeeded or failed */
	SESSION_CHANGE_PAST = 1 << 10,    /* session_past() has a new answer */
};

struct session;

int session_new(const struct session_options *options, struct session **ret, struct error *reterr);
/* Stops a running job cleanly first. NULL is fine. */
void session_destroy(struct session *session);
enum session_state session_state(const struct session *session);
/* Poll descriptor: hot-plug, the end of a background task, job events. */
int session_fd(const struct session *session);
/* Handles pending events; never blocks. Returns a set of session_change. */
unsigned session_dispatch(struct session *session);
/*
 * Dispatches until no background task runs (a job is none), for at most `timeout` milliseconds;
 * negative: without a limit. From then on, hot-plug starts no scan until session_scan(). False: one
 * of them still waits for a disk or a file system, and so would session_destroy() (to exit anyway,
 * do not destroy the session); or `interrupt`, a descriptor (negative: none), became readable.
 */
bool session_wait(struct session *session, int interrupt, int timeout);
/* Why that task failed the last time; code 0: it did not. */
const struct error *session_error(const struct session *session, enum session_task task);

/* ---- disks ---- */

/* The ends as a command names them: as endpoint_resolve() takes them, or, without a destination, by
 * a map. The strings are borrowed and outlive the session. */
struct session_names {
	const char *source, *destination, *map;
};
/*
 * Starts a scan in the background. names NULL: of all disks, which are read anew; from then on,
 * hot-plug and the end of a copy start one, too, which reads what has appeared or changed.
 * Otherwise one scan that waits for slow disks, but opens, and so waits for, only those of these
 * ends: for the checks, udev and sysfs tell enough about the others. Sectors that the map calls
 * unreadable are not read: on a dying disk, each such read costs seconds. If an end is not found,
 * all disks are opened.
 */
void session_scan(struct session *session, const struct session_names *names);
/* The last list; NULL: none yet. */
const struct disk_list *session_disks(const struct session *session);
/* Hot-plug lines, newest first; NULL after the last. */
const char *session_hotplug_line(const struct session *session, unsigned index);
/* Looks up a device or an image file by what the user typed, in the background and in the current
 * list. Replaces an earlier request. */
int session_find(struct session *session, const char *text, bool destination, struct error *reterr);
/* The result: 0 and the end, or why there is none. */
int session_found(const struct session *session, struct endpoint *ret, struct error *reterr);
/* The disk that an image file holds, as it was read last: by session_find(), or with a plan. NULL:
 * not known. Borrowed until session_destroy(). */
const struct disk *session_image(const struct session *session, const struct endpoint *image);
#define SESSION_HEALTH_MAX 64 /* disks whose answers are kept; the oldest is dropped */
/* Asks a disk of the list for its health, in the background; several are asked one after the other.
 * SESSION_CHANGE_HEALTH announces each answer. While a copy runs, no disk is asked. */
void session_ask_health(struct session *session, const struct disk *disk);
/* The last answer. NULL: the disk was not asked, or a device of its kind has no health. *retasking:
 * an answer is pending. */
const struct health *session_health(const struct session *session, const struct disk *disk,
				    bool *retasking);

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

/* The copy of the newest map in the log directory; false: it was finished, there is none, or the
 * directory does not answer within a tenth of a second. */
bool session_unfinished(const struct session *session, struct session_unfinished *ret);

#define SESSION_PAST_MAX 500
/* Reads what the log directory tells of the latest copies, in the background, also while a copy
 * runs. SESSION_CHANGE_PAST announces the end. */
void session_read_past(struct session *session);
/* What was read last, newest first. Borrowed until the next session_dispatch(). */
const struct past_copy *session_past(const struct session *session, size_t *retcount);

/*
 * Reads what the partitions of this source use, in the background, unless that is known already.
 * SESSION_CHANGE_USED announces the end; why it failed is in session_error(SESSION_TASK_USED). An
 * earlier request is given up, and this one when a copy or a verification starts.
 */
int session_read_used(struct session *session, const struct endpoint *source, struct error *reterr);
/* NULL: it was not read, or of another source. Borrowed until the next call that reads. */
const struct used *session_used(const struct session *session, const struct endpoint *source);

/* ---- plan ---- */

/* What is to be planned. The strings are borrowed until the plan is there. */
struct session_wish {
	/* NULL: the map names both, or the report the source. */
	const struct endpoint *source, *destination;
	const struct range_list *ranges; /* logical sectors of the source; NULL, empty: all */
	const uint64_t *destination_lba; /* of the first; NULL: the same place */
	const char *domain; /* only what this map calls finished, like ddrescue's domain; or NULL */
	/* Goes on from this map. Of ours, with both ends NULL: with the plan in it, and both disks
	 * are found by identity. Of GNU ddrescue, which does not name its disks: the whole source,
	 * at the same LBAs. */
	const char *map;
	const char *report; /* of a copy that is to be verified with its list of digests */
	const struct plan_options *options; /* NULL with a map of ours */
	/* NULL: all is copied. Not with a map or a domain. session_used() must have an answer. */
	const struct used_modes *used;
};
/*
 * Replaces the plan and checks it, in the background. Obvious errors are returned at once, and then
 * there is no plan. Otherwise the state is SESSION_CHECKING until SESSION_CHANGE_STATE announces
 * SESSION_PLANNED, or the previous state with the reason in session_error(SESSION_TASK_PLAN).
 * Before the first list of disks it is -EAGAIN. Refusals are verdicts, not errors. With a map, a
 * report or a domain, the report of an earlier copy stays until that was read.
 */
int session_plan(struct session *session, const struct session_wish *wish, struct error *reterr);
/* When the image that this plan makes is complete and verified, that is shrunk in it; what came of
 * it is in report->after. For as long as there is this plan. */
void session_shrink_after(struct session *session, const struct layout_shrink *shrink);

/* Bytes per second, from a few megabytes of what is to be copied or, where the disk was measured
 * from start to end once, from all of it; 0: unknown. */
struct session_measured {
	double source, destination; /* reading */
	double writes;              /* the destination */
};

/* What is planned, as of now. Pointers are borrowed until the next call that changes the session;
 * none but those that say so is NULL. */
struct session_choice {
	const struct plan *plan; /* NULL: none */
	const struct verdict_list *verdicts;
	/* The held areas of the copy; usually empty unless a whole disk is copied. */
	const struct held *held;
	/* What of the source can start a machine, as far as it was read. */
	const struct boot_look *boot;
	/* Of the source's LVM members, as far as they were read. */
	const struct volumes *volumes;
	/* What --table=fit --grow=last would do, where the sizes differ; NULL: not known, or done.
	 */
	const struct fitted *offer;
	/* What could be shrunk first, so that there would be one; NULL: nothing, or not known. */
	const struct layout_shrink *shrink;
	const char *no_offer; /* why there is none for a smaller disk; "" nothing is known */
	/* Of the source, as it would lie on the destination: what --layout starts from. NULL: not
	 * known, or no table is made for this plan. */
	const struct layout_table *table;
	/* The disks that the ends are or lie on; of an image, the disk that it holds. NULL: not
	 * known. */
	const struct disk *source, *destination;
	bool resumes;                   /* from a map, and skips what is finished there */
	uint64_t finished_bytes;        /* so much that map calls finished */
	const struct range_list *retry; /* the bad areas chosen to be read again; empty: all */
	/* What must be typed, "" for a new image; and a translated phrase for it ("the last 6
	 * characters of the serial number of /dev/sdb"). */
	const char *token, *token_phrase;
	/* What the source's partitions use, and which of them the copy leaves free places out of,
	 * or copies them last; NULL: whole. */
	const struct used *used;
	const struct used_modes *modes;
	bool checking;   /* also once more, since disks came or went: it cannot be confirmed then */
	bool comparable; /* both ends may be read, as far as the checks know (session_verify()) */
	bool measuring;
	const struct session_measured *measured; /* NULL: not for this plan, or not yet */
	const char *log_dir;
	bool log_dir_in_memory;
};
struct session_choice session_choice(const struct session *session);
/* Where the finished bytes are, as bytes of the source; empty without a map, and once the plan was
 * started. -ENOMEM. */
int session_list_finished(const struct session *session, struct range_list *ret);
/*
 * For a plan that resumes from a map: reads bad sectors again only in these areas (plan's sector
 * size), as often as the map says but at least once, and leaves all others alone. What was not
 * tried yet is copied in any case. The plan must be confirmed again. -ENODATA if the map calls
 * nothing in them bad.
 */
int session_retry_areas(struct session *session, const struct range_list *areas,
			struct error *reterr);
/* Lifts a rule that refuses this plan and may be lifted, as session_options.allow does from the
 * start, but for this plan only. The checks are made again in the background; the rule stands in
 * the report as lifted. -EINVAL (class USAGE): no such rule, or none that may be lifted here. */
int session_allow(struct session *session, const char *rule, struct error *reterr);
/* For a plan (SESSION_PLANNED): reads both ends, in the background; writes nothing. Cancelled when
 * the plan changes or is started. SESSION_CHANGE_MEASURED announces the end. */
int session_measure(struct session *session, struct error *reterr);
/* Back to SESSION_CHOOSING; not while a copy runs. */
void session_discard_plan(struct session *session);
/* Only in SESSION_CHECKING: the plan that is being made is not wanted any more. Back to
 * SESSION_FINISHED where the report of an earlier copy is still there, else to SESSION_CHOOSING. */
void session_give_up_plan(struct session *session);
/* Accepts if the token is right and no rule refuses; otherwise -EACCES (class REFUSED). -EAGAIN
 * while the plan is being checked again because disks came or went. */
int session_confirm(struct session *session, const char *token, struct error *reterr);
/* Of a plan: is this the token, or what may be given for it: the path of an image as it is, or a
 * device mapper's volume by name? */
bool session_takes_token(const struct session *session, const char *token);
