/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One table of commands: it says which keys give which command on which
 * screen, and makes the footer and the help text, so that the three cannot
 * disagree. No curses here.
 *
 * A key is an int: a Unicode code point, a control character (Ctrl-L is 12),
 * or one of enum special_key.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum screen_id {
	SCREEN_DISKS,
	SCREEN_RANGES,
	SCREEN_PLAN,
	SCREEN_RUN,
	SCREEN_REPORT,
	SCREEN_BENCH,
	SCREEN_JOBS,
	SCREEN_STEPS, /* how many have a number */
	SCREEN_HELP = SCREEN_STEPS,
	SCREEN_EDITOR, /* belongs to SCREEN_PLAN */
	SCREEN_COUNT,
};

enum special_key {
	SPECIAL_NONE = 0,
	SPECIAL_UP = 0x110000, /* the first number that is no code point */
	SPECIAL_DOWN,
	SPECIAL_LEFT,
	SPECIAL_RIGHT,
	SPECIAL_PAGE_UP,
	SPECIAL_PAGE_DOWN,
	SPECIAL_HOME,
	SPECIAL_END,
	SPECIAL_INSERT,
	SPECIAL_DELETE,
	SPECIAL_ENTER,     /* also ^M and ^J */
	SPECIAL_BACKSPACE, /* also ^H and ^? */
	SPECIAL_ESCAPE,
	SPECIAL_TAB,
	SPECIAL_BACK_TAB,
	SPECIAL_F1,
	SPECIAL_F2,
	SPECIAL_F3,
	SPECIAL_F4,
	SPECIAL_F5,
	SPECIAL_F6,
	SPECIAL_F7,
	SPECIAL_F8,
	SPECIAL_F9,
	SPECIAL_F10,
	SPECIAL_RESIZE, /* handled by the app, as the mouse is */
	SPECIAL_CLICK,
	SPECIAL_WHEEL_UP,
	SPECIAL_WHEEL_DOWN,
	SPECIAL_OTHER, /* a key that the deck does not use */
};

#define KEY_CTRL(letter) ((letter)&0x1f)

enum command {
	COMMAND_NONE,
	/* moving, on every screen */
	COMMAND_UP,
	COMMAND_DOWN,
	COMMAND_LEFT,
	COMMAND_RIGHT,
	COMMAND_PAGE_UP,
	COMMAND_PAGE_DOWN,
	COMMAND_FIRST,
	COMMAND_LAST,
	COMMAND_ACCEPT, /* Enter: go on to the next screen, open */
	COMMAND_BACK,
	COMMAND_NEXT_FIELD, /* Tab */
	COMMAND_PREVIOUS_FIELD,
	COMMAND_TOGGLE, /* Space */
	/* carried out by the app itself, never passed to a screen */
	COMMAND_SCREEN_1,
	COMMAND_SCREEN_2,
	COMMAND_SCREEN_3,
	COMMAND_SCREEN_4,
	COMMAND_SCREEN_5,
	COMMAND_SCREEN_6,
	COMMAND_SCREEN_7,
	COMMAND_UNITS,
	COMMAND_REDRAW,
	COMMAND_THEME,
	COMMAND_LETTERS,
	COMMAND_HELP,
	COMMAND_FIND,
	COMMAND_FIND_NEXT,
	COMMAND_FIND_PREVIOUS,
	COMMAND_STOP, /* Ctrl-C */
	COMMAND_QUIT,
	/* 1 Disks */
	COMMAND_SOURCE,
	COMMAND_DESTINATION,
	COMMAND_PARTITIONS,
	COMMAND_IMAGE,
	COMMAND_CONTINUE,
	COMMAND_DETAILS,
	COMMAND_RESCAN,
	COMMAND_SHOW_ALL,
	COMMAND_SORT,
	COMMAND_SORT_BACK,
	COMMAND_BENCH,
	/* 2 Ranges */
	COMMAND_TICK_ALL,
	COMMAND_TICK_NONE,
	COMMAND_WHOLE,
	COMMAND_USED,
	COMMAND_PRESET,
	COMMAND_EDIT_RANGE,
	COMMAND_ADD_RANGE,
	COMMAND_REMOVE_RANGE,
	COMMAND_TO_PLAN,
	/* 3 Plan */
	COMMAND_OPTIONS,
	COMMAND_MEASURE,
	COMMAND_FIT,
	COMMAND_FIT_TABLE,
	COMMAND_SHRINK,
	COMMAND_ALLOW,
	COMMAND_LAYOUT,
	COMMAND_IDENTITIES,
	/* the layout editor */
	COMMAND_TO_START,
	COMMAND_TO_END,
	COMMAND_RESET,
	/* 4 Run */
	COMMAND_PAUSE,
	COMMAND_LOG,
	COMMAND_MAP,
	COMMAND_GRAPH,
	COMMAND_WHERE,
	COMMAND_TABLES,
	COMMAND_BELL,
	COMMAND_RATE,
	COMMAND_ZOOM_IN,
	COMMAND_ZOOM_OUT,
	/* 5 Report */
	COMMAND_SAVE,
	COMMAND_SIGN,
	COMMAND_QR,
	COMMAND_RESUME,
	COMMAND_VERIFY,
	/* 6 Bench */
	COMMAND_HALT,
	/* 7 Jobs */
	COMMAND_NEW,
};

#define COMMAND_KEYS_MAX 4

/* Bits of the screens that have a command. */
#define ON(screen) (1u << (screen))
/* Not that of the editor, where the keys that move change sizes. */
#define ON_ALL (ON(SCREEN_EDITOR) - 1)

struct command_info {
	enum command command;
	unsigned screens;           /* ON() bits */
	int keys[COMMAND_KEYS_MAX]; /* 0 behind the last; the first one is shown */
	const char *footer;         /* N_() word behind "key="; NULL: not in the footer */
	const char *footer_wide;    /* N_() longer one for 120 columns; NULL: the same */
	const char *help;           /* N_() for the help page; NULL: not listed */
	int priority; /* in the footer: the highest number goes first when it is full */
};

/* The table, in the order of the footer; ends with COMMAND_NONE. */
const struct command_info *keys_table(void);
/* What a key means on a screen; COMMAND_NONE if nothing. */
enum command keys_lookup(enum screen_id screen, int key);
/* Whether a key of that screen does it. */
bool keys_has(enum screen_id screen, enum command command);
#define KEY_TEXT_MAX 5
/* The character of a key as UTF-8; "" for one that is none. */
const char *keys_character(int key, char bytes[static KEY_TEXT_MAX]);
/* "Ctrl-L", "PgUp", "F10", "s": translated name of a key. */
const char *keys_name(int key, char *buffer, size_t size);
/* The key of such a name, of which so many bytes count; SPECIAL_NONE: there is none. */
int keys_named(const char *name, size_t length);
/* "Up Down j k": the keys of a command, as many as fit into `cols` columns. */
const char *keys_names(const struct command_info *info, int cols, char *buffer, size_t size);

#define FOOTER_ITEMS_MAX 32

struct footer_item {
	enum command command;
	enum command second; /* in "< >=move" that of '>'; COMMAND_NONE: it has one key */
	int col;             /* where it starts */
	char text[64];       /* "s=source", translated */
};

/* What the command does now: `word`, or another one, translated; NULL: it cannot be used. */
typedef const char *keys_word_fn(void *user, enum command command, const char *word);

/* Chooses and places what can be used (word_now NULL: all, in the table's words) and fits into
 * `cols` columns; returns the number of items. `wanted`, if it is a command of the footer, does not
 * give way to others. */
int keys_footer(enum screen_id screen, int cols, enum command wanted, keys_word_fn *word_now,
		void *user, struct footer_item items[static FOOTER_ITEMS_MAX]);
