/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pieces of JSON that several documents share: plan, progress and report. All
 * functions return a new json-c object that the caller owns, or NULL for JSON's
 * null, which stands for everything unknown.
 */
#ifndef CLONEDECK_REPORT_JSON_H
#define CLONEDECK_REPORT_JSON_H

#include <json-c/json.h>

#include "copy/job.h"
#include "guard/rules.h"
#include "health/health.h"
#include "plan/plan.h"

json_object *report_json_text(const char *text); /* "" is null */
/* Of a file: as text_encode() writes it (base/text.h), since JSON cannot hold any bytes. */
json_object *report_json_path(const char *path);
json_object *report_json_time(int64_t unix_seconds);      /* 0 is null */
json_object *report_json_positive(double value);          /* 0 and less is null */
json_object *report_json_positive_number(uint64_t value); /* 0 is null */
json_object *report_json_seconds_of(uint64_t ns);
json_object *report_json_tristate(enum tristate value); /* UNKNOWN is null */
/* What a disk says it is: model, serial, wwn and firmware. */
void report_json_add_identity(json_object *object, const struct identity *identity);
json_object *report_json_endpoint(const struct endpoint *endpoint);
json_object *report_json_extents(const struct plan *plan);
json_object *report_json_verdicts(const struct verdict_list *verdicts, enum verdict_kind least);
json_object *report_json_latencies(const struct job_snapshot *job);
json_object *report_json_sense(const struct sense *sense);
/* NULL: it was not asked, or does not tell. */
json_object *report_json_health(const struct health *health);
json_object *report_json_error(const struct error *error);
void report_json_add_number(json_object *object, const char *key, uint64_t value);
/* The passes that began. */
json_object *report_json_passes(const struct job_snapshot *job);
/* What is copied last; 0 areas is null. */
json_object *report_json_held(unsigned areas, uint64_t bytes);
struct report;
/* What was proven, and what differs; null when nothing was asked for. */
json_object *report_json_verify(const struct report *report);
/* The sums of the whole source; NULL: none were asked for. */
json_object *report_json_sums(const struct report *report);
/* The whole report, serial numbers masked where it says so; NULL without memory for that. */
json_object *report_json_document(const struct report *report);
/* Malloc'd text with json-c's flags; NULL when there is no memory for it. */
char *report_json_print(json_object *document, int flags);

#endif
