/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a session, for the files of this folder only. The front end's thread
 * owns everything, except the struct of a background task while that runs (task.h).
 * Files with a struct in here have a header of their own.
 */
#ifndef CLONEDECK_SESSION_SESSION_PRIVATE_H
#define CLONEDECK_SESSION_SESSION_PRIVATE_H

#include <limits.h>
#include <stdbool.h>

#include "base/log.h"
#include "guard/rules.h"
#include "map/map.h"
#include "map/recorded_copy.h"
#include "plan/held.h"
#include "session/awake.h"
#include "session/check.h"
#include "session/checkup.h"
#include "session/disks.h"
#include "session/find.h"
#include "session/finish.h"
#include "session/health.h"
#include "session/heartbeat.h"
#include "session/measure.h"
#include "session/move_map.h"
#include "session/parts.h"
#include "session/place.h"
#include "session/reverify.h"
#include "session/save_report.h"
#include "session/session.h"
#include "session/start.h"
#include "session/waiting.h"

/* Where log, map and report of one copy go. */
struct session_files {
	char log[512], map[512], report[512], certificate[512], digests[512];
	char sums_stem[512]; /* of the lists of sums */
	/* Of their directories (base/file.h); digests and sums are beside the report. */
	dev_t map_beneath, report_beneath, certificate_beneath;
};

#define ALLOWED_MAX 64

struct session {
	struct session_options options;       /* allow: NULL, `allowed` has them */
	const char *allowed[ALLOWED_MAX + 1]; /* rule ids, NULL-terminated */
	size_t allowed_always;   /* so many are from the options, the rest are for this plan */
	char given[3][PATH_MAX]; /* the options' paths, links followed */
	enum session_state state;
	int epoll_fd;

	struct scan *scan; /* the front end's: hot-plug, and scans that it waits for */
	struct scan_task scanning;
	struct disk_list *disks;
	struct image_store *images; /* what image files hold, for any thread */
	struct error scan_error;
	char hotplug[HOTPLUG_LINES][160];
	unsigned hotplug_count; /* so far */

	struct find_task finding;
	struct plan *plan;
	struct check_task checking;
	struct error plan_error;
	bool loads;                    /* the plan is still in the map at resume_path */
	struct recorded_copy recorded; /* the copy to be verified without its source */
	bool resumes;                  /* from a map, which calls so many bytes finished */
	uint64_t finished_bytes;
	/* That map; while a disk is missing, also what a copy from the start has confirmed. The
	 * starting thread's from the start on, and then the job's. */
	struct map *resume;
	char resume_path[512];
	struct range_list retry; /* with resume: the chosen bad areas; empty: all */
	struct verdict_list verdicts;
	struct source_writers source_writers; /* as the verdicts were made */
	struct held held;                     /* of the plan */
	bool log_dir_in_memory;
	char token[512];
	char token_phrase[256];

	char log_dir[512];
	struct session_files files;
	struct log *log;
	struct start_task starting;
	struct reverify_task reverifying;
	struct health_task asking;
	struct checkup_task checkup;
	struct measure_task measuring;
	struct error start_error;
	struct disk_list *started_disks; /* borrowed by the job; may be `disks` */

	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	struct parts earlier;
	struct waiting waiting;
	struct move_task moving;

	struct awake awake;
	struct heartbeat heartbeat;
	struct finish_task finishing;
	struct save_task saving;
	struct report report;
	bool has_report;
};

enum session_event_source {
	EVENT_HOTPLUG,
	EVENT_SCAN,
	EVENT_START,
	EVENT_JOB,
	EVENT_HEALTH,
	EVENT_TIMER,
	EVENT_HEARTBEAT,
	EVENT_MOVE,
	EVENT_CHECK,
	EVENT_FIND,
	EVENT_FINISH,
	EVENT_SAVE,
	EVENT_REVERIFY,
	EVENT_CHECKUP,
	EVENT_MEASURE,
	EVENT_COUNT,
};

/* session.c */
int session_watch(struct session *session, int fd, enum session_event_source source,
		  struct error *reterr);

/* plan.c */
/* The copy will go on from this map, now the session's; NULL: from the start. */
void session_resume_from(struct session *session, struct map *map);
/* Judges session->plan and determines the token. */
int session_take_facts(struct session *session, const struct guard_facts *facts,
		       struct error *reterr);
/* -EBUSY while a copy is in progress and nothing else can be planned. */
int session_busy(const struct session *session, const char *operation, struct error *reterr);
/* Takes over the plan (and the map) and checks it; waits. */
int session_adopt_plan(struct session *session, struct plan *plan, struct map *resume,
		       struct error *reterr);

/* files.c */
void session_find_log_dir(struct session *session);
/* Can map and report be written where the user wants them? Hours later is too late to find out. */
int session_check_files(const struct session *session, struct error *reterr);
/* -EINVAL if the file `path` (NULL: none) is an end of the plan. */
int session_check_not_an_end(const struct plan *plan, const char *path, struct error *reterr);
/* The same for a map and its list of digests. */
int session_check_map(const struct plan *plan, const char *map, struct error *reterr);
int session_make_files(struct session *session, struct error *reterr);
/* Logs the plan, at the beginning of each log file. */
void session_log_plan(struct session *session);
/* Makes a path absolute, since it may be used later from another directory. */
void session_absolute(char *to, size_t size, const char *path);
/* Replaces the .json, .txt or .html of `path` by `ending`, or appends it; false: too long. */
bool session_name_beside(char *to, size_t size, const char *path, const char *ending);
/* The stem of the checksum lists beside a report; false, with *ret unchanged: there are foreign
 * files of that name. sums: as in struct plan_options. */
bool session_name_sums(unsigned sums, const char *report, char *ret, size_t size);

/* resume.c */
/* Loads a map and the plan in it, with its ends as they are in the current list. */
int session_load_map(const char *map_path, const struct disk_list *disks,
		     const struct plan_options *rescue, unsigned rescue_given, struct plan **ret,
		     struct map **retmap, struct error *reterr);
/* Finds a recorded disk, partition or image in the current list, by its identity. Among disks that
 * look alike, it is the one that was not detached since, and not that of `other`, the other
 * recorded end. With -ESTALE, *ret is the image that now has its name. */
int session_find_end(const struct disk_list *disks, const struct endpoint *recorded,
		     const struct endpoint *other, bool destination, struct endpoint *ret,
		     struct error *reterr);
/* Finds both ends that a map names. */
int session_ends_of_map(const struct disk_list *disks, const char *map_path,
			struct endpoint *source, struct endpoint *destination);
/* Is there anything but its name to tell this disk or partition from others? */
bool session_has_label(const struct disk_list *disks, const struct endpoint *endpoint);
/* Is an image on the same file system, of the same disk, as according to another list? UNKNOWN:
 * that has no identity. */
enum tristate session_same_file_system(const struct disk_list *before,
				       const struct endpoint *recorded,
				       const struct disk_list *disks, const struct endpoint *found);

/* finish.c */
/* Was a warning that means this accepted before the start? */
bool session_warned(const struct session *session, enum verdict_means means);
/* The source's disk, or what an image holds, as it was when the copy began; NULL: unknown. */
const struct disk *session_copied(const struct session *session);
/* hurt.c: report->hurt, once the job's snapshot is in the report. */
void session_find_hurt(const struct session *session, struct job *job, struct report *report);
/* next.c: once the rest of the report is known. */
void session_say_next(const struct session *session, const struct error *close_error,
		      struct report *report);
/* A phrase for plan.source_writer. */
const char *session_writer_words(const struct source_writers *writers, char *buffer, size_t size);

/* verify.c */
/* Refuses what would prove nothing. */
int session_check_readable(const struct plan *plan, const struct verdict_list *verdicts,
			   enum guard_run run, struct error *reterr);
/* Refuses an image that is not as long as what it is to be compared with. */
int session_check_length(const struct plan *plan, struct error *reterr);
/* Makes a map in which everything in the plan is finished. */
int session_map_of_all(const struct plan *plan, struct map **ret, struct error *reterr);

#endif
