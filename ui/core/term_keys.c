/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a terminal sends, as keys. */
#include <curses.h>
#include <poll.h>

#include "ui/core/keys.h"
#include "ui/core/term.h"

/*
 * Keys that terminals send although their terminfo entry does not say so: a
 * serial console set to vt100 usually has an xterm or a linux console behind it.
 */
void term_define_keys(bool mouse)
{
	static const struct {
		const char *sequence;
		int key;
	} keys[] = {
		{ "\033[A", KEY_UP },      { "\033OA", KEY_UP },     { "\033[B", KEY_DOWN },
		{ "\033OB", KEY_DOWN },    { "\033[C", KEY_RIGHT },  { "\033OC", KEY_RIGHT },
		{ "\033[D", KEY_LEFT },    { "\033OD", KEY_LEFT },   { "\033[H", KEY_HOME },
		{ "\033OH", KEY_HOME },    { "\033[1~", KEY_HOME },  { "\033[7~", KEY_HOME },
		{ "\033[F", KEY_END },     { "\033OF", KEY_END },    { "\033[4~", KEY_END },
		{ "\033[8~", KEY_END },    { "\033[2~", KEY_IC },    { "\033[3~", KEY_DC },
		{ "\033[5~", KEY_PPAGE },  { "\033[6~", KEY_NPAGE }, { "\033[Z", KEY_BTAB },
		{ "\033OP", KEY_F(1) },    { "\033[[A", KEY_F(1) },  { "\033[11~", KEY_F(1) },
		{ "\033[21~", KEY_F(10) },
	};

	/* Without this, curses would take the first bytes of a mouse sequence that nobody asked for
	 * for a key and skip_sequence() would not see it. */
	if (!mouse)
		define_key(NULL, KEY_MOUSE);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (key_defined(keys[i].sequence) == 0)
			define_key(keys[i].sequence, keys[i].key);
}

static int special_key(int key)
{
	static const struct {
		int curses, ours;
	} keys[] = {
		{ KEY_UP, SPECIAL_UP },
		{ KEY_DOWN, SPECIAL_DOWN },
		{ KEY_LEFT, SPECIAL_LEFT },
		{ KEY_RIGHT, SPECIAL_RIGHT },
		{ KEY_PPAGE, SPECIAL_PAGE_UP },
		{ KEY_A3, SPECIAL_PAGE_UP },
		{ KEY_NPAGE, SPECIAL_PAGE_DOWN },
		{ KEY_C3, SPECIAL_PAGE_DOWN },
		{ KEY_HOME, SPECIAL_HOME },
		{ KEY_FIND, SPECIAL_HOME },
		{ KEY_A1, SPECIAL_HOME },
		{ KEY_END, SPECIAL_END },
		{ KEY_SELECT, SPECIAL_END },
		{ KEY_LL, SPECIAL_END },
		{ KEY_C1, SPECIAL_END },
		{ KEY_IC, SPECIAL_INSERT },
		{ KEY_DC, SPECIAL_DELETE },
		{ KEY_ENTER, SPECIAL_ENTER },
		{ KEY_BACKSPACE, SPECIAL_BACKSPACE },
		{ KEY_BTAB, SPECIAL_BACK_TAB },
		{ KEY_RESIZE, SPECIAL_RESIZE },
	};

	if (key >= KEY_F(1) && key <= KEY_F(10))
		return SPECIAL_F1 + key - KEY_F(1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].curses == key)
			return keys[i].ours;
	return SPECIAL_OTHER;
}

#define SEQUENCE_MAX 64

/* "ESC [", up to the letter that ends it. */
static void skip_sequence(struct term *term)
{
	wint_t c;
	int got = wget_wch(term->input, &c);

	if (got == OK && c == 'M') {
		/* A mouse event (another program left the mouse on): three bytes of position
		 * follow. */
		for (int i = 0; i < 3; i++)
			wget_wch(term->input, &c);
		return;
	}
	if (got == OK && c == '[')
		got = wget_wch(term->input, &c);
	for (int i = 0; i < SEQUENCE_MAX && got == OK && (c < 0x40 || c > 0x7e); i++)
		got = wget_wch(term->input, &c);
}

/* The answer to a question of another program: it ends with BEL, or with ESC and \. */
static void skip_string(struct term *term)
{
	wint_t c;

	for (int i = 0; i < SEQUENCE_MAX && wget_wch(term->input, &c) == OK; i++)
		if (c == 0x07 || c == '\\')
			return;
}

/* Drops an unknown sequence as a whole, since its letters would be taken for commands. Behind a
 * lone Esc no byte waits. */
static int after_escape(struct term *term)
{
	wint_t c;
	int got = wget_wch(term->input, &c);

	if (got == ERR)
		return SPECIAL_ESCAPE;
	if (got != OK) {
		ungetch((int)c);
		return SPECIAL_ESCAPE;
	}
	switch (c) {
	case '[':
		skip_sequence(term);
		return SPECIAL_OTHER;
	case 'O':
		wget_wch(term->input, &c);
		return SPECIAL_OTHER;
	case ']':
	case 'P':
		skip_string(term);
		return SPECIAL_OTHER;
	default:
		unget_wch((wchar_t)c);
		return SPECIAL_ESCAPE;
	}
}

static int plain_key(struct term *term, wint_t c)
{
	switch (c) {
	case '\r':
	case '\n':
		return SPECIAL_ENTER;
	case '\b':
	case 0x7f:
		return SPECIAL_BACKSPACE;
	case '\t':
		return SPECIAL_TAB;
	case 0x1b:
		return after_escape(term);
	default:
		/* NUL, and C1 control characters as they come from noise on a serial line, are no
		 * keys. */
		return c == 0 || (c > 0x7f && c < 0xa0) ? SPECIAL_OTHER : (int)c;
	}
}

/* The terminal is readable but gives no key: half a sequence does that a few times, a line that was
 * hung up always. */
#define EMPTY_READS_MAX 100

static enum term_input nothing_read(struct term *term)
{
	struct pollfd pollfd = { .fd = fileno(term->in), .events = POLLIN };

	if (poll(&pollfd, 1, 0) <= 0) {
		term->empty_reads = 0;
		return TERM_NOTHING;
	}
	if (pollfd.revents & (POLLERR | POLLHUP | POLLNVAL))
		return TERM_LOST;
	return ++term->empty_reads > EMPTY_READS_MAX ? TERM_LOST : TERM_NOTHING;
}

/* Where and what; a release, or another button, is no key that the deck uses. */
static int mouse_key(struct term *term)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return SPECIAL_OTHER;
	term->click_row = event.y;
	term->click_col = event.x;
	return event.bstate & BUTTON1_PRESSED   ? SPECIAL_CLICK
	       : event.bstate & BUTTON4_PRESSED ? SPECIAL_WHEEL_UP
	       : event.bstate & BUTTON5_PRESSED ? SPECIAL_WHEEL_DOWN
						: SPECIAL_OTHER;
}

enum term_input term_read(struct term *term, int *retkey)
{
	wint_t c;
	int got;

	term_use(term);
	got = wget_wch(term->input, &c);
	if (got == ERR)
		return nothing_read(term);
	term->empty_reads = 0;
	if (got != KEY_CODE_YES && c != 0) {
		if (c == term->interrupt)
			return TERM_INTERRUPT;
		if (c == term->suspend)
			return TERM_SUSPEND;
		if (c == term->quit)
			return TERM_QUIT;
	}
	if (got == KEY_CODE_YES)
		*retkey = c == KEY_MOUSE ? mouse_key(term) : special_key((int)c);
	else
		*retkey = plain_key(term, c);
	return TERM_KEY;
}
