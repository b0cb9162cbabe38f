/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report as JSON: unknown is null, numbers are exact. With REPORT_SAMPLES
 * in the environment each kind of report is written to that folder, where the
 * test of the schema finds it.
 */
#include "unit.h"

#include <stdio.h>

#include <json-c/json.h>

#include "report/json.h"
#include "report/sample.h"

static json_object *document_of(const struct report *report)
{
	struct error error = { 0 };
	char *text = NULL;

	ck_assert_int_eq(report_json(report, &text, &error), 0);
	json_object *document = json_tokener_parse(text);

	ck_assert_ptr_nonnull(document);
	free(text);
	return document;
}

static json_object *member(json_object *object, const char *key)
{
	json_object *value = NULL;

	ck_assert_msg(json_object_object_get_ex(object, key, &value), "%s is missing", key);
	return value;
}

SAMPLE_CASE;

TEST(numbers_are_exact)
{
	json_object *document = document_of(&sample.report);

	ck_assert_uint_eq(json_object_get_uint64(member(document, "bytes_copied")), SAMPLE_SIZE);
	ck_assert_str_eq(json_object_get_string(member(document, "schema")), "clonedeck.report/1");
	ck_assert_int_eq(json_object_get_int(member(document, "exit_code")), 0);
	json_object *extent = json_object_array_get_idx(member(document, "plan"), 0);

	ck_assert_uint_eq(json_object_get_uint64(member(extent, "sectors")), SAMPLE_SIZE / 512);
	ck_assert_uint_eq(
		json_object_get_uint64(member(member(member(document, "latency"), "read"), "p99")),
		61 * NSEC_PER_MSEC);
	json_object_put(document);
}

/* Such as that of an MS-DOS table for sectors of another size, where all stays in its place. */
TEST(a_table_of_its_own_is_told_where_nothing_moves)
{
	static const unsigned char bytes[FITTED_UNIT];

	json_object *document = document_of(&sample.report);

	ck_assert_ptr_null(member(document, "fitted"));
	json_object_put(document);
	ck_assert_int_eq(fitted_add(&sample.plan->fitted, 0, bytes), 0);
	document = document_of(&sample.report);
	ck_assert_uint_eq(json_object_array_length(member(member(document, "fitted"), "changed")),
			  0);
	json_object_put(document);
}

TEST(unknown_is_null)
{
	sample.report.job.destination.latency = (struct latency_summary){ 0 };
	sample.report.job.average = 0;
	sample.report.job.flushed_at = 0;
	json_object *document = document_of(&sample.report);

	ck_assert_ptr_null(member(document, "bytes_verified"));
	ck_assert_ptr_null(member(document, "digests"));
	ck_assert_ptr_null(member(document, "error"));
	ck_assert_ptr_null(member(document, "flushed_at"));
	ck_assert_ptr_null(member(member(document, "latency"), "write"));
	ck_assert_ptr_null(member(member(document, "rate"), "average"));
	ck_assert_ptr_null(member(member(document, "source"), "wwn"));
	ck_assert_ptr_null(member(member(document, "source"), "partition"));
	json_object *lanes = member(member(document, "cpu"), "per_lane");

	ck_assert_uint_eq(json_object_array_length(lanes), 2);
	ck_assert_ptr_nonnull(json_object_array_get_idx(lanes, 0));
	ck_assert_ptr_null(json_object_array_get_idx(lanes, 1));
	json_object_put(document);
}

TEST(bad_areas_have_place_and_sense)
{
	sample_add_bad(&sample);
	json_object *document = document_of(&sample.report);
	json_object *bad = json_object_array_get_idx(member(document, "bad_areas"), 0);

	ck_assert_uint_eq(json_object_get_uint64(member(bad, "offset")), 512000);
	ck_assert_uint_eq(json_object_get_uint64(member(bad, "bytes")), 4096);
	ck_assert_int_eq(json_object_get_int(member(bad, "errno")), 5);
	ck_assert_int_eq(json_object_get_int(member(member(bad, "sense"), "asc")), 0x11);
	ck_assert_str_eq(json_object_get_string(member(member(bad, "sense"), "text")),
			 "medium error: unrecovered read error (3/11/00)");
	ck_assert_str_eq(json_object_get_string(member(bad, "end")), "source");
	json_object_put(document);
}

TEST(what_sg_did_is_told_per_end)
{
	sample_add_io_stats(&sample);
	json_object *document = document_of(&sample.report);
	json_object *engine = member(document, "engine");
	json_object *source = member(engine, "source_sg");

	ck_assert_str_eq(json_object_get_string(member(source, "driver")), "3.5.36");
	ck_assert_int_eq(json_object_get_int(member(source, "direct")), 5);
	ck_assert_int_eq(json_object_get_int(member(source, "indirect")), 4);
	ck_assert_int_eq(json_object_get_int(member(source, "mapped")), 0);
	ck_assert_int_eq(json_object_get_int(member(source, "recovered")), 3);
	ck_assert_int_eq(json_object_get_int(member(source, "retried")), 2);
	ck_assert_int_eq(json_object_get_int(member(source, "waited")), 1);
	ck_assert_ptr_null(member(engine, "destination_sg"));
	json_object_put(document);

	/* Through the block node nobody knows how the data went. */
	sample.report.job.source.stats = (struct io_stats){ .known = true, .retried = 2 };
	document = document_of(&sample.report);
	source = member(member(document, "engine"), "source_sg");
	ck_assert_ptr_null(member(source, "driver"));
	ck_assert_ptr_null(member(source, "direct"));
	ck_assert_ptr_null(member(source, "indirect"));
	ck_assert_ptr_null(member(source, "mapped"));
	ck_assert_int_eq(json_object_get_int(member(source, "retried")), 2);
	json_object_put(document);
}

/* Kinds of reports for the schema test; a folder must be given. */
TEST_ROWS(samples_are_written, 4)
{
	const char *directory = getenv("REPORT_SAMPLES");
	char path[512];

	if (!directory)
		return;
	if (_i == 1) {
		sample_add_bad(&sample);
		sample_add_io_stats(&sample);
		sample_add_zones(&sample);
		sample.report.job.destination.stats.known = true;
	}
	if (_i == 2) {
		sample.report.job.result = JOB_RESULT_FAILED;
		sample.report.job.flushed = false;
		error_set_at(&sample.report.job.error, ERROR_CLASS_DESTINATION, -28, "write",
			     "/srv/b.img", 77, 8, "No room.");
		sample.report.job.source.latency = (struct latency_summary){ 0 };
		report_done(&sample.report);
		sample.report.next_count = 0;
		sample.report.files.map[0] = '\0';
		sample.report.map_cells[0] = sample.report.ticket[0] = '\0';
		sample.report.mask_serials = true;
		health_clear(&sample.report.source.before, "No smartctl.");
		health_clear(&sample.report.destination.before, NULL);
	}
	if (_i == 3)
		sample_make_hostile(&sample);
	snprintf(path, sizeof(path), "%s/%d.report.json", directory, _i);
	ck_assert_int_eq(report_save(&sample.report, REPORT_JSON, path, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/%d.report.html", directory, _i);
	ck_assert_int_eq(report_save(&sample.report, REPORT_HTML, path, NULL, NULL), 0);
	snprintf(path, sizeof(path), "%s/%d.report.txt", directory, _i);
	ck_assert_int_eq(report_save(&sample.report, REPORT_TEXT, path, NULL, NULL), 0);
}
