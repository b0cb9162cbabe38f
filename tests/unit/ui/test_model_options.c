/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options form: what it shows reads back the same, what is wrong is refused. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "ui/core/keys.h"
#include "ui/plan/options.h"

static struct options_form form;

static bool read_back(struct plan_options *ret, int *retrow)
{
	char reason[512] = "";
	bool good = options_form_read(&form, 512, ret, retrow, reason, sizeof(reason));

	ck_assert_int_eq(good, reason[0] == '\0');
	return good;
}

TEST(test_round_trip)
{
	static const struct plan_options cases[] = {
		{ 0 },
		{ .chunk = 1 << 20, .queue_depth = 4, .lanes = 2, .retries = 3 },
		{ .chunk = 512, .queue_depth = PLAN_DEPTH_MAX, .lanes = PLAN_LANES_MAX },
		{ .chunk = 3 * 512, .rate = 50000000, .on_error = ON_ERROR_MAP },
		{ .on_error = ON_ERROR_MAP,
		  .on_write_error = ON_ERROR_MAP,
		  .fill = FILL_LEAVE,
		  .retry_passes = 1000 },
		{ .on_error = ON_ERROR_MAP,
		  .slow_limit = 5,
		  .max_bad_areas = 10,
		  .max_read_errors = UINT32_MAX,
		  .max_error_rate = 1 << 20,
		  .max_no_read = 60 },
		{ .probe = PROBE_NO, .arm_at_once = true },
		{ .probe = PROBE_YES },
		{ .free = FREE_LEAVE, .table = TABLE_FIT, .grow = 3, .grow_fs = true },
		{ .table = TABLE_FIT, .places = { { 3, 1 << 20, 0 }, { 4, 513, 1 << 30 } } },
		{ .checksums = 1U << CHECKSUM_SHA256 },
		{ .checksums = 1U << CHECKSUM_SHA1 | 1U << CHECKSUM_MD5 },
		{ .rate = 1,
		  .source_backend = BACKEND_URING,
		  .destination_backend = BACKEND_SG,
		  .sg_data = SG_DATA_INDIRECT,
		  .sg_fua = true },
		{ .sg_data = SG_DATA_MMAP, .sg_dpo = true, .source_backend = BACKEND_SG },
		{ .rate = INT64_MAX, .source_backend = BACKEND_IMAGE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan_options back = { 0 };
		int row;

		options_form_set(&form, &cases[i]);
		if (!read_back(&back, &row))
			ck_abort_msg("case %zu, line %d", i, row);
		ck_assert_uint_eq(back.chunk, cases[i].chunk);
		ck_assert_uint_eq(back.queue_depth, cases[i].queue_depth);
		ck_assert_uint_eq(back.lanes, cases[i].lanes);
		ck_assert_int_eq(back.free, cases[i].free);
		ck_assert_int_eq(back.table, cases[i].table);
		ck_assert_uint_eq(back.grow, cases[i].grow);
		ck_assert_int_eq(back.grow_fs, cases[i].grow_fs);
		ck_assert_mem_eq(back.places, cases[i].places, sizeof(back.places));
		ck_assert_int_eq(back.source_backend, cases[i].source_backend);
		ck_assert_int_eq(back.destination_backend, cases[i].destination_backend);
		ck_assert_int_eq(back.sg_data, cases[i].sg_data);
		ck_assert_int_eq(back.sg_fua, cases[i].sg_fua);
		ck_assert_int_eq(back.sg_dpo, cases[i].sg_dpo);
		ck_assert_uint_eq(back.rate, cases[i].rate);
		ck_assert_uint_eq(back.checksums, cases[i].checksums);
		ck_assert_uint_eq(back.retries, cases[i].retries);
		ck_assert_int_eq(back.on_write_error, cases[i].on_write_error);
		ck_assert_int_eq(back.probe, cases[i].probe);
		ck_assert_int_eq(back.arm_at_once, cases[i].arm_at_once);
		ck_assert_int_eq(back.fill, cases[i].fill);
		ck_assert_uint_eq(back.retry_passes, cases[i].retry_passes);
		ck_assert_int_eq(back.on_error, cases[i].on_error);
		ck_assert_uint_eq(back.slow_limit, cases[i].slow_limit);
		ck_assert_uint_eq(back.max_bad_areas, cases[i].max_bad_areas);
		ck_assert_uint_eq(back.max_read_errors, cases[i].max_read_errors);
		ck_assert_uint_eq(back.max_error_rate, cases[i].max_error_rate);
		ck_assert_uint_eq(back.max_no_read, cases[i].max_no_read);
	}
}

TEST(test_wrong)
{
	static const struct {
		enum plan_option option;
		const char *texts[5];
	} cases[] = {
		{ PLAN_OPTION_CHUNK, { "1000", "16M", "1", "-1" } },
		{ PLAN_OPTION_QUEUE_DEPTH, { "0", "257", "4K" } },
		{ PLAN_OPTION_LANES, { "33", "1.5" } },
		{ PLAN_OPTION_SLOW_LIMIT, { "-1", "86401" } },
		{ PLAN_OPTION_MAX_BAD_AREAS, { "many" } },
		{ PLAN_OPTION_MAX_ERROR_RATE, { "fast" } },
		{ PLAN_OPTION_SOURCE_BACKEND, { "dd", "" } },
		{ PLAN_OPTION_DESTINATION_BACKEND, { "Uring" } },
		{ PLAN_OPTION_RATE, { "fast", "99999999999999999999" } },
		{ PLAN_OPTION_RETRIES, { "", "1001", "auto" } },
		{ PLAN_OPTION_ON_ERROR, { "skip" } },
		{ PLAN_OPTION_SG_IO, { "mapped" } },
		{ PLAN_OPTION_FILL, { "ones" } },
		{ PLAN_OPTION_PROBE, { "maybe" } },
		{ PLAN_OPTION_ARM_LAST, { "" } },
		{ PLAN_OPTION_RETRY_PASSES, { "-1" } },
		{ PLAN_OPTION_ON_WRITE_ERROR, { "go" } },
		{ PLAN_OPTION_SG_FUA, { "maybe" } },
		{ PLAN_OPTION_SG_DPO, { "" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (const char *const *text = cases[i].texts; *text; text++) {
			const struct plan_options before = { .chunk = 4096, .retries = 7 };
			struct plan_options options = before;
			int wrong = options_form_row(cases[i].option), row = OPTION_ROWS;

			options_form_set(&form, &before);
			field_set(&form.fields[wrong], *text);
			if (read_back(&options, &row))
				ck_abort_msg("%s was taken", *text);
			ck_assert_int_eq(row, wrong);
			ck_assert_int_eq(memcmp(&options, &before, sizeof(before)), 0);
		}
}

/* What only sg does is refused where nothing goes through sg. */
TEST(test_nothing_that_does_nothing)
{
	static const struct {
		struct plan_options options;
		enum plan_option option; /* PLAN_OPTIONS: fine */
	} cases[] = {
		{ { .sg_fua = true }, PLAN_OPTION_SG_FUA },
		{ { .sg_fua = true, .source_backend = BACKEND_SG }, PLAN_OPTION_SG_FUA },
		{ { .sg_fua = true, .destination_backend = BACKEND_SG }, PLAN_OPTIONS },
		{ { .fill = FILL_MARK }, PLAN_OPTION_FILL },
		{ { .retry_passes = 1 }, PLAN_OPTION_RETRY_PASSES },
		{ { .retry_passes = 1, .fill = FILL_MARK, .on_error = ON_ERROR_MAP },
		  PLAN_OPTIONS },
		{ { .sg_dpo = true }, PLAN_OPTION_SG_DPO },
		{ { .sg_dpo = true, .source_backend = BACKEND_SG }, PLAN_OPTIONS },
		{ { .sg_data = SG_DATA_MMAP }, PLAN_OPTION_SG_IO },
		{ { .sg_data = SG_DATA_INDIRECT, .destination_backend = BACKEND_SG },
		  PLAN_OPTIONS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct plan_options back = { 0 };
		bool fine = cases[i].option == PLAN_OPTIONS;
		int row = OPTION_ROWS;

		options_form_set(&form, &cases[i].options);
		ck_assert_int_eq(read_back(&back, &row), fine);
		ck_assert_int_eq(row, fine ? OPTION_ROWS : options_form_row(cases[i].option));
	}
}

TEST(test_move)
{
	form.at = 0;
	options_form_move(&form, -1);
	ck_assert_int_eq(form.at, OPTION_ROWS - 1);
	options_form_move(&form, 1);
	ck_assert_int_eq(form.at, 0);
}

/* The first character replaces the old text; after moving inside it, it is edited. */
TEST(test_typing_replaces)
{
	const struct plan_options options = { 0 };
	struct field *field = &form.fields[options_form_row(PLAN_OPTION_CHUNK)];

	options_form_set(&form, &options);
	field_insert(field, "1");
	options_form_typed(&form);
	field_insert(field, "M");
	options_form_typed(&form);
	ck_assert_str_eq(field->text, "1M");
	options_form_move(&form, 1);
	options_form_move(&form, -1);
	form.fresh = false; /* the cursor was moved */
	field_insert(field, "B");
	options_form_typed(&form);
	ck_assert_str_eq(field->text, "1MB");
	options_form_move(&form, 1);
	options_form_move(&form, -1);
	field_key(field, SPECIAL_BACKSPACE);
	options_form_typed(&form);
	ck_assert_str_eq(field->text, "1M");
}

/* A blank goes through the words, round and round, and from nonsense to the first. */
TEST(test_blank_is_the_next_word)
{
	const struct plan_options options = { .on_error = ON_ERROR_MAP,
					      .source_backend = BACKEND_SG,
					      .destination_backend = BACKEND_SG };
	struct plan_options back;
	int row;

	options_form_set(&form, &options);
	for (form.at = 0; form.at < OPTION_ROWS; form.at++) {
		struct field *field = &form.fields[form.at];
		char first[64];
		int words = 0;

		snprintf(first, sizeof(first), "%s", field->text);
		do {
			options_form_move(&form, 1);
			options_form_move(&form, -1);
			field_insert(field, " ");
			options_form_typed(&form);
			back = options;
			if (strchr(field->text, ' ') || !field->text[0])
				break;
			ck_assert_msg(read_back(&back, &row), "%s", field->text);
		} while (strcmp(field->text, first) != 0 && ++words < 20);
		ck_assert_int_lt(words, 20);
		if (form.at == options_form_row(PLAN_OPTION_SOURCE_BACKEND))
			ck_assert_int_eq(words, 5);
		field_set(field, first);
	}
	form.at = options_form_row(PLAN_OPTION_ON_ERROR);
	field_set(&form.fields[form.at], "skip ");
	options_form_typed(&form);
	ck_assert_str_eq(form.fields[form.at].text, "stop");
}

/* Every line says what it does, and fits behind its field at 80 columns. */
TEST(test_every_line_explains_itself)
{
	for (int row = 0; row < OPTION_ROWS; row++) {
		ck_assert_int_le(strlen(options_form_label(row)), 18);
		ck_assert_int_gt(strlen(options_form_hint(row)), 8);
		ck_assert_int_le(strlen(options_form_hint(row)), 40);
		ck_assert_int_le(
			strlen(options_form_label(row)) + strlen(options_form_allowed(row)), 70);
	}
}

TEST(test_rate)
{
	uint64_t rate;

	ck_assert(options_read_rate("none", &rate));
	ck_assert_uint_eq(rate, 0);
	ck_assert(options_read_rate(" 20MB ", &rate));
	ck_assert_uint_eq(rate, 20000000);
	ck_assert(options_read_rate("1M", &rate));
	ck_assert_uint_eq(rate, 1 << 20);
	ck_assert(!options_read_rate("1M/s", &rate));
	/* Megabytes are meant. */
	ck_assert(!options_read_rate("50", &rate));
	ck_assert(options_read_rate("64K", &rate));
}
