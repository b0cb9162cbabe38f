/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON: structs as objects, and the pieces that several documents share. */
#include "report/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "scsi/sense.h"

json_object *report_json_text(const char *text)
{
	return text && text[0] ? json_object_new_string(text) : NULL;
}

json_object *report_json_texts(const void *texts, size_t size, size_t count)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++)
		json_object_array_add(array,
				      json_object_new_string((const char *)texts + i * size));
	return array;
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

void json_add_number(json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

void json_add_text(json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

void json_add_bool(json_object *object, const char *key, bool value)
{
	json_object_object_add(object, key, json_object_new_boolean(value));
}

void json_add_percent(json_object *object, double percent)
{
	/* With a point in every locale. */
	long long tenths = llround(percent * 10);
	char text[32];

	snprintf(text, sizeof(text), "%lld.%lld", tenths / 10, tenths % 10);
	json_object_object_add(object, "percent", json_object_new_double_s(percent, text));
}

void json_add_known(json_object *object, const char *key, bool known, uint64_t value)
{
	json_object_object_add(object, key, known ? json_object_new_uint64(value) : NULL);
}

const char *json_text_of(json_object *object, const char *key)
{
	json_object *text = json_object_object_get(object, key);

	return json_object_is_type(text, json_type_string) ? json_object_get_string(text) : "";
}

static json_object *json_tristate(enum tristate value)
{
	return value == UNKNOWN ? NULL : json_object_new_boolean(value == YES);
}

/* ---- structs ---- */

static json_object *value_of(const struct json_field *field, const void *data)
{
	const void *at = (const char *)data + field->offset;

	switch (field->kind) {
	case JSON_NUMBER:
		return json_object_new_uint64(member_get(at, field->size));
	case JSON_POSITIVE:
		return report_json_positive_number(member_get(at, field->size));
	case JSON_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case JSON_TRISTATE:
		return json_tristate(*(const enum tristate *)at);
	case JSON_TEXT:
		return report_json_text(at);
	case JSON_NAME:
		return report_json_text(*(const char *const *)at);
	case JSON_PATH:
		return report_json_path(at);
	case JSON_TIME:
		return report_json_time(*(const int64_t *)at);
	case JSON_SECONDS:
		return report_json_seconds_of(*(const uint64_t *)at);
	case JSON_DOUBLE:
		return json_object_new_double(*(const double *)at);
	case JSON_RATE:
		return report_json_positive(*(const double *)at);
	case JSON_WORD:
		return report_json_text(field->words[member_get(at, field->size)]);
	case JSON_PART:
		return field->part(at);
	}
	return NULL;
}

void report_json_add_field(json_object *object, const struct json_field *field, const void *data)
{
	if (field->key)
		json_object_object_add(object, field->key, value_of(field, data));
}

void report_json_add_fields(json_object *object, const struct json_field *fields, size_t count,
			    const void *data)
{
	for (size_t i = 0; i < count; i++)
		report_json_add_field(object, &fields[i], data);
}

json_object *report_json_object(const struct json_field *fields, size_t count, const void *data)
{
	json_object *object = json_object_new_object();

	report_json_add_fields(object, fields, count, data);
	return object;
}

json_object *report_json_list(const struct json_field *fields, size_t field_count, const void *data,
			      size_t size, size_t count)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++)
		json_object_array_add(array, report_json_object(fields, field_count,
								(const char *)data + i * size));
	return array;
}

/* ---- disks and plans ---- */

static json_object *endpoint_size(const void *data)
{
	const struct endpoint *endpoint = data;

	return endpoint->exists ? json_object_new_uint64(endpoint->size) : NULL;
}

#define END(key, kind) JSON_FIELD(#key, kind, struct endpoint, key)

json_object *report_json_endpoint(const struct endpoint *endpoint)
{
	static const char *const kinds[] = {
		[ENDPOINT_NONE] = "none",
		[ENDPOINT_DISK] = "disk",
		[ENDPOINT_PARTITION] = "partition",
		[ENDPOINT_IMAGE] = "image",
	};
	static const struct json_field fields[] = {
		JSON_WORD_OF("kind", kinds, struct endpoint, kind),
		END(node, JSON_PATH),
		JSON_FIELD("disk", JSON_TEXT, struct endpoint, disk_node),
		END(sg, JSON_TEXT),
		JSON_FIELD("model", JSON_TEXT, struct endpoint, identity.model),
		JSON_FIELD("serial", JSON_TEXT, struct endpoint, identity.serial),
		JSON_FIELD("wwn", JSON_TEXT, struct endpoint, identity.wwn),
		JSON_FIELD("firmware", JSON_TEXT, struct endpoint, identity.firmware),
		JSON_FIELD("diskseq", JSON_POSITIVE, struct endpoint, identity.diskseq),
		END(partition, JSON_POSITIVE),
		END(start, JSON_NUMBER),
		JSON_MADE("size", endpoint_size),
		END(logical_sector_size, JSON_POSITIVE),
		END(physical_sector_size, JSON_POSITIVE),
	};

	return report_json_of(fields, endpoint);
}

json_object *report_json_extents(const struct plan *plan)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];
		json_object *object = json_object_new_object();
		struct extent_bytes e = plan_extent_bytes(plan, i);

		json_add_number(object, "source_lba", extent->source_lba);
		json_add_number(object, "destination_lba", extent->destination_lba);
		json_add_number(object, "sectors", extent->sectors);
		json_add_number(object, "source_offset", e.source);
		json_add_number(object, "destination_offset", e.destination);
		json_add_number(object, "bytes", e.length);
		json_object_array_add(array, object);
	}
	return array;
}

#define VERDICT(key, kind) JSON_FIELD(#key, kind, struct verdict, key)

json_object *report_json_verdicts(const struct verdict_list *verdicts, enum verdict_kind least)
{
	static const char *const words[] = {
		[VERDICT_OK] = "ok",
		[VERDICT_WARN] = "warn",
		[VERDICT_REFUSE] = "refuse",
	};
	static const struct json_field fields[] = {
		VERDICT(rule, JSON_NAME),     JSON_WORD_OF("verdict", words, struct verdict, kind),
		VERDICT(lifted, JSON_BOOL),   VERDICT(liftable, JSON_BOOL),
		VERDICT(sentence, JSON_TEXT),
	};
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < verdicts->count; i++)
		if (verdicts->items[i].kind >= least)
			json_object_array_add(array, report_json_of(fields, &verdicts->items[i]));
	return array;
}

json_object *report_json_held(unsigned areas, uint64_t bytes)
{
	json_object *object;

	if (areas == 0)
		return NULL;
	object = json_object_new_object();
	json_add_number(object, "areas", areas);
	json_add_number(object, "bytes", bytes);
	return object;
}

#define CHANGED(name, member) JSON_FIELD(name, JSON_NUMBER, struct fitted_part, member)

json_object *report_json_fitted(const struct fitted *fitted)
{
	static const struct json_field changed[] = {
		CHANGED("partition", number),       CHANGED("start_before", start),
		CHANGED("sectors_before", sectors), CHANGED("start_after", to),
		CHANGED("sectors_after", size),
	};
	json_object *object;

	if (!fitted || (!fitted->count && !fitted->backup && !fitted->grown && !fitted->part_count))
		return NULL;
	object = json_object_new_object();
	json_add_known(object, "backup_lba", fitted->backup, fitted->backup);
	json_object_object_add(object, "partition",
			       fitted->grown ? json_object_new_int64(fitted->grown) : NULL);
	json_add_known(object, "sectors_before", fitted->grown, fitted->before);
	json_add_known(object, "sectors_after", fitted->grown, fitted->after);
	json_object_object_add(object, "changed",
			       report_json_list_of(changed, fitted->parts, fitted->part_count));
	return object;
}

json_object *report_json_health(const struct health *health)
{
	json_object *object;

	if (!health_is_known(health))
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "time", report_json_time(health->time));
	json_object_object_add(object, "passed", json_tristate(health->passed));
	for (int i = 0; i < HEALTH_FIELDS; i++)
		json_object_object_add(object, health_field_name((enum health_field)i),
				       health->values[i] == HEALTH_UNKNOWN
					       ? NULL
					       : json_object_new_int64(health->values[i]));
	return object;
}

/* ---- a job ---- */

#define LATENCY(key) JSON_FIELD(#key, JSON_NUMBER, struct latency_summary, key)

static json_object *json_latency(const struct latency_summary *latency)
{
	static const struct json_field fields[] = {
		JSON_FIELD("requests", JSON_NUMBER, struct latency_summary, count),
		LATENCY(mean),
		LATENCY(p50),
		LATENCY(p90),
		LATENCY(p99),
		LATENCY(p999),
		LATENCY(max),
	};

	return latency->count ? report_json_of(fields, latency) : NULL;
}

JSON_AS_PART(latency_part, json_latency, struct latency_summary)

json_object *report_json_latencies(const struct job_snapshot *job)
{
	static const struct json_field fields[] = {
		JSON_PART_OF("read", latency_part, struct job_snapshot, source.latency),
		JSON_PART_OF("write", latency_part, struct job_snapshot, destination.latency),
		JSON_PART_OF("read_back", latency_part, struct job_snapshot, read_back),
	};

	return report_json_of(fields, job);
}

static json_object *json_pass_name(const void *data)
{
	const struct job_pass *pass = data;

	return json_object_new_string(pass_name(pass->kind));
}

json_object *report_json_passes(const struct job_snapshot *job)
{
	static const struct json_field fields[] = {
		JSON_MADE("name", json_pass_name),
		JSON_FIELD("rounds", JSON_NUMBER, struct job_pass, rounds),
		JSON_FIELD("seconds", JSON_SECONDS, struct job_pass, ns),
		JSON_FIELD("bytes", JSON_NUMBER, struct job_pass, done),
		JSON_FIELD("bytes_total", JSON_POSITIVE, struct job_pass, total),
		JSON_FIELD("errors", JSON_NUMBER, struct job_pass, errors),
	};

	return report_json_list_of(fields, job->passes, job->pass_count);
}

json_object *report_json_forecasts(const struct job_snapshot *job)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < JOB_FORECASTS; i++) {
		const struct job_forecast *one = &job->forecasts[i];
		json_object *object;

		if (!one->known)
			continue;
		object = json_object_new_object();
		json_add_number(object, "percent", job_forecast_at[i]);
		json_add_number(object, "seconds_at", one->at);
		json_add_number(object, "seconds_left", one->told);
		json_add_number(object, "seconds_taken", one->took);
		json_object_array_add(list, object);
	}
	return list;
}

static json_object *json_sense_text(const void *data)
{
	char text[256];

	return json_object_new_string(sense_text(data, text, sizeof(text)));
}

json_object *report_json_sense(const struct sense *sense)
{
	static const struct json_field fields[] = {
		JSON_FIELD("key", JSON_NUMBER, struct sense, key),
		JSON_FIELD("asc", JSON_NUMBER, struct sense, asc),
		JSON_FIELD("ascq", JSON_NUMBER, struct sense, ascq),
		JSON_MADE("text", json_sense_text),
	};

	return sense->known ? report_json_of(fields, sense) : NULL;
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
	json_add_known(object, "lba", error->has_lba, error->lba);
	json_add_known(object, "sectors", error->has_lba, error->sectors);
	json_object_object_add(object, "sense", report_json_sense(&error->sense));
	json_add_text(object, "sentence", error->sentence);
	return object;
}

json_object *report_json_load(const char *path)
{
	CLEANUP(close) int fd = file_open_untrusted(path, REPORT_JSON_MAX);

	return fd < 0 ? NULL : json_object_from_fd(fd);
}

char *report_json_print(json_object *document, int flags)
{
	const char *text = document ? json_object_to_json_string_ext(document, flags) : NULL;
	char *copy = text ? strdup(text) : NULL;

	json_object_put(document);
	return copy;
}
