/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting in the background: claims both ends, creates the files, runs the job. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/partial_digests.h"
#include "guard/claim.h"
#include "session/half_made.h"
#include "session/session_private.h"

/* The smallest unit that every file system addresses. */
#define FILE_SECTOR 512

static void describe_file(const struct endpoint *endpoint, struct io_end *ret)
{
	ret->regular_file = true;
	ret->logical_sector_size =
		endpoint->logical_sector_size ? endpoint->logical_sector_size : FILE_SECTOR;
	ret->physical_sector_size = endpoint->physical_sector_size ? endpoint->physical_sector_size
								   : ret->logical_sector_size;
	ret->kind = DISK_OTHER;
	ret->rotational = UNKNOWN;
}

static void describe_disk(const struct endpoint *endpoint, const struct disk *disk,
			  struct io_end *ret)
{
	ret->logical_sector_size = endpoint->logical_sector_size;
	ret->physical_sector_size = endpoint->physical_sector_size;
	ret->kind = DISK_OTHER;
	ret->rotational = UNKNOWN;
	if (!disk)
		return;
	ret->dma_alignment = disk->dma_alignment;
	ret->max_transfer = disk->max_transfer;
	ret->max_command = disk->max_command;
	ret->queue_depth = disk->queue_depth;
	ret->kind = disk->kind;
	ret->rotational = disk->rotational;
	ret->host_managed = disk_is_host_managed(disk);
	text_copy(ret->spindle, sizeof(ret->spindle), disk->physical_parent);
	text_copy(ret->transport, sizeof(ret->transport), disk->transport);
	text_copy(ret->driver, sizeof(ret->driver), disk->driver);
}

static void describe(const struct endpoint *endpoint, const struct disk *disk, uint64_t size,
		     bool writable, struct io_end *ret)
{
	*ret = (struct io_end){
		.fd = -1,
		.writable = writable,
		.name = endpoint->node,
		.size = size,
		.sg = endpoint->sg,
		.sg_fd = -1,
		.start = endpoint->start,
	};
	if (endpoint->kind == ENDPOINT_IMAGE)
		describe_file(endpoint, ret);
	else
		describe_disk(endpoint, disk, ret);
}

static void use_claim(const struct claim *claim, struct io_end *end)
{
	end->fd = claim_fd(claim);
	end->direct = claim_is_direct(claim);
	end->sg_fd = claim_sg_fd(claim);
}

static int check_claims(void *user, struct error *reterr)
{
	const struct start_task *starting = user;
	int r = claim_check(starting->destination, reterr);

	return r < 0 ? r : claim_check(starting->source, reterr);
}

static bool is_present(void *user, bool destination)
{
	const struct start_task *starting = user;

	return claim_present(destination ? starting->destination : starting->source);
}

static int open_both(struct session *session)
{
	struct start_task *starting = &session->starting;
	const struct plan *plan = session->plan;
	int r = claim_open(&plan->source, CLAIM_SOURCE, plan, &starting->source, &starting->error);

	if (r == 0)
		r = claim_open(&plan->destination, CLAIM_DESTINATION, plan, &starting->destination,
			       &starting->error);
	if (r < 0)
		return r;
	/* The map must identify the new file, not another one of that name. */
	starting->plan.destination = *claim_endpoint(starting->destination);
	use_claim(starting->source, &starting->setup.source);
	use_claim(starting->destination, &starting->setup.destination);
	return 0;
}

/* A disk that came back may be in use by now. The contents of the destination were judged and
 * confirmed at the start. */
static int check_again(struct session *session)
{
	struct start_task *starting = &session->starting;
	struct verdict_list verdicts = { 0 };
	struct guard_facts facts;
	int r = facts_gather(&starting->plan, session->started_disks, session->log_dir,
			     session->resumes ? session->resume_path : NULL, &facts,
			     &starting->error);

	session_look_into_images(session->images, &starting->plan, &facts);
	if (r == 0)
		r = rules_check(&starting->plan, &facts, session->allowed,
				session->resumes ? RUN_RESUME : RUN_COPY, &verdicts,
				&starting->error);
	if (r == 0 && verdict_list_worst(&verdicts) == VERDICT_REFUSE)
		r = error_set(&starting->error, ERROR_CLASS_REFUSED, -EACCES, "check",
			      starting->plan.destination.node, "%s", verdicts.items[0].sentence);
	verdict_list_done(&verdicts);
	return r;
}

DEFINE_CLEANUP(digests, struct digests *, digests_destroy)

/* Sequence numbers of an earlier boot are not in the plan of a map. */
static bool was_never_detached(const struct endpoint *now, const struct plan *recorded)
{
	if (!recorded)
		return false;
	if (now->kind == ENDPOINT_IMAGE)
		return endpoint_inode_lasts(now) &&
		       identity_same_inode(&now->identity, &recorded->destination.identity);
	return now->identity.diskseq &&
	       now->identity.diskseq == recorded->destination.identity.diskseq;
}

/* Disks without a label go by their names, labels may be shared, and a map may be anybody's:
 * another disk must not be written to. If everything is verified in the end, a place that was
 * changed is found then and need not stop the copy now. Sectors that cannot be read any more were
 * rescued in time. */
static int compare_before(struct session *session, const struct recorded_copy *earlier)
{
	struct start_task *starting = &session->starting;
	struct half_made half = {
		.plan = &starting->plan,
		.map = session->resume,
		.source = claim_fd(starting->source),
		.destination = claim_fd(starting->destination),
		.strict = starting->goes_on || starting->plan.options.verify == VERIFY_OFF,
		.confirmed = !starting->goes_on,
	};
	CLEANUP(digests) struct digests *known = NULL;
	int r;

	if (!session->resume)
		return 0;
	half.same_device = was_never_detached(&starting->plan.destination, map_plan(half.map));
	if (earlier->digests &&
	    digests_new_sized(half.plan, digests_region_size(earlier->digests), &known) == 0)
		partial_digests_restore(known, half.map, earlier);
	half.known = known;
	r = sample_check_length(half.plan, half.map, half.destination, &starting->error);
	if (r == 0)
		r = half_made_check(&half, &starting->error);
	return r == -EIO && !starting->goes_on ? 0 : r;
}

/* Without digests, what was copied before is compared with its source. */
static void load_earlier(struct session *session, struct recorded_copy *ret)
{
	struct start_task *starting = &session->starting;
	struct error error = { 0 };
	char path[PATH_MAX], id[9];

	partial_digests_path(session->files.map, path);
	if (!session->resumes || starting->plan.options.verify == VERIFY_OFF ||
	    access(path, F_OK) < 0)
		return;
	if (recorded_copy_load(path, ret, &error) < 0) {
		log_error(session->log, "session", &error);
	} else if (strcmp(ret->id, plan_id(&starting->plan, id)) != 0) {
		log_line(session->log, LOG_LEVEL_WARNING, "session",
			 "%s belongs to another plan and is not used", path);
		recorded_copy_done(ret);
	}
}

/* For a further part of a copy, the files exist, and so does what was copied. */
static int prepare(struct session *session, struct recorded_copy *earlier)
{
	struct start_task *starting = &session->starting;
	int r = 0;

	if (!starting->goes_on) {
		session_ask_health(session, &session->asking.source_before,
				   &session->asking.destination_before);
		r = session_make_files(session, &starting->error);
	}
	if (r < 0)
		return r;
	load_earlier(session, earlier);
	return compare_before(session, earlier);
}

static int check_reading(void *user, struct error *reterr)
{
	const struct start_task *starting = user;
	int r = claim_check(starting->destination, reterr);

	return r < 0 || !starting->source ? r : claim_check(starting->source, reterr);
}

static const struct disk *disk_of(const struct disk_list *disks, const struct endpoint *endpoint)
{
	return disks && endpoint->kind != ENDPOINT_IMAGE ? endpoint_disk(disks, endpoint) : NULL;
}

int session_open_to_verify(struct start_task *starting, const struct plan *plan,
			   const struct disk_list *disks, struct image_store *images,
			   const struct digests *digests, struct map *map, struct error *reterr)
{
	const struct disk *source = disk_of(disks, &plan->source);
	struct endpoint destination = plan->destination;
	int r = 0;

	/* An image that was made by the copy, or became longer. */
	destination.size = plan->destination_size_after;
	starting->plan = *plan;
	starting->setup = (struct job_setup){
		.plan = &starting->plan,
		.resume = map,
		.verify_only = true,
		.source_digests = digests,
		.source_disk = source ? source : image_store_known(images, &plan->source),
		.check = check_reading,
		.check_user = starting,
	};
	describe(&plan->source, source, plan->source.size, false, &starting->setup.source);
	describe(&plan->destination, disk_of(disks, &plan->destination), destination.size, false,
		 &starting->setup.destination);
	starting->setup.destination.from_medium = true;
	if (!digests)
		r = claim_open(&plan->source, CLAIM_SOURCE, plan, &starting->source, reterr);
	if (r == 0)
		r = claim_open(&destination, CLAIM_SOURCE, plan, &starting->destination, reterr);
	if (r < 0)
		return r;
	if (!digests)
		use_claim(starting->source, &starting->setup.source);
	use_claim(starting->destination, &starting->setup.destination);
	return 0;
}

/* Of a job that comes to nothing. */
static void take_map_back(struct session *session)
{
	struct job *job = session->starting.job;

	if (!job || !session->resumes)
		return;
	job_stop(job);
	job_wait(job, NULL);
	session->resume = job_take_confirmed(job);
}

static void discard_claims(struct start_task *starting)
{
	job_destroy(cleanup_steal(starting->job));
	claim_discard(cleanup_steal(starting->destination));
	claim_discard(cleanup_steal(starting->source));
}

static void *start_body(void *argument)
{
	struct session *session = argument;
	struct start_task *starting = &session->starting;
	struct recorded_copy earlier = { 0 };
	int r = starting->goes_on ? check_again(session) : 0;

	if (r == 0)
		r = open_both(session);
	if (r == 0)
		r = prepare(session, &earlier);
	if (r == 0) {
		starting->setup.earlier = earlier.digests ? &earlier : NULL;
		starting->setup.map_path = session->files.map;
		starting->setup.map_beneath = session->files.map_beneath;
		starting->setup.digests_path = session->files.digests;
		starting->setup.digests_beneath = session->files.report_beneath;
		starting->setup.log = session->log;
		r = job_new(&starting->setup, &starting->job, &starting->error);
		starting->setup.earlier = NULL;
		if (r == 0)
			session->resume = NULL; /* the job has it */
	}
	recorded_copy_done(&earlier);
	if (r == 0 && starting->goes_on && starting->rate != starting->plan.options.rate)
		job_set_rate(starting->job, starting->rate);
	if (r == 0 && starting->goes_on && starting->pause)
		job_pause(starting->job, true);
	if (r == 0 && atomic_load(&starting->stop))
		job_stop(starting->job);
	if (r == 0)
		r = job_start(starting->job, &starting->error);
	if (r < 0) {
		log_error(session->log, "session", &starting->error);
		take_map_back(session);
		/* Closing a disk may take long, too. */
		discard_claims(starting);
	}
	starting->result = r;
	task_announce(&starting->task);
	return NULL;
}

static void drop_started_disks(struct session *session)
{
	const struct disk_list *disks = session->started_disks;

	session->started_disks = NULL;
	if (disks)
		session_drop_disks(session, disks);
}

static void remember_wishes(struct start_task *starting, struct job *before)
{
	struct job_snapshot job;

	job_snapshot(before, &job);
	starting->rate = job.rate_limit;
	starting->pause = job_pause_wanted(before);
}

/* It stays known over resumes: what was copied meanwhile does not get better. */
static void note_writer(struct session *session)
{
	struct plan *plan = session->plan;
	const struct verdict *written = verdict_list_find(&session->verdicts, MEANS_SOURCE_WRITTEN);

	if (plan->source_writer[0] || !written || !written->lifted)
		return;
	session_writer_words(&session->source_writers, plan->source_writer,
			     sizeof(plan->source_writer));
	if (!plan->source_writer[0])
		text_copy(plan->source_writer, sizeof(plan->source_writer),
			  _("it was used as swap or held by another program"));
}

int session_begin(struct session *session, bool goes_on, struct error *reterr)
{
	struct start_task *starting = &session->starting;
	const struct plan *plan = session->plan;
	const struct disk *source, *destination;

	/* First of all: the job borrows its disks from the list that stays. */
	drop_started_disks(session);
	session->started_disks = session->disks;
	source = session_source_disk(session);
	destination = session_destination_disk(session);
	note_writer(session);
	starting->plan = *plan;
	starting->goes_on = goes_on;
	session->moving.tried = session->moving.saved = session->moving.lost = false;
	starting->setup = (struct job_setup){
		.plan = &starting->plan,
		.resume = session->resume,
		.held = &session->held,
		.retry = session->retry.count ? &session->retry : NULL,
		.probe = plan_probes(plan, destination),
		.rolling = plan_rolling(plan, destination),
		.source_hwmon = source ? source->hwmon : NULL,
		.destination_hwmon = destination ? destination->hwmon : NULL,
		.source_disk = session_source_contents(session),
		.map_interval = session->options.map_interval * NSEC_PER_SEC,
		.check = check_claims,
		.present = is_present,
		.check_user = starting,
		.source_in_use = plan->source_writer[0] != '\0',
		.source_was_gone =
			goes_on && (session->waiting.went[0] || session->earlier.source_gone),
		.events = session->waiting.told,
		.event_count = session->waiting.told_count,
	};
	describe(&starting->plan.source, source, plan->source.size, false, &starting->setup.source);
	describe(&starting->plan.destination, destination,
		 plan->destination.kind == ENDPOINT_IMAGE ? plan->destination_size_after
							  : plan->destination.size,
		 true, &starting->setup.destination);
	starting->setup.destination.from_medium = plan->options.verify != VERIFY_OFF;
	if (goes_on)
		remember_wishes(starting, session->waiting.job);
	atomic_store(&starting->stop, false);
	starting->error = (struct error){ 0 };
	session_forget_measure(session);
	session_address_health(session);
	return task_start(&starting->task, start_body, session, reterr);
}

int session_start(struct session *session, struct error *reterr)
{
	if (session->state != SESSION_CONFIRMED)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "start", NULL,
				 _("Nothing can be started before it is confirmed."));
	session->start_error = (struct error){ 0 };
	int r = session_begin(session, false, reterr);

	if (r == 0)
		session->state = SESSION_STARTING;
	return r;
}

void session_stop(struct session *session)
{
	struct job *job = session_job(session);

	atomic_store(&session->starting.stop, true);
	if (job)
		job_stop(job);
}

void session_release_job(struct session *session)
{
	discard_claims(&session->starting);
	session_waiting_done(session);
	heartbeat_end(session);
	session->earlier = (struct parts){ 0 };
	if (session->has_report)
		report_done(&session->report);
	session->has_report = false;
	drop_started_disks(session);
}

void session_take_start(struct session *session, unsigned *changes)
{
	struct start_task *starting = &session->starting;

	task_join(&starting->task);
	*changes |= SESSION_CHANGE_STATE;
	if (starting->result == 0)
		starting->result = session_watch(session, job_event_fd(starting->job), EVENT_JOB,
						 &starting->error);
	if (starting->result < 0)
		take_map_back(session);
	/* A new image is identified by its inode from now on. */
	if (starting->result == 0)
		session->plan->destination.identity = starting->plan.destination.identity;
	if (session->state == SESSION_WAITING) {
		if (starting->result < 0)
			discard_claims(starting);
		session_went_on(session, starting->result, &starting->error);
		return;
	}
	if (starting->result == 0) {
		session->state = SESSION_RUNNING;
		heartbeat_begin(session);
		return;
	}
	session->start_error = starting->error;
	session_release_job(session);
	session->state = SESSION_PLANNED;
	/* The plan was judged by a list that is no longer true. */
	if (session->scanning.follows)
		session_look_again(session);
}

const struct error *session_start_error(const struct session *session)
{
	return &session->start_error;
}

struct job *session_job(const struct session *session)
{
	switch (session->state) {
	case SESSION_WAITING:
		return session->waiting.job;
	case SESSION_RUNNING:
		return session->starting.job;
	case SESSION_VERIFYING:
		return session_verify_job(session);
	/* Of the copy whose report is still shown, if any. */
	case SESSION_CHECKING:
	case SESSION_FINISHING:
	case SESSION_FINISHED:
		return session->waiting.job ? session->waiting.job : session->starting.job;
	default:
		return NULL;
	}
}

bool session_snapshot(const struct session *session, struct job_snapshot *ret)
{
	struct job *job = session_job(session);

	if (!job)
		return false;
	job_snapshot(job, ret);
	if (session->state == SESSION_VERIFYING)
		return true;
	parts_join(&session->earlier, ret);
	if (session->state == SESSION_WAITING)
		ret->state = JOB_WAITING;
	if (session->moving.saved) {
		ret->map_safe = true;
		ret->map_failed = false;
	}
	return true;
}
