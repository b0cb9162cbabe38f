/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the session share. The front end's thread owns everything;
 * a background task owns what its struct holds from its start until its
 * descriptor becomes readable and it was joined.
 */
#ifndef CLONEDECK_SESSION_PRIVATE_H
#define CLONEDECK_SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/log.h"
#include "copy/known.h"
#include "copy/map.h"
#include "discover/health.h"
#include "guard/claim.h"
#include "plan/held.h"
#include "session/session.h"

#define HOTPLUG_LINES 32

/* A thread that does one thing and then makes event_fd readable. */
struct task {
	pthread_t thread;
	bool running;
	int event_fd;
};

/* An image file that is waited for. Its path may lead to a file system that does not answer. */
struct looked {
	struct endpoint recorded, found;
	int result;
	struct error error;
};

struct scan_task {
	struct task task;
	bool again;   /* something changed while it ran */
	bool patient; /* for disks that take their time to answer */
	bool follows; /* the front end wants lists in the background, not just the first one */
	bool looks;   /* for the ends of the plan that are images */
	struct looked images[2]; /* source, destination; of another kind: not looked for */
	struct scan_options options;
	struct scan *scan;
	struct disk_list *disks;
	struct error error;
	int result;
};

/* Looks around for a plan: where files lie, what is mounted. Reads its map first, where it comes
 * from one. */
struct check_task {
	struct task task;
	bool again;                    /* plan or disks have changed while it ran */
	const struct disk_list *disks; /* the session keeps it so long; NULL while none runs */
	char log_dir[512], map_path[512];
	bool load; /* the plan is in the map */
	const struct plan_options *rescue;
	unsigned rescue_given;
	struct plan ends;   /* of the plan; without its extents */
	struct plan *plan;  /* as it was read; owned */
	struct map *resume; /* likewise */
	struct guard_facts facts;
	struct error error;
	int result;
};

/* Who is meant by a name. */
struct find_task {
	struct task task;
	bool again;
	const struct disk_list *disks; /* as in check_task */
	char wanted[512];              /* asked for last, by the front end */
	bool wanted_destination;
	char text[512];
	bool destination;
	struct endpoint endpoint;
	struct error error;
	int result;
};

/* Releases the disks once the job has ended, makes the report, saves it. */
struct finish_task {
	struct task task;
	struct claim *source, *destination; /* to be closed; NULL: they are */
	bool reread;                        /* the destination's partition table, then */
	bool report;                        /* the last step: make and save the report */
	bool wanted;                        /* the next step is, when this one is done */
	bool made;                          /* session->report is there */
	struct error close_error, error;
};

/* Saves the report once more, from a copy of it. */
struct save_task {
	struct task task;
	char path[512]; /* "": where it is already */
	struct report report;
	struct plan *plan; /* the report's */
	struct error error;
	int result;
};

/* Where log, map and report of one copy go. */
struct session_files {
	char log[512], map[512], report[512], certificate[512], digests[512];
	char sums_stem[512]; /* of the lists of sums */
};

struct start_task {
	struct task task;
	struct job_setup setup;
	struct plan plan; /* the session's (its extents, too), with the ends as they were claimed */
	struct claim *source, *destination;
	/* After a disk was away: in the same files, what was copied is compared, and what was
	 * wished of the part before it counts. */
	bool goes_on;
	bool pause;
	uint64_t rate;
	struct job *job;
	struct error error;
	int result;
};

/* Reads the copy back that has just ended. */
struct again_task {
	struct start_task start;
	const struct disk_list *disks; /* as in check_task, while any of it runs */
	struct known known;            /* of the copy; without digests both ends are compared */
	struct map *map;               /* then: all of the plan */
	struct log *log;
	bool ending;   /* its ends are being closed */
	bool verified; /* `last` tells what came of it */
	struct job_snapshot last;
};

struct health_end {
	char node[64]; /* for smartctl; "" has no health */
	char sg[64];   /* for SCSI commands; "" does not know them */
	char disk[64]; /* whoever writes to it holds its lock */
};

struct span {
	uint64_t start, end; /* bytes of the end's node */
};

/* How fast the ends of a plan read: the measuring thread's while it runs, but for `cancel`. */
struct measure_task {
	struct task task;
	struct plan plan; /* the ends of it */
	struct span source, destination;
	atomic_bool cancel; /* the plan is another one, or its copy starts */
	bool known;
	struct session_measured found;
	struct error error;
};

#define CHECKUPS_MAX 16

struct checkup {
	struct identity identity;
	struct health_end end;
	bool wanted; /* its turn is still to come */
	struct health health;
};

/* Disks that are asked for their health before there is a copy. */
struct checkup_task {
	struct task task;
	struct checkup items[CHECKUPS_MAX];
	unsigned count, at; /* `at` is being asked */
	struct health_end asked;
	struct health answer; /* the asking thread's while it runs */
};

/* Who is asked for its health, and the answers: the asking thread's while it runs. */
struct health_task {
	struct task task;
	bool asked; /* after the copy */
	struct health_end source, destination;
	struct health source_before, destination_before;
	struct health source_after, destination_after;
};

/* What the ended parts of one copy have told (past.c). */
struct past {
	unsigned parts;
	struct job_snapshot sum;
};

/* The copy after a disk of it has gone (waiting.c). */
struct waiting {
	struct session_waiting shown;
	struct job *job;     /* the part that ended: to be shown until another one runs */
	struct map *map;     /* what the destination had confirmed; NULL: nothing */
	struct plan *plan;   /* the session's of before while the next part is started */
	struct map *resume;  /* likewise */
	uint64_t refused[2]; /* diskseq of ends that were compared and are others */
	bool went[2];        /* source, destination: was gone at some time */
	bool has_looked;     /* for the ends that are images: what came of it last */
	struct looked images[2];
	struct job_event *told; /* by all parts so far; the next job's setup borrows them */
	size_t told_count;
	int timer_fd;
};

/* Where the map is to go instead: the moving thread's while it runs. */
struct move_task {
	struct task task;
	char wanted[512]; /* "": one of the usual places */
	char from[512], log_dir[512];
	char path[512]; /* that was tried last, or taken */
	int result;
	struct error error; /* the front end's */
};

/* Holds off the sleep of the machine; zero-initialised: does not. */
struct awake {
	bool wanted;
	pid_t pid; /* 0: none */
	int pipe;  /* it ends with this */
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
	struct held held; /* of the plan */
	bool log_dir_in_memory;
	char token[512];
	char token_phrase[256];

	char log_dir[512];
	struct session_files files;
	struct log *log;
	struct start_task starting;
	struct again_task again;
	struct health_task asking;
	struct checkup_task checkup;
	struct measure_task measuring;
	struct error start_error;
	struct disk_list *started_disks; /* what the job borrows from; may be `disks` */

	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	struct past past;
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
	EVENT_AGAIN,
	EVENT_CHECKUP,
	EVENT_MEASURE,
	EVENT_COUNT,
};

/* session.c */
int session_watch(struct session *session, int fd, enum session_event_source source,
		  struct error *reterr);
int task_start(struct task *task, void *(*body)(void *), void *argument, struct error *reterr);
/* To be called as the last thing in a task's body. */
void task_announce(struct task *task);
void task_join(struct task *task);

/* disks.c */
void session_take_scan(struct session *session, unsigned *changes);
void session_take_hotplug(struct session *session, unsigned *changes);
/* Frees a list unless the session, a job or a task still looks at it. */
void session_drop_disks(struct session *session, const struct disk_list *disks);
int session_disks_init(struct session *session, struct error *reterr);
void session_disks_done(struct session *session);

/* plan.c */
/* The rules on a plan, as far as they matter to one that goes on from `resume` (may be NULL). */
int session_judge(const struct session *session, const struct plan *plan, const struct map *resume,
		  const struct guard_facts *facts, struct verdict_list *ret, struct error *reterr);
/* What follows from the plan and the disks as they are now: what is held back. */
int session_find_held(struct session *session, struct error *reterr);
/* Judges session->plan and finds what has to be typed. */
int session_take_facts(struct session *session, const struct guard_facts *facts,
		       struct error *reterr);
/* A copy is on its way: nothing else can be planned. -EBUSY */
int session_busy(const struct session *session, const char *operation, struct error *reterr);
/* Takes the plan (and the map) as the session's own and checks it; waits. */
int session_adopt_plan(struct session *session, struct plan *plan, struct map *resume,
		       struct error *reterr);

/* check.c */
/* Of session->plan, or of what is in the map at session->resume_path. */
int session_begin_check(struct session *session, struct error *reterr);
/* Judges the plan anew after the disks changed. */
void session_recheck(struct session *session);
void session_take_check(struct session *session, unsigned *changes);
/* Lets go of what the task has read. */
void session_forget_check(struct session *session);
/* Until SESSION_CHECKING is over: 0, or why there is no plan. */
int session_wait_for_check(struct session *session, struct error *reterr);

/* find.c */
void session_take_find(struct session *session, unsigned *changes);

/* files.c */
void session_find_log_dir(struct session *session);
/* Map and report as the user named them: hours later is too late to find out. */
int session_check_files(const struct session *session, struct error *reterr);
/* -EINVAL where the file `path` (NULL: none) is an end of the plan. */
int session_check_not_an_end(const struct plan *plan, const char *path, struct error *reterr);
/* The same of a map and of its list of digests. */
int session_check_map(const struct plan *plan, const char *map, struct error *reterr);
int session_make_files(struct session *session, struct error *reterr);
/* The map is saved by writing a file beside it and renaming that: does it work? Waits. */
int session_try_beside(const char *path);
/* Whoever reads a file's name later stands in another directory. */
void session_absolute(char *to, size_t size, const char *path);
/* `path` with `ending` in place of its .json, .txt or .html, or behind it; false: too long. */
bool session_name_beside(char *to, size_t size, const char *path, const char *ending);
/* The stem of the lists of sums beside a report; false, and *ret as it was: somebody else's are
 * there. sums: as in struct plan_options. */
bool session_name_sums(unsigned sums, const char *report, char *ret, size_t size);

/* checkup.c */
void session_take_checkup(struct session *session, unsigned *changes);

/* measure.c */
void session_take_measure(struct session *session, unsigned *changes);
/* What was measured is of another plan now. */
void session_forget_measure(struct session *session);

/* health.c */
/* Whoever writes to a disk holds its lock, and what the disk has to say is for him alone. */
bool session_is_written_to(const char *node);
/* Where it is to be asked; an empty node: nowhere. */
void session_address_disk(const struct disk *disk, struct health_end *ret);
/* Asks and waits; any thread. */
void session_ask_at(const struct health_end *end, struct health *ret);
/* Before the start: which nodes are to be asked. */
void session_address_health(struct session *session);
/* Waits for the answers; any thread. */
void session_ask_health(struct session *session, struct health *source, struct health *destination);
/* In the background, once; task_join() waits for it. */
void session_begin_health_after(struct session *session);

/* save.c */
/* The report and the certificate where the copy's files go. */
int session_save_first(struct session *session, struct error *reterr);
void session_take_save(struct session *session, unsigned *changes);
void session_forget_save(struct session *session);

/* finish.c */
/* Closes both claims of the job that ended, in the background. */
void session_begin_release(struct session *session);
void session_take_finish(struct session *session, unsigned *changes);

/* resume.c */
/* A map and the plan in it, for the ends as they are in the list now. */
int session_load_map(const char *map_path, const struct disk_list *disks,
		     const struct plan_options *rescue, unsigned rescue_given, struct plan **ret,
		     struct map **retmap, struct error *reterr);
/* The disk, partition or image as recorded, in the list as it is now: by what it is. */
int session_find_end(const struct disk_list *disks, const struct endpoint *recorded,
		     bool destination, struct endpoint *ret, struct error *reterr);
/* Is there more than its name to tell this disk or partition from others? */
bool session_has_label(const struct disk_list *disks, const struct endpoint *endpoint);
/* Does an image lie on the file system, of the very disk, that it lay on by another list? UNKNOWN:
 * neither has anything to tell it from others. */
enum tristate session_same_file_system(const struct disk_list *before,
				       const struct endpoint *recorded,
				       const struct disk_list *disks, const struct endpoint *found);

/* known.c */
/* Compares some places that the map calls finished, through the descriptors of both claims. A
 * difference is -EBADMSG (class REFUSED). Reads the disks. */
int known_compare(const struct plan *plan, const struct map *map, int source, int destination,
		  struct error *reterr);

/* past.c */
/* Joins a part's snapshot with those before it. */
void past_join(const struct past *past, struct job_snapshot *job);
/* One more part has ended; away: ns from then until the next one began. */
void past_add(struct past *past, const struct job_snapshot *part, uint64_t away);

/* waiting.c */
int session_waiting_init(struct session *session, struct error *reterr);
void session_waiting_done(struct session *session);
/* Will session_begin_waiting()? */
bool session_will_wait(const struct session *session);
/* The job has ended, its ends are still claimed. False: no disk is gone, or none is waited for. */
bool session_begin_waiting(struct session *session);
/* What a scan has found of images, before session_look_for_ends(). */
void session_take_looked(struct session *session);
/* After a scan. */
void session_look_for_ends(struct session *session, unsigned *changes);
void session_take_timer(struct session *session);
/* No disk is waited for any more; waits for a start that is under way. */
void session_give_up_waiting(struct session *session);
/* The next part was started (then it is the session's job), or could not be. */
void session_went_on(struct session *session, int result, const struct error *error);

/* move.c */
void session_take_move(struct session *session, unsigned *changes);

/* verify.c */
/* Refuses what would be no proof; with `digests` what is said of the source does not matter. */
int session_check_readable(const struct plan *plan, const struct verdict_list *verdicts,
			   bool digests, struct error *reterr);
/* A map that calls everything in the plan finished. */
int session_map_of_all(const struct plan *plan, struct map **ret, struct error *reterr);

/* again.c */
void session_take_verify(struct session *session, unsigned *changes);
/* The job has ended; its ends are still open until session_end_verify(). */
bool session_verify_ended(const struct session *session);
void session_end_verify(struct session *session);
/* At once, and waits for it; the session is about to go. */
void session_stop_verify(struct session *session);
struct job *session_verify_job(const struct session *session);

/* awake.c */
int awake_begin(const char *program, struct awake *awake);
void awake_end(struct awake *awake);
/* As the state of the session asks for it. */
void session_follow_awake(struct session *session);

/* start.c */
/* Claims both ends of session->plan and starts a job, in the background. */
int session_begin(struct session *session, bool goes_on, struct error *reterr);
void session_take_start(struct session *session, unsigned *changes);
/* Both ends of the plan for reading, or, with `digests`, only the destination; fills the setup,
 * which borrows all of it. Waits. */
int session_open_to_verify(struct start_task *starting, const struct plan *plan,
			   const struct disk_list *disks, const struct digests *digests,
			   const struct map *map, struct error *reterr);
void session_release_job(struct session *session);

#endif
