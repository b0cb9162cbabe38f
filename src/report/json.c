/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: the shared pieces, and the report made of them. */
#include "report/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sense.h"
#include "report/report.h"

json_object *report_json_text(const char *text)
{
	return text && text[0] ? json_object_new_string(text) : NULL;
}

json_object *report_json_time(int64_t unix_seconds)
{
	char buffer[CLOCK_TEXT_MAX];

	if (unix_seconds == 0)
		return NULL;
	return json_object_new_string(clock_print_iso(unix_seconds, buffer));
}

json_object *report_json_positive(double value)
{
	return value > 0 ? json_object_new_double(value) : NULL;
}

json_object *report_json_positive_number(uint64_t value)
{
	return value ? json_object_new_uint64(value) : NULL;
}

static void add_number(json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static const char *endpoint_kind_name(enum endpoint_kind kind)
{
	switch (kind) {
	case ENDPOINT_DISK:
		return "disk";
	case ENDPOINT_PARTITION:
		return "partition";
	case ENDPOINT_IMAGE:
		return "image";
	case ENDPOINT_NONE:
		break;
	}
	return "none";
}

json_object *report_json_endpoint(const struct endpoint *endpoint)
{
	const struct identity *identity = &endpoint->identity;
	json_object *object = json_object_new_object();

	json_object_object_add(object, "kind",
			       json_object_new_string(endpoint_kind_name(endpoint->kind)));
	json_object_object_add(object, "node", report_json_text(endpoint->node));
	json_object_object_add(object, "disk", report_json_text(endpoint->disk_node));
	json_object_object_add(object, "sg", report_json_text(endpoint->sg));
	json_object_object_add(object, "model", report_json_text(identity->model));
	json_object_object_add(object, "serial", report_json_text(identity->serial));
	json_object_object_add(object, "wwn", report_json_text(identity->wwn));
	json_object_object_add(object, "firmware", report_json_text(identity->firmware));
	json_object_object_add(object, "diskseq",
			       identity->diskseq ? json_object_new_uint64(identity->diskseq)
						 : NULL);
	json_object_object_add(object, "partition",
			       endpoint->partition ? json_object_new_int((int)endpoint->partition)
						   : NULL);
	add_number(object, "start", endpoint->start);
	json_object_object_add(object, "size",
			       endpoint->exists ? json_object_new_uint64(endpoint->size) : NULL);
	json_object_object_add(object, "logical_sector_size",
			       endpoint->logical_sector_size
				       ? json_object_new_uint64(endpoint->logical_sector_size)
				       : NULL);
	json_object_object_add(object, "physical_sector_size",
			       endpoint->physical_sector_size
				       ? json_object_new_uint64(endpoint->physical_sector_size)
				       : NULL);
	return object;
}

json_object *report_json_extents(const struct plan *plan)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];
		json_object *object = json_object_new_object();
		uint64_t source, destination, bytes;

		plan_extent_bytes(plan, i, &source, &destination, &bytes);
		add_number(object, "source_lba", extent->source_lba);
		add_number(object, "destination_lba", extent->destination_lba);
		add_number(object, "sectors", extent->sectors);
		add_number(object, "source_offset", source);
		add_number(object, "destination_offset", destination);
		add_number(object, "bytes", bytes);
		json_object_array_add(array, object);
	}
	return array;
}

json_object *report_json_verdicts(const struct verdict_list *verdicts, enum verdict_kind least)
{
	static const char *const words[] = { "ok", "warn", "refuse" };
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdicts->count; i++) {
		const struct verdict *verdict = &verdicts->items[i];
		json_object *object;

		if (verdict->kind < least)
			continue;
		object = json_object_new_object();
		json_object_object_add(object, "rule", json_object_new_string(verdict->rule));
		json_object_object_add(object, "verdict",
				       json_object_new_string(words[verdict->kind]));
		json_object_object_add(object, "lifted", json_object_new_boolean(verdict->lifted));
		json_object_object_add(object, "liftable",
				       json_object_new_boolean(verdict->liftable));
		json_object_object_add(object, "sentence",
				       json_object_new_string(verdict->sentence));
		json_object_array_add(array, object);
	}
	return array;
}

json_object *report_json_latency(const struct latency_summary *latency)
{
	json_object *object;

	if (latency->count == 0)
		return NULL;
	object = json_object_new_object();
	add_number(object, "requests", latency->count);
	add_number(object, "mean", latency->mean);
	add_number(object, "p50", latency->p50);
	add_number(object, "p90", latency->p90);
	add_number(object, "p99", latency->p99);
	add_number(object, "p999", latency->p999);
	add_number(object, "max", latency->max);
	return object;
}

static json_object *json_sense(const struct sense *sense)
{
	json_object *object;
	char text[256];

	if (!sense->known)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "key", json_object_new_int(sense->key));
	json_object_object_add(object, "asc", json_object_new_int(sense->asc));
	json_object_object_add(object, "ascq", json_object_new_int(sense->ascq));
	json_object_object_add(object, "text",
			       json_object_new_string(sense_text(sense, text, sizeof(text))));
	return object;
}

json_object *report_json_error(const struct error *error)
{
	json_object *object;

	if (error->code == 0)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "operation", report_json_text(error->operation));
	json_object_object_add(object, "device", report_json_text(error->device));
	json_object_object_add(object, "errno", json_object_new_int(-error->code));
	json_object_object_add(object, "lba",
			       error->has_lba ? json_object_new_uint64(error->lba) : NULL);
	json_object_object_add(object, "sectors",
			       error->has_lba ? json_object_new_uint64(error->sectors) : NULL);
	json_object_object_add(object, "sense", json_sense(&error->sense));
	json_object_object_add(object, "sentence", json_object_new_string(error->sentence));
	return object;
}

char *report_json_print(json_object *document, int flags)
{
	const char *text = document ? json_object_to_json_string_ext(document, flags) : NULL;

	return text ? strdup(text) : NULL;
}

static json_object *json_bad_areas(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < job->bad_shown; i++) {
		const struct job_bad_area *bad = &job->bad[i];
		json_object *object = json_object_new_object();

		json_object_object_add(
			object, "end",
			json_object_new_string(bad->write ? "destination" : "source"));
		add_number(object, "lba", bad->lba);
		add_number(object, "sectors", bad->sectors);
		add_number(object, "offset", bad->lba * report->plan->sector_size);
		add_number(object, "bytes", bad->sectors * report->plan->sector_size);
		json_object_object_add(object, "errno", json_object_new_int(-bad->code));
		json_object_object_add(object, "sense", json_sense(&bad->sense));
		json_object_object_add(object, "partition",
				       bad->partition ? json_object_new_int((int)bad->partition)
						      : NULL);
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *json_seconds(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();
	const double second = (double)NSEC_PER_SEC;

	json_object_object_add(object, "copy",
			       json_object_new_double((double)job->copy_ns / second));
	json_object_object_add(object, "flush",
			       job->flushed ? json_object_new_double((double)job->flush_ns / second)
					    : NULL);
	json_object_object_add(object, "paused",
			       json_object_new_double((double)job->paused_ns / second));
	json_object_object_add(object, "verify", NULL);
	json_object_object_add(object, "elapsed",
			       json_object_new_double((double)job->elapsed / second));
	return object;
}

static json_object *json_rate(const struct report *report)
{
	json_object *object = json_object_new_object();
	json_object *profile = json_object_new_array();

	json_object_object_add(object, "average", report_json_positive(report->job.average));
	json_object_object_add(object, "peak", report_json_positive(report->job.peak));
	for (size_t i = 0; i < RATES_PROFILE; i++)
		json_object_array_add(profile, report_json_positive(report->rates.profile[i]));
	json_object_object_add(object, "profile", profile);
	return object;
}

static json_object *json_cpu(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();
	json_object *lanes = json_object_new_array();

	json_object_object_add(object, "user", json_object_new_double(job->process_cpu_user));
	json_object_object_add(object, "system", json_object_new_double(job->process_cpu_system));
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct cpu_share *share = &job->lanes[i].cpu;

		json_object_array_add(lanes, share->known
						     ? json_object_new_double((double)share->user +
									      (double)share->system)
						     : NULL);
	}
	json_object_object_add(object, "per_lane", lanes);
	return object;
}

static json_object *json_truth(const struct io_truth *truth)
{
	json_object *object;

	if (!truth->known)
		return NULL;
	object = json_object_new_object();
	add_number(object, "direct", truth->direct);
	add_number(object, "indirect", truth->indirect);
	add_number(object, "recovered", truth->recovered);
	add_number(object, "retried", truth->retried);
	add_number(object, "waited", truth->waited);
	return object;
}

static json_object *json_engine(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "choice", report_json_text(job->engine));
	json_object_object_add(object, "source_backend", report_json_text(job->source.backend));
	json_object_object_add(object, "destination_backend",
			       report_json_text(job->destination.backend));
	json_object_object_add(object, "source_sg", json_truth(&job->source.truth));
	json_object_object_add(object, "destination_sg", json_truth(&job->destination.truth));
	json_object_object_add(object, "lanes", json_object_new_int((int)job->lane_count));
	add_number(object, "chunk", job->chunk);
	add_number(object, "source_depth", job->source.depth);
	add_number(object, "destination_depth", job->destination.depth);
	add_number(object, "buffers", job->buffers);
	return object;
}

static json_object *json_events(const struct report *report)
{
	static const char *const words[] = { "error", "warning", "info", "debug" };
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

static json_object *json_files(const struct report *report)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "log", report_json_text(report->log_path));
	json_object_object_add(object, "map", report_json_text(report->map_path));
	json_object_object_add(object, "report", report_json_text(report->json_path));
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

static void add_outcome(json_object *object, const struct report *report)
{
	const struct job_snapshot *job = &report->job;

	json_object_object_add(object, "result",
			       json_object_new_string(report_result_word(report)));
	json_object_object_add(object, "exit_code",
			       json_object_new_int((int)report_exit_code(report)));
	json_object_object_add(object, "error", report_json_error(&job->error));
	json_object_object_add(object, "started_at", report_json_time(job->started_at));
	json_object_object_add(object, "ended_at", report_json_time(job->ended_at));
	json_object_object_add(object, "flushed_at", report_json_time(job->flushed_at));
	json_object_object_add(object, "flushed", json_object_new_boolean(job->flushed));
	add_number(object, "bytes_total", job->total);
	add_number(object, "bytes_copied", job->written);
	add_number(object, "bytes_copied_before", job->already);
	json_object_object_add(object, "bytes_verified", NULL);
}

json_object *report_json_document(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();
	json_object *destinations = json_object_new_array();
	char id[9];

	json_object_object_add(object, "schema", json_object_new_string("clonedeck.report/1"));
	json_object_object_add(object, "version", report_json_text(report->version));
	json_object_object_add(object, "host", json_host(report));
	add_outcome(object, report);
	json_object_object_add(object, "plan_id",
			       json_object_new_string(plan_id(report->plan, id)));
	json_object_object_add(object, "source", report_json_endpoint(&report->plan->source));
	json_object_array_add(destinations, report_json_endpoint(&report->plan->destination));
	json_object_object_add(object, "destinations", destinations);
	add_number(object, "sector_size", report->plan->sector_size);
	json_object_object_add(object, "whole", json_object_new_boolean(report->plan->whole));
	json_object_object_add(object, "plan", report_json_extents(report->plan));
	add_number(object, "bad_areas_total", job->bad_areas);
	add_number(object, "bad_bytes", job->bad_bytes);
	json_object_object_add(object, "bad_areas", json_bad_areas(report));
	json_object_object_add(object, "digests", NULL);
	json_object_object_add(object, "seconds", json_seconds(job));
	json_object_object_add(object, "rate", json_rate(report));
	json_object *latency = json_object_new_object();

	json_object_object_add(latency, "read", report_json_latency(&job->source.latency));
	json_object_object_add(latency, "write", report_json_latency(&job->destination.latency));
	json_object_object_add(object, "latency", latency);
	json_object_object_add(object, "cpu", json_cpu(job));
	json_object_object_add(object, "engine", json_engine(job));
	add_number(object, "errors", job->errors);
	add_number(object, "retries", job->retries);
	add_number(object, "slow_reads", job->slow_reads);
	json_object_object_add(object, "warnings",
			       report_json_verdicts(&report->verdicts, VERDICT_WARN));
	json_object_object_add(object, "events", json_events(report));
	json_object_object_add(object, "files", json_files(report));
	json_object_object_add(object, "next", report_json_text(report->destination_next));

	return object;
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
