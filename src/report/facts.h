/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a report tells, once: a table of facts that the text, the certificate and
 * the JSON walk. A fact has words for people, a value for programs, or both.
 */
#pragma once

#include "report/json.h"
#include "report/report.h"

/* In the order of the text. */
enum fact_group {
	FACT_OUTCOME,
	FACT_ENDS,
	FACT_PLAN,
	FACT_WHEN,
	FACT_COPIED,
	FACT_PROVEN,
	FACT_REST,
	FACT_SUMS,
	FACT_FLUSHED,
	FACT_MEASURED,
	FACT_FILES,
	FACT_NEXT,
};

struct fact_line {
	const char *label, *title;  /* translated; NULL: those of the fact */
	char text[REPORT_STEP_MAX]; /* "": this line is not shown */
};

struct fact {
	enum fact_group group;
	bool full; /* the short text leaves it out */
	/* N_(); "" continues the fact above, NULL: not a fact of this form. */
	const char *label; /* in the text */
	const char *title; /* on the certificate */
	/* A phrase, "" where there is nothing to tell; or several lines, false after the last. */
	const char *(*words)(const struct report *report, char *buffer, size_t size);
	bool (*line)(const struct report *report, bool full, size_t index, struct fact_line *ret);
	/* Of the struct report. Without words and lines, a text, path or time is its own words. */
	struct json_field json;
	bool of_plan; /* it is one of the struct plan */
};

const struct fact *report_facts(size_t *retcount);
/* The lines of a fact from 0 on; false after the last one. */
bool report_fact_line(const struct fact *fact, const struct report *report, bool full, size_t index,
		      struct fact_line *ret);
/* Appends the lines of the facts with a title, of the groups from `first` to `last`, as
 * { label, text }. */
void report_add_fact_rows(json_object *rows, const struct report *report, enum fact_group first,
			  enum fact_group last);
/* The JSON of the report as it is, not masked. */
json_object *report_json_of_facts(const struct report *report);

/* missing.c */
const char *report_missing(const struct report *report, char *buffer, size_t size);

/* graph.c: for the template. The strip: NULL where nothing is known. */
json_object *report_graphs(const struct report *report);
json_object *report_strip(const struct report *report);

/* zones.c: where the source was slow, and whether that is a reason to doubt it. */
const char *report_slowest(const struct report *report, char *buffer, size_t size);
const char *report_weak_zone(const struct report *report, char *buffer, size_t size);
json_object *report_json_zones(const void *report);
/* How good the times were that were told while it ran. */
const char *report_forecasts(const struct report *report, char *buffer, size_t size);

/* start.c */
bool report_boots_line(const struct report *report, bool full, size_t index, struct fact_line *ret);
bool report_entry_line(const struct report *report, bool full, size_t index, struct fact_line *ret);
bool report_after_line(const struct report *report, bool full, size_t index, struct fact_line *ret);
const char *report_identifiers(const struct report *report, char *buffer, size_t size);

/* words.c */
bool report_source_line(const struct report *report, bool full, size_t index,
			struct fact_line *ret);
bool report_destination_line(const struct report *report, bool full, size_t index,
			     struct fact_line *ret);
bool report_range_line(const struct report *report, bool full, size_t index, struct fact_line *ret);

/* json_report.c: the values that are more than a member of struct report; each takes one. */
json_object *report_json_schema(const void *report);
json_object *report_json_host(const void *report);
json_object *report_json_result(const void *report);
json_object *report_json_exit_code(const void *report);
json_object *report_json_source(const void *report);
json_object *report_json_destinations(const void *report);
json_object *report_json_map(const void *report);
json_object *report_json_plan_id(const void *report);
json_object *report_json_preset(const void *report);
json_object *report_json_bad_areas(const void *report);
json_object *report_json_bytes_verified(const void *report);
json_object *report_json_look(const void *report);
json_object *report_json_digests(const void *report);
json_object *report_json_domain(const void *plan);
json_object *report_json_free(const void *report);
json_object *report_json_held_back(const void *report);
json_object *report_json_grown_fs(const void *report);
json_object *report_json_fitted_table(const void *report);
json_object *report_json_armed(const void *report);
json_object *report_json_hurt(const void *report);
json_object *report_json_boot(const void *report);
json_object *report_json_identifiers(const void *report);
json_object *report_json_after(const void *report);
json_object *report_json_seconds(const void *report);
json_object *report_json_rate(const void *report);
json_object *report_json_cpu(const void *report);
json_object *report_json_engine(const void *report);
json_object *report_json_warnings(const void *report);
json_object *report_json_events(const void *report);
json_object *report_json_files(const void *report);
json_object *report_json_next(const void *report);
