/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a job: its result, and the end of its threads. */
#include <errno.h>
#include <limits.h>
#include <time.h>

#include "base/file.h"
#include "base/i18n.h"
#include "job/coordinator_private.h"
#include "job/pass.h"
#include "job/tables.h"
#include "verify/checksums.h"
#include "verify/final_look.h"
#include "verify/recheck.h"
#include "verify/verdict.h"

static enum job_result judge(struct job *job)
{
	switch (job_failure(job, NULL)) {
	case FAILURE_NONE:
		break;
	case FAILURE_BAD_SECTOR:
	case FAILURE_LIMIT:
		return JOB_RESULT_STOPPED;
	default:
		return JOB_RESULT_FAILED;
	}
	if (job_differs(job) && (job_nothing_left(job) || job_gate(job) < GATE_STOP))
		return JOB_RESULT_MISMATCH;
	/* What the destination refused stays a hole, however often the job is resumed. */
	if (job->refused_bytes && job_gate(job) < GATE_STOP)
		return JOB_RESULT_PARTIAL;
	if (!job_nothing_left(job) || clearing_is_due(job))
		return JOB_RESULT_STOPPED;
	if (!proof_complete(&job->verification) ||
	    (job_gate(job) >= GATE_STOP &&
	     (checksums_are_due(&job->verification) || look_is_due(&job->verification))))
		return JOB_RESULT_STOPPED;
	return map_bytes(job->map, MAP_BAD) || proof_unknown(job->verification.proof)
		       ? JOB_RESULT_PARTIAL
		       : JOB_RESULT_COMPLETE;
}

static void tell_end(struct job *job)
{
	switch (job->coordinator->result) {
	case JOB_RESULT_COMPLETE:
		job_event_add(job, LOG_LEVEL_INFO,
			      plan_left_out(job->plan)
				      ? _("Everything but free places is copied and flushed.")
			      : job->verification.proof
				      ? _("Everything is copied, flushed and verified.")
				      : _("Everything is copied and flushed."));
		if (job->setup.source_in_use)
			job_event_add(job, LOG_LEVEL_WARNING,
				      _("The source was in use meanwhile: the copy is not one "
					"moment of it."));
		break;
	case JOB_RESULT_MISMATCH:
		job_event_add(job, LOG_LEVEL_ERROR,
			      job->verification.recheck->while_stopped
				      ? _("The source changed while the copy was stopped.")
			      : job->verification.recheck->changed
				      ? _("The source changed during the copy.")
				      : _("The destination does not match the source."));
		break;
	case JOB_RESULT_PARTIAL:
		job_event_add(job, LOG_LEVEL_WARNING,
			      map_bytes(job->map, MAP_BAD) || job->refused_bytes
				      ? _("Everything but the bad areas is copied and flushed.")
				      : _("Everything is copied and flushed, but not all of it "
					  "could be verified."));
		break;
	case JOB_RESULT_STOPPED:
		if (job->setup.source_gone && job->coordinator->armed)
			job_event_add(job, LOG_LEVEL_WARNING,
				      _("The tables are written as they were saved at the start. "
					"What was not read of %s is missing."),
				      job->setup.source.name);
		job_event_add(job, LOG_LEVEL_WARNING,
			      job->coordinator->map_safe
				      ? _("Stopped. The copy can be resumed from its map.")
				      : _("Stopped. Its map could not be saved."));
		break;
	default:
		job_event_add(
			job, LOG_LEVEL_ERROR,
			job->failure_error.code == -ENODEV
				? _("The copy has stopped because its disk is no longer there.")
				: _("The copy failed."));
		break;
	}
}

/* After all passes: was something left out? */
static void check_all_done(struct job *job)
{
	struct error error;

	/* A copy that differs is not armed, so something may be left; what a source that is gone
	 * has not given is. */
	if (job_gate(job) >= GATE_STOP || job->refused_bytes || job_differs(job) ||
	    job->setup.source_gone ||
	    (job_nothing_left(job) && !clearing_is_due(job) && proof_complete(&job->verification)))
		return;
	error_set(&error, ERROR_CLASS_INTERNAL, -EPROTO, "copy", job->setup.source.name,
		  job_nothing_left(job)
			  ? _("The threads ended before all of %s was verified. This "
			      "is a defect of the program; please report it.")
			  : _("The threads ended before all of %s was copied. This is "
			      "a defect of the program; please report it."),
		  job->setup.source.name);
	job_fail(job, FAILURE_INTERNAL, &error);
}

/* Where nothing at all could be read, the copy failed: without this it would be called partial. */
static void check_anything_read(struct job *job)
{
	struct error error;

	if (job->setup.verify_only || job_gate(job) >= GATE_STOP ||
	    map_bytes(job->map, MAP_FINISHED) || !map_bytes(job->map, MAP_BAD))
		return;
	error_set(
		&error, ERROR_CLASS_SOURCE, -EIO, "read", job->setup.source.name,
		_("Nothing at all could be read from %s, and the destination holds nothing of it. "
		  "Look at its cable, its power and its enclosure; then the copy can be resumed."),
		job->setup.source.name);
	job_fail(job, FAILURE_LIMIT, &error);
}

/* All data may be written, and still nobody would find it without its tables. */
static void check_has_name(struct job *job)
{
	const struct io_end *end = &job->setup.destination;
	char now[PATH_MAX];
	struct error error;
	enum io_name name =
		job->coordinator->nameless ? IO_NAME_KEPT : io_find_name(end, now, sizeof(now));

	if (name == IO_NAME_KEPT)
		return;
	/* Not -ESTALE, which would be a disk that may come back by itself. */
	if (name == IO_NAME_GONE)
		error_set(&error, ERROR_CLASS_DESTINATION, -ENOENT, "close", end->name,
			  _("%s was deleted while it was being written: what was copied is lost."),
			  end->name);
	else if (now[0])
		error_set(&error, ERROR_CLASS_DESTINATION, -EIDRM, "close", end->name,
			  _("%s was renamed or moved during the copy: what was copied is now in "
			    "%s. Give that its name back; then the copy can be resumed."),
			  end->name, now);
	else
		error_set(&error, ERROR_CLASS_DESTINATION, -EIDRM, "close", end->name,
			  _("%s is another file now, or none: what was copied has lost this name "
			    "during the copy, and where it is now is not known."),
			  end->name);
	job_fail(job, FAILURE_DESTINATION, &error);
}

/* After the last write, nothing else would notice: the file got its size at the start. */
static void check_not_shortened(struct job *job)
{
	const struct io_end *end = &job->setup.destination;
	struct error error;

	if (job->choice.destination == &io_null_backend || job->setup.verify_only ||
	    !io_is_shortened(end))
		return;
	error_set(&error, ERROR_CLASS_DESTINATION, -EBADFD, "close", end->name,
		  _("%s was shortened by another program: what was copied to its end is lost. "
		    "Start the copy again."),
		  end->name);
	job_fail(job, FAILURE_DESTINATION, &error);
}

/* The proof is valid without the list; only later verifications need it. */
static void save_digests(struct job *job)
{
	struct coordinator *co = job->coordinator;
	struct error error;
	struct place place;

	if (!job->verification.proof || !job_place(job, &co->digests_place, &place))
		return;
	co->digests_code = proof_save(&job->verification, place.path,
				      saver_timeout(job->saver, TIMEOUT_AT_END, place.beneath),
				      &co->digests_saved, &error);
	if (co->digests_code < 0)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", error.sentence);
}

/* What differs is copied again by a resume: without this one that verifies nothing would call the
 * copy complete. */
static void save_without_wrong(struct job *job)
{
	const struct map_state state = { .pos = work_position(&job->work),
					 .status = '?',
					 .pass = 1 };
	struct error error = { 0 };
	struct map *map = NULL;
	struct place place;
	int r;

	if (job->coordinator->result != JOB_RESULT_MISMATCH || job->setup.verify_only ||
	    !job_place(job, &job->coordinator->map_place, &place))
		return;
	r = map_copy(job->map, &map, &error);
	if (r == 0 && proof_forget_wrong(&job->verification, map) < 0)
		r = error_nomem(&error);
	if (r == 0)
		r = map_save(map, place.path, &state,
			     saver_timeout(job->saver, TIMEOUT_AT_END, place.beneath), &error);
	if (r < 0)
		job_event_add(job, LOG_LEVEL_WARNING, "%s", error.sentence);
	map_destroy(map);
}

static void remove_tables(struct job *job)
{
	struct place place;

	if (job_nothing_left(job) && job_place(job, &job->coordinator->map_place, &place))
		tables_remove(job, saver_timeout(job->saver, TIMEOUT_AT_END, place.beneath));
}

void coordinator_join(struct job *job)
{
	job_gate_raise(job, GATE_EXIT);
	for (unsigned i = 0; i < job->lane_count; i++)
		lane_join(job->lanes[i]);
	saver_destroy(job->saver);
	job->saver = NULL;
}

void coordinator_end(struct job *job)
{
	struct coordinator *co = job->coordinator;

	check_all_done(job);
	check_anything_read(job);
	check_has_name(job);
	check_not_shortened(job);
	proof_sum(&job->verification);
	checksums_judge(&job->verification);
	co->result = judge(job);
	job_note_written(job);
	co->armed = job->stages.count > 0 && co->flushed_at && job->stages.written;
	save_digests(job);
	save_without_wrong(job);
	remove_tables(job);
	coordinator_join(job);
	measure_leave_disks(&co->measure);
	tell_end(job);
	co->ended = clock_monotonic();
	co->ended_at = (int64_t)time(NULL);
	coordinator_set_state(job, JOB_ENDED, co->ended);
}
