/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The presets: what each of them sets, what wins over it, and what is left behind by none. */
#include <stdio.h>
#include <string.h>

#include "plan/preset.h"
#include "unit.h"

static struct plan_options options;

static void setup(void)
{
	options = PLAN_OPTIONS_DEFAULT;
}

static void expect(enum plan_option option, const char *value)
{
	char text[PLAN_OPTION_TEXT_MAX];

	ck_assert_str_eq(plan_option_print(&options, option, text), value);
}

UNIT_CASE(.setup = setup);

TEST(healthy_is_what_nobody_asks_for)
{
	const struct plan_options usual = PLAN_OPTIONS_DEFAULT;

	preset_apply(&options, PRESET_HEALTHY, 0);
	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++)
		ck_assert_uint_eq(plan_option_value(&options, i), plan_option_value(&usual, i));
	ck_assert(!plan_spares_source(&options));
	ck_assert(!preset_used_first(PRESET_HEALTHY));
}

TEST(failing_reads_one_at_a_time_and_writes_tables_at_once)
{
	preset_apply(&options, PRESET_FAILING, 0);
	ck_assert(plan_spares_source(&options));
	ck_assert(preset_used_first(PRESET_FAILING));
	expect(PLAN_OPTION_LANES, "1");
	expect(PLAN_OPTION_ARM_LAST, "off");
	expect(PLAN_OPTION_ON_ERROR, "map");
	expect(PLAN_OPTION_VERIFY, "digest");
}

TEST(forensic_leaves_nothing_out)
{
	preset_apply(&options, PRESET_FORENSIC, 0);
	ck_assert(!plan_spares_source(&options));
	ck_assert(!preset_used_first(PRESET_FORENSIC));
	expect(PLAN_OPTION_DIGEST, "sha256");
	expect(PLAN_OPTION_VERIFY, "digest");
	expect(PLAN_OPTION_IDENTITIES, "keep");
	expect(PLAN_OPTION_TABLE, "keep");
}

TEST(what_was_given_wins)
{
	options.lanes = 4;
	options.arm_at_once = false;
	preset_apply(&options, PRESET_FAILING,
		     1U << PLAN_OPTION_LANES | 1U << PLAN_OPTION_ARM_LAST);
	expect(PLAN_OPTION_PRESET, "failing");
	expect(PLAN_OPTION_LANES, "4");
	expect(PLAN_OPTION_ARM_LAST, "on");
}

TEST(the_next_preset_takes_back_what_the_last_one_set)
{
	const struct plan_options usual = PLAN_OPTIONS_DEFAULT;

	options.rate = 7;
	preset_apply(&options, PRESET_FAILING, 0);
	preset_apply(&options, PRESET_FORENSIC, 0);
	preset_apply(&options, PRESET_HEALTHY, 0);
	ck_assert_uint_eq(options.rate, 7);
	options.rate = 0;
	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++)
		ck_assert_uint_eq(plan_option_value(&options, i), plan_option_value(&usual, i));
}

TEST(what_is_said_is_what_is_set)
{
	char text[256], value[PLAN_OPTION_TEXT_MAX], pair[96];

	for (enum preset p = 0; p < PRESETS; p++) {
		setup();
		preset_apply(&options, p, 0);
		preset_print(&options, text, sizeof(text));
		ck_assert_str_eq(preset_name(p),
				 plan_option_print(&options, PLAN_OPTION_PRESET, value));
		ck_assert(preset_title(p)[0] && preset_sentence(p)[0]);
		for (enum plan_option i = 0; i < PLAN_OPTIONS; i++) {
			if (i == PLAN_OPTION_PRESET || !(preset_sets(p) & 1U << i))
				continue;
			snprintf(pair, sizeof(pair), "%s=%s", plan_option_name(i),
				 plan_option_print(&options, i, value));
			ck_assert_msg(strstr(text, pair), "%s: no %s in %s", preset_name(p), pair,
				      text);
		}
	}
}
