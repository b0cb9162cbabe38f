/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the report's JSON, one function a member, each in the file of
 * its idea. As in json.h the caller owns what it gets and NULL is JSON's null.
 */
#ifndef CLONEDECK_REPORT_JSON_PRIVATE_H
#define CLONEDECK_REPORT_JSON_PRIVATE_H

#include "report/json.h"
#include "report/report.h"

/* json_disk.c */
/* The endpoint and what more is known of the disk below it. */
json_object *report_json_disk(const struct endpoint *endpoint, const struct report_disk *disk);
json_object *report_json_map(const struct report *report);

/* json_verify.c */
json_object *report_json_digests(const struct report *report);
json_object *report_json_look(const struct report *report);

/* json_copy.c */
json_object *report_json_bad_areas(const struct report *report);
json_object *report_json_seconds(const struct job_snapshot *job);
json_object *report_json_rate(const struct report *report);
json_object *report_json_cpu(const struct job_snapshot *job);
json_object *report_json_engine(const struct job_snapshot *job);

#endif
