/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one table that keys, footer and help come from. */
#include "unit.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "ui/core/keys.h"

static const struct command_info *keys_info(enum screen_id screen, enum command command)
{
	const struct command_info *info = keys_table();

	while (info->command && (info->command != command || !(info->screens & ON(screen))))
		info++;
	return info;
}

/* No key means two things on one screen, and none is given twice. */
TEST(test_unique)
{
	const struct command_info *table = keys_table();

	for (int screen = 0; screen < SCREEN_COUNT; screen++) {
		int seen[512], count = 0;

		for (const struct command_info *info = table; info->command; info++) {
			if (!(info->screens & ON(screen)))
				continue;
			for (int k = 0; k < COMMAND_KEYS_MAX && info->keys[k]; k++) {
				for (int i = 0; i < count; i++)
					ck_assert_msg(seen[i] != info->keys[k],
						      "key %#x twice on screen %d", info->keys[k],
						      screen + 1);
				ck_assert_int_lt(count, 512);
				seen[count++] = info->keys[k];
			}
		}
	}
}

TEST(test_entries)
{
	for (const struct command_info *info = keys_table(); info->command; info++) {
		ck_assert_msg(info->keys[0] != 0, "command %d has no key", info->command);
		ck_assert_msg(info->screens != 0, "command %d is nowhere", info->command);
		ck_assert_msg(!info->footer || info->priority > 0,
			      "command %d is in the footer without a priority", info->command);
	}
}

/* Every terminal has a way: nothing is on a function key, Esc, or Ctrl combination alone. */
TEST(test_plain_keys)
{
	for (const struct command_info *info = keys_table(); info->command; info++) {
		bool plain = false, only_special = true;

		for (int k = 0; k < COMMAND_KEYS_MAX && info->keys[k]; k++) {
			if (info->keys[k] < SPECIAL_F1 || info->keys[k] > SPECIAL_F10)
				only_special = false;
			if (info->keys[k] > ' ' && info->keys[k] < 0x7f)
				plain = true;
		}
		if (info->command == COMMAND_QUIT && info->screens == ON(SCREEN_HELP))
			continue;
		ck_assert_msg(!only_special, "command %d needs a function key", info->command);
		if (info->command == COMMAND_BACK)
			ck_assert_msg(plain, "back must not need Esc");
	}
}

TEST(test_lookup)
{
	ck_assert_int_eq(keys_lookup(SCREEN_DISKS, 's'), COMMAND_SOURCE);
	ck_assert_int_eq(keys_lookup(SCREEN_REPORT, 's'), COMMAND_SAVE);
	ck_assert_int_eq(keys_lookup(SCREEN_RUN, 's'), COMMAND_SAVE);
	ck_assert_int_eq(keys_lookup(SCREEN_RUN, 'g'), COMMAND_GRAPH);
	ck_assert_int_eq(keys_lookup(SCREEN_DISKS, 'g'), COMMAND_FIRST);
	for (int screen = 0; screen < SCREEN_STEPS; screen++) {
		ck_assert_int_eq(keys_lookup(screen, SPECIAL_F1), COMMAND_HELP);
		ck_assert_int_eq(keys_lookup(screen, '?'), COMMAND_HELP);
		ck_assert_int_eq(keys_lookup(screen, SPECIAL_F10), COMMAND_QUIT);
		ck_assert_int_eq(keys_lookup(screen, 'q'), COMMAND_QUIT);
		ck_assert_int_eq(keys_lookup(screen, KEY_CTRL('l')), COMMAND_REDRAW);
		ck_assert_int_eq(keys_lookup(screen, KEY_CTRL('c')), COMMAND_STOP);
		ck_assert_int_eq(keys_lookup(screen, SPECIAL_BACKSPACE), COMMAND_BACK);
		ck_assert_int_eq(keys_lookup(screen, 'h'), COMMAND_BACK);
		ck_assert_int_eq(keys_lookup(screen, '3'), COMMAND_SCREEN_3);
		ck_assert_int_eq(keys_lookup(screen, SPECIAL_OTHER), COMMAND_NONE);
		ck_assert_int_eq(keys_lookup(screen, 0), COMMAND_NONE);
	}
	ck_assert_int_eq(keys_lookup(SCREEN_HELP, 'q'), COMMAND_BACK);
}

/* One single key may never start writing: Enter on the plan asks the gate, no letter does. */
TEST(test_start_needs_enter)
{
	const struct command_info *info = keys_info(SCREEN_PLAN, COMMAND_ACCEPT);

	ck_assert_ptr_nonnull(info);
	ck_assert_int_eq(info->keys[0], SPECIAL_ENTER);
	ck_assert_int_eq(info->keys[1], 0);
}

static void check_footer(enum screen_id screen, int cols)
{
	struct footer_item items[FOOTER_ITEMS_MAX];
	int count = keys_footer(screen, cols, COMMAND_NONE, NULL, NULL, items), behind = 0;

	for (int i = 0; i < count; i++) {
		ck_assert_int_gt(items[i].col, behind);
		behind = items[i].col + text_width(items[i].text);
		ck_assert_msg(behind <= cols, "footer of screen %d spills over at %d columns",
			      screen + 1, cols);
		ck_assert_ptr_nonnull(strchr(items[i].text, '='));
	}
}

TEST(test_footer_every_width)
{
	for (int screen = 0; screen < SCREEN_COUNT; screen++)
		for (int cols = 0; cols <= 250; cols++)
			check_footer(screen, cols);
}

static bool footer_has(enum screen_id screen, int cols, enum command command)
{
	struct footer_item items[FOOTER_ITEMS_MAX];
	int count = keys_footer(screen, cols, COMMAND_NONE, NULL, NULL, items);

	for (int i = 0; i < count; i++)
		if (items[i].command == command)
			return true;
	return false;
}

/* f has little room, but not where a copy waits to be continued. */
TEST(test_footer_keeps_what_is_wanted)
{
	struct footer_item items[FOOTER_ITEMS_MAX];

	ck_assert(!footer_has(SCREEN_DISKS, 80, COMMAND_IMAGE));
	for (int cols = 12; cols <= 250; cols++) {
		bool found = false;
		int count = keys_footer(SCREEN_DISKS, cols, COMMAND_IMAGE, NULL, NULL, items);

		for (int i = 0; i < count; i++)
			found = found || items[i].command == COMMAND_IMAGE;
		ck_assert_msg(found, "not at %d columns", cols);
	}
}

/* What nobody may have to guess is there at 80 columns. */
/* Told alone, one of two ways would seem to be the only one. */
TEST(test_footer_tells_both_ways)
{
	struct footer_item items[FOOTER_ITEMS_MAX];
	int count = keys_footer(SCREEN_EDITOR, 80, COMMAND_NONE, NULL, NULL, items), found = 0;

	for (int i = 0; i < count; i++) {
		if (items[i].command != COMMAND_TO_START)
			continue;
		found++;
		ck_assert_int_eq(items[i].second, COMMAND_TO_END);
		ck_assert_str_eq(items[i].text, "< >=move");
	}
	ck_assert_int_eq(found, 1);
}

TEST(test_footer_keeps_what_matters)
{
	for (int screen = 0; screen < SCREEN_STEPS; screen++)
		ck_assert(footer_has(screen, 80, COMMAND_HELP));
	ck_assert(footer_has(SCREEN_DISKS, 80, COMMAND_SOURCE));
	ck_assert(footer_has(SCREEN_DISKS, 80, COMMAND_DESTINATION));
	ck_assert(footer_has(SCREEN_DISKS, 80, COMMAND_ACCEPT));
	ck_assert(footer_has(SCREEN_RANGES, 80, COMMAND_TO_PLAN));
	ck_assert(footer_has(SCREEN_PLAN, 80, COMMAND_OPTIONS));
	ck_assert(footer_has(SCREEN_RUN, 80, COMMAND_STOP));
	ck_assert(footer_has(SCREEN_RUN, 80, COMMAND_PAUSE));
	ck_assert(footer_has(SCREEN_REPORT, 80, COMMAND_SAVE));
	ck_assert(footer_has(SCREEN_REPORT, 80, COMMAND_QUIT));
	/* The least important goes first, and comes back with more room. */
	ck_assert(!footer_has(SCREEN_DISKS, 80, COMMAND_SHOW_ALL));
	ck_assert(footer_has(SCREEN_DISKS, 120, COMMAND_SHOW_ALL));
}

TEST(test_names)
{
	char text[64];

	ck_assert_str_eq(keys_name('s', text, sizeof(text)), "s");
	ck_assert_str_eq(keys_name(' ', text, sizeof(text)), "Space");
	ck_assert_str_eq(keys_name(KEY_CTRL('l'), text, sizeof(text)), "Ctrl-L");
	ck_assert_str_eq(keys_name(SPECIAL_F10, text, sizeof(text)), "F10");
	ck_assert_str_eq(keys_name(SPECIAL_PAGE_UP, text, sizeof(text)), "PgUp");
	ck_assert_str_eq(keys_name(0xe4, text, sizeof(text)), "ä");
	ck_assert_str_eq(keys_name(0x20ac, text, sizeof(text)), "€");
	ck_assert_str_eq(keys_name(0x1f4be, text, sizeof(text)), "💾");
	ck_assert_str_eq(keys_names(keys_info(SCREEN_DISKS, COMMAND_UP), 20, text, sizeof(text)),
			 "Up k");
	/* A key that does not fit is left out whole. */
	ck_assert_str_eq(
		keys_names(keys_info(SCREEN_DISKS, COMMAND_PAGE_UP), 9, text, sizeof(text)),
		"PgUp");
}
