/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/render.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "base/cleanup.h"

static struct bench_result result;
static char path[64];
static struct json_object *earlier;
static struct error error;

static void set_up(void)
{
	const struct bench_how how = { "uring", 4096, 8, BENCH_DIRECT };

	result = (struct bench_result){ .kind = "sizes",
					.title = "a title",
					.node = "/dev/sdx",
					.machine = "a machine",
					.started = 1000000000,
					.end = BENCH_COMPLETE,
					.identity = {
						.model = "MODEL", .serial = "S1", .size = 1000 } };
	bench_result_table(&result, "rate", "Rates");
	bench_result_column(&result, 0, "depth-1", "depth 1");
	bench_result_column(&result, 0, "depth-2", "depth 2");
	bench_result_row(&result, "512", "512 B", 512);
	bench_result_row(&result, "1024", "1 KiB", 1024);
	bench_result_add(&result, 0, 0, BENCH_RATE, 1.5e6, &how);
	bench_result_add(&result, 0, 0, BENCH_RATE, 2.5e6, &how);
	bench_result_add(&result, 1, 1, BENCH_SECONDS, 0.25, NULL);
	snprintf(path, sizeof(path), "/tmp/clonedeck-bench.XXXXXX");
	close(mkstemp(path));
}

static void tear_down(void)
{
	bench_earlier_destroy(earlier);
	earlier = NULL;
	bench_result_done(&result);
	unlink(path);
}

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void put_result(void)
{
	CLEANUP(free) char *text = bench_json(&result);

	put(text);
}

static int load(void)
{
	const struct endpoint disk = { .identity = result.identity, .start = result.start };

	return bench_earlier_load(path, "sizes", &disk, &earlier, &error);
}

/* By the keys of its tables, rows and columns: their order may be another one. */
static void is_found(void)
{
	bench_earlier_apply(NULL, &result);
	ck_assert_str_eq(result.before, "");
	ck_assert_double_lt(result.figures[0].before, 0);
	bench_earlier_apply(earlier, &result);
	ck_assert_double_eq_tol(result.figures[1].before, 0.25, 1e-9);
	ck_assert_double_eq_tol(result.figures[0].before, 2e6, 1);
	ck_assert_ptr_nonnull(strstr(result.before, "a machine"));
	strcpy(result.tables[0].columns[1].key, "depth-1");
	strcpy(result.tables[0].columns[0].key, "depth-2");
	strcpy(result.rows[0].key, "1024");
	bench_earlier_apply(earlier, &result);
	ck_assert_double_eq_tol(result.figures[0].before, 0.25, 1e-9);
	ck_assert_double_lt(result.figures[1].before, 0);
	strcpy(result.tables[0].key, "iops");
	bench_earlier_apply(earlier, &result);
	ck_assert_double_lt(result.figures[0].before, 0);
}

UNIT_CASE(.setup = set_up, .teardown = tear_down);

TEST(an_earlier_result_is_found_by_its_keys)
{
	put_result();
	ck_assert_int_eq(load(), 0);
	is_found();
}

TEST(a_result_that_is_still_here_is_one_too)
{
	earlier = bench_json_document(&result);
	is_found();
}

TEST(another_disk_is_not_compared_with)
{
	put_result();
	/* Nor another partition of the same. */
	result.start = 1048576;
	ck_assert_int_eq(load(), -EINVAL);
	result.start = 0;
	strcpy(result.identity.serial, "S2");
	ck_assert_int_eq(load(), -EINVAL);
	ck_assert_int_eq(error_exit_code(&error), EXIT_USAGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sdx"));
}

TEST(what_is_no_result_is_refused)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{",
		"{\"schema\": 1}",
		"{\"schema\": \"clonedeck.plan/1\"}",
		"{\"schema\": \"clonedeck.bench/1\", \"figures\": {}}",
		"{\"schema\": \"clonedeck.bench/1\", \"kind\": \"sizes\", \"figures\": []}",
		"{\"schema\": \"clonedeck.bench/1\", \"kind\": 7, \"disk\": [], \"figures\": []}",
	};

	for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
		put(texts[i]);
		ck_assert_int_eq(load(), -EINVAL);
	}
	unlink(path);
	ck_assert_int_eq(load(), -EINVAL);
}

TEST(figures_of_a_strange_shape_are_passed_over)
{
	put("{\"schema\": \"clonedeck.bench/1\", \"kind\": \"sizes\", \"disk\": {\"size\": 1000},"
	    "\"figures\": [7, null, {\"row\": {}}, {\"table\": \"rate\", \"row\": \"512\","
	    "\"column\": \"depth-1\", \"median\": \"x\"}]}");
	ck_assert_int_eq(load(), 0);
	bench_earlier_apply(earlier, &result);
	ck_assert_double_lt(result.figures[1].before, 0);
	ck_assert_double_lt(result.figures[0].before, 0);
}

TEST(a_line_of_csv_for_each_figure)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	bench_csv(&result, file);
	fclose(file);
	ck_assert_str_eq(text,
			 "table,row,column,unit,median,smallest,largest,rounds,engine,request,"
			 "depth,path,before\n"
			 "rate,512,depth-1,B/s,2000000,1500000,2500000,2,uring,4096,8,direct,\n"
			 "rate,1024,depth-2,s,0.25,0.25,0.25,1,,,,,\n");
	free(text);
}

/* Depth 2 was measured in one row only, and in another unit. */
TEST(a_page_has_a_curve_for_each_column_of_the_first_unit)
{
	char *text = NULL;
	size_t size = 0;

	put_result();
	ck_assert_int_eq(load(), 0);
	bench_result_row(&result, "2048", "2 KiB", 2048);
	bench_result_add(&result, 2, 0, BENCH_RATE, 4e6, NULL);
	result.tables[0].chart = true;
	bench_earlier_apply(earlier, &result);
	FILE *file = open_memstream(&text, &size);

	ck_assert_int_eq(bench_page(&result, file), 0);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "<path class=\"c0\" d=\"M110 109M970 14\"/>"));
	ck_assert_ptr_nonnull(strstr(text, "<path class=\"c0 then\" d=\"M110 109\"/>"));
	ck_assert_ptr_null(strstr(text, "<path class=\"c1"));
	ck_assert_ptr_nonnull(strstr(text, ">4.00 MB/s</text>"));
	free(text);
}

TEST(the_exit_code_says_how_it_ended)
{
	ck_assert_int_eq(bench_exit_code(&result), EXIT_COMPLETE);
	result.end = BENCH_BAD_PLACES;
	ck_assert_int_eq(bench_exit_code(&result), EXIT_BAD_AREAS);
	result.end = BENCH_STOPPED;
	ck_assert_int_eq(bench_exit_code(&result), EXIT_STOPPED);
	result.end = BENCH_FAILED;
	error_set(&result.error, ERROR_CLASS_SOURCE, -ENODEV, "read", "", "gone");
	ck_assert_int_eq(bench_exit_code(&result), EXIT_STOPPED);
	error_set(&result.error, ERROR_CLASS_REFUSED, -EBUSY, "open", "", "in use");
	ck_assert_int_eq(bench_exit_code(&result), EXIT_REFUSED);
}
