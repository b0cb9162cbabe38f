/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options by name: what is printed is taken again, and nothing else is. */
#include <errno.h>
#include <string.h>

#include "plan/options.h"
#include "unit.h"

static struct plan_options options;

static void setup(void)
{
	options = (struct plan_options){ 0 };
}

static int set(const char *name, const char *value)
{
	int option = plan_option_find(name);

	ck_assert_msg(option >= 0, "%s is not known", name);
	return plan_option_set(&options, (enum plan_option)option, value);
}

UNIT_CASE(.setup = setup);

TEST(names_and_keys_find_their_option)
{
	char key[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++) {
		ck_assert_int_eq(plan_option_find(plan_option_name(i)), i);
		ck_assert_int_eq(plan_option_find(plan_option_key(i, key)), i);
	}
	ck_assert_str_eq(plan_option_key(PLAN_OPTION_MAX_BAD_AREAS, key), "max_bad_areas");
	ck_assert_int_eq(plan_option_find("retry"), -ENOENT);
	ck_assert_int_eq(plan_option_find("retry-passes-"), -ENOENT);
	ck_assert_int_eq(plan_option_find(""), -ENOENT);
}

TEST(values_reach_the_member_that_is_meant)
{
	ck_assert_int_eq(set("chunk", "64K"), 0);
	ck_assert_int_eq(set("queue-depth", "8"), 0);
	ck_assert_int_eq(set("destination-backend", "sg"), 0);
	ck_assert_int_eq(set("sg-io", "mmap"), 0);
	ck_assert_int_eq(set("sg-dpo", "on"), 0);
	ck_assert_int_eq(set("rate", "9999999999"), 0);
	ck_assert_int_eq(set("on-error", "map"), 0);
	ck_assert_int_eq(set("fill", "leave"), 0);
	ck_assert_int_eq(set("arm-last", "off"), 0);
	ck_assert_int_eq(set("probe", "no"), 0);
	ck_assert_int_eq(set("verify", "compare"), 0);
	ck_assert_int_eq(set("rewrite", "1"), 0);
	ck_assert_int_eq(set("digest", "sha256,md5"), 0);
	ck_assert_uint_eq(options.chunk, 65536);
	ck_assert_uint_eq(options.queue_depth, 8);
	ck_assert_int_eq(options.source_backend, BACKEND_AUTO);
	ck_assert_int_eq(options.destination_backend, BACKEND_SG);
	ck_assert_int_eq(options.sg_data, SG_DATA_MMAP);
	ck_assert(options.sg_dpo && !options.sg_fua);
	ck_assert_uint_eq(options.rate, 9999999999);
	ck_assert_int_eq(options.on_error, ON_ERROR_MAP);
	ck_assert_int_eq(options.on_write_error, ON_ERROR_STOP);
	ck_assert_int_eq(options.fill, FILL_LEAVE);
	ck_assert(options.arm_at_once);
	ck_assert_int_eq(options.probe, PROBE_NO);
	ck_assert_int_eq(options.verify, VERIFY_COMPARE);
	ck_assert(options.rewrite);
	ck_assert_uint_ne(options.checksums, 0);
}

TEST(what_is_printed_is_taken_again)
{
	char text[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++) {
		const char *const *words = plan_option_words(i);

		ck_assert_int_eq(plan_option_set(&options, i, plan_option_print(&options, i, text)),
				 0);
		for (uint64_t value = 0; words[value]; value++) {
			ck_assert_int_eq(plan_option_set(&options, i, words[value]), 0);
			ck_assert_str_eq(plan_option_print(&options, i, text), words[value]);
		}
	}
}

TEST(a_switch_is_on_or_off_whatever_the_member_says)
{
	char text[PLAN_OPTION_TEXT_MAX];

	ck_assert_uint_eq(plan_option_value(&options, PLAN_OPTION_ARM_LAST), 1);
	plan_option_put(&options, PLAN_OPTION_ARM_LAST, 0);
	ck_assert(options.arm_at_once);
	ck_assert_str_eq(plan_option_print(&options, PLAN_OPTION_ARM_LAST, text), "off");
	ck_assert_uint_eq(plan_option_value(&options, PLAN_OPTION_SG_FUA), 0);
	plan_option_put(&options, PLAN_OPTION_SG_FUA, 1);
	ck_assert(options.sg_fua);
}

TEST(what_makes_no_sense_is_refused)
{
	static const char *const bad[][2] = {
		{ "chunk", "" },
		{ "chunk", "8T" },
		{ "chunk", "64Q" },
		{ "queue-depth", "257" },
		{ "queue-depth", "1e2" },
		{ "lanes", "-1" },
		{ "lanes", " 2" },
		{ "retries", "1001" },
		{ "slow-limit", "86401" },
		{ "max-bad-areas", "4294967296" },
		{ "max-no-read", "1.5" },
		{ "rate", "fast" },
		{ "source-backend", "" },
		{ "source-backend", "URING" },
		{ "source-backend", "uring " },
		{ "source-backend", "uringx" },
		{ "source-backend", "null" },
		{ "sg-fua", "yes" },
		{ "verify", "both" },
		{ "digest", "crc32" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(set(bad[i][0], bad[i][1]) == -EINVAL, "%s \"%s\"", bad[i][0],
			      bad[i][1]);
	ck_assert(memcmp(&options, &(struct plan_options){ 0 }, sizeof(options)) == 0);
}

TEST(a_copy_to_nowhere_has_a_name)
{
	char text[PLAN_OPTION_TEXT_MAX];

	options.destination_backend = BACKEND_NULL;
	ck_assert_str_eq(plan_option_print(&options, PLAN_OPTION_DESTINATION_BACKEND, text),
			 "null");
}

TEST(those_that_were_given_are_merged)
{
	const struct plan_options from = { .retry_passes = 3, .fill = FILL_MARK, .rate = 1 << 20 };

	options.rate = 7;
	plan_options_merge(&options, &from,
			   1u << PLAN_OPTION_RETRY_PASSES | 1u << PLAN_OPTION_FILL);
	ck_assert_uint_eq(options.retry_passes, 3);
	ck_assert_int_eq(options.fill, FILL_MARK);
	ck_assert_uint_eq(options.rate, 7);
}

TEST(what_may_be_set_is_said)
{
	char text[128];

	ck_assert_str_eq(plan_option_values(PLAN_OPTION_ON_ERROR, text, sizeof(text)),
			 "stop or map");
	ck_assert_str_eq(plan_option_values(PLAN_OPTION_FILL, text, sizeof(text)),
			 "zero, mark or leave");
	ck_assert_str_eq(plan_option_values(PLAN_OPTION_RETRIES, text, sizeof(text)),
			 "a whole number from 0 to 1000");
}
