/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/keys.h"

#include <stdio.h>
#include <stdint.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/layout.h"

#define STEPS                                                                                      \
	(ON(SCREEN_DISKS) | ON(SCREEN_RANGES) | ON(SCREEN_PLAN) | ON(SCREEN_RUN) |                 \
	 ON(SCREEN_REPORT) | ON(SCREEN_BENCH) | ON(SCREEN_JOBS))
#define NO_LETTER (ON_ALL & ~ON(SCREEN_RUN)) /* g means graph while copying */

/* clang-format off */
static const struct command_info table[] = {
	/* 1 Disks */
	{ COMMAND_SOURCE, ON(SCREEN_DISKS), { 's' },
	  N_("source"), NULL, N_("source"), 1 },
	{ COMMAND_DESTINATION, ON(SCREEN_DISKS), { 'd' },
	  N_("dest"), N_("destination"), N_("destination"), 1 },
	{ COMMAND_ACCEPT, ON(SCREEN_DISKS), { SPECIAL_ENTER },
	  N_("plan"), NULL, N_("go on to the plan"), 1 },
	{ COMMAND_SCREEN_2, ON(SCREEN_DISKS), { '2' },
	  N_("ranges"), NULL, N_("choose ranges, not the whole"), 6 },
	{ COMMAND_PARTITIONS, ON(SCREEN_DISKS), { 'p', SPECIAL_RIGHT },
	  N_("parts"), N_("partitions"), N_("list its partitions"), 6 },
	{ COMMAND_IMAGE, ON(SCREEN_DISKS), { 'f' },
	  N_("file"), NULL, N_("image file, or map to resume"), 8 },
	{ COMMAND_CONTINUE, ON(SCREEN_DISKS), { 'c' },
	  N_("continue"), NULL, N_("go on with what is unfinished"), 11 },
	{ COMMAND_DETAILS, ON(SCREEN_DISKS), { 'i' },
	  N_("info"), N_("details"), N_("all that is known about it"), 4 },
	{ COMMAND_RESCAN, ON(SCREEN_DISKS), { 'r' },
	  N_("rescan"), NULL, N_("look for disks again"), 7 },
	{ COMMAND_FIND, ON(SCREEN_DISKS), { '/', SPECIAL_F3 },
	  N_("find"), NULL, N_("find by name, serial, label"), 5 },
	{ COMMAND_SORT, ON(SCREEN_DISKS), { 'o', SPECIAL_F6 },
	  N_("sort"), NULL, N_("sort by the next column"), 12 },
	{ COMMAND_SORT_BACK, ON(SCREEN_DISKS), { 'O' }, NULL, NULL, N_("the other way round"), 0 },
	{ COMMAND_SHOW_ALL, ON(SCREEN_DISKS), { 'a' },
	  N_("all"), N_("show all"), N_("ram, dm and md devices too"), 9 },
	{ COMMAND_BENCH, ON(SCREEN_DISKS), { 'b' },
	  N_("bench"), NULL, N_("measure how fast it is"), 10 },
	/* 2 Ranges */
	{ COMMAND_TOGGLE, ON(SCREEN_RANGES), { ' ' },
	  N_("tick"), NULL, N_("tick the row, or untick it"), 1 },
	{ COMMAND_TICK_ALL, ON(SCREEN_RANGES), { 'a' },
	  N_("all"), NULL, N_("tick all partitions"), 4 },
	{ COMMAND_TICK_NONE, ON(SCREEN_RANGES), { 'n' },
	  N_("none"), NULL, N_("take all ticks away"), 10 },
	{ COMMAND_WHOLE, ON(SCREEN_RANGES), { 'w' },
	  N_("whole"), N_("whole disk"), N_("whole source, tables and gaps"), 3 },
	{ COMMAND_USED, ON(SCREEN_RANGES), { 'u' },
	  N_("used"), N_("used first, used only"), N_("used first, only that, or whole"), 5 },
	{ COMMAND_LAYOUT, ON(SCREEN_RANGES), { 'l' },
	  N_("layout"), N_("layout of the copy"), N_("move, resize the copy's partitions"), 5 },
	{ COMMAND_EDIT_RANGE, ON(SCREEN_RANGES), { 'e' },
	  N_("edit"), NULL, N_("edit the range as text"), 6 },
	{ COMMAND_ADD_RANGE, ON(SCREEN_RANGES), { '+' },
	  N_("add"), N_("add a range"), N_("type a range to add"), 8 },
	{ COMMAND_REMOVE_RANGE, ON(SCREEN_RANGES), { '-' },
	  N_("remove"), NULL, N_("type a range to take out"), 9 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_RANGES), { SPECIAL_TAB },
	  N_("dest"), N_("destination LBA"), N_("destination LBA and back"), 7 },
	{ COMMAND_TO_PLAN, ON(SCREEN_RANGES), { 'c' },
	  N_("plan"), N_("check and plan"), N_("go on to the plan"), 1 },
	{ COMMAND_ACCEPT, ON(SCREEN_RANGES), { SPECIAL_ENTER },
	  NULL, NULL, N_("take the field, or go on"), 0 },
	/* 3 Plan */
	/* Also while the serial number is typed. */
	{ COMMAND_PRESET, ON(SCREEN_PLAN), { 'p', KEY_CTRL('p') },
	  N_("preset"), N_("next preset"), N_("healthy, failing, forensic"), 1 },
	{ COMMAND_OPTIONS, ON(SCREEN_PLAN), { 'o' },
	  N_("options"), NULL, N_("threads, depth, errors, rate"), 3 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_PLAN), { SPECIAL_TAB },
	  N_("field"), NULL, N_("to the field to type in"), 2 },
	{ COMMAND_MEASURE, ON(SCREEN_PLAN), { 'm' },
	  N_("estimate"), NULL, N_("measure: how long will it take"), 4 },
	{ COMMAND_VERIFY, ON(SCREEN_PLAN), { 'v' },
	  N_("verify"), N_("verify only"), N_("only compare, write nothing"), 5 },
	{ COMMAND_FIT, ON(SCREEN_PLAN), { 'f' },
	  N_("fit"), N_("what fits"), N_("copy the range that fits"), 7 },
	{ COMMAND_FIT_TABLE, ON(SCREEN_PLAN), { 't' },
	  N_("table"), N_("fit the table"), N_("fit the table, grow one"), 8 },
	{ COMMAND_SHRINK, ON(SCREEN_PLAN), { 's' },
	  N_("shrink"), NULL, N_("shrink in an image, copy that"), 8 },
	{ COMMAND_LAYOUT, ON(SCREEN_PLAN), { 'l' },
	  N_("layout"), NULL, N_("move, resize the partitions"), 3 },
	{ COMMAND_IDENTITIES, ON(SCREEN_PLAN), { 'i' },
	  N_("IDs"), NULL, N_("IDs of both disks: keep, new"), 3 },
	{ COMMAND_ALLOW, ON(SCREEN_PLAN), { 'a' },
	  N_("allow"), NULL, N_("lift a check by its name"), 6 },
	{ COMMAND_ACCEPT, ON(SCREEN_PLAN), { SPECIAL_ENTER },
	  NULL, NULL, N_("start, when all is confirmed"), 0 },
	/* the layout editor */
	{ COMMAND_LEFT, ON(SCREEN_EDITOR), { SPECIAL_LEFT },
	  NULL, NULL, N_("the partition before"), 0 },
	{ COMMAND_RIGHT, ON(SCREEN_EDITOR), { SPECIAL_RIGHT },
	  N_("choose"), N_("choose a partition"), N_("the next partition"), 6 },
	{ COMMAND_UP, ON(SCREEN_EDITOR), { '+', SPECIAL_UP, 'k' },
	  N_("larger"), NULL, N_("larger, by a step"), 1 },
	{ COMMAND_DOWN, ON(SCREEN_EDITOR), { '-', SPECIAL_DOWN, 'j' },
	  N_("smaller"), NULL, N_("smaller, by a step"), 1 },
	{ COMMAND_PAGE_UP, ON(SCREEN_EDITOR), { SPECIAL_PAGE_UP, KEY_CTRL('b') },
	  NULL, N_("much larger"), N_("larger, by 16 steps"), 7 },
	{ COMMAND_PAGE_DOWN, ON(SCREEN_EDITOR), { SPECIAL_PAGE_DOWN, KEY_CTRL('f') },
	  NULL, N_("much smaller"), N_("smaller, by 16 steps"), 7 },
	{ COMMAND_TO_START, ON(SCREEN_EDITOR), { '<', ',' },
	  N_("move"), NULL, N_("move towards the start"), 2 },
	{ COMMAND_TO_END, ON(SCREEN_EDITOR), { '>', '.' },
	  N_("move"), NULL, N_("move towards the end"), 2 },
	{ COMMAND_FIT, ON(SCREEN_EDITOR), { 'f' },
	  N_("fill"), N_("fill the room"), N_("all the room; again: the least"), 2 },
	{ COMMAND_EDIT_RANGE, ON(SCREEN_EDITOR), { 'e' },
	  N_("type"), N_("type a size"), N_("type a size, a start, or both"), 4 },
	{ COMMAND_TOGGLE, ON(SCREEN_EDITOR), { ' ' },
	  NULL, N_("file system too"), N_("grow the file system, too"), 6 },
	{ COMMAND_RESET, ON(SCREEN_EDITOR), { 'r' },
	  N_("reset"), N_("as offered"), N_("as offered; again: nothing"), 5 },
	{ COMMAND_ACCEPT, ON(SCREEN_EDITOR), { SPECIAL_ENTER },
	  N_("take it"), NULL, N_("take it into the plan"), 1 },
	{ COMMAND_BACK, ON(SCREEN_EDITOR), { SPECIAL_ESCAPE, 'h', SPECIAL_BACKSPACE },
	  N_("leave it"), N_("leave it as it was"), N_("leave it as it was"), 1 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_EDITOR), { SPECIAL_TAB }, NULL, NULL, NULL, 0 },
	{ COMMAND_PREVIOUS_FIELD, ON(SCREEN_EDITOR), { SPECIAL_BACK_TAB }, NULL, NULL, NULL, 0 },
	{ COMMAND_FIRST, ON(SCREEN_EDITOR), { 'g', SPECIAL_HOME }, NULL, NULL, N_("first"), 0 },
	{ COMMAND_LAST, ON(SCREEN_EDITOR), { 'G', SPECIAL_END }, NULL, NULL, N_("last"), 0 },
	/* 4 Run */
	{ COMMAND_PAUSE, ON(SCREEN_RUN), { 'p' },
	  N_("pause"), NULL, N_("pause, go on"), 1 },
	{ COMMAND_STOP, ON(SCREEN_RUN), { KEY_CTRL('c') },
	  N_("stop"), NULL, N_("stop? again: stop at once"), 1 },
	{ COMMAND_LOG, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { 'l' },
	  N_("log"), NULL, N_("everything that happened"), 4 },
	{ COMMAND_MAP, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { 'm' },
	  N_("map"), N_("map, bad areas"), N_("large map, bad areas"), 5 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_RUN), { SPECIAL_TAB },
	  N_("rescue/CPU"), NULL, N_("rescue, CPU; map: bad areas"), 10 },
	{ COMMAND_GRAPH, ON(SCREEN_RUN), { 'g' },
	  N_("graph"), N_("graph scale"), N_("time span of the graph"), 6 },
	{ COMMAND_WHERE, ON(SCREEN_RUN), { 'w' },
	  N_("where"), N_("where it is slow"), N_("latency by place and back"), 11 },
	{ COMMAND_TABLES, ON(SCREEN_RUN), { 't' },
	  N_("threads"), N_("table of threads"), N_("every thread, every counter"), 7 },
	{ COMMAND_RATE, ON(SCREEN_RUN), { 'r' },
	  N_("rate"), N_("rate limit"), N_("limit the rate while copying"), 8 },
	{ COMMAND_BELL, ON(SCREEN_RUN), { 'b' },
	  N_("bell"), N_("bell on finish"), N_("ring the bell when done"), 9 },
	{ COMMAND_ZOOM_IN, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { '+' },
	  NULL, NULL, N_("zoom into the map"), 0 },
	{ COMMAND_ZOOM_OUT, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { '-' },
	  NULL, NULL, N_("zoom out of the map"), 0 },
	{ COMMAND_SAVE, ON(SCREEN_RUN), { 's' },
	  NULL, NULL, N_("keep the map elsewhere"), 0 },
	/* 5 Report */
	{ COMMAND_SAVE, ON(SCREEN_REPORT), { 's' },
	  N_("save report"), NULL, N_("report, certificate: save"), 1 },
	{ COMMAND_SIGN, ON(SCREEN_REPORT), { 'o' },
	  N_("operator"), N_("operator, ticket"), N_("operator, ticket, masking"), 4 },
	{ COMMAND_RESUME, ON(SCREEN_REPORT), { 'r' },
	  N_("resume"), N_("resume, retry bad areas"), N_("go on, read bad areas again"), 3 },
	{ COMMAND_VERIFY, ON(SCREEN_REPORT), { 'v' },
	  N_("verify again"), NULL, N_("read the copy back again"), 5 },
	{ COMMAND_QR, ON(SCREEN_REPORT), { 'c' },
	  N_("QR code"), NULL, N_("digest of the certificate"), 6 },
	{ COMMAND_TOGGLE, ON(SCREEN_REPORT), { ' ' },
	  NULL, NULL, N_("map: tick a bad area for r"), 0 },
	/* 6 Bench */
	{ COMMAND_ACCEPT, ON(SCREEN_BENCH), { SPECIAL_ENTER },
	  N_("measure"), NULL, N_("choose what to measure"), 1 },
	{ COMMAND_HALT, ON(SCREEN_BENCH), { 's' },
	  N_("stop"), NULL, N_("stop and keep the figures"), 1 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_BENCH), { SPECIAL_TAB },
	  N_("next table"), NULL, N_("next table of the result"), 3 },
	{ COMMAND_RIGHT, ON(SCREEN_BENCH), { SPECIAL_RIGHT },
	  N_("chart"), N_("column of the chart"), N_("column that the chart shows"), 4 },
	/* 7 Jobs */
	{ COMMAND_ACCEPT, ON(SCREEN_JOBS), { SPECIAL_ENTER },
	  N_("show"), NULL, N_("show its deck, or continue it"), 1 },
	{ COMMAND_NEW, ON(SCREEN_JOBS), { 'n' },
	  N_("new copy"), N_("new copy beside these"), N_("another copy beside these"), 1 },
	{ COMMAND_DETAILS, ON(SCREEN_JOBS), { 'i' },
	  N_("info"), N_("details"), N_("all that is known about it"), 3 },
	{ COMMAND_FIND, ON(SCREEN_JOBS), { '/', SPECIAL_F3 },
	  N_("find"), NULL, N_("find in rows and reports"), 4 },
	{ COMMAND_SORT, ON(SCREEN_JOBS), { 'o', SPECIAL_F6 },
	  N_("sort"), NULL, N_("sort by the next column"), 5 },
	{ COMMAND_SORT_BACK, ON(SCREEN_JOBS), { 'O' }, NULL, NULL, N_("the other way round"), 0 },
	/* everywhere */
	{ COMMAND_FIND, ON(SCREEN_HELP), { '/', SPECIAL_F3 },
	  N_("find"), NULL, N_("show only lines with a word"), 2 },
	{ COMMAND_FIND, ON(SCREEN_RANGES) | ON(SCREEN_PLAN) | ON(SCREEN_REPORT), { '/', SPECIAL_F3 },
	  NULL, NULL, N_("find a text"), 0 },
	{ COMMAND_FIND_NEXT, ON(SCREEN_DISKS) | ON(SCREEN_PLAN) | ON(SCREEN_REPORT) | ON(SCREEN_HELP), { 'n', KEY_CTRL('n') },
	  NULL, NULL, N_("find the next one"), 0 },
	{ COMMAND_FIND_NEXT, ON(SCREEN_RANGES) | ON(SCREEN_JOBS), { KEY_CTRL('n') },
	  NULL, NULL, N_("find the next one"), 0 },
	{ COMMAND_FIND_PREVIOUS, ON(SCREEN_DISKS) | ON(SCREEN_RANGES) | ON(SCREEN_REPORT) | ON(SCREEN_JOBS) | ON(SCREEN_HELP), { 'N', KEY_CTRL('p') },
	  NULL, NULL, N_("find the one before"), 0 },
	{ COMMAND_FIND_PREVIOUS, ON(SCREEN_PLAN), { 'N' }, NULL, NULL, N_("find the one before"), 0 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_REPORT), { SPECIAL_TAB },
	  NULL, NULL, N_("map: bad areas and back"), 0 },
	{ COMMAND_NEXT_FIELD, ON(SCREEN_HELP), { SPECIAL_TAB },
	  N_("next topic"), NULL, N_("help for the next screen"), 2 },
	{ COMMAND_BACK, ON(SCREEN_RANGES) | ON(SCREEN_PLAN) | ON(SCREEN_BENCH) | ON(SCREEN_JOBS), { SPECIAL_ESCAPE, 'h', SPECIAL_BACKSPACE },
	  N_("back"), NULL, N_("back"), 2 },
	{ COMMAND_BACK, ON(SCREEN_HELP), { SPECIAL_ESCAPE, 'q', 'h', SPECIAL_BACKSPACE },
	  N_("close"), NULL, N_("back"), 1 },
	{ COMMAND_BACK, ON(SCREEN_DISKS), { SPECIAL_ESCAPE, 'h', SPECIAL_BACKSPACE },
	  NULL, NULL, N_("undo the choice"), 0 },
	{ COMMAND_BACK, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { SPECIAL_ESCAPE, 'h', SPECIAL_BACKSPACE },
	  NULL, NULL, N_("back"), 0 },
	{ COMMAND_UP, ON_ALL, { SPECIAL_UP, 'k' }, NULL, NULL, N_("up"), 0 },
	{ COMMAND_DOWN, ON_ALL, { SPECIAL_DOWN, 'j' }, NULL, NULL, N_("down"), 0 },
	{ COMMAND_PAGE_UP, ON_ALL, { SPECIAL_PAGE_UP, KEY_CTRL('b') },
	  NULL, NULL, N_("page up"), 0 },
	{ COMMAND_PAGE_DOWN, ON_ALL, { SPECIAL_PAGE_DOWN, KEY_CTRL('f') },
	  NULL, NULL, N_("page down"), 0 },
	{ COMMAND_FIRST, NO_LETTER, { 'g', SPECIAL_HOME }, NULL, NULL, N_("first"), 0 },
	{ COMMAND_LAST, NO_LETTER, { 'G', SPECIAL_END }, NULL, NULL, N_("last"), 0 },
	{ COMMAND_FIRST, ON(SCREEN_RUN), { SPECIAL_HOME }, NULL, NULL, N_("first"), 0 },
	{ COMMAND_LAST, ON(SCREEN_RUN), { SPECIAL_END }, NULL, NULL, N_("last"), 0 },
	{ COMMAND_ACCEPT, ON(SCREEN_RUN) | ON(SCREEN_REPORT) | ON(SCREEN_HELP), { SPECIAL_ENTER },
	  NULL, NULL, NULL, 0 },
	{ COMMAND_LEFT, ON_ALL, { SPECIAL_LEFT }, NULL, NULL, NULL, 0 },
	{ COMMAND_RIGHT, ON_ALL & ~ON(SCREEN_DISKS) & ~ON(SCREEN_BENCH), { SPECIAL_RIGHT }, NULL, NULL, NULL, 0 },
	{ COMMAND_PREVIOUS_FIELD, ON_ALL & ~ON(SCREEN_DISKS), { SPECIAL_BACK_TAB },
	  NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_1, STEPS | ON(SCREEN_HELP), { '1' }, NULL, NULL, N_("go to that screen"), 0 },
	{ COMMAND_SCREEN_2, (STEPS | ON(SCREEN_HELP)) & ~ON(SCREEN_DISKS), { '2' }, NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_3, STEPS | ON(SCREEN_HELP), { '3' }, NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_4, STEPS | ON(SCREEN_HELP), { '4' }, NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_5, STEPS | ON(SCREEN_HELP), { '5' }, NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_6, STEPS | ON(SCREEN_HELP), { '6' }, NULL, NULL, NULL, 0 },
	{ COMMAND_SCREEN_7, STEPS | ON(SCREEN_HELP), { '7', '0' }, NULL, NULL, N_("copies, also earlier"), 0 },
	{ COMMAND_UNITS, (ON_ALL & ~ON(SCREEN_RANGES)) | ON(SCREEN_EDITOR), { 'u', 'U' }, NULL, NULL, N_("TB, TiB, sectors"), 0 },
	{ COMMAND_UNITS, ON(SCREEN_RANGES), { 'U' }, NULL, NULL, N_("TB, TiB, sectors"), 0 },
	{ COMMAND_THEME, ON_ALL, { ',' }, NULL, NULL, N_("next colour theme"), 0 },
	{ COMMAND_LETTERS, ON(SCREEN_RUN) | ON(SCREEN_REPORT), { 'M' }, NULL, NULL, N_("map in ddrescue's letters"), 0 },
	{ COMMAND_REDRAW, ON_ALL | ON(SCREEN_EDITOR), { KEY_CTRL('l') }, NULL, NULL, N_("redraw"), 0 },
	{ COMMAND_STOP, (ON_ALL & ~ON(SCREEN_RUN)) | ON(SCREEN_EDITOR), { KEY_CTRL('c') },
	  NULL, NULL, N_("quit, or ask to stop"), 0 },
	{ COMMAND_HELP, STEPS | ON(SCREEN_EDITOR), { '?', SPECIAL_F1 }, N_("help"), NULL, N_("this help"), 1 },
	{ COMMAND_QUIT, STEPS | ON(SCREEN_EDITOR), { 'q', SPECIAL_F10 }, N_("quit"), NULL, N_("quit"), 2 },
	{ COMMAND_QUIT, ON(SCREEN_HELP), { SPECIAL_F10 }, NULL, NULL, NULL, 0 },
	{ COMMAND_NONE },
};
/* clang-format on */

const struct command_info *keys_table(void)
{
	return table;
}

enum command keys_lookup(enum screen_id screen, int key)
{
	if (key == SPECIAL_NONE)
		return COMMAND_NONE;
	for (const struct command_info *info = table; info->command; info++) {
		if (!(info->screens & ON(screen)))
			continue;
		for (int i = 0; i < COMMAND_KEYS_MAX && info->keys[i]; i++)
			if (info->keys[i] == key)
				return info->command;
	}
	return COMMAND_NONE;
}

bool keys_has(enum screen_id screen, enum command command)
{
	for (const struct command_info *info = table; info->command; info++)
		if (info->command == command && info->screens & ON(screen))
			return true;
	return false;
}

static const char *special_name(int key)
{
	static const char *const names[] = {
		[0] = N_("Up"),
		[SPECIAL_DOWN - SPECIAL_UP] = N_("Down"),
		[SPECIAL_LEFT - SPECIAL_UP] = N_("Left"),
		[SPECIAL_RIGHT - SPECIAL_UP] = N_("Right"),
		[SPECIAL_PAGE_UP - SPECIAL_UP] = N_("PgUp"),
		[SPECIAL_PAGE_DOWN - SPECIAL_UP] = N_("PgDn"),
		[SPECIAL_HOME - SPECIAL_UP] = N_("Home"),
		[SPECIAL_END - SPECIAL_UP] = N_("End"),
		[SPECIAL_INSERT - SPECIAL_UP] = N_("Ins"),
		[SPECIAL_DELETE - SPECIAL_UP] = N_("Del"),
		[SPECIAL_ENTER - SPECIAL_UP] = N_("Enter"),
		[SPECIAL_BACKSPACE - SPECIAL_UP] = N_("Backspace"),
		[SPECIAL_ESCAPE - SPECIAL_UP] = N_("Esc"),
		[SPECIAL_TAB - SPECIAL_UP] = N_("Tab"),
		[SPECIAL_BACK_TAB - SPECIAL_UP] = N_("Shift-Tab"),
	};

	if (key == ' ')
		return _("Space");
	return key >= SPECIAL_UP && key <= SPECIAL_BACK_TAB ? _(names[key - SPECIAL_UP]) : NULL;
}

const char *keys_character(int key, char bytes[static KEY_TEXT_MAX])
{
	uint32_t code = (uint32_t)key;
	int length = 0;

	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code >= SPECIAL_UP) {
		bytes[0] = '\0';
		return bytes;
	}
	if (code < 0x80) {
		bytes[length++] = (char)code;
	} else if (code < 0x800) {
		bytes[length++] = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		bytes[length++] = (char)(0xe0 | code >> 12);
		bytes[length++] = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		bytes[length++] = (char)(0xf0 | code >> 18);
		bytes[length++] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[length++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		bytes[length++] = (char)(0x80 | (code & 0x3f));
	bytes[length] = '\0';
	return bytes;
}

const char *keys_name(int key, char *buffer, size_t size)
{
	const char *name = special_name(key);
	char bytes[KEY_TEXT_MAX];

	if (name)
		return text_copy(buffer, size, name);
	if (key >= SPECIAL_F1 && key <= SPECIAL_F10)
		snprintf(buffer, size, "F%d", key - SPECIAL_F1 + 1);
	else if (key > 0 && key < ' ')
		snprintf(buffer, size, _("Ctrl-%c"), key + '@');
	else
		snprintf(buffer, size, "%s", keys_character(key, bytes));
	return buffer;
}

int keys_named(const char *name, size_t length)
{
	char text[24];

	for (int key = 1; key <= SPECIAL_F10; key = key == '~' ? SPECIAL_UP : key + 1) {
		keys_name(key, text, sizeof(text));
		if (strlen(text) == length && memcmp(text, name, length) == 0)
			return key;
	}
	return SPECIAL_NONE;
}

const char *keys_names(const struct command_info *info, int cols, char *buffer, size_t size)
{
	*buffer = '\0';
	for (int i = 0; i < COMMAND_KEYS_MAX && info->keys[i]; i++) {
		char name[32];

		keys_name(info->keys[i], name, sizeof(name));
		if (text_width(buffer) + text_width(name) + (i > 0) > cols ||
		    !text_append(buffer, size, " ", "%s", name))
			break;
	}
	return buffer;
}

/* Two keys beside each other that have one word: "< >=move". Told alone, one would say that there
 * is no other way. */
static bool joins(const struct command_info *before, const struct command_info *info,
		  struct footer_item *item, const char *word)
{
	char keys[2][24];

	if (info->screens != before->screens || info->footer != before->footer || !info->footer)
		return false;
	item->second = info->command;
	snprintf(item->text, sizeof(item->text), "%s %s=%s",
		 keys_name(before->keys[0], keys[0], sizeof(keys[0])),
		 keys_name(info->keys[0], keys[1], sizeof(keys[1])), word);
	return true;
}

static int collect(enum screen_id screen, bool wide, keys_word_fn *word_now, void *user,
		   const struct command_info **infos,
		   struct footer_item items[static FOOTER_ITEMS_MAX])
{
	int count = 0;

	for (const struct command_info *info = table; info->command; info++) {
		const char *word = wide && info->footer_wide ? info->footer_wide : info->footer;
		char key[24];

		if (!(info->screens & ON(screen)) || !word || count == FOOTER_ITEMS_MAX)
			continue;
		word = word_now ? word_now(user, info->command, _(word)) : _(word);
		if (!word)
			continue;
		if (count && joins(infos[count - 1], info, &items[count - 1], word))
			continue;
		keys_name(info->keys[0], key, sizeof(key));
		infos[count] = info;
		items[count].command = info->command;
		items[count].second = COMMAND_NONE;
		snprintf(items[count].text, sizeof(items[count].text), "%s=%s", key, word);
		count++;
	}
	return count;
}

/* Columns of all items with `gap` blanks between them and one at the left edge. */
static int place(struct footer_item *items, int count, int gap)
{
	int col = 1;

	for (int i = 0; i < count; i++) {
		items[i].col = col;
		col += text_width(items[i].text) + gap;
	}
	return count ? col - gap : 0;
}

static int drop_one(const struct command_info **infos, struct footer_item *items, int count,
		    enum command wanted)
{
	int worst = infos[0]->command == wanted && count > 1;

	for (int i = 0; i < count; i++)
		if (infos[i]->command != wanted && infos[i]->priority >= infos[worst]->priority)
			worst = i;
	for (int i = worst; i + 1 < count; i++) {
		infos[i] = infos[i + 1];
		items[i] = items[i + 1];
	}
	return count - 1;
}

int keys_footer(enum screen_id screen, int cols, enum command wanted, keys_word_fn *word_now,
		void *user, struct footer_item items[static FOOTER_ITEMS_MAX])
{
	const struct command_info *infos[FOOTER_ITEMS_MAX];
	bool wide = cols >= LAYOUT_WIDE_COLS;
	int count = collect(screen, wide, word_now, user, infos, items);

	if (wide) {
		if (place(items, count, 2) < cols)
			return count;
		count = collect(screen, false, word_now, user, infos, items);
	}
	while (count && place(items, count, wide ? 2 : 1) >= cols)
		count = drop_one(infos, items, count, wanted);
	return count;
}
