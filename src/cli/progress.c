/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress in one line. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/units.h"
#include "report/json.h"

/* One word, so that the line fits. */
static const char *pass_phrase(enum pass_kind pass)
{
	switch (pass) {
	case PASS_NONE:
		return job_state_words(JOB_COPYING);
	case PASS_BASELINE:
		return _("reading");
	case PASS_PROBE:
		return _("probing");
	case PASS_WIPE:
		return _("wiping");
	case PASS_REWRITE:
		return _("rewriting");
	case PASS_RECHECK:
		return _("rechecking");
	case PASS_LOOK:
		return _("last look");
	case PASS_DISARM:
		return _("disarming");
	default:
		return pass_words(pass);
	}
}

static const char *state_word(enum job_state state)
{
	static const char *const words[] = {
		[JOB_READY] = "ready",       [JOB_COPYING] = "copying",
		[JOB_PAUSED] = "paused",     [JOB_STOPPING] = "stopping",
		[JOB_FLUSHING] = "flushing", [JOB_VERIFYING] = "verifying",
		[JOB_ENDED] = "ended",       [JOB_WAITING] = "waiting",
	};

	return words[state];
}

/* Returns its length. */
static int put_hang(const struct job_hang *hang, char *buffer, size_t size)
{
	char span[UNITS_TEXT_MAX];

	if (!hang->count)
		return 0;
	return snprintf(buffer, size,
			hang->write ? _("a write at LBA %llu hangs for %s: ")
				    : _("a read at LBA %llu hangs for %s: "),
			(unsigned long long)hang->lba,
			units_print_duration(hang->ns / NSEC_PER_SEC, span));
}

/* Never rounded up: 100.0 is kept for what is really complete. */
static double percent(double fraction)
{
	return floor(fraction * 1000) / 10;
}

static double stage_fraction(uint64_t done, uint64_t total)
{
	return !total ? 0 : done >= total ? 1 : (double)done / (double)total;
}

const char *progress_line(const struct job_snapshot *job, char buffer[static PROGRESS_LINE_MAX])
{
	const struct job_pass *pass = job_pass_counted(job);
	uint64_t so_far = pass ? pass->done : job->written, whole = pass ? pass->total : job->total;
	char done[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX], rate[UNITS_TEXT_MAX];
	char left[UNITS_TEXT_MAX];
	bool flushing = job->state == JOB_FLUSHING; /* nobody knows how fast */
	int n = put_hang(&job->hang, buffer, PROGRESS_LINE_MAX);

	n += snprintf(
		buffer + n, (size_t)(PROGRESS_LINE_MAX - n),
		_("%.1f %%  left %s  %s %.1f %%  %s of %s  %s  errors %llu"), percent(job->overall),
		job->eta.known ? units_print_duration(job->eta.seconds, left) : _("unknown"),
		job->state == JOB_COPYING ? pass_phrase(job->pass) : job_state_words(job->state),
		percent(stage_fraction(so_far, whole)),
		units_print_long(so_far, UNITS_SI, 512, done),
		units_print_long(whole, UNITS_SI, 512, all),
		units_print_rate(flushing ? (double)NAN : job->now_pass, rate),
		(unsigned long long)job->errors);
	/* Verification during the copy is counted separately. */
	if (job->proof.rolling && job->total && !pass && n > 0 && n < PROGRESS_LINE_MAX)
		snprintf(buffer + n, (size_t)(PROGRESS_LINE_MAX - n), _("  verified %.0f%%"),
			 floor(100.0 * (double)job->proof.verified / (double)job->total));
	return buffer;
}

static json_object *json_rate(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "read", json_object_new_double(job->now_read));
	json_object_object_add(object, "write", json_object_new_double(job->now_write));
	json_object_object_add(object, "read_back", json_object_new_double(job->now_back));
	json_object_object_add(object, "average", report_json_positive(job->average));
	json_object_object_add(object, "limit", report_json_positive_number(job->rate_limit));
	return object;
}

static json_object *json_hang(const struct job_hang *hang)
{
	json_object *object;

	if (!hang->count)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "requests", hang->count);
	json_object_object_add(object, "write", json_object_new_boolean(hang->write));
	report_json_add_number(object, "lba", hang->lba);
	json_object_object_add(object, "seconds", report_json_seconds_of(hang->ns));
	return object;
}

static json_object *json_in_flight(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	report_json_add_number(object, "read", job->source.in_flight);
	report_json_add_number(object, "write", job->destination.in_flight);
	return object;
}

static void add_end(json_object *object, const struct report *report)
{
	json_object_object_add(object, "result",
			       report ? json_object_new_string(report_result_word(report)) : NULL);
	json_object_object_add(object, "exit_code",
			       report ? json_object_new_int((int)report_exit_code(report)) : NULL);
}

char *progress_json(const struct plan *plan, const struct job_snapshot *job,
		    const struct report *report)
{
	json_object *object = json_object_new_object();
	char id[9];

	json_object_object_add(object, "schema", json_object_new_string("clonedeck.progress/1"));
	json_object_object_add(object, "time", report_json_time((int64_t)time(NULL)));
	json_object_object_add(object, "plan_id", json_object_new_string(plan_id(plan, id)));
	json_object_object_add(object, "state", json_object_new_string(state_word(job->state)));
	add_end(object, report);
	json_object_object_add(object, "pass", report_json_text(pass_name(job->pass)));
	json_object_object_add(object, "passes", report_json_passes(job));
	json_object_object_add(object, "percent", json_object_new_double(percent(job->overall)));
	report_json_add_number(object, "bytes_total", job->total);
	report_json_add_number(object, "bytes_read", job->read);
	report_json_add_number(object, "bytes_written", job->written);
	json_object_object_add(object, "bytes_verified",
			       job->proof.asked ? json_object_new_uint64(job->proof.verified)
						: NULL);
	report_json_add_number(object, "bytes_before", job->already);
	report_json_add_number(object, "offset", job->position);
	report_json_add_number(object, "lba",
			       plan->sector_size ? job->position / plan->sector_size : 0);
	json_object_object_add(object, "elapsed", report_json_seconds_of(job->elapsed));
	json_object_object_add(object, "left",
			       job->eta.known ? json_object_new_uint64(job->eta.seconds) : NULL);
	json_object_object_add(object, "pass_left",
			       job->pass_eta.known ? json_object_new_uint64(job->pass_eta.seconds)
						   : NULL);
	json_object_object_add(object, "finish_at",
			       job->eta.known ? report_json_time(job->eta.finish) : NULL);
	json_object_object_add(object, "rate", json_rate(job));
	json_object_object_add(object, "latency", report_json_latencies(job));
	json_object_object_add(object, "in_flight", json_in_flight(job));
	json_object_object_add(object, "hanging", json_hang(&job->hang));
	report_json_add_number(object, "errors", job->errors);
	report_json_add_number(object, "retries", job->retries);
	report_json_add_number(object, "bad_areas", job->bad_areas);
	report_json_add_number(object, "bad_bytes", job->bad_bytes);
	json_object_object_add(object, "flushed", json_object_new_boolean(job->flushed));
	json_object_object_add(object, "map_saved_at", report_json_time(job->map_saved_at));
	char *text = report_json_print(object, JSON_C_TO_STRING_NOSLASHESCAPE);

	json_object_put(object);
	return text;
}
