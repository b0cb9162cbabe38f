/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gate before writing: what opens it, and that nothing else does. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "ui/widgets/gate.h"
#include "ui/core/keys.h"

static struct gate gate;
static struct verdict items[4];
static struct verdict_list verdicts;

static void setup(void)
{
	gate = (struct gate){ 0 };
	memset(items, 0, sizeof(items));
	items[0].kind = VERDICT_WARN;
	snprintf(items[0].sentence, sizeof(items[0].sentence), "holds partitions");
	items[1].kind = VERDICT_WARN;
	snprintf(items[1].sentence, sizeof(items[1].sentence), "backup GPT");
	items[2].kind = items[3].kind = VERDICT_OK;
	verdicts = (struct verdict_list){ items, 4 };
}

static void type(const char *text)
{
	ck_assert(gate_set_typing(&gate, true));
	field_clear(&gate.typed);
	ck_assert(field_insert(&gate.typed, text));
}

UNIT_CASE(.setup = setup, .timeout = 30);

TEST(test_opens_once)
{
	gate_update(&gate, "p", &verdicts, "456789");
	type("456789");
	ck_assert_int_eq(gate_enter(&gate), GATE_OPEN);
	ck_assert_int_eq(gate_enter(&gate), GATE_EMPTY);
}

TEST(test_each_condition)
{
	ck_assert_int_eq(gate_enter(&gate), GATE_REFUSED);
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert_int_eq(gate_enter(&gate), GATE_NOT_TYPING);
	type("456789");
	gate_set_typing(&gate, false);
	ck_assert_int_eq(gate_enter(&gate), GATE_NOT_TYPING);
	for (const char *const *wrong =
		     (const char *const[]){ "45678", "4567890", "456788", " 456789", "x", NULL };
	     *wrong; wrong++) {
		type(*wrong);
		ck_assert_int_eq(gate_enter(&gate), GATE_WRONG);
	}
}

TEST(test_what_is_right_so_far)
{
	gate_update(&gate, "p", &verdicts, "/dev/v");
	type("/de");
	ck_assert(gate_matches(&gate));
	type("dev");
	ck_assert(!gate_matches(&gate));
	type("/dev/v");
	ck_assert(gate_matches(&gate));
	type("/dev/vv");
	ck_assert(!gate_matches(&gate));
}

TEST(test_refusal_has_no_field)
{
	items[0].kind = VERDICT_REFUSE;
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert(gate_refused(&gate));
	ck_assert(!gate_set_typing(&gate, true));
	field_insert(&gate.typed, "456789");
	gate.typing = true;
	ck_assert_int_eq(gate_enter(&gate), GATE_REFUSED);
}

/* --allow is named only where it opens the gate. */
TEST(test_what_may_be_lifted)
{
	ck_assert(!gate_refusals(&gate).all_liftable);
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert(!gate_refusals(&gate).all_liftable && !gate_refusals(&gate).to_lift &&
		  !gate_refusals(&gate).fits);
	items[0].kind = VERDICT_REFUSE;
	items[0].liftable = true;
	items[0].fits = 4096;
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert(gate_refused(&gate) && gate_refusals(&gate).all_liftable);
	ck_assert_ptr_eq(gate_refusals(&gate).to_lift, &items[0]);
	ck_assert_uint_eq(gate_refusals(&gate).fits, 4096);
	items[1].kind = VERDICT_REFUSE;
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert(!gate_refusals(&gate).all_liftable);
}

TEST(test_no_token_is_refused)
{
	gate_update(&gate, "p", &verdicts, "");
	ck_assert(!gate_set_typing(&gate, true));
	ck_assert_int_eq(gate_enter(&gate), GATE_REFUSED);
	gate_update(&gate, "p", NULL, NULL);
	ck_assert_int_eq(gate_enter(&gate), GATE_REFUSED);
}

static void check_update(const char *plan_id, const struct verdict_list *list, const char *token,
			 bool stays)
{
	type("45");
	gate_update(&gate, plan_id, list, token);
	ck_assert_int_eq(gate.typing, stays);
	ck_assert_str_eq(gate.typed.text, stays ? "45" : "");
}

/* What was typed stays when the checks say word for word the same, and goes when anything differs.
 */
TEST(test_update)
{
	struct verdict copy[4];
	struct verdict_list again = { copy, 4 };

	gate_update(&gate, "p", &verdicts, "456789");
	memcpy(copy, items, sizeof(copy));
	check_update("p", &again, "456789", true);
	check_update("p", &again, "456780", false);
	copy[1].sentence[0]++;
	check_update("p", &again, "456780", false);
	check_update("q", &again, "456780", false);
	copy[1].kind = VERDICT_OK;
	check_update("q", &again, "456780", false);
}

/* What the plan screen does with a key, without the screen. Returns true when writing would start.
 */
static bool press(int key)
{
	if (gate.typing) {
		switch (field_key(&gate.typed, key)) {
		case FIELD_ACCEPTED:
			return gate_enter(&gate) == GATE_OPEN;
		case FIELD_CANCELLED:
			gate_set_typing(&gate, false);
			return false;
		default:
			return false;
		}
	}
	switch (keys_lookup(SCREEN_PLAN, key)) {
	case COMMAND_NEXT_FIELD:
		gate_set_typing(&gate, true);
		return false;
	case COMMAND_ACCEPT:
		if (gate_enter(&gate) == GATE_OPEN)
			return true;
		gate_set_typing(&gate, true);
		return false;
	default:
		return false;
	}
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

/* Random keys, with the right characters far more likely than on any keyboard: writing starts only
 * if at that moment no rule refuses and the token stands there in full. */
TEST(test_random_keys)
{
	static const int keys[] = { '4',
				    '5',
				    '6',
				    '7',
				    '8',
				    '9',
				    ' ',
				    SPECIAL_TAB,
				    SPECIAL_ENTER,
				    SPECIAL_ESCAPE,
				    SPECIAL_UP,
				    SPECIAL_DOWN,
				    SPECIAL_BACKSPACE,
				    'o',
				    'q',
				    KEY_CTRL('u') };
	unsigned opened = 0;

	for (unsigned seed = 1; seed <= 400; seed++) {
		unsigned random = seed;
		gate = (struct gate){ 0 };
		items[3].kind = seed % 4 ? VERDICT_OK : VERDICT_REFUSE;
		gate_update(&gate, "p", &verdicts, "45");
		for (int i = 0; i < 4000; i++) {
			int key = keys[next_random(&random) % (ARRAY_SIZE(keys))];
			bool may = gate.typing && !strcmp(gate.typed.text, "45") &&
				   items[3].kind == VERDICT_OK && key == SPECIAL_ENTER;
			bool started = press(key);

			if (started != may)
				ck_abort_msg("seed %u, key %d: %s", seed, i,
					     started ? "started" : "did not start");
			opened += started;
		}
		gate_done(&gate);
	}
	/* Otherwise this test would prove nothing. */
	ck_assert_uint_gt(opened, 0);
}

/* One key held down, whichever it is, and every pair of keys in turn. */
TEST(test_repeated_keys)
{
	for (int a = 1; a < 0x7f; a++)
		for (int b = 1; b < 0x7f; b++) {
			gate = (struct gate){ 0 };
			gate_update(&gate, "p", &verdicts, "456789");
			for (int i = 0; i < 30; i++) {
				if (press(a) || press(b) || press(SPECIAL_ENTER))
					ck_abort_msg("keys %d and %d start a copy", a, b);
			}
			gate_done(&gate);
		}
}

/* Only where nothing else refuses. */
TEST(test_what_may_pass)
{
	ck_assert(!gate_refusals(&gate).may_pass);
	gate_update(&gate, "p", &verdicts, "456789");
	ck_assert(!gate_refusals(&gate).may_pass);
	items[0].kind = VERDICT_REFUSE;
	items[0].means = MEANS_MAY_PASS;
	ck_assert(gate_refusals(&gate).may_pass);
	items[1].kind = VERDICT_REFUSE;
	ck_assert(!gate_refusals(&gate).may_pass);
}
