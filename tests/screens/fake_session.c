/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/text.h"
#include "discover/endpoint.h"
#include "guard/facts.h"
#include "session/run.h"

#include "fake.h"
#include "machine.h"

static struct fake_machines machines;
static int next_list; /* which the next scan finds */

void fake_machines(const struct fake_machines *given)
{
	machines = *given;
}

#define CHECKUPS 8

struct session {
	enum session_state state;
	int fd;
	unsigned pending;
	struct disk_list *disks;
	struct plan *plan;
	struct held held;
	struct layout_table table;
	struct verdict_list verdicts, coming; /* `coming` when the checks have ended */
	char token[512], phrase[600];
	struct job *job, *again; /* `again` reads the copy back once more */
	struct job_snapshot verified;
	bool has_verified;
	struct report report;
	bool has_report;
	struct error find_error, errors[SESSION_TASK_COUNT];
	struct endpoint endpoint;
	struct range_list retry;
	bool resumes;
	const char *allowed[2];
	int found;
	struct session_waiting waiting;
	int scans, past_reads;
	struct {
		char node[64];
		struct health health;
	} checkups[CHECKUPS];
	int checkup_count;
	struct session_measured measured;
	bool has_measured;
};

static void tell(struct session *session, unsigned changes)
{
	session->pending |= changes;
	eventfd_write(session->fd, 1);
}

int session_new(const struct session_options *options, struct session **ret, struct error *reterr)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return error_nomem(reterr);
	session->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	*ret = session;
	return 0;
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	session_discard_plan(session);
	disk_list_destroy(session->disks);
	close(session->fd);
	free(session);
}

/* The plan that is being made stays so. */
static bool stuck(const struct session *session)
{
	return machines.stuck || (machines.stuck_maps && session->resumes);
}

bool session_wait(struct session *session, int interrupt, int timeout)
{
	return !stuck(session) || session->state != SESSION_CHECKING;
}

enum session_state session_state(const struct session *session)
{
	return session->state;
}

void session_scan(struct session *session, const struct session_names *names)
{
	session->scans++;
	tell(session, SESSION_CHANGE_DISKS | SESSION_CHANGE_EVENT);
}

int session_fd(const struct session *session)
{
	return session->fd;
}

static void scan(struct session *session)
{
	disk_list_destroy(session->disks);
	session->disks = machine_make(machines.names[next_list]);
	if (next_list + 1 < machines.count)
		next_list++;
}

/* A copy whose source is unplugged as soon as it runs: the first scan behind it finds another disk
 * in its place, the second one the disk. */
static void vanish(struct session *session)
{
	session->state = SESSION_WAITING;
	session->waiting = (struct session_waiting){ .source = true, .at = 1790005600 };
	text_copy(session->waiting.who, sizeof(session->waiting.who),
		  "The source is gone: /dev/sda, ST2000DM008-2FR1, serial ZFL1A2B3");
}

static void come_back(struct session *session, unsigned *changes)
{
	*changes |= SESSION_CHANGE_STATE;
	if (session->waiting.note[0])
		session->state = SESSION_RUNNING;
	else
		text_copy(session->waiting.note, sizeof(session->waiting.note),
			  "At /dev/sda there is another disk now (WDC WD5000, serial WD-1). It is "
			  "not touched.");
}

static void make_report(struct session *session)
{
	struct report *report = &session->report;

	*report = (struct report){
		.plan = session->plan,
		.host = "rescue1",
		.kernel = "6.12",
		.version = "0",
		.grown_fs = { .state = session->plan->options.grow_fs ? GROWN_FS_DONE
								      : GROWN_FS_NOT_ASKED },
		.files = { .log = "/var/log/clonedeck/x.log",
			   .map = "/var/log/clonedeck/x.map",
			   .json = "/var/log/clonedeck/x.json",
			   .certificate = "/var/log/clonedeck/x.html",
			   .certificate_sum = "9f86d081884c7d659a2feaa0c55ad015"
					      "a3bf4f1b2b0b822cd15d6c15b0f00a08" },
	};
	job_snapshot(session->job, &report->job);
	job_rates(session->job, &report->rates);
	session->has_report = true;
	session->state = SESSION_FINISHED;
}

unsigned session_dispatch(struct session *session)
{
	unsigned changes = session->pending;
	eventfd_t value;

	eventfd_read(session->fd, &value);
	session->pending = 0;
	if (changes & SESSION_CHANGE_DISKS)
		scan(session);
	if (session->state == SESSION_WAITING && changes & SESSION_CHANGE_DISKS)
		come_back(session, &changes);
	if (session->state == SESSION_CHECKING && !stuck(session)) {
		session->state = session->plan ? SESSION_PLANNED : SESSION_CHOOSING;
		if (session->coming.count)
			session->verdicts = session->coming;
		session->coming = (struct verdict_list){ 0 };
		changes |= SESSION_CHANGE_STATE;
	} else if (session->state == SESSION_FINISHING && !machines.changing) {
		make_report(session);
		changes |= SESSION_CHANGE_STATE;
	} else if (session->state == SESSION_STARTING && machines.grabbed) {
		machines.grabbed = false;
		session->state = SESSION_PLANNED;
		error_set(&session->errors[SESSION_TASK_START], ERROR_CLASS_REFUSED, -EBUSY, "open",
			  session->plan->destinations[0].node,
			  "%s is in use: another program has it open exclusively.",
			  session->plan->destinations[0].node);
		changes |= SESSION_CHANGE_STATE;
	} else if (session->state == SESSION_STARTING) {
		session->state = SESSION_RUNNING;
		session->job = fake_job_new(session->plan, session->fd);
		changes |= SESSION_CHANGE_STATE;
		if (machines.vanishing)
			tell(session, SESSION_CHANGE_EVENT);
	} else if (session->state == SESSION_RUNNING && machines.vanishing) {
		machines.vanishing = false;
		vanish(session);
		changes |= SESSION_CHANGE_STATE;
	} else if (session->job) {
		changes |= SESSION_CHANGE_JOB;
	}
	return changes;
}

const struct disk_list *session_disks(const struct session *session)
{
	return session->disks;
}

const char *session_hotplug_line(const struct session *session, unsigned index)
{
	return session->scans > 1 && index == 0 ? "14:48:02  a disk came or went" : NULL;
}

static const struct disk *disk_at(const struct session *session, const struct endpoint *endpoint)
{
	return endpoint_disk(session->disks, endpoint);
}

/* Of the copy that has just ended, whose plan stays as it is. */
static int resume(struct session *session, const char *map, struct error *reterr)
{
	if (!session->plan)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOENT, "resume", map,
				 "There is no map %s: this session only pretends.", map);
	session->resumes = true;
	return 0;
}

static int plan(struct session *session, const struct session_wish *wish, struct error *reterr)
{
	struct guard_facts facts = { .disks = session->disks, .root = true };
	const struct plan *made;
	int r;

	session_discard_plan(session);
	r = plan_new(wish->source, wish->destination, wish->ranges, wish->destination_lba, NULL,
		     wish->options, &session->plan, reterr);
	made = session->plan;
	if (r == 0)
		r = rules_check(made, &facts, session->allowed, RUN_COPY, &session->coming, reterr);
	if (r == 0 && held_find(made, disk_at(session, &made->source),
				disk_at(session, &made->destinations[0]), &session->held) < 0)
		r = error_nomem(reterr);
	if (r < 0) {
		session_discard_plan(session);
		return r;
	}
	endpoint_token(session->disks, wish->destination, session->token);
	snprintf(session->phrase, sizeof(session->phrase),
		 "the last 6 characters of the serial number of %s", wish->destination->node);
	return 0;
}

int session_plan(struct session *session, const struct session_wish *wish, struct error *reterr)
{
	int r = wish->map ? resume(session, wish->map, reterr) : plan(session, wish, reterr);

	if (r < 0)
		return r;
	session->state = SESSION_CHECKING;
	if (!wish->map)
		machine_table(disk_at(session, &session->plan->source), session->plan,
			      &session->table);
	tell(session, SESSION_CHANGE_STATE);
	return 0;
}

int session_allow(struct session *session, const char *rule, struct error *reterr)
{
	struct guard_facts facts = { .disks = session->disks, .root = true };
	const char *const one[] = { rule, NULL };
	int r = rules_check_allow(one, reterr);

	for (const struct rule_info *info = rules_table(); r == 0 && info->id; info++)
		if (strcmp(info->id, rule) == 0)
			session->allowed[0] = info->id;
	verdict_list_done(&session->verdicts);
	if (rules_check(session->plan, &facts, session->allowed, RUN_COPY, &session->verdicts,
			reterr) < 0)
		session->verdicts = (struct verdict_list){ 0 };
	tell(session, SESSION_CHANGE_STATE);
	return r;
}

int session_find(struct session *session, const char *text, bool destination, struct error *reterr)
{
	session->found = endpoint_resolve(session->disks, text, destination, &session->endpoint,
					  &session->find_error);
	tell(session, SESSION_CHANGE_FOUND);
	return 0;
}

int session_found(const struct session *session, struct endpoint *ret, struct error *reterr)
{
	*ret = session->endpoint;
	*reterr = session->find_error;
	return session->found;
}

int session_measure(struct session *session, struct error *reterr)
{
	session->measured = (struct session_measured){ 210e6, 180e6 };
	session->has_measured = true;
	tell(session, SESSION_CHANGE_MEASURED);
	return 0;
}

void session_ask_health(struct session *session, const struct disk *disk)
{
	if (session->checkup_count == CHECKUPS)
		return;
	machine_health(disk, &session->checkups[session->checkup_count].health);
	text_copy(session->checkups[session->checkup_count++].node, 64, disk->node);
	tell(session, SESSION_CHANGE_HEALTH);
}

const struct health *session_health(const struct session *session, const struct disk *disk,
				    bool *retasking)
{
	*retasking = false;
	for (int i = session->checkup_count; i-- > 0;)
		if (strcmp(session->checkups[i].node, disk->node) == 0)
			return &session->checkups[i].health;
	return NULL;
}

const struct disk *session_image(const struct session *session, const struct endpoint *image)
{
	return NULL;
}

void session_shrink_after(struct session *session, const struct layout_shrink *shrink)
{
	(void)session;
	(void)shrink;
}

struct session_choice session_choice(const struct session *session)
{
	const struct plan *plan = session->plan;

	return (struct session_choice){
		.plan = plan,
		.verdicts = &session->verdicts,
		.held = &session->held,
		.no_offer = "",
		.table = plan && plan->whole && !session->resumes && session->table.count
				 ? &session->table
				 : NULL,
		.source = plan ? disk_at(session, &plan->source) : NULL,
		.destination = plan ? disk_at(session, &plan->destinations[0]) : NULL,
		.resumes = session->resumes,
		.finished_bytes = session->resumes ? UINT64_C(1046208642482) : 0,
		.retry = &session->retry,
		.token = session->token,
		.token_phrase = session->phrase,
		.comparable = verdict_list_worst(&session->verdicts) != VERDICT_REFUSE,
		.measured = session->has_measured ? &session->measured : NULL,
		.log_dir = "/var/log/clonedeck",
		.log_dir_in_memory = true,
	};
}

const struct error *session_error(const struct session *session, enum session_task task)
{
	return &session->errors[task];
}

void session_discard_plan(struct session *session)
{
	if (session->has_report)
		report_done(&session->report);
	session->has_report = false;
	fake_job_free(session->job);
	session->job = NULL;
	session->has_verified = false;
	session->has_measured = false;
	verdict_list_done(&session->verdicts);
	verdict_list_done(&session->coming);
	session->verdicts = session->coming = (struct verdict_list){ 0 };
	held_done(&session->held);
	plan_destroy(session->plan);
	session->plan = NULL;
	range_list_done(&session->retry);
	session->retry = (struct range_list){ 0 };
	session->resumes = false;
	session->allowed[0] = NULL;
	session->state = SESSION_CHOOSING;
}

void session_give_up_plan(struct session *session)
{
	session->resumes = false;
	if (session->has_report)
		session->state = SESSION_FINISHED;
	else
		session_discard_plan(session);
}

int session_confirm(struct session *session, const char *token, struct error *reterr)
{
	if (strcmp(token, session->token) != 0 ||
	    verdict_list_worst(&session->verdicts) == VERDICT_REFUSE)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm", "",
				 "That is not the token.");
	session->state = SESSION_CONFIRMED;
	return 0;
}

int session_start(struct session *session, struct error *reterr)
{
	if (session->state == SESSION_WAITING)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EAGAIN, "start", "",
				 "The disk is not there yet.");
	session->state = SESSION_STARTING;
	tell(session, SESSION_CHANGE_STATE);
	return 0;
}

int session_verify(struct session *session, struct error *reterr)
{
	session->state = SESSION_VERIFYING;
	session->has_verified = false;
	session->again = fake_job_verify(session->plan, !session->has_report, session->fd);
	tell(session, SESSION_CHANGE_STATE);
	return 0;
}

static void end_verify(struct session *session)
{
	job_snapshot(session->again, &session->verified);
	session->has_verified = true;
	fake_job_free(session->again);
	session->again = NULL;
	session->state = SESSION_FINISHED;
	tell(session, SESSION_CHANGE_STATE);
}

static struct job *job_of(const struct session *session)
{
	return session->state == SESSION_VERIFYING ? session->again : session->job;
}

struct session_copy session_copy(const struct session *session)
{
	return (struct session_copy){
		.job = job_of(session),
		.waiting = session->state == SESSION_WAITING ? &session->waiting : NULL,
		.report = session->has_report ? &session->report : NULL,
		.map_path = "/var/log/clonedeck/x.map",
		.verified = session->has_verified ? &session->verified : NULL,
		.busy = session->state >= SESSION_STARTING && session->state != SESSION_FINISHED,
		.changing = session->state == SESSION_FINISHING && machines.changing,
	};
}

void session_stop(struct session *session)
{
	if (job_of(session))
		job_stop(job_of(session));
}

bool session_can_finish(struct session *session)
{
	struct job_snapshot job;

	if ((session->state != SESSION_RUNNING && session->state != SESSION_VERIFYING) ||
	    !job_of(session))
		return false;
	job_snapshot(job_of(session), &job);
	return job.state == JOB_ENDED;
}

bool session_snapshot(const struct session *session, struct job_snapshot *ret)
{
	if (!job_of(session))
		return false;
	job_snapshot(job_of(session), ret);
	if (session->state == SESSION_WAITING) {
		ret->state = JOB_WAITING;
		ret->held_areas = 4;
	}
	return true;
}

int session_move_map(struct session *session, const char *path, struct error *reterr)
{
	tell(session, SESSION_CHANGE_MAP);
	return 0;
}

int session_finish(struct session *session, struct error *reterr)
{
	if (session->state == SESSION_VERIFYING) {
		end_verify(session);
		return 0;
	}
	session->state = SESSION_FINISHING;
	tell(session, SESSION_CHANGE_STATE);
	return 0;
}

int session_sign(struct session *session, const char *operator_name, const char *ticket,
		 bool mask_serials, struct error *reterr)
{
	struct report *report = &session->report;

	text_copy(report->operator_name, sizeof(report->operator_name), operator_name);
	text_copy(report->ticket, sizeof(report->ticket), ticket);
	report->mask_serials = mask_serials;
	session->errors[SESSION_TASK_SAVE] = (struct error){ 0 };
	tell(session, SESSION_CHANGE_SAVED);
	return 0;
}

int session_save(struct session *session, const char *path, const struct stick *stick,
		 struct error *reterr)
{
	session->errors[SESSION_TASK_SAVE] = (struct error){ 0 };
	if (path)
		error_set(&session->errors[SESSION_TASK_SAVE], ERROR_CLASS_ENVIRONMENT, -EROFS,
			  "save", path,
			  "The report cannot be saved to %s: this session only pretends.", path);
	tell(session, SESSION_CHANGE_SAVED);
	return 0;
}

size_t session_sticks(const struct session *session, struct stick ret[static STICKS_MAX])
{
	ret[0] = (struct stick){ .node = "/dev/sdz1",
				 .fs = "vfat",
				 .label = "BACKUP",
				 .model = "SanDisk Ultra",
				 .size = 16008609792 };
	return 1;
}

void session_note(struct session *session, const char *text)
{
}

bool session_unfinished(const struct session *session, struct session_unfinished *ret)
{
	*ret = (struct session_unfinished){ .finished = 980, .total = 1000, .at = 1790005600 };
	if (!machines.unfinished || !session->disks || session->disks->count < 4)
		return false;
	text_copy(ret->map, sizeof(ret->map), "/var/log/clonedeck/20260921-150000.map");
	endpoint_from_disk(&session->disks->disks[2], &ret->source);
	endpoint_from_disk(&session->disks->disks[1], &ret->destination);
	return true;
}

void session_read_past(struct session *session)
{
	session->past_reads++;
	tell(session, SESSION_CHANGE_PAST);
}

const struct past_copy *session_past(const struct session *session, size_t *retcount)
{
	const struct past_copy *past = machine_past(retcount);
	size_t later = machines.ending && session->past_reads < 2 ? 1 : 0;

	*retcount = machines.unfinished ? *retcount - later : 0;
	return past + later;
}

/* Nearly the first half; not what is copied last. */
int session_list_finished(const struct session *session, struct range_list *ret)
{
	*ret = (struct range_list){ 0 };
	if (!session->resumes)
		return 0;
	return range_list_add(ret, (struct range){ 1 << 20, plan_bytes(session->plan) / 2 });
}

int session_retry_areas(struct session *session, const struct range_list *areas,
			struct error *reterr)
{
	range_list_done(&session->retry);
	return range_list_copy(areas, &session->retry);
}

/* Nothing here has a file system to read. */
int session_read_used(struct session *session, const struct endpoint *source, struct error *reterr)
{
	return -ENOTSUP;
}

const struct used *session_used(const struct session *session, const struct endpoint *source)
{
	return NULL;
}
