/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a session, for the files of this folder. The front end's thread
 * owns everything but what a background task's struct holds while it runs (task.h).
 * A file with state of its own in here has a header of its own.
 */
#ifndef CLONEDECK_SESSION_PRIVATE_H
#define CLONEDECK_SESSION_PRIVATE_H

#include <stdbool.h>

#include "base/log.h"
#include "copy/known.h"
#include "copy/map.h"
#include "guard/rules.h"
#include "plan/held.h"
#include "session/awake.h"
#include "session/check.h"
#include "session/checkup.h"
#include "session/disks.h"
#include "session/find.h"
#include "session/finish.h"
#include "session/health.h"
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
};

struct session {
	struct session_options options;
	enum session_state state;
	int epoll_fd;

	struct scan *scan; /* the front end's own: hot-plug, and scans that are waited for */
	struct scan_task scanning;
	struct disk_list *disks;
	struct error scan_error;
	char hotplug[HOTPLUG_LINES][160];
	unsigned hotplug_count; /* ever seen */

	struct find_task finding;
	struct plan *plan;
	struct check_task checking;
	struct error plan_error;
	bool loads;         /* the plan is still in the map at resume_path */
	struct known known; /* of a copy that is verified without its source */
	struct map *resume; /* NULL: from the start */
	char resume_path[512];
	struct range_list retry; /* with resume: bad areas that were chosen; empty: all */
	struct verdict_list verdicts;
	struct held held;            /* of the plan */
	struct disk source_contents; /* of its source, if that is an image */
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
	struct disk_list *started_disks; /* what the job borrows from; may be `disks` */

	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	struct parts earlier;
	struct waiting waiting;
	struct move_task moving;

	struct awake awake;
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
/* The rules on a plan, as far as they matter to one that goes on from `resume` (may be NULL). */
int session_judge(const struct session *session, const struct plan *plan, const struct map *resume,
		  const struct guard_facts *facts, struct verdict_list *ret, struct error *reterr);
/* Judges session->plan and finds what has to be typed. */
int session_take_facts(struct session *session, const struct guard_facts *facts,
		       struct error *reterr);
/* A copy is on its way: nothing else can be planned. -EBUSY */
int session_busy(const struct session *session, const char *operation, struct error *reterr);
/* Takes the plan (and the map) as the session's own and checks it; waits. */
int session_adopt_plan(struct session *session, struct plan *plan, struct map *resume,
		       struct error *reterr);

/* files.c */
void session_find_log_dir(struct session *session);
/* Map and report as the user named them: hours later is too late to find out. */
int session_check_files(const struct session *session, struct error *reterr);
/* -EINVAL where the file `path` (NULL: none) is an end of the plan. */
int session_check_not_an_end(const struct plan *plan, const char *path, struct error *reterr);
/* The same of a map and of its list of digests. */
int session_check_map(const struct plan *plan, const char *map, struct error *reterr);
int session_make_files(struct session *session, struct error *reterr);
/* What the log begins with, at every place. */
void session_log_plan(struct session *session);
/* Whoever reads a file's name later stands in another directory. */
void session_absolute(char *to, size_t size, const char *path);
/* `path` with `ending` in place of its .json, .txt or .html, or behind it; false: too long. */
bool session_name_beside(char *to, size_t size, const char *path, const char *ending);
/* The stem of the lists of sums beside a report; false, and *ret as it was: somebody else's are
 * there. sums: as in struct plan_options. */
bool session_name_sums(unsigned sums, const char *report, char *ret, size_t size);

/* resume.c */
/* A map and the plan in it, for the ends as they are in the list now. */
int session_load_map(const char *map_path, const struct disk_list *disks,
		     const struct plan_options *rescue, unsigned rescue_given, struct plan **ret,
		     struct map **retmap, struct error *reterr);
/* The disk, partition or image as recorded, in the list as it is now: by what it is; of disks that
 * look alike the one that was not detached since, and not that of `other`, the other end as
 * recorded. With -ESTALE *ret is the image that has its name. */
int session_find_end(const struct disk_list *disks, const struct endpoint *recorded,
		     const struct endpoint *other, bool destination, struct endpoint *ret,
		     struct error *reterr);
/* Is there more than its name to tell this disk or partition from others? */
bool session_has_label(const struct disk_list *disks, const struct endpoint *endpoint);
/* Does an image lie on the file system, of the very disk, that it lay on by another list? UNKNOWN:
 * neither has anything to tell it from others. */
enum tristate session_same_file_system(const struct disk_list *before,
				       const struct endpoint *recorded,
				       const struct disk_list *disks, const struct endpoint *found);

/* sample.c */
/* Compares a sample of what the map calls finished, through the descriptors of both claims; reads
 * the disks. -EBADMSG (class REFUSED) if any of it differs (`all`), or if most of it does, as on a
 * wrong disk. */
int sample_compare(const struct plan *plan, const struct map *map, int source, int destination,
		  bool all, struct error *reterr);

/* verify.c */
/* Refuses what would be no proof; with `digests` what is said of the source does not matter. */
int session_check_readable(const struct plan *plan, const struct verdict_list *verdicts,
			   bool digests, struct error *reterr);
/* A map that calls everything in the plan finished. */
int session_map_of_all(const struct plan *plan, struct map **ret, struct error *reterr);

#endif
