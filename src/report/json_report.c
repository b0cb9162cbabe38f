/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: the report as a whole. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/json_private.h"
#include "report/mask.h"

static json_object *json_events(const struct report *report)
{
	static const char *const words[] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_INFO] = "info",
		[LOG_LEVEL_DEBUG] = "debug",
	};
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < report->event_count; i++) {
		const struct job_event *event = &report->events[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "time", report_json_time(event->time));
		json_object_object_add(object, "level",
				       json_object_new_string(words[event->level]));
		json_object_object_add(object, "text", json_object_new_string(event->text));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *json_next(const struct report *report)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < report->next_count; i++)
		json_object_array_add(array, report_json_text(report->next[i]));
	return array;
}

static json_object *json_files(const struct report *report)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "log", report_json_path(report->log_path));
	json_object_object_add(object, "map", report_json_path(report->map_path));
	json_object_object_add(object, "report", report_json_path(report->json_path));
	json_object_object_add(object, "certificate", report_json_path(report->certificate_path));
	json_object_object_add(object, "map_safe", json_object_new_boolean(report->job.map_safe));
	json_object_object_add(object, "in_memory",
			       json_object_new_boolean(report->log_dir_in_memory));
	return object;
}

static json_object *json_host(const struct report *report)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "name", report_json_text(report->host));
	json_object_object_add(object, "kernel", report_json_text(report->kernel));
	return object;
}

static json_object *json_hurt(const struct report *report)
{
	static const char *const words[] = {
		[REPORT_HURT_MBR] = "mbr",
		[REPORT_HURT_GPT] = "gpt",
		[REPORT_HURT_GPT_BACKUP] = "gpt-backup",
		[REPORT_HURT_FS] = "superblock",
	};
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < report->hurt_count; i++) {
		const struct report_hurt *hurt = &report->hurt[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "what", json_object_new_string(words[hurt->kind]));
		json_object_object_add(
			object, "end",
			json_object_new_string(hurt->refused ? "destination" : "source"));
		json_object_object_add(object, "partition",
				       report_json_positive_number(hurt->partition));
		json_object_object_add(object, "fs",
				       hurt->kind == REPORT_HURT_FS ? report_json_text(hurt->fs)
								    : NULL);
		report_json_add_number(object, "lba", hurt->lba);
		report_json_add_number(object, "sectors", hurt->sectors);
		json_object_array_add(array, object);
	}
	return array;
}

static void add_outcome(json_object *object, const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	json_object_object_add(object, "result",
			       json_object_new_string(report_result_word(report)));
	json_object_object_add(object, "exit_code",
			       json_object_new_int((int)report_exit_code(report)));
	json_object_object_add(object, "error", report_json_error(&job->error));
	json_object_object_add(object, "source_writer", report_json_text(report->source_writer));
	json_object_object_add(object, "started_at", report_json_time(job->started_at));
	json_object_object_add(object, "ended_at", report_json_time(job->ended_at));
	json_object_object_add(object, "flushed_at", report_json_time(job->flushed_at));
	json_object_object_add(object, "flushed", json_object_new_boolean(job->flushed));
	report_json_add_number(object, "bytes_total", job->total);
	report_json_add_number(object, "bytes_copied", job->written);
	report_json_add_number(object, "bytes_copied_before", job->already);
	json_object_object_add(object, "bytes_verified",
			       job->proof.asked ? json_object_new_uint64(job->proof.verified)
						: NULL);
	json_object_object_add(object, "verify", report_json_verify(report));
	json_object_object_add(object, "final_look", report_json_look(report));
	json_object_object_add(object, "held_back",
			       report_json_held(job->held_areas, job->held_bytes));
	json_object_object_add(
		object, "armed",
		job->held_areas ? json_object_new_boolean(job->armed && !report_lost_table(report))
				: NULL);
	json_object_object_add(object, "hurt", json_hurt(report));
}

static json_object *json_domain(const struct plan *plan)
{
	json_object *object;
	size_t areas;
	uint64_t bytes = plan_bytes_left_out(plan, &areas);

	if (!plan->domain[0])
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "map", report_json_path(plan->domain));
	report_json_add_number(object, "bytes_left_out", bytes);
	report_json_add_number(object, "areas_left_out", areas);
	return object;
}

static void add_plan(json_object *object, const struct report *report)
{
	const struct plan *plan = report->plan;
	json_object *destinations = json_object_new_array();
	char id[9];

	json_object_object_add(object, "plan_id",
			       json_object_new_string(report_plan_id(report, id)));
	json_object_object_add(object, "source", report_json_disk(&plan->source, &report->source));
	json_object_array_add(destinations,
			      report_json_disk(&plan->destination, &report->destination));
	json_object_object_add(object, "destinations", destinations);
	report_json_add_number(object, "sector_size", plan->sector_size);
	json_object_object_add(object, "whole", json_object_new_boolean(plan->whole));
	json_object_object_add(object, "plan", report_json_extents(plan));
	json_object_object_add(object, "domain", json_domain(plan));
	report_json_add_number(object, "bytes_left_alone", plan_bytes_left_alone(plan));
	json_object_object_add(object, "map", report_json_map(report));
}

static void add_measured(json_object *object, const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	json_object_object_add(object, "passes", report_json_passes(job));
	json_object_object_add(object, "seconds", report_json_seconds(job));
	json_object_object_add(object, "rate", report_json_rate(report));
	json_object_object_add(object, "latency", report_json_latencies(job));
	json_object_object_add(object, "cpu", report_json_cpu(job));
	json_object_object_add(object, "engine", report_json_engine(job));
	report_json_add_number(object, "errors", job->errors);
	report_json_add_number(object, "retries", job->retries);
	report_json_add_number(object, "slow_reads", job->slow_reads);
}

static json_object *document_of(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();

	json_object_object_add(object, "schema", json_object_new_string("clonedeck.report/1"));
	json_object_object_add(object, "version", report_json_text(report->version));
	json_object_object_add(object, "host", json_host(report));
	json_object_object_add(object, "operator", report_json_text(report->operator_name));
	json_object_object_add(object, "ticket", report_json_text(report->ticket));
	json_object_object_add(object, "serials_masked",
			       json_object_new_boolean(report->mask_serials));
	add_outcome(object, report);
	add_plan(object, report);
	report_json_add_number(object, "bad_areas_total", job->bad_areas);
	report_json_add_number(object, "bad_bytes", job->bad_bytes);
	json_object_object_add(object, "bad_areas", report_json_bad_areas(report));
	json_object_object_add(object, "digests", report_json_digests(report));
	json_object_object_add(object, "sums", report_json_sums(report));
	add_measured(object, report);
	json_object_object_add(object, "warnings",
			       report_json_verdicts(&report->verdicts, VERDICT_WARN));
	json_object_object_add(object, "events", json_events(report));
	json_object_object_add(object, "files", json_files(report));
	json_object_object_add(object, "next", json_next(report));
	return object;
}

json_object *report_json_document(const struct report *report)
{
	CLEANUP(masked) struct masked_report *masked = NULL;

	if (report_mask(report, &masked, NULL) < 0)
		return NULL;
	return document_of(masked ? &masked->report : report);
}

int report_json(const struct report *report, char **ret, struct error *reterr)
{
	json_object *object = report_json_document(report);
	char *text = report_json_print(object, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
						       JSON_C_TO_STRING_NOSLASHESCAPE);

	json_object_put(object);
	if (!text)
		return error_nomem(reterr);
	*ret = text;
	return 0;
}
