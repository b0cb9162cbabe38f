/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"

#include <time.h>

#include "report/json.h"
#include "report/report.h"
#include "session/progress.h"

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
	json_add_number(object, "requests", hang->count);
	json_add_bool(object, "write", hang->write);
	json_add_number(object, "lba", hang->lba);
	json_object_object_add(object, "seconds", report_json_seconds_of(hang->ns));
	return object;
}

static json_object *json_in_flight(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_add_number(object, "read", job->source.in_flight);
	json_add_number(object, "write", job->destination.in_flight);
	return object;
}

static void add_end(json_object *object, const struct report *report)
{
	json_object_object_add(object, "result",
			       report ? json_object_new_string(report_result_word(report)) : NULL);
	json_object_object_add(object, "exit_code",
			       report ? json_object_new_int((int)report_end_code(report)) : NULL);
}

char *progress_json(const struct plan *plan, const struct job_snapshot *job,
		    const struct report *report)
{
	json_object *object = json_object_new_object();

	json_add_text(object, "schema", "clonedeck.progress/1");
	json_object_object_add(object, "time", report_json_time((int64_t)time(NULL)));
	json_add_text(object, "plan_id", PLAN_ID(plan));
	json_add_text(object, "state", job_state_name(job->state));
	add_end(object, report);
	json_object_object_add(object, "pass", report_json_text(pass_name(job->pass)));
	json_object_object_add(object, "passes", report_json_passes(job));
	json_add_percent(object, progress_percent(job->overall));
	json_add_number(object, "bytes_total", job->total);
	json_add_number(object, "bytes_read", job->read);
	json_add_number(object, "bytes_written", job->written);
	json_add_known(object, "bytes_verified", job->proof.asked, job->proof.verified);
	json_add_number(object, "bytes_before", job->already);
	json_add_number(object, "offset", job->position);
	json_add_number(object, "lba", plan->sector_size ? job->position / plan->sector_size : 0);
	json_object_object_add(object, "elapsed", report_json_seconds_of(job->elapsed));
	json_add_known(object, "left", job->eta.known, job->eta.seconds);
	json_add_known(object, "pass_left", job->pass_eta.known, job->pass_eta.seconds);
	json_object_object_add(object, "finish_at",
			       job->eta.known ? report_json_time(job->eta.finish) : NULL);
	json_object_object_add(object, "rate", json_rate(job));
	json_object_object_add(object, "latency", report_json_latencies(job));
	json_object_object_add(object, "in_flight", json_in_flight(job));
	json_object_object_add(object, "hanging", json_hang(&job->hang));
	json_add_number(object, "errors", job->errors);
	json_add_number(object, "retries", job->retries);
	json_add_number(object, "bad_areas", job->bad_areas);
	json_add_number(object, "bad_bytes", job->bad_bytes);
	json_add_bool(object, "flushed", job->flushed);
	json_object_object_add(object, "map_saved_at", report_json_time(job->map_saved_at));
	return report_json_print(object, JSON_C_TO_STRING_NOSLASHESCAPE);
}
