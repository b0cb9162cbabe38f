/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The certificate: a page that a customer can read and sign, and an annex with
 * details. What it looks like is data/certificate.html, compiled in; here it
 * gets the report's JSON, and beside it what people read instead of numbers. It
 * needs no script and no other file, so that it prints the same everywhere and
 * years later.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "report/facts.h"
#include "report/mask.h"
#include "report/template.h"

static const char template[] = {
#include "report/certificate.html.inc"
	'\0'
};

__attribute__((format(printf, 1, 2))) static json_object *text_of(const char *format, ...)
{
	char text[2048];

	text_vprint(text, sizeof(text), format);
	return json_object_new_string(text);
}

static void append_text(json_object *array, const char *text)
{
	if (text[0])
		json_object_array_add(array, json_object_new_string(text));
}

/* ---- the head and the result ---- */

static const char *result_class(enum exit_code code)
{
	switch (code) {
	case EXIT_COMPLETE:
		return "ok";
	case EXIT_BAD_AREAS:
	case EXIT_STOPPED:
		return "warn";
	default:
		return "bad";
	}
}

static void add_head(json_object *page, const struct report *report)
{
	/* Translators: the code of your language, as HTML's lang attribute wants it. */
	json_add_text(page, "lang", _("en"));
	json_object_object_add(page, "title",
			       text_of(_("Copy certificate %s"), REPORT_PLAN_ID(report)));
	json_object_object_add(page, "made_by",
			       text_of(_("made by clonedeck %s on %s"), report->version,
				       report->host[0] ? report->host : _("an unnamed machine")));
	json_add_text(page, "ended", REPORT_WHEN(report->job.ended_at));
}

struct array_sink {
	struct fact_sink to;
	json_object *array;
};

static void put_text(struct fact_sink *to, const char *name, const char *text)
{
	append_text(((struct array_sink *)to)->array, text);
}

static void put_row(struct fact_sink *to, const char *name, const char *text)
{
	json_object *row = json_object_new_object();

	json_add_text(row, "label", name);
	json_add_text(row, "text", text);
	json_object_array_add(((struct array_sink *)to)->array, row);
}

/* Appends facts as { label, text }. */
static void add_rows(json_object *rows, const struct report *report, enum fact_group first,
		     enum fact_group last)
{
	struct array_sink sink = { { .full = true, .titles = true, .put = put_row }, rows };

	report_tell(report, first, last, &sink.to);
}

static void add_result(json_object *page, const struct report *report)
{
	json_object *lines = json_object_new_array();
	struct array_sink told = { { .put = put_text }, lines };
	char line[512];
	const char *sentence;

	json_add_text(page, "result_class", result_class(report_exit_code(report)));
	json_add_text(page, "result_word", _(report_result_word(report)));
	report_result_line(report, line, sizeof(line));
	/* The word stands beside it, large. */
	sentence = strstr(line, " - ");
	append_text(lines, sentence ? sentence + 3 : line);
	append_text(lines, report_reason(report));
	report_boot_line(report, &told.to);
	report_in_use(report, &told.to);
	report_weak_zone(report, &told.to);
	json_object_object_add(page, "result_lines", lines);
}

/* ---- the disks ---- */

static void add_end(json_object *ends, json_object *end, const char *heading,
		    const struct endpoint *endpoint, const struct report_disk *disk)
{
	json_object *nodes = json_object_new_array();

	json_add_text(end, "heading", heading);
	json_add_bool(end, "is_image", endpoint->kind == ENDPOINT_IMAGE);
	/* In the JSON its odd bytes are encoded. */
	json_add_text(end, "node", endpoint->node);
	json_object_object_add(end, "sectors",
			       endpoint->logical_sector_size
				       ? text_of(_("%u B logical, %u B physical"),
						 endpoint->logical_sector_size,
						 endpoint->physical_sector_size)
				       : NULL);
	append_text(nodes, endpoint->sg);
	append_text(nodes, disk->bsg);
	append_text(nodes, disk->nvme_generic);
	append_text(nodes, endpoint->raw);
	append_text(nodes, disk->hctl);
	json_object_object_add(end, "nodes", nodes);
	json_object_object_add(end, "attached",
			       text_of("%s%s%s", disk->transport,
				       disk->transport[0] && disk->path[0] ? ", " : "",
				       disk->path));
	json_object_array_add(ends, json_object_get(end));
}

static void add_ends(json_object *page, const struct report *report)
{
	json_object *ends = json_object_new_array();

	add_end(ends, json_object_object_get(page, "source"), _("Source"), &report->plan->source,
		&report->source);
	add_end(ends, json_object_array_get_idx(json_object_object_get(page, "destinations"), 0),
		_("Destination"), &report->plan->destinations[0], &report->destination);
	json_object_object_add(page, "ends", ends);
}

static json_object *health_row(const char *label, const char *const values[4])
{
	json_object *row = json_object_new_object(), *array = json_object_new_array();

	json_add_text(row, "label", label);
	for (size_t i = 0; i < 4; i++)
		append_text(array, values[i]);
	json_object_object_add(row, "values", array);
	return row;
}

static const char *verdict_word(const struct health *health)
{
	if (!health_is_known(health) || health->passed == UNKNOWN)
		return _("unknown");
	return health->passed == YES ? _("passed") : _("FAILING");
}

static void add_health(json_object *page, const struct report *report)
{
	const struct health *columns[] = { &report->source.before, &report->source.after,
					   &report->destination.before,
					   &report->destination.after };
	json_object *rows = json_object_new_array();
	const char *values[4], *why = columns[0]->why[0] ? columns[0]->why : columns[2]->why;
	char text[4][64];
	bool any = false;

	for (size_t i = 0; i < 4; i++) {
		any = any || health_is_known(columns[i]);
		values[i] = verdict_word(columns[i]);
	}
	json_object_array_add(rows, health_row(_("the disk's own verdict"), values));
	for (int field = 0; field < HEALTH_FIELDS; field++) {
		bool known = false;

		for (size_t i = 0; i < 4; i++) {
			bool has = health_is_known(columns[i]) &&
				   columns[i]->values[field] != HEALTH_UNKNOWN;

			known = known || has;
			snprintf(text[i], sizeof(text[i]), "%" PRId64 "%s",
				 columns[i]->values[field],
				 health_field_unit((enum health_field)field));
			values[i] = has ? text[i] : "-";
		}
		if (known)
			json_object_array_add(
				rows,
				health_row(health_field_label((enum health_field)field), values));
	}
	json_object_object_add(page, "health", rows);
	json_object_object_add(page, "health_unknown",
			       any ? NULL : text_of("%s %s", _("Unknown."), why));
}

/* ---- the annex ---- */

static void add_differences(json_object *page, const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	uint64_t all = proof->areas + proof->unknown_areas;
	unsigned long more = (unsigned long)(all > proof->shown ? all - proof->shown : 0);
	json_object *from = json_object_object_get(page, proof->asked ? "verify" : "final_look");
	json_object *differences = NULL, *areas = json_object_object_get(from, "mismatches");

	if (all && areas) {
		differences = json_object_new_object();
		json_object_object_add(differences, "areas", json_object_get(areas));
		json_object_object_add(
			differences, "more",
			more ? text_of(P_("and %lu more", "and %lu more", more), more) : NULL);
	}
	for (size_t i = 0; differences && i < proof->shown; i++) {
		const struct job_mismatch *mismatch = &proof->mismatches[i];
		json_object *area = json_object_array_get_idx(areas, i);
		struct array_sink notes = { { .put = put_text }, json_object_new_array() };

		json_object_object_add(area, "extent",
				       text_of(mismatch->somewhere ? _("in %" PRIu64) : "%" PRIu64,
					       mismatch->sectors));
		json_add_text(area, "words", job_mismatch_words(mismatch->kind));
		json_object_object_add(area, "notes", notes.array);
		report_mismatch_notes(mismatch, &notes.to);
	}
	json_object_object_add(page, "differences", differences);
}

static void add_bad_areas(json_object *page, const struct report *report)
{
	const struct job_snapshot *job = &report->job;
	json_object *areas = json_object_object_get(page, "bad_areas");
	unsigned long more = report_bad_areas_beyond(report, job->bad_shown);
	char why[256];

	for (size_t i = 0; i < job->bad_shown; i++) {
		json_object *area = json_object_array_get_idx(areas, i);

		json_add_text(area, "disk", job->bad[i].write ? _("destination") : _("source"));
		json_add_text(area, "why", report_bad_area_words(&job->bad[i], why, sizeof(why)));
	}
	json_add_bool(page, "has_bad_areas", job->bad_shown > 0);
	json_object_object_add(page, "more_bad_areas",
			       more ? text_of(P_("and %lu more, listed in the map",
						 "and %lu more, listed in the map", more),
					      more)
				    : NULL);
}

static void add_passes(json_object *page, const struct job_snapshot *job)
{
	json_object *passes = json_object_object_get(page, "passes");

	for (unsigned i = 0; i < job->pass_count; i++) {
		json_object *pass = json_object_array_get_idx(passes, i);

		json_add_text(pass, "words", pass_words(job->passes[i].kind));
		json_add_text(pass, "time", REPORT_DURATION(job->passes[i].ns));
	}
	json_add_bool(page, "has_passes", job->pass_count > 0);
}

static void add_latencies(json_object *page)
{
	static const struct {
		const char *key, *label;
	} rows[] = {
		{ "read", N_("reading") },
		{ "write", N_("writing") },
		{ "read_back", N_("reading back") },
	};
	json_object *latency = json_object_object_get(page, "latency");
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		json_object *row = json_object_object_get(latency, rows[i].key);
		bool known = row != NULL;

		if (!known && i == 2)
			break;
		row = known ? json_object_get(row) : json_object_new_object();
		json_add_text(row, "label", _(rows[i].label));
		json_add_bool(row, "known", known);
		json_object_array_add(array, row);
	}
	json_object_object_add(page, "latencies", array);
}

static void add_events(json_object *page, const struct report *report)
{
	json_object *events = json_object_object_get(page, "events");

	for (size_t i = 0; i < report->event_count; i++)
		json_add_text(json_object_array_get_idx(events, i), "when",
			      REPORT_WHEN(report->events[i].time));
	json_add_bool(page, "has_events", report->event_count > 0);
}

static void add_facts(json_object *page, const struct report *report)
{
	json_object *what = json_object_new_array(), *how = json_object_new_array();
	json_object *files = json_object_new_array();

	add_rows(what, report, FACT_OUTCOME, FACT_FLUSHED);
	add_rows(what, report, FACT_NEXT, FACT_NEXT);
	add_rows(how, report, FACT_MEASURED, FACT_MEASURED);
	add_rows(files, report, FACT_FILES, FACT_FILES);
	json_object_object_add(page, "what", what);
	json_object_object_add(page, "how", how);
	json_object_object_add(page, "file_rows", files);
}

static json_object *make_page(const struct report *report)
{
	json_object *page = report_json_of_facts(report);

	add_head(page, report);
	add_result(page, report);
	add_ends(page, report);
	add_facts(page, report);
	json_object_object_add(page, "strip", report_strip(report));
	json_object_object_add(page, "graphs", report_graphs(report));
	add_differences(page, report);
	add_bad_areas(page, report);
	json_add_bool(page, "has_warnings",
		      json_object_array_length(json_object_object_get(page, "warnings")) > 0);
	add_health(page, report);
	add_passes(page, &report->job);
	add_latencies(page);
	json_add_bool(page, "several_ranges", report->plan->extent_count > 1);
	add_events(page, report);
	return page;
}

int report_html(const struct report *report, char **ret, struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	struct text_stream stream;
	json_object *page;
	char *text;
	int r = report_mask(report, &masked, reterr);

	if (r < 0)
		return r;
	FILE *out = text_stream_begin(&stream);

	if (!out)
		return error_nomem(reterr);
	page = make_page(masked ? &masked->report : report);
	r = template_render(template, page, out);
	json_object_put(page);
	text = text_stream_end(&stream);
	if (!text)
		return error_nomem(reterr);
	if (r < 0) {
		free(text);
		return error_set(reterr, ERROR_CLASS_NONE, r, "render", NULL,
				 _("The certificate's template does not fit this program."));
	}
	*ret = text;
	return 0;
}
