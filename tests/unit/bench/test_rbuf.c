/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/rbuf.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "fake/sg_script.h"
#include "rig.h"
#include "unit.h"

static struct sg_script disk;

static void set_up(void)
{
	rig_set_up();
	sg_script_init(&disk, 8192, 512);
	run.sg = &disk.driver;
	run.end.sg = "/dev/sg9";
	run.end.sg_fd = 3;
	run.end.size = 8192 * 512;
	run.end.logical_sector_size = 512;
	run.end.max_command = 64 << 10;
	run.size = 256 << 10;
	run.ns = 5 * NSEC_PER_SEC;
	run.rounds = 1;
	disk.buffer = 1 << 20;
	disk.reserve_most = 1 << 20;
	disk.allow_direct = true;
}

static void tear_down(void)
{
	ck_assert_uint_eq(disk.opened, 0);
	sg_script_done(&disk);
	rig_tear_down();
}

static int measure(void)
{
	struct error error = { 0 };
	int r = bench_rbuf.run(&run, &error);

	if (r < 0 && r != -ECANCELED)
		ck_assert_str_ne(error.sentence, "");
	return r;
}

UNIT_CASE(.setup = set_up, .teardown = tear_down);

TEST(derives_what_the_text_derived)
{
	/* The first column of its table for 1024 MB. */
	const struct rbuf_column column = { .amount = 1024.0 * (1 << 20),
					    .smallest = 145.7,
					    .best = 15.1,
					    .worst = 145.7,
					    .smallest_size = 4096,
					    .best_size = 512 << 10 };
	double values[RBUF_ROWS];

	rbuf_derive(&column, values);
	ck_assert_double_eq_tol(values[RBUF_LATENCY], 0.00050, 0.000005);
	ck_assert_double_eq_tol(values[RBUF_AFTER_LATENCY] / (1 << 20), 73, 0.5);
	ck_assert_double_eq_tol(values[RBUF_BEST] / (1 << 20), 68, 0.5);
	ck_assert_double_eq_tol(values[RBUF_WORST] / (1 << 20), 7.0, 0.05);
}

TEST(noise_is_no_latency)
{
	const struct rbuf_column column = { .amount = 1 << 20,
					    .smallest = 1,
					    .best = 1,
					    .worst = 2,
					    .smallest_size = 4096,
					    .best_size = 4096 };
	double values[RBUF_ROWS];

	rbuf_derive(&column, values);
	ck_assert_double_lt(values[RBUF_LATENCY], 0);
	ck_assert_double_lt(values[RBUF_AFTER_LATENCY], 0);
	ck_assert_double_gt(values[RBUF_BEST], values[RBUF_WORST]);
}

TEST(reads_the_buffer_by_all_four_ways)
{
	static const struct {
		const char *key;
		enum bench_path path;
	} ways[] = { { "none", BENCH_LEFT },
		     { "mmap", BENCH_MAPPED },
		     { "direct", BENCH_DIRECT },
		     { "indirect", BENCH_INDIRECT } };

	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(disk.reads, 0);
	/* 4 to 64 KiB, 256 KiB of each in each way, and one to begin with */
	ck_assert_uint_eq(disk.buffers_read, 4 * (4 + 8 + 16 + 32 + 64 + 5) + 1);
	for (unsigned i = 0; i < 4; i++) {
		const struct bench_figure *figure = figure_at("rbuf", "65536", ways[i].key);

		ck_assert_ptr_nonnull(figure);
		ck_assert_int_eq(figure->how.path, ways[i].path);
		ck_assert_int_eq(figure->unit, BENCH_SECONDS);
		ck_assert_ptr_nonnull(figure_at("rbuf", "4096", ways[i].key));
		ck_assert_ptr_nonnull(figure_at("derived", "best", ways[i].key));
	}
	ck_assert_ptr_null(figure_at("rbuf", "131072", "direct"));
	ck_assert_uint_eq(result.note_count, 0);
}

TEST(a_driver_that_copies_is_named)
{
	disk.allow_direct = false;
	ck_assert_int_eq(measure(), 0);
	ck_assert_int_eq(figure_at("rbuf", "4096", "direct")->how.path, BENCH_INDIRECT);
	ck_assert_ptr_nonnull(strstr(result.tables[0].columns[4].heading, "COPIED"));
	ck_assert_ptr_nonnull(strstr(result.notes[0], "allow_dio"));
}

TEST(the_largest_is_what_disk_and_adapter_allow)
{
	disk.buffer = 20 << 10;
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_nonnull(figure_at("rbuf", "20480", "direct"));
	ck_assert_ptr_nonnull(figure_at("rbuf", "16384", "direct"));
	ck_assert_ptr_null(figure_at("rbuf", "32768", "direct"));
}

TEST(one_size_where_one_was_asked_for)
{
	options.request = 12 << 10;
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_nonnull(figure_at("rbuf", "12288", "direct"));
	ck_assert_uint_eq(result.row_count, 1 + RBUF_ROWS);
}

TEST(a_size_that_cannot_be_is_no_measurement)
{
	options.request = 128 << 10;
	ck_assert_int_eq(measure(), -EINVAL);
	options.request = 4098;
	ck_assert_int_eq(measure(), -EINVAL);
	ck_assert_uint_eq(result.row_count, 0);
}

TEST(a_small_reserve_buffer_leaves_the_rest)
{
	disk.reserve_most = 16 << 10;
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_nonnull(figure_at("rbuf", "16384", "mmap"));
	ck_assert_ptr_null(figure_at("rbuf", "32768", "mmap"));
	ck_assert_ptr_nonnull(figure_at("rbuf", "32768", "direct"));
}

TEST(the_echo_buffer_where_that_is_all)
{
	disk.buffer = 0;
	disk.echo = 4096;
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_gt(disk.buffers_read, 0);
	ck_assert_uint_eq(result.row_count, 1 + RBUF_ROWS);
}

TEST(a_refusal_becomes_reads_and_says_so)
{
	disk.buffer = 0;
	ck_assert_int_eq(measure(), 0);
	ck_assert_uint_eq(disk.buffers_read, 0);
	ck_assert_uint_gt(disk.reads, 0);
	ck_assert_ptr_nonnull(strstr(result.tables[0].title, "no READ BUFFER"));
	ck_assert_ptr_nonnull(figure_at("rbuf", "65536", "indirect"));
}

TEST(a_size_that_fails_is_left_out)
{
	/* Everything that READ BUFFER is asked, once: the first cell. */
	sg_script_add(&disk, &(struct sg_script_rule){ .op = 0x3c,
						       .lba = ANY_LBA,
						       .skip = 2,
						       .times = 1,
						       .status = 2,
						       .key = 5,
						       .asc = 0x24 });
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_null(figure_at("rbuf", "65536", "none"));
	ck_assert_ptr_nonnull(figure_at("rbuf", "65536", "mmap"));
	ck_assert_ptr_nonnull(figure_at("rbuf", "32768", "none"));
}

TEST(news_of_a_reset_changes_nothing)
{
	sg_script_add(&disk, &(struct sg_script_rule){ .op = 0x3c,
						       .lba = ANY_LBA,
						       .skip = 7,
						       .times = 2,
						       .status = 2,
						       .key = 6,
						       .asc = 0x29 });
	ck_assert_int_eq(measure(), 0);
	ck_assert_ptr_nonnull(figure_at("rbuf", "65536", "none"));
}

TEST(a_disk_that_is_gone_ends_it)
{
	disk.gone = true;
	ck_assert_int_lt(measure(), 0);
	ck_assert_uint_eq(result.figure_count, 0);
}

TEST(stopped_it_keeps_what_it_has)
{
	stops_after = 10;
	ck_assert_int_eq(measure(), -ECANCELED);
	ck_assert_ptr_nonnull(figure_at("rbuf", "65536", "none"));
	ck_assert_ptr_null(figure_at("rbuf", "4096", "none"));
	ck_assert_ptr_nonnull(figure_at("derived", "best", "none"));
}

TEST(without_an_sg_node_there_is_a_sentence)
{
	run.end.sg = "";
	ck_assert_int_eq(measure(), -EOPNOTSUPP);
}
