/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a job, and the calls of its front ends, which make requests and take copies. */
#include "job/job.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "copy/held_memory.h"
#include "job/capacity.h"
#include "job/coordinator_private.h"
#include "job/pass.h"
#include "job/tables.h"
#include "map/recorded_copy.h"
#include "rescue/search.h"
#include "rescue/skip.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/recheck.h"
#include "verify/rolling.h"
#include "verify/verdict.h"

#define STACK_SIZE (256 << 10)

/* All of a job that has one size, in one piece of memory. */
struct whole {
	struct job job; /* must stay first: it is freed as the job */
	struct coordinator coordinator;
	struct skip skip;
	struct sector_search search;
	struct zones zones;
	struct probe probe;
	struct look look;
	struct checksums checksums;
	struct rolling rolling;
	struct recheck recheck;
	struct tables tables;
};

static int choose(struct job *job, struct error *reterr)
{
	const struct job_setup *setup = &job->setup;
	const struct digests *saved =
		setup->earlier ? setup->earlier->digests : setup->source_digests;
	/* If there is no source, its handles read zeros that nothing uses, or nothing. */
	bool sourceless = setup->source_digests || setup->source_gone;
	int r = io_backends_choose(sourceless ? &setup->destination : &setup->source,
				   &setup->destination, &job->plan->options, &job->choice, reterr);

	if (r < 0)
		return r;
	if (setup->source_digests)
		job->choice.source = &io_null_backend;
	if (setup->source_gone)
		job->choice.source = &io_gone_backend;
	/* A request must not span more than two regions. */
	if (saved && job->choice.chunk > digests_region_size(saved))
		job->choice.chunk = (uint32_t)digests_region_size(saved);
	if (setup->source_backend)
		job->choice.source = setup->source_backend;
	if (setup->destination_backend)
		job->choice.destination = setup->destination_backend;
	job->choice.widest = io_backends_widest(&job->choice, &setup->source, &setup->destination,
						&job->plan->options);
	if (job->choice.lanes > JOB_LANES_MAX)
		job->choice.lanes = JOB_LANES_MAX;
	job->coordinator->lanes_max = job->choice.lanes;
	/* A second lane may help if the first one is busy computing and there is a processor free.
	 */
	if (!job->plan->options.lanes && !job->choice.take_turns &&
	    job->choice.source->traits & IO_ASYNC && job->choice.destination->traits & IO_ASYNC &&
	    cpu_count() > job->choice.lanes && job->choice.lanes * 2 <= JOB_LANES_MAX)
		job->coordinator->lanes_max = job->choice.lanes * 2;
	return 0;
}

/* Once the map is complete. -ENOMEM. */
static int prepare_rescue(struct job *job)
{
	const struct plan_options *o = &job->plan->options;
	uint32_t sector = job->plan->sector_size;

	job->search->patches = io_sector_size(&job->setup.destination) > sector;
	if (job->search->patches && !(job->search->spare = malloc(sector)))
		return -ENOMEM;
	job->fill_due = o->on_error == ON_ERROR_MAP && o->fill != FILL_LEAVE &&
			(map_bytes(job->map, MAP_BAD) > 0 || job->setup.source_gone);
	return 0;
}

static int make_map(struct job *job, struct error *reterr)
{
	int r = 0;

	if (job->setup.verify_only)
		job->map = job->setup.resume;
	else
		r = map_new(job->plan, &job->map, reterr);
	if (!job->map)
		return r < 0 ? r : -EINVAL;
	if (job->setup.resume && !job->setup.verify_only &&
	    map_resume(job->map, job->plan, job->setup.resume,
		       io_sector_size(&job->setup.destination)) < 0)
		return error_nomem(reterr);
	if (!job->setup.verify_only && prepare_rescue(job) < 0)
		return error_nomem(reterr);
	/* Enough for a usual copy: one more block for every chunk in flight. */
	if (map_reserve(job->map, 1024) < 0 ||
	    job_make_work(job, WORK_UNFINISHED, job->choice.chunk, false) < 0)
		return error_nomem(reterr);
	if (stages_init(&job->stages, job->plan, job->setup.held) < 0 ||
	    (!job->setup.verify_only &&
	     held_memory_new(&job->stages, job->plan->sector_size, &job->copy.held) < 0))
		return error_nomem(reterr);
	tables_load(job);
	job->setup.held = NULL;
	job->clearing.at = map_held(job->map)->cleared;
	job->total = plan_bytes(job->plan);
	job->already = map_bytes(job->map, MAP_FINISHED);
	return 0;
}

/* From the first byte of the source that is copied to the last. */
static void make_zones(struct job *job)
{
	const struct plan *plan = job->plan;
	struct extent_bytes last = plan_extent_bytes(plan, plan->extent_count - 1);

	zones_init(job->zones, plan_extent_bytes(plan, 0).source, last.source + last.length,
		   job->choice.chunk);
}

static void set_place(struct job *job, struct place *place, const char *path, dev_t beneath)
{
	SCOPED_LOCK(&job->coordinator->place_lock);
	text_copy(place->path, sizeof(place->path), path ? path : "");
	place->beneath = beneath;
}

bool job_place(struct job *job, const struct place *place, struct place *ret)
{
	SCOPED_LOCK(&job->coordinator->place_lock);
	*ret = *place;
	return ret->path[0] != '\0';
}

static int set_map_place(struct job *job, const char *path, dev_t beneath, struct error *reterr)
{
	if (!path[0] || strlen(path) >= sizeof(job->coordinator->map_place.path))
		return error_set(reterr, ERROR_CLASS_USAGE, path[0] ? -ENAMETOOLONG : -EINVAL,
				 "save", "", _("The name of the map file is empty or too long."));
	set_place(job, &job->coordinator->map_place, path, beneath);
	return 0;
}

static void tell(struct job *job, enum log_level level, const char *sentence)
{
	job_event_add(job, level, "%s", sentence);
}

static bool is_gone(struct job *job, bool destination)
{
	struct error error;

	if (job->setup.look)
		job->setup.look(job->setup.check_user, destination);
	if (!unplug_found(&job->coordinator->unplug, destination, &error))
		return false;
	job_fail(job, destination ? FAILURE_DESTINATION : FAILURE_SOURCE, &error);
	return true;
}

static const struct copy_owner owner = {
	.kick = job_kick,
	.fail = job_fail,
	.tell = tell,
	.is_gone = is_gone,
};

/* Before the lanes are made. */
static void make_copy(struct job *job)
{
	job->copy = (struct copy){
		.plan = job->plan,
		.source = &job->setup.source,
		.destination = &job->setup.destination,
		.choice = &job->choice,
		.never_writes = job->setup.verify_only,
		.work = &job->work,
		.limit = &job->limit,
		.zones = job->zones,
		.gate = &job->gate,
		.slot_size = pass_slot_size(),
		.search = job->search,
		.verification = &job->verification,
		.owner = &owner,
		.job = job,
	};
}

static void observe(struct job *job)
{
	struct verification *v = &job->verification;

	if (v->proof)
		copy_observe(&job->copy, &proof_observer);
	else if (v->look->shown.asked)
		copy_observe(&job->copy, &look_observer);
	if (v->checksums->hasher)
		v->checksums->observer = copy_observe(&job->copy, &checksums_observer);
}

static int make_lanes(struct job *job, struct error *reterr)
{
	observe(job);
	for (unsigned i = 0; i < job->choice.lanes; i++) {
		int r = lane_new(&job->copy, i, job->choice.buffers_per_lane,
				 i ? job->lanes[0] : NULL, &job->lanes[i], reterr);

		if (r < 0)
			return r;
		atomic_store(&job->lane_count, i + 1);
	}
	return 0;
}

static void init_locks(struct job *job)
{
	pthread_mutex_init(&job->failure_lock, NULL);
	pthread_mutex_init(&job->map_lock, NULL);
	pthread_mutex_init(&job->coordinator->place_lock, NULL);
	pthread_mutex_init(&job->coordinator->shown_lock, NULL);
	pthread_cond_init(&job->coordinator->shown_cond, NULL);
}

static void done_locks(struct job *job)
{
	pthread_cond_destroy(&job->coordinator->shown_cond);
	pthread_mutex_destroy(&job->coordinator->shown_lock);
	pthread_mutex_destroy(&job->coordinator->place_lock);
	pthread_mutex_destroy(&job->map_lock);
	pthread_mutex_destroy(&job->failure_lock);
}

static int init(struct job *job, struct error *reterr)
{
	int r = events_init(&job->events, job->setup.log, job->setup.events, job->setup.event_count,
			    reterr);

	if (r >= 0)
		r = job->wake = eventfd_new(reterr);
	if (r >= 0)
		r = measure_init(&job->coordinator->measure,
				 (const char *const[]){ job->setup.source_hwmon,
							job->setup.destination_hwmon },
				 reterr);
	if (r >= 0)
		r = job_setup_check(&job->setup, reterr);
	if (r >= 0)
		r = choose(job, reterr);
	if (r >= 0)
		make_zones(job);
	make_copy(job);
	if (r >= 0)
		r = make_map(job, reterr);
	job_join_verification(job);
	if (r >= 0)
		r = proof_new(&job->verification, job->setup.earlier, reterr);
	job->setup.earlier = NULL;
	if (r >= 0)
		r = checksums_new(&job->verification, reterr);
	if (r >= 0 && (recheck_init(&job->verification) < 0 ||
		       rolling_init(&job->verification) < 0 || look_init(&job->verification) < 0))
		r = error_nomem(reterr);
	if (r >= 0 && job->setup.map_path)
		r = set_map_place(job, job->setup.map_path, job->setup.map_beneath, reterr);
	job_set_digests_path(job, job->setup.digests_path, job->setup.digests_beneath);
	if (r >= 0)
		r = make_lanes(job, reterr);
	return r;
}

/* The observers that count what happens to the disks. */
static void init_watchers(struct job *job)
{
	const struct job_setup *setup = &job->setup;
	const char *source = setup->source.name, *destination = setup->destination.name;

	job->coordinator->unplug = (struct unplug){
		.present = setup->present,
		.user = setup->check_user,
		.events = &job->events,
		.ends = { { .end = &setup->source }, { .end = &setup->destination } },
	};
	job->coordinator->bad_areas = (struct bad_areas){
		.plan = job->plan,
		.disk = setup->source_disk,
		.names = { source, destination },
		.events = &job->events,
	};
	job->coordinator->io_sums = (struct io_sums){
		.events = &job->events,
		.ends = { { .name = source }, { .name = destination } },
	};
}

static void join_parts(struct whole *whole)
{
	struct job *job = &whole->job;

	job->coordinator = &whole->coordinator;
	job->skip = &whole->skip;
	job->search = &whole->search;
	job->zones = &whole->zones;
	job->probe = &whole->probe;
	job->tables = &whole->tables;
	job->verification.look = &whole->look;
	job->verification.checksums = &whole->checksums;
	job->verification.rolling = &whole->rolling;
	job->verification.recheck = &whole->recheck;
}

int job_new(const struct job_setup *setup, struct job **ret, struct error *reterr)
{
	struct whole *whole = calloc(1, sizeof(*whole));
	struct job *job;
	char name[PATH_MAX];
	int r;

	if (!whole)
		return error_nomem(reterr);
	job = &whole->job;
	join_parts(whole);
	job->setup = *setup;
	job->plan = setup->plan;
	job->coordinator->nameless =
		io_find_name(&setup->destination, name, sizeof(name)) != IO_NAME_KEPT;
	job->wake = job->events.fd = -1;
	/* Lanes rest until the coordinator has checked the claim. */
	atomic_store(&job->gate, GATE_PAUSE);
	rate_limit_set(&job->limit, job->plan->options.rate, clock_monotonic());
	init_locks(job);
	skip_init(job->skip);
	init_watchers(job);
	r = init(job, reterr);
	if (r < 0) {
		/* It stays the caller's. */
		if (job->map == setup->resume)
			job->map = NULL;
		job_destroy(job);
		return r;
	}
	/* What was finished before counts as confirmed. */
	if (!setup->verify_only)
		job->confirmed = setup->resume;
	job->setup.resume = NULL;
	coordinator_set_state(job, JOB_READY, clock_monotonic());
	*ret = job;
	return 0;
}

int job_start(struct job *job, struct error *reterr)
{
	int r;

	if (job->coordinator->launched)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EALREADY, "start", "",
				 _("The copy was started before."));
	job->coordinator->launched = true;
	job->coordinator->joined = true;
	r = saver_new(job->wake, &job->saver, reterr);
	for (unsigned i = 0; r >= 0 && i < job->lane_count; i++)
		r = lane_start(job->lanes[i], reterr);
	if (r >= 0)
		r = thread_start(&job->coordinator->thread, STACK_SIZE, coordinator_main, job,
				 "coordinator", reterr);
	if (r < 0)
		coordinator_join(job);
	else
		job->coordinator->joined = false;
	return r < 0 ? r : 0;
}

void job_pause(struct job *job, bool pause)
{
	atomic_store(&job->coordinator->want_pause, pause);
	/* Pausing takes effect at once; resuming is left to the coordinator. */
	if (pause)
		job_gate_raise(job, GATE_PAUSE);
	job_kick(job);
}

bool job_pause_wanted(struct job *job)
{
	return atomic_load(&job->coordinator->want_pause);
}

void job_stop(struct job *job)
{
	job_gate_raise(job, GATE_STOP);
	job_kick(job);
}

void job_set_rate(struct job *job, uint64_t bytes_per_second)
{
	rate_limit_set(&job->limit, bytes_per_second, clock_monotonic());
	atomic_store(&job->coordinator->rate_changed, true);
	for (unsigned i = 0; i < atomic_load(&job->lane_count); i++)
		lane_wake(job->lanes[i]);
	job_kick(job);
}

void job_snapshot(struct job *job, struct job_snapshot *ret)
{
	/* Before copying, so that a later change is seen next time. */
	eventfd_clear(job->events.fd);
	SCOPED_LOCK(&job->coordinator->shown_lock);
	*ret = job->coordinator->shown;
}

void job_rates(struct job *job, struct rates *ret)
{
	SCOPED_LOCK(&job->coordinator->shown_lock);
	*ret = job->coordinator->shown_rates;
}

void job_map_cells(struct job *job, uint64_t start, uint64_t size, int cells, char *out)
{
	uint64_t position;
	enum job_state state;

	if (size == 0) {
		start = 0;
		size = job->plan->source.size;
	}
	pthread_mutex_lock(&job->map_lock);
	map_cells(job->map, start, size, cells, out);
	position = work_position(&job->work);
	pthread_mutex_unlock(&job->map_lock);

	pthread_mutex_lock(&job->coordinator->shown_lock);
	state = job->coordinator->shown.state;
	pthread_mutex_unlock(&job->coordinator->shown_lock);
	if (state == JOB_READY || state == JOB_FLUSHING || state == JOB_ENDED || position < start ||
	    position - start >= size)
		return;

	int cell = (int)((double)(position - start) / (double)size * cells);

	if (cell < cells && (out[cell] == '?' || out[cell] == '+'))
		out[cell] = '>';
}

void job_look_at_map(struct job *job, void (*look)(const struct map *map, void *user), void *user)
{
	SCOPED_LOCK(&job->map_lock);
	look(job->map, user);
}

int job_set_map_path(struct job *job, const char *path, dev_t beneath, struct error *reterr)
{
	int r = set_map_place(job, path, beneath, reterr);

	if (r < 0)
		return r;
	atomic_store(&job->coordinator->want_save, true);
	job_kick(job);
	return 0;
}

void job_set_digests_path(struct job *job, const char *path, dev_t beneath)
{
	set_place(job, &job->coordinator->digests_place, path, beneath);
}

int job_event_fd(const struct job *job)
{
	return job->events.fd;
}

int job_wait(struct job *job, struct error *reterr)
{
	struct error error;
	bool join;

	if (!job->coordinator->launched)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "wait", "",
				 _("The copy was not started."));
	pthread_mutex_lock(&job->coordinator->shown_lock);
	while (!job->coordinator->joined && job->coordinator->shown.state != JOB_ENDED)
		pthread_cond_wait(&job->coordinator->shown_cond, &job->coordinator->shown_lock);
	join = !job->coordinator->joined;
	job->coordinator->joined = true;
	error = job->coordinator->shown.error;
	pthread_mutex_unlock(&job->coordinator->shown_lock);
	if (join)
		pthread_join(job->coordinator->thread, NULL);
	if (error.code < 0 && reterr)
		*reterr = error;
	return error.code;
}

size_t job_events(struct job *job, uint64_t after, struct job_event *ret, size_t max)
{
	return events_after(&job->events, after, ret, max);
}

struct map *job_take_confirmed(struct job *job)
{
	return cleanup_steal(job->confirmed);
}

void job_destroy(struct job *job)
{
	if (!job)
		return;
	if (job->coordinator->launched && !job->coordinator->joined) {
		job_stop(job);
		job_wait(job, NULL);
	}
	/* Before the lanes: the hasher's threads read their buffers. */
	checksums_done(&job->verification);
	for (unsigned i = 0; i < job->lane_count; i++)
		lane_destroy(job->lanes[i]);
	work_done(&job->work);
	stages_done(&job->stages);
	tables_done(job->tables);
	held_memory_destroy(job->copy.held);
	capacity_done(&job->probe->capacity);
	look_done(job->verification.look);
	rolling_done(job->verification.rolling);
	recheck_done(job->verification.recheck);
	proof_destroy(job->verification.proof);
	map_destroy(job->map);
	map_destroy(job->confirmed);
	measure_done(&job->coordinator->measure);
	events_done(&job->events);
	fd_close(job->wake);
	done_locks(job);
	skip_done(job->skip);
	free(job->search->spare);
	free(job);
}
