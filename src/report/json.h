/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of JSON that several documents share: plan, progress and report. All
 * functions return a new json-c object that the caller owns, or NULL for JSON's
 * null, which stands for everything unknown.
 */
#pragma once

#include <stddef.h>

#include <json-c/json.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "job/snapshot.h"
#include "guard/rules.h"
#include "health/health.h"
#include "boot/boot.h"
#include "plan/identifiers.h"
#include "plan/plan.h"

DEFINE_CLEANUP(json, json_object *, json_object_put)

/* How a member of a struct is written. Unknown, which is null, is what each says. */
enum json_kind {
	JSON_NUMBER,   /* unsigned, of any size */
	JSON_POSITIVE, /* the same; 0 is null */
	JSON_BOOL,
	JSON_TRISTATE, /* UNKNOWN is null */
	JSON_TEXT,     /* an array of char; "" is null */
	JSON_NAME,     /* a pointer to text; NULL and "" are null */
	JSON_PATH,     /* an array of char, as report_json_path() */
	JSON_TIME,     /* unix seconds; 0 is null */
	JSON_SECONDS,  /* of nanoseconds */
	JSON_DOUBLE,
	JSON_RATE, /* double; 0 and less is null */
	JSON_WORD, /* an enum or a bool; the word of that number, which may be NULL */
	JSON_PART, /* what `part` makes of it */
};

/* A member of an object. */
struct json_field {
	const char *key; /* NULL: none */
	enum json_kind kind;
	size_t offset, size;
	const char *const *words;
	json_object *(*part)(const void *member);
};
#define JSON_AT(type, member)                                                                      \
	.offset = offsetof(type, member), .size = sizeof(((const type *)NULL)->member)
#define JSON_FIELD(name, how, type, member)                                                        \
	{                                                                                          \
		.key = (name), .kind = (how), JSON_AT(type, member)                                \
	}
#define JSON_WORD_OF(name, list, type, member)                                                     \
	{                                                                                          \
		.key = (name), .kind = JSON_WORD, .words = (list), JSON_AT(type, member)           \
	}
#define JSON_PART_OF(name, make, type, member)                                                     \
	{                                                                                          \
		.key = (name), .kind = JSON_PART, .part = (make), JSON_AT(type, member)            \
	}
/* From the whole struct. */
#define JSON_MADE(name, make)                                                                      \
	{                                                                                          \
		.key = (name), .kind = JSON_PART, .part = (make)                                   \
	}
/* make() as a part: it takes a pointer to `type`. */
#define JSON_AS_PART(name, make, type)                                                             \
	static json_object *name(const void *member)                                               \
	{                                                                                          \
		const type *typed = member;                                                        \
                                                                                                   \
		return make(typed);                                                                \
	}

void report_json_add_field(json_object *object, const struct json_field *field, const void *data);
void report_json_add_fields(json_object *object, const struct json_field *fields, size_t count,
			    const void *data);
/* A new object of the fields of an array, the whole of it. */
#define report_json_of(fields, data) report_json_object((fields), ARRAY_SIZE(fields), (data))
json_object *report_json_object(const struct json_field *fields, size_t count, const void *data);
/* A list of such objects, one for each of the `count` structs of `size` bytes. */
#define report_json_list_of(fields, data, count)                                                   \
	report_json_list((fields), ARRAY_SIZE(fields), (data), sizeof((data)[0]), (count))
json_object *report_json_list(const struct json_field *fields, size_t field_count, const void *data,
			      size_t size, size_t count);

json_object *report_json_text(const char *text); /* "" is null */
/* A list of `count` texts, each an array of char at the start of `size` bytes. */
#define report_json_texts_of(texts, count) report_json_texts((texts), sizeof((texts)[0]), (count))
json_object *report_json_texts(const void *texts, size_t size, size_t count);
/* Of a file: as text_encode() writes it (base/text.h), since JSON cannot hold any bytes. */
json_object *report_json_path(const char *path);
json_object *report_json_time(int64_t unix_seconds);      /* 0 is null */
json_object *report_json_positive(double value);          /* 0 and less is null */
json_object *report_json_positive_number(uint64_t value); /* 0 is null */
json_object *report_json_seconds_of(uint64_t ns);
json_object *report_json_endpoint(const struct endpoint *endpoint);
json_object *report_json_extents(const struct plan *plan);
/* Of the plan's free places. */
json_object *report_json_free_places(const struct plan *plan);
json_object *report_json_verdicts(const struct verdict_list *verdicts, enum verdict_kind least);
json_object *report_json_latencies(const struct job_snapshot *job);
json_object *report_json_sense(const struct sense *sense);
/* NULL: it was not asked, or does not tell. */
json_object *report_json_health(const struct health *health);
json_object *report_json_error(const struct error *error);
void json_add_number(json_object *object, const char *key, uint64_t value);
void json_add_text(json_object *object, const char *key, const char *text); /* also "" */
void json_add_bool(json_object *object, const char *key, bool value);
/* "percent": 19.4, where the double nearest to it would print 19.399999999999999. */
void json_add_percent(json_object *object, double percent);
/* Null unless it is known. */
void json_add_known(json_object *object, const char *key, bool known, uint64_t value);
/* Of a document that anybody may have made: "" where there is no such member, or it is no text. */
const char *json_text_of(json_object *object, const char *key);
/* The passes that began. */
json_object *report_json_forecasts(const struct job_snapshot *job);
json_object *report_json_passes(const struct job_snapshot *job);
/* What is copied last; 0 areas is null. */
json_object *report_json_held(unsigned areas, uint64_t bytes);
/* What can start a machine; NULL: not known. */
json_object *report_json_boot_of(const struct boot_look *look);
json_object *report_json_identifiers_of(const struct identifiers *list);
/* NULL is fine: there is none. */
json_object *report_json_fitted(const struct fitted *fitted);
struct report;
/* Of a struct report: what was proven, and what differs; null when nothing was asked for. */
json_object *report_json_verify(const struct report *report);
/* Of a struct report: the sums of the whole source; NULL: none were asked for. */
json_object *report_json_sums(const struct report *report);
/* The whole report, serial numbers masked where it says so; NULL without memory for that. */
json_object *report_json_document(const struct report *report);
/* The document in a file that anybody may have made, or damaged. NULL: it is no regular file (a
 * pipe or a device may have no end), it is larger than REPORT_JSON_MAX, or it is not JSON. */
#define REPORT_JSON_MAX (16 << 20)
json_object *report_json_load(const char *path);
/* Malloc'd text with json-c's flags; NULL when there is no memory for it. Releases the document. */
char *report_json_print(json_object *document, int flags);
