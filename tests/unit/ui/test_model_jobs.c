/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Screen 7: what is listed, in which order, and in what words. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "line_test.h"
#include "base/text.h"
#include "ui/jobs/model.h"

static const struct running running[] = {
	{ .pid = 1944,
	  .percent = 41.2,
	  .left = 9441,
	  .state = "copying",
	  .stage = "copy",
	  .rate = 168e6,
	  .source = { .node = "/dev/sda", .serial = "ZFL1A2B3" },
	  .destination = { .node = "/dev/sdb", .serial = "S6PNNM0T412345K" },
	  .map = "/var/log/clonedeck/1.map",
	  .has_deck = true },
	{ .pid = 2001,
	  .percent = 90,
	  .left = -1,
	  .state = "waiting",
	  .stage = "scrape",
	  .rate = -1,
	  .bad = 94208,
	  .errors = 23,
	  .source = { .node = "/dev/nvme0n1p12" },
	  .own = true },
	{ .pid = 2002,
	  .left = -1,
	  .left_least = 70,
	  .left_most = 1500,
	  .state = "copying",
	  .stage = "scrape",
	  .source = { .file = "/srv/a\033.img" },
	  .destination = { .file = "/mnt/b.img" } },
};

static const struct past_copy past[] = {
	{ .result = "COMPLETE", .total = 1000, .copied = 1000, .seconds = 90000 },
	{ .map = "/var/log/clonedeck/1.map", .result = "STOPPED", .unfinished = true },
	{ .map = "/2.map", .unfinished = true, .total = 1000, .copied = 989 },
	{ .map = "/3.map" },
};

static struct jobs_model model;

static void make(void)
{
	jobs_model_make(&model, running, 2, past, 4);
}

static const char *row(int at, int columns)
{
	static struct line line;

	line_start(&line, columns);
	jobs_text_row(&model.rows[at], &line);
	ck_assert_int_eq(line.columns, columns);
	return line.text;
}

/* What runs, what can be continued, what has ended. The map of a copy that runs is not offered, and
 * a map without anything to do that has no report says nothing. */
TEST(three_groups)
{
	make();
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(model.rows[i].unfinished, i == 2);
	ck_assert_int_eq(model.count, 5);
	ck_assert_ptr_eq(model.rows[2].past, &past[2]);
	ck_assert_ptr_eq(model.rows[3].past, &past[0]);
	ck_assert_ptr_eq(model.rows[4].past, &past[1]);
}

static const struct past_copy *past_at(int at)
{
	return model.rows[at].past;
}

/* Unknown comes before all that is known; equal rows keep their order. */
TEST(sorted_by_column)
{
	struct list list = { 0 };
	struct line line;

	make();
	ck_assert(!list_sort_by(&list, COMMAND_ACCEPT, JOBS_SORT_COLUMNS));
	for (int column = 1; column <= 3; column++)
		ck_assert(list_sort_by(&list, COMMAND_SORT, JOBS_SORT_COLUMNS));
	jobs_model_sort(&model, &list);
	ck_assert_ptr_eq(past_at(0), &past[1]);
	ck_assert_ptr_eq(model.rows[1].running, &running[0]);
	ck_assert_ptr_eq(model.rows[2].running, &running[1]);
	ck_assert_ptr_eq(past_at(3), &past[2]);
	ck_assert(model.rows[3].unfinished);
	ck_assert_ptr_eq(past_at(4), &past[0]);
	line_has(80, jobs_text_head(&list, &line), "DONE ^");
	ck_assert(list_sort_by(&list, COMMAND_SORT_BACK, JOBS_SORT_COLUMNS));
	jobs_model_sort(&model, &list);
	ck_assert_ptr_eq(past_at(0), &past[0]);
	ck_assert_ptr_eq(past_at(4), &past[1]);
	line_has(80, jobs_text_head(&list, &line), "DONE v");
	/* Behind the last column comes its own order. */
	list_sort_by(&list, COMMAND_SORT, JOBS_SORT_COLUMNS);
	list_sort_by(&list, COMMAND_SORT, JOBS_SORT_COLUMNS);
	ck_assert_int_eq(list.column, 0);
	make();
	jobs_model_sort(&model, &list);
	ck_assert_ptr_eq(model.rows[0].running, &running[0]);
}

TEST(a_copy_is_found_again)
{
	make();
	ck_assert_int_eq(jobs_model_row_of(&model, 2001, "", 0), 1);
	ck_assert_int_eq(jobs_model_row_of(&model, 0, "/2.map", 0), 2);
	ck_assert_int_eq(jobs_model_row_of(&model, 2002, "", 0), -1);
	/* In its row, or in what is known of it. */
	ck_assert(jobs_holds(&model.rows[0], "COPYING"));
	ck_assert(jobs_holds(&model.rows[0], "S6PNNM0T4"));
	ck_assert(jobs_holds(&model.rows[2], "/2.map"));
	ck_assert(!jobs_holds(&model.rows[2], "S6PNNM0T4"));
}

TEST(more_than_there_is_room_for)
{
	static struct past_copy many[JOBS_MAX + 10];

	for (int i = 0; i < JOBS_MAX + 10; i++)
		strcpy(many[i].result, "COMPLETE");
	jobs_model_make(&model, running, 2, many, JOBS_MAX + 10);
	ck_assert_int_eq(model.count, JOBS_MAX);
}

TEST(rows)
{
	make();
	ck_assert_str_eq(row(0, 80), "  sda ..L1A2B3 -> sdb ..12345K copying     41.2%  168 MB/s  "
				     "2:37:21             ");
	ck_assert_ptr_nonnull(strstr(row(1, 80), "nvme0n1p12 -> image"));
	ck_assert_ptr_nonnull(strstr(row(1, 80), "disk gone"));
	ck_assert_ptr_nonnull(strstr(row(1, 80), "bad 94.2K"));
	ck_assert_int_eq(jobs_role(&model.rows[1]), ROLE_WARN);
	ck_assert_ptr_nonnull(strstr(row(2, 80), "UNFINISHED    98%"));
	ck_assert_ptr_nonnull(strstr(row(3, 80), "COMPLETE     100%"));
	ck_assert_ptr_nonnull(strstr(row(3, 80), " 1 d "));
	ck_assert_int_eq(jobs_role(&model.rows[3]), ROLE_NORMAL);
	jobs_model_make(&model, running, 3, past, 4);
	ck_assert_ptr_nonnull(strstr(row(2, 80), "  a%1B.img -> b.img "));
	/* Of a range, the most. */
	ck_assert_ptr_nonnull(strstr(row(2, 80), " <0:25:00 "));
	jobs_model_make(&model, &(struct running){ .left = -1, .left_most = 36001 }, 1, past, 0);
	ck_assert_ptr_nonnull(strstr(row(0, 80), " <1 d "));
}

/* At any width a row is as wide as it, and says which disks and how far. */
TEST(a_state_that_is_cut_says_so)
{
	struct running one = running[0];
	struct line line;

	text_copy(one.stage, sizeof(one.stage), "baseline");
	line_start(&line, 79);
	jobs_text_row(&(struct jobs_row){ .running = &one }, &line);
	ck_assert_ptr_nonnull(strstr(line.text, " reading t.. "));
}

TEST(all_widths)
{
	struct line head;

	make();
	for (int columns = 40; columns <= 300; columns++) {
		line_start(&head, columns);
		jobs_text_head(&(struct list){ 0 }, &head);
		ck_assert_int_eq(head.columns, columns);
		for (int i = 0; i < model.count; i++)
			row(i, columns);
		ck_assert_ptr_nonnull(strstr(row(0, columns), "sda"));
		ck_assert_ptr_nonnull(strstr(row(0, columns), "sdb"));
		ck_assert_ptr_nonnull(strstr(row(0, columns), "41.2%"));
	}
}

TEST(details)
{
	char *text;

	make();
	text = jobs_details(&model.rows[0], 1790000000);
	ck_assert_ptr_nonnull(strstr(text, "S/N S6PNNM0T412345K"));
	ck_assert_ptr_nonnull(strstr(text, "left 2:37:21, ends "));
	ck_assert_ptr_null(strstr(text, "command line"));
	free(text);
	text = jobs_details(&model.rows[1], 1790000000);
	ck_assert_ptr_nonnull(strstr(text, "left unknown"));
	free(text);
	/* Images have names, too; and where Run shows a range, there is one. */
	text = jobs_details(&(struct jobs_row){ .running = &running[2] }, 1790000000);
	ck_assert_ptr_nonnull(strstr(text, "/srv/a%1B.img"));
	ck_assert_ptr_nonnull(strstr(text, "left 0:01:10 to 0:25:00\n"));
	free(text);
	text = jobs_details(&model.rows[2], 1790000000);
	ck_assert_ptr_nonnull(strstr(text, "98%"));
	ck_assert_ptr_nonnull(strstr(text, "/2.map"));
	free(text);
}
