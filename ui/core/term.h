/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The terminal: the one module that starts and stops curses and knows what the
 * terminal can do. Everybody else sees sizes, roles and keys.
 *
 * One thread only. There is one terminal, so at most one struct term at a time.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#include "ui/core/title.h"
#include "ui/deck.h"

/* What a piece of text is; the colour (or bold, reverse, underline) follows from it. No
 * meaning is carried by a role alone: a letter or word says it too. */
enum role {
	ROLE_NORMAL,
	ROLE_STRONG, /* headings, the number that matters */
	ROLE_DIM,    /* column titles, legends, what cannot be used now */
	ROLE_HEADER, /* program name, host */
	ROLE_TAB,    /* a screen that was reached */
	ROLE_TAB_ACTIVE,
	ROLE_CURSOR, /* the row under the cursor */
	ROLE_SOURCE,
	ROLE_DESTINATION,
	ROLE_OK,
	ROLE_WARN,
	ROLE_BAD,
	ROLE_BANNER, /* practice mode */
	ROLE_ALERT,  /* what has to be known before anything else */
	ROLE_ERASE,  /* what is destroyed, and a check that was lifted; nothing else is on red */
	ROLE_MESSAGE,
	ROLE_KEY,   /* footer */
	ROLE_BOX,   /* lines */
	ROLE_FIELD, /* input field */
	ROLE_DIALOG,
	ROLE_READ, /* graphs and tables: the read side */
	ROLE_WRITE,
	ROLE_USER, /* CPU bars */
	ROLE_SYSTEM,
	ROLE_WAIT,
	ROLE_MAP_DONE, /* cells of the map */
	ROLE_MAP_TODO,
	ROLE_MAP_NOW,
	ROLE_MAP_BAD,
	ROLE_MAP_RETRY,
	ROLE_READ_HEIGHT, /* graphs by height, from the axis outwards: ROLE_HEIGHTS of each */
	ROLE_WRITE_HEIGHT = ROLE_READ_HEIGHT + 5,
	ROLE_HEIGHTS_END = ROLE_WRITE_HEIGHT + 4,
	ROLE_COUNT,
};

#define ROLE_HEIGHTS 5

/* What a process knows of its terminal, besides its descriptors. */
struct term_facts {
	char name[64];       /* TERM; "" not set */
	char background[16]; /* COLORFGBG; "" not set */
	bool utf8;
	bool no_color;  /* NO_COLOR */
	int rows, cols; /* LINES, COLUMNS; 0 not set */
	struct deck_looks looks;
};

struct term {
	int cols, rows;
	enum deck_glyphs glyphs; /* never GLYPHS_AUTO */
	bool utf8;
	bool color;
	bool letters;             /* maps in ddrescue's letters */
	bool slow;                /* below 115200 baud: stop drawing graphs first */
	unsigned interval;        /* ms between two refreshes of moving figures, by baud rate */
	int click_row, click_col; /* of the last SPECIAL_CLICK */
	/* private */
	int forced_cols, forced_rows;
	struct term_facts facts;
	unsigned char interrupt, suspend, quit; /* their keys; 0: none */
	void *screen, *input;
	locale_t english;      /* 0: the messages are in the language of the process */
	enum deck_theme theme; /* never THEME_AUTO */
	bool mono;             /* its colours are not to be shown */
	bool titles;           /* it takes a title */
	struct title title;
	uint32_t attributes[ROLE_COUNT];
	unsigned empty_reads;
};

/* Fills in the facts for this process. */
void term_look(const struct deck_looks *looks, struct term_facts *ret);
/*
 * Starts curses on standard input and output (simple: as in struct deck_options); after term_stop()
 * or term_abandon() once more, where they may be another terminal. Without one that can be used (no
 * tty, TERM unset, dumb or unknown, no cursor addressing) nothing is drawn and *reterr says why and
 * what to do instead: class ENVIRONMENT.
 */
int term_start(bool simple, const struct term_facts *facts, struct term **ret,
	       struct error *reterr);
/* Clears the screen and gives the terminal back. NULL is fine. */
void term_stop(struct term *term);
/* Forgets the terminal, which may be gone. Where it is still there, and takes what is sent to it,
 * it is given back. Never waits for it. NULL is fine. */
void term_abandon(struct term *term);
/* Forgets the terminal and leaves it as it is: by now somebody else reads and writes there. NULL is
 * fine. */
void term_drop(struct term *term);

/* Asks for the size again; true when it changed. */
bool term_resize(struct term *term);
/* Everything is sent again at the next term_show(). */
void term_repaint(struct term *term);
/* Sends what changed, with the cursor at row, col. */
void term_show(struct term *term, int row, int col);
void term_bell(struct term *term);
/* Dark, light, high contrast, without colours; what it is now, to be translated. */
const char *term_next_theme(struct term *term);
/* The window's title and the progress of its icon, where the terminal takes them; otherwise
 * nothing. Given back by term_stop() and term_abandon(). */
void term_title(struct term *term, const struct title *title);

/* Ctrl-C, Ctrl-Z and Ctrl-\ come in their place among the other keys, and make no signal: the deck
 * is not in the terminal's session. */
enum term_input { TERM_KEY, TERM_INTERRUPT, TERM_SUSPEND, TERM_QUIT, TERM_NOTHING, TERM_LOST };
/* The next key that waits (keys.h); never blocks longer than the escape delay. */
enum term_input term_read(struct term *term, int *retkey);
/* What to poll for keys. */
int term_fd(const struct term *term);

/* The choice of glyphs as pure functions, for the tests. name: TERM. */
enum deck_glyphs term_choose_glyphs(enum deck_glyphs wanted, const char *name, bool utf8);
bool term_choose_color(enum deck_color wanted, const char *no_color, int colors);
unsigned term_choose_interval(int baud);
