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

/* Who is told facts, line by line. */
struct fact_sink {
	bool full;        /* also what the short text leaves out */
	bool titles;      /* by the names that they have on the certificate, not in the text */
	const char *name; /* of the next line; fact_put_as()'s own */
	/* name: translated; "" continues the line before. text: never "". */
	void (*put)(struct fact_sink *to, const char *name, const char *text);
};

/* A line; an empty one is not told. label, title: translated; NULL: the fact's. */
void fact_put_as(struct fact_sink *to, const char *label, const char *title, const char *format,
		 ...) __attribute__((format(printf, 4, 5)));
#define fact_put(to, ...) fact_put_as((to), NULL, NULL, __VA_ARGS__)

/* In phrases, translated; no line where there is nothing to tell. */
typedef void fact_words(const struct report *report, struct fact_sink *to);
/* A value for programs that is more than a member. */
typedef json_object *fact_json(const struct report *report);

struct fact {
	enum fact_group group;
	bool full; /* the short text leaves it out */
	/* N_(); "" continues the fact above, NULL: not a fact of this form. */
	const char *label; /* in the text */
	const char *title; /* on the certificate */
	/* Without them, a text, path or time in `json` is its own words. */
	fact_words *words;
	/* Its key; and it is this member of the struct report, or what `make` returns. */
	struct json_field json;
	fact_json *make;
};

/* Tells the facts of the groups from `first` to `last` that have a name there. */
void report_tell(const struct report *report, enum fact_group first, enum fact_group last,
		 struct fact_sink *to);
/* The JSON of the report as it is, not masked. */
json_object *report_json_of_facts(const struct report *report);

/* What was proven, and what became of the copy. */
fact_words report_boot_line, report_in_use, report_missing, report_verified, report_rechecked,
	report_look, report_look_places, report_left_out, report_free, report_free_now,
	report_left_alone, report_sums, report_flushed, report_armed, report_from_memory,
	report_fitted, report_grown_fs, report_identifiers;
/* Where the source was slow, whether that is a reason to doubt it, and how good the times were that
 * were told while it ran. */
fact_words report_slowest, report_weak_zone, report_forecasts;
fact_words report_tell_source, report_tell_destination, report_ranges, report_boots, report_entries,
	report_after;

/* Where it differs, and by what digests. */
void report_mismatch_notes(const struct job_mismatch *mismatch, struct fact_sink *to);

fact_json report_json_schema, report_json_host, report_json_result, report_json_exit_code,
	report_json_source, report_json_destinations, report_json_map, report_json_plan_id,
	report_json_preset, report_json_bad_areas, report_json_bytes_verified, report_json_look,
	report_json_digests, report_json_domain, report_json_free, report_json_held_back,
	report_json_grown_fs, report_json_fitted_table, report_json_armed, report_json_hurt,
	report_json_boot, report_json_identifiers, report_json_after, report_json_seconds,
	report_json_rate, report_json_cpu, report_json_engine, report_json_warnings,
	report_json_events, report_json_files, report_json_next, report_json_zones;

/* graph.c: for the template. The strip: NULL where nothing is known. */
json_object *report_graphs(const struct report *report);
json_object *report_strip(const struct report *report);
