/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: the report. */
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "plan/preset.h"
#include "report/facts.h"
#include "report/mask.h"

#define FIELD(type, key, kind) JSON_FIELD(#key, kind, struct type, key)

json_object *report_json_schema(const struct report *report)
{
	return json_object_new_string("clonedeck.report/1");
}

json_object *report_json_host(const struct report *report)
{
	static const struct json_field fields[] = {
		JSON_FIELD("name", JSON_TEXT, struct report, host),
		FIELD(report, kernel, JSON_TEXT),
	};

	return report_json_of(fields, report);
}

json_object *report_json_result(const struct report *report)
{
	return json_object_new_string(report_result_word(report));
}

json_object *report_json_exit_code(const struct report *report)
{
	return json_object_new_int((int)report_end_code(report));
}

/* ---- the ends and the plan ---- */

JSON_AS_PART(health_part, report_json_health, struct health)

/* The endpoint and what more is known of the disk below it. */
static json_object *json_disk(const struct endpoint *endpoint, const struct report_disk *disk)
{
	static const struct json_field fields[] = {
		FIELD(report_disk, transport, JSON_TEXT),
		FIELD(report_disk, hctl, JSON_TEXT),
		FIELD(report_disk, bsg, JSON_TEXT),
		JSON_FIELD("ng", JSON_TEXT, struct report_disk, nvme_generic),
		FIELD(report_disk, by_id, JSON_TEXT),
		FIELD(report_disk, path, JSON_TEXT),
		FIELD(report_disk, rotational, JSON_TRISTATE),
		JSON_PART_OF("health_before", health_part, struct report_disk, before),
		JSON_PART_OF("health_after", health_part, struct report_disk, after),
	};
	json_object *object = report_json_endpoint(endpoint);

	json_object_object_add(object, "raw", report_json_text(endpoint->raw));
	report_json_add_fields(object, fields, ARRAY_SIZE(fields), disk);
	return object;
}

json_object *report_json_source(const struct report *report)
{
	return json_disk(&report->plan->source, &report->source);
}

json_object *report_json_destinations(const struct report *report)
{
	json_object *destinations = json_object_new_array();

	json_object_array_add(destinations,
			      json_disk(&report->plan->destinations[0], &report->destination));
	return destinations;
}

json_object *report_json_plan_id(const struct report *report)
{
	return json_object_new_string(REPORT_PLAN_ID(report));
}

json_object *report_json_preset(const struct report *report)
{
	return json_object_new_string(preset_name(report->plan->options.preset));
}

json_object *report_json_map(const struct report *report)
{
	json_object *object;

	if (!report->map_cells[0])
		return NULL;
	object = json_object_new_object();
	json_add_number(object, "bytes", report->plan->source.size);
	json_add_text(object, "cells", report->map_cells);
	return object;
}

json_object *report_json_domain(const struct report *report)
{
	const struct plan *plan = report->plan;
	json_object *object;
	size_t areas;
	uint64_t bytes = plan_bytes_left_out(plan, &areas);

	if (!plan->domain[0])
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "map", report_json_path(plan->domain));
	json_add_number(object, "bytes_left_out", bytes);
	json_add_number(object, "areas_left_out", areas);
	return object;
}

json_object *report_json_grown_fs(const struct report *report)
{
	static const char *const states[] = { NULL, "done", "by-hand", "failed", "hangs" };
	const struct grown_fs *grown = &report->grown_fs;
	json_object *object;

	if (grown->state == GROWN_FS_NOT_ASKED)
		return NULL;
	object = json_object_new_object();
	json_add_text(object, "state", states[grown->state]);
	json_object_object_add(object, "fs", report_json_text(grown->fs));
	json_object_object_add(object, "node", report_json_text(grown->node));
	return object;
}

json_object *report_json_fitted_table(const struct report *report)
{
	return report_json_fitted(&report->plan->fitted);
}

json_object *report_json_held_back(const struct report *report)
{
	return report_json_held(report->job.held_areas, report->job.held_bytes);
}

json_object *report_json_armed(const struct report *report)
{
	if (!report->job.held_areas)
		return NULL;
	return json_object_new_boolean(report->job.armed && !report_lost_table(report));
}

/* ---- what could not be copied ---- */

static const char *const ends[] = { "source", "destination" };

static json_object *positive_errno(const void *member)
{
	const int *code = member;

	return *code ? json_object_new_int(-*code) : NULL;
}

JSON_AS_PART(sense_part, report_json_sense, struct sense)

json_object *report_json_bad_areas(const struct report *report)
{
	static const struct json_field fields[] = {
		JSON_WORD_OF("end", ends, struct job_bad_area, write),
		FIELD(job_bad_area, lba, JSON_NUMBER),
		FIELD(job_bad_area, sectors, JSON_NUMBER),
		JSON_PART_OF("errno", positive_errno, struct job_bad_area, code),
		JSON_PART_OF("sense", sense_part, struct job_bad_area, sense),
		FIELD(job_bad_area, partition, JSON_POSITIVE),
	};
	const struct job_snapshot *job = &report->job;
	uint32_t unit = report->plan->sector_size;
	json_object *array = report_json_list_of(fields, job->bad, job->bad_shown);

	for (size_t i = 0; i < job->bad_shown; i++) {
		json_object *object = json_object_array_get_idx(array, i);

		json_add_number(object, "offset", job->bad[i].lba * unit);
		json_add_number(object, "bytes", job->bad[i].sectors * unit);
	}
	return array;
}

static json_object *hurt_fs(const void *data)
{
	const struct report_hurt *hurt = data;

	return hurt->kind == REPORT_HURT_FS ? report_json_text(hurt->fs) : NULL;
}

json_object *report_json_hurt(const struct report *report)
{
	static const char *const words[] = {
		[REPORT_HURT_MBR] = "mbr",
		[REPORT_HURT_GPT] = "gpt",
		[REPORT_HURT_GPT_BACKUP] = "gpt-backup",
		[REPORT_HURT_FS] = "superblock",
	};
	static const struct json_field fields[] = {
		JSON_WORD_OF("what", words, struct report_hurt, kind),
		JSON_WORD_OF("end", ends, struct report_hurt, refused),
		FIELD(report_hurt, partition, JSON_POSITIVE),
		JSON_MADE("fs", hurt_fs),
		FIELD(report_hurt, lba, JSON_NUMBER),
		FIELD(report_hurt, sectors, JSON_NUMBER),
	};

	return report_json_list_of(fields, report->hurt, report->hurt_count);
}

/* ---- what the copy starts, and what it shares ---- */

static json_object *boot_kind_word(const void *data)
{
	const struct boot_item *item = data;

	return json_object_new_string(boot_kind_name(item->kind));
}

json_object *report_json_boot_of(const struct boot_look *look)
{
	static const struct json_field fields[] = {
		JSON_MADE("kind", boot_kind_word),
		FIELD(boot_item, partition, JSON_POSITIVE),
		FIELD(boot_item, text, JSON_TEXT),
		FIELD(boot_item, lost, JSON_BOOL),
	};

	return look->read ? report_json_list_of(fields, look->items, look->count) : NULL;
}

json_object *report_json_boot(const struct report *report)
{
	static const struct json_field fields[] = {
		FIELD(boot_entry, number, JSON_NUMBER),
		FIELD(boot_entry, label, JSON_TEXT),
		FIELD(boot_entry, part_uuid, JSON_TEXT),
		FIELD(boot_entry, loader, JSON_TEXT),
	};
	json_object *object;

	if (!report->boot.read)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "found", report_json_boot_of(&report->boot));
	json_object_object_add(object, "entries_of_source",
			       report->boot_entries_known
				       ? report_json_list_of(fields, report->boot_entries,
							     report->boot_entry_count)
				       : NULL);
	return object;
}

json_object *report_json_identifiers_of(const struct identifiers *list)
{
	static const char *const words[] = { "table", "partition", "contents", "group" };
	static const struct json_field fields[] = {
		JSON_WORD_OF("of", words, struct identifier, kind),
		FIELD(identifier, partition, JSON_POSITIVE),
		FIELD(identifier, fs, JSON_TEXT),
		FIELD(identifier, label, JSON_TEXT),
		FIELD(identifier, value, JSON_TEXT),
		FIELD(identifier, changed_to, JSON_TEXT),
		FIELD(identifier, volume, JSON_TEXT),
	};

	return report_json_list_of(fields, list->items, list->count);
}

json_object *report_json_identifiers(const struct report *report)
{
	return report_json_identifiers_of(&report->identifiers);
}

json_object *report_json_after(const struct report *report)
{
	static const struct json_field fields[] = {
		FIELD(after_step, partition, JSON_POSITIVE), FIELD(after_step, what, JSON_TEXT),
		FIELD(after_step, failed, JSON_BOOL),        FIELD(after_step, left, JSON_BOOL),
		FIELD(after_step, said, JSON_TEXT),
	};

	return report->after_asked || report->after.count
		       ? report_json_list_of(fields, report->after.items, report->after.count)
		       : NULL;
}

/* ---- what was measured ---- */

json_object *report_json_seconds(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();

	json_object_object_add(object, "copy", report_json_seconds_of(job->copy_ns));
	json_object_object_add(object, "flush",
			       job->flushed ? report_json_seconds_of(job->flush_ns) : NULL);
	json_object_object_add(object, "paused", report_json_seconds_of(job->paused_ns));
	json_object_object_add(object, "verify",
			       job->verify_ns ? report_json_seconds_of(job->verify_ns) : NULL);
	json_object_object_add(object, "elapsed", report_json_seconds_of(job->elapsed));
	return object;
}

json_object *report_json_rate(const struct report *report)
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

json_object *report_json_cpu(const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *object = json_object_new_object();
	json_object *lanes = json_object_new_array();

	json_object_object_add(object, "user", json_object_new_double(job->process_cpu_user));
	json_object_object_add(object, "system", json_object_new_double(job->process_cpu_system));
	for (unsigned i = 0; i < job->lane_count; i++) {
		const struct cpu_share *share = &job->lanes[i].cpu;
		double used = (double)share->user + (double)share->system;

		json_object_array_add(lanes, share->known ? json_object_new_double(used) : NULL);
	}
	json_object_object_add(object, "per_lane", lanes);
	return object;
}

/* The block node does not say how the data of any command went. */
static json_object *way(const struct io_stats *stats, uint64_t commands)
{
	return stats->direct || stats->indirect || stats->mapped ? json_object_new_uint64(commands)
								 : NULL;
}

static json_object *json_io_stats(const struct io_stats *stats)
{
	json_object *object;

	if (!stats->known)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "driver", report_json_text(stats->driver));
	json_object_object_add(object, "direct", way(stats, stats->direct));
	json_object_object_add(object, "indirect", way(stats, stats->indirect));
	json_object_object_add(object, "mapped", way(stats, stats->mapped));
	json_add_number(object, "recovered", stats->recovered);
	json_add_number(object, "retried", stats->retried);
	json_add_number(object, "waited", stats->waited);
	return object;
}

JSON_AS_PART(stats_part, json_io_stats, struct io_stats)

#define JOB(key, kind, member) JSON_FIELD(key, kind, struct job_snapshot, member)

json_object *report_json_engine(const struct report *report)
{
	static const struct json_field fields[] = {
		JOB("choice", JSON_TEXT, engine),
		JOB("source_backend", JSON_NAME, source.backend),
		JOB("destination_backend", JSON_NAME, destination.backend),
		JSON_PART_OF("source_sg", stats_part, struct job_snapshot, source.stats),
		JSON_PART_OF("destination_sg", stats_part, struct job_snapshot, destination.stats),
		JOB("lanes", JSON_NUMBER, lane_count),
		JOB("chunk", JSON_NUMBER, chunk),
		JOB("source_depth", JSON_NUMBER, source.depth),
		JOB("destination_depth", JSON_NUMBER, destination.depth),
		JOB("buffers", JSON_NUMBER, buffers),
	};

	return report_json_of(fields, &report->job);
}

/* ---- what was said and saved ---- */

json_object *report_json_warnings(const struct report *report)
{
	return report_json_verdicts(&report->verdicts, VERDICT_WARN);
}

json_object *report_json_events(const struct report *report)
{
	static const char *const levels[] = {
		[LOG_LEVEL_ERROR] = "error",
		[LOG_LEVEL_WARNING] = "warning",
		[LOG_LEVEL_INFO] = "info",
	};
	static const struct json_field fields[] = {
		FIELD(job_event, time, JSON_TIME),
		JSON_WORD_OF("level", levels, struct job_event, level),
		FIELD(job_event, text, JSON_TEXT),
	};

	return report_json_list_of(fields, report->events, report->event_count);
}

json_object *report_json_files(const struct report *report)
{
	static const struct json_field fields[] = {
		JSON_FIELD("log", JSON_PATH, struct report, files.log),
		JSON_FIELD("map", JSON_PATH, struct report, files.map),
		JSON_FIELD("report", JSON_PATH, struct report, files.json),
		JSON_FIELD("certificate", JSON_PATH, struct report, files.certificate),
		JSON_FIELD("map_safe", JSON_BOOL, struct report, job.map_safe),
		JSON_FIELD("in_memory", JSON_BOOL, struct report, log_dir_in_memory),
	};

	return report_json_of(fields, report);
}

json_object *report_json_next(const struct report *report)
{
	return report_json_texts_of(report->next, report->next_count);
}

/* ---- the document ---- */

json_object *report_json_document(const struct report *report)
{
	CLEANUP(masked) struct masked_report *masked = NULL;

	if (report_mask(report, &masked, NULL) < 0)
		return NULL;
	return report_json_of_facts(masked ? &masked->report : report);
}

int report_json(const struct report *report, char **ret, struct error *reterr)
{
	char *text = report_json_print(report_json_document(report),
				       JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
					       JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return error_nomem(reterr);
	*ret = text;
	return 0;
}
