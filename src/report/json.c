/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: the pieces that several documents share. */
#include "report/json.h"

#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "scsi/sense.h"

json_object *report_json_text(const char *text)
{
	return text && text[0] ? json_object_new_string(text) : NULL;
}

json_object *report_json_path(const char *path)
{
	char encoded[3 * PATH_MAX];

	return report_json_text(text_encode(encoded, sizeof(encoded), path));
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

json_object *report_json_seconds_of(uint64_t ns)
{
	return json_object_new_double((double)ns / (double)NSEC_PER_SEC);
}

json_object *report_json_positive_number(uint64_t value)
{
	return value ? json_object_new_uint64(value) : NULL;
}

void report_json_add_number(json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

json_object *report_json_tristate(enum tristate value)
{
	return value == UNKNOWN ? NULL : json_object_new_boolean(value == YES);
}

void report_json_add_identity(json_object *object, const struct identity *identity)
{
	json_object_object_add(object, "model", report_json_text(identity->model));
	json_object_object_add(object, "serial", report_json_text(identity->serial));
	json_object_object_add(object, "wwn", report_json_text(identity->wwn));
	json_object_object_add(object, "firmware", report_json_text(identity->firmware));
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
	json_object_object_add(object, "node", report_json_path(endpoint->node));
	json_object_object_add(object, "disk", report_json_text(endpoint->disk_node));
	json_object_object_add(object, "sg", report_json_text(endpoint->sg));
	report_json_add_identity(object, identity);
	json_object_object_add(object, "diskseq", report_json_positive_number(identity->diskseq));
	json_object_object_add(object, "partition",
			       report_json_positive_number(endpoint->partition));
	report_json_add_number(object, "start", endpoint->start);
	json_object_object_add(object, "size",
			       endpoint->exists ? json_object_new_uint64(endpoint->size) : NULL);
	json_object_object_add(object, "logical_sector_size",
			       report_json_positive_number(endpoint->logical_sector_size));
	json_object_object_add(object, "physical_sector_size",
			       report_json_positive_number(endpoint->physical_sector_size));
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
		report_json_add_number(object, "source_lba", extent->source_lba);
		report_json_add_number(object, "destination_lba", extent->destination_lba);
		report_json_add_number(object, "sectors", extent->sectors);
		report_json_add_number(object, "source_offset", source);
		report_json_add_number(object, "destination_offset", destination);
		report_json_add_number(object, "bytes", bytes);
		json_object_array_add(array, object);
	}
	return array;
}

json_object *report_json_verdicts(const struct verdict_list *verdicts, enum verdict_kind least)
{
	static const char *const words[] = {
		[VERDICT_OK] = "ok",
		[VERDICT_WARN] = "warn",
		[VERDICT_REFUSE] = "refuse",
	};
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

static json_object *json_latency(const struct latency_summary *latency)
{
	json_object *object;

	if (latency->count == 0)
		return NULL;
	object = json_object_new_object();
	report_json_add_number(object, "requests", latency->count);
	report_json_add_number(object, "mean", latency->mean);
	report_json_add_number(object, "p50", latency->p50);
	report_json_add_number(object, "p90", latency->p90);
	report_json_add_number(object, "p99", latency->p99);
	report_json_add_number(object, "p999", latency->p999);
	report_json_add_number(object, "max", latency->max);
	return object;
}

json_object *report_json_latencies(const struct job_snapshot *job)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "read", json_latency(&job->source.latency));
	json_object_object_add(object, "write", json_latency(&job->destination.latency));
	json_object_object_add(object, "read_back", json_latency(&job->read_back));
	return object;
}

json_object *report_json_sense(const struct sense *sense)
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
	json_object_object_add(object, "sense", report_json_sense(&error->sense));
	json_object_object_add(object, "sentence", json_object_new_string(error->sentence));
	return object;
}

char *report_json_print(json_object *document, int flags)
{
	const char *text = document ? json_object_to_json_string_ext(document, flags) : NULL;

	return text ? strdup(text) : NULL;
}
