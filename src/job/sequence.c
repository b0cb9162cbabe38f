/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the coordinator goes through the sequence of passes. */
#include "job/pass.h"

#include <errno.h>

#include "base/i18n.h"
#include "base/units.h"
#include "copy/held_memory.h"
#include "job/coordinator_private.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

bool job_differs(const struct job *job)
{
	return proof_differs(job->verification.proof) || look_differs(job->verification.look) ||
	       atomic_load(&job->clearing.wrong) > 0;
}

/* Before the last key area is written, nobody finds what else is there. */
static bool last_is_finished(const struct job *job)
{
	const struct range_list *last = stages_domain(&job->stages);
	uint64_t sector = job->plan->sector_size;
	struct map_block block;

	for (size_t i = 0; last && i < last->count; i++)
		if (!map_at(job->map, last->items[i].start * sector, &block) ||
		    block.status != MAP_FINISHED || block.start > last->items[i].start * sector ||
		    block.start + block.size <
			    (last->items[i].start + last->items[i].count) * sector)
			return false;
	return last != NULL;
}

void job_note_written(struct job *job)
{
	/* What the destination refuses is never finished. Whether all of the tables could be read
	 * and written is another question: the report has the answer. */
	bool to_the_end =
		job_nothing_left(job) ||
		((job->refused_bytes || (job->setup.source_gone && last_is_finished(job))) &&
		 stages_last(&job->stages) && job_gate(job) < GATE_STOP);

	job->stages.written |= to_the_end && map_bytes(job->map, MAP_FINISHED);
}

static bool all_parked(const struct job *job)
{
	for (unsigned i = 0; i < job->lane_count; i++)
		if (atomic_load(&job->lanes[i]->state) == LANE_RUNNING)
			return false;
	return true;
}

bool pass_is_through(struct job *job)
{
	if (!job->pass)
		return true;
	if (job->pass->traits & PASS_NO_LANES)
		return saver_idle(job->saver);
	return all_parked(job) && checksums_through(&job->verification);
}

/* The user sees all passes over the held-back areas as one. */
static enum pass_kind shown_kind(const struct job *job, const struct pass *pass)
{
	return job->stages.now > 0 && !(pass->traits & PASS_SHOWN_AS_IS) ? PASS_ARM : pass->kind;
}

uint64_t pass_handled(const struct job *job)
{
	return JOB_SUM(job, handled) - job->coordinator->course.handled_before;
}

/* Updates the line of the current pass. */
static void update_line(const struct job *job, uint64_t now, struct job_pass *pass)
{
	const struct course *c = &job->coordinator->course;

	pass->ns = c->before.ns + (now - c->pass_started);
	pass->done = c->before.done + pass_handled(job);
	pass->errors = c->before.errors + JOB_SUM(job, errors) - c->errors_before;
}

void pass_show(const struct job *job, uint64_t now, struct job_snapshot *ret)
{
	const struct course *c = &job->coordinator->course;

	for (unsigned i = 0; i < c->pass_count; i++)
		ret->passes[i] = c->passes[i];
	ret->pass_count = c->pass_count;
	if (!job->pass)
		return;
	ret->pass = shown_kind(job, job->pass);
	update_line(job, now, &ret->passes[c->pass_count - 1]);
}

unsigned pass_number(const struct job *job)
{
	return job->pass && job->pass->number ? job->pass->number(job) : 1;
}

static void close_pass(struct job *job, uint64_t now)
{
	struct course *c = &job->coordinator->course;

	checksums_close(&job->verification);
	if (job->pass->end)
		job->pass->end(job);
	if (job->pass->judge)
		job->pass->judge(&job->verification);
	if (!(job->pass->traits & PASS_NO_LANES))
		coordinator_measure(job, true, now);
	update_line(job, now, &c->passes[c->pass_count - 1]);
	job->pass = NULL;
	job->round++;
}

static void open_line(struct job *job, const struct pass *pass, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	struct course *c = &job->coordinator->course;
	enum pass_kind kind = shown_kind(job, pass);
	struct job_pass *line;

	if (c->pass_count == 0 || c->passes[c->pass_count - 1].kind != kind)
		c->passes[c->pass_count++] = (struct job_pass){ .kind = kind };
	line = &c->passes[c->pass_count - 1];
	c->before = *line;
	line->rounds++;
	if (!(pass->traits & PASS_NO_LANES)) {
		line->total = line->done + job->work.bytes;
		line->backwards = job->work.descending;
	}
	c->pass_started = co->reading_since = now;
	c->handled_before = JOB_SUM(job, handled);
	c->errors_before = JOB_SUM(job, errors);
}

static void begin_flush(struct job *job, const struct pass *pass, uint64_t now)
{
	struct coordinator *co = job->coordinator;

	if (co->paused_since) {
		co->paused_ns += now - co->paused_since;
		co->paused_since = 0;
	}
	if (!co->copied && pass->kind == PASS_FLUSH) {
		co->copied = now;
		co->copied_paused_ns = co->paused_ns;
	}
	job->flush_due = false;
	coordinator_set_state(job, job_gate(job) >= GATE_STOP ? JOB_STOPPING : JOB_FLUSHING, now);
	if (pass->traits & PASS_SAVES)
		coordinator_flush_and_save(job, job_nothing_left(job) ? '+' : '?', now);
	else
		coordinator_flush(job);
}

static void begin_lanes(struct job *job, uint64_t now)
{
	struct coordinator *co = job->coordinator;
	struct course *c = &job->coordinator->course;

	if (c->pass_count > 1 || job->round > 0)
		job_event_add(job, LOG_LEVEL_INFO, _("Pass %u, %s: %s."), c->pass_count,
			      pass_words(shown_kind(job, job->pass)),
			      UNITS_LONG(job->work.bytes, UNITS_SI, 512));
	if (job->pass->traits & PASS_WRITES) {
		job->flush_due = job->verification.look->due = true;
		co->flushed_at = 0;
	}
	for (unsigned i = 0; i < job->lane_count; i++)
		if (atomic_load(&job->lanes[i]->state) == LANE_PARKED)
			atomic_store(&job->lanes[i]->state, LANE_RUNNING);
	job->copy.ops = job->pass->ops;
	job->copy.traits = job->pass->traits;
	atomic_fetch_add(&job->copy.generation, 1);
	for (unsigned i = 0; i < job->lane_count; i++)
		lane_wake(job->lanes[i]);
	if (!co->paused_since)
		coordinator_set_state(job, job->pass->state, now);
}

static void begin_pass(struct job *job, const struct pass *pass, uint64_t now)
{
	open_line(job, pass, now);
	job->pass = pass;
	if (pass->traits & PASS_NO_LANES)
		begin_flush(job, pass, now);
	else
		begin_lanes(job, now);
}

/* PASS_NONE: there was none. */
static enum pass_kind last_kind(const struct course *c)
{
	return c->pass_count > 0 ? c->passes[c->pass_count - 1].kind : PASS_NONE;
}

/* Does all of the step hold? */
static bool holds(const struct job *job, const struct step *step)
{
	unsigned when = step->when;

	return !((when & WHEN_ONCE && job->round > 0) ||
		 (when & WHEN_FIRST && job->stages.now > 0) ||
		 (when & WHEN_HELD && job->stages.count == 0) ||
		 (when & WHEN_WRITTEN && !job->flush_due) ||
		 (when & WHEN_COPYING && job->setup.verify_only) ||
		 (when & WHEN_RESCUING && job->plan->options.on_error != ON_ERROR_MAP) ||
		 (when & WHEN_VERIFYING && !job->verification.proof) ||
		 (when & WHEN_DIFFERENT && !job_differs(job)) ||
		 (when & WHEN_PARTED && !stages_parted(&job->stages)) ||
		 (when & WHEN_THERE && job->setup.source_gone) ||
		 (when & WHEN_GOES_ON && last_kind(&job->coordinator->course) != step->pass->kind));
}

/* 1: the pass has something to do; 0: it has not; -ENOMEM: it has to wait. */
static int prepare(struct job *job, const struct step *step)
{
	const struct pass *pass = step->pass;
	struct error error;
	int r;

	if ((job_gate(job) >= GATE_STOP || job->verification.recheck->while_stopped) &&
	    !(pass->traits & PASS_ALWAYS))
		return 0;
	if (!holds(job, step))
		return 0;
	job->stages.part = step->part;
	r = pass->prepare ? pass->prepare(job, job->round) : 1;
	if (r >= 0 || r == -ENOMEM)
		return r;
	error_set(&error, ERROR_CLASS_INTERNAL, r, "pass", job->setup.source.name,
		  _("The pass \"%s\" over %s could not begin: %s."), pass_words(pass->kind),
		  job->setup.source.name, error_phrase(r));
	job_fail(job, FAILURE_INTERNAL, &error);
	return 0;
}

static bool source_has_failed(const struct job *job)
{
	return map_damaged_areas(job->map) > 0 || JOB_SUM(job, read_errors) > 0;
}

/* The held areas are copied only if everything before them is right. */
static bool next_stage(struct job *job)
{
	struct stages *stages = &job->stages;

	if (stages_last(stages) || job_gate(job) >= GATE_STOP || job_differs(job) ||
	    !proof_complete(&job->verification))
		return false;
	if (job->copy.held && (job->setup.source_gone || source_has_failed(job)))
		held_memory_prefer(job->copy.held);
	stages->now++;
	job->coordinator->course.step = 0;
	return true;
}

/* True: a pass has begun, or has to wait; false: no pass has anything left to do. */
static bool find_pass(struct job *job, uint64_t now)
{
	struct course *c = &job->coordinator->course;

	for (; c->step < sequence_count; c->step++, job->round = 0) {
		const struct pass *pass = sequence[c->step].pass;

		/* The saver may still be busy with a save on the way. */
		if (pass->traits & PASS_NO_LANES && !saver_idle(job->saver))
			return true;
		int r = prepare(job, &sequence[c->step]);

		if (r > 0)
			begin_pass(job, pass, now);
		if (r == -ENOMEM && !job->coordinator->pass_waits)
			coordinator_tell_memory(job);
		job->coordinator->pass_waits = r == -ENOMEM;
		if (r != 0)
			return true;
	}
	return false;
}

bool pass_next(struct job *job, uint64_t now)
{
	if (job->pass) {
		/* Collect what is left in the rings before anything is judged. */
		coordinator_collect(job);
		if (job->coordinator->memory_short)
			return true;
		close_pass(job, now);
	}
	do {
		if (find_pass(job, now))
			return true;
	} while (next_stage(job));
	return !saver_idle(job->saver);
}
