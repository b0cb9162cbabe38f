/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/array.h"
#include "base/charset.h"
#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/keys.h"
#include "ui/core/palette.h"
#include "ui/core/terminfo.h"

enum deck_glyphs term_choose_glyphs(enum deck_glyphs wanted, const char *name, bool utf8)
{
	if (wanted == GLYPHS_ACS || wanted == GLYPHS_ASCII)
		return wanted;
	if (!utf8)
		return GLYPHS_ACS;
	if (wanted != GLYPHS_AUTO)
		return wanted;
	/* The console's font has 256 or 512 glyphs: no braille, and only some of the blocks. */
	if (text_after(name, "linux"))
		return GLYPHS_HALF;
	if (text_after(name, "vt"))
		return GLYPHS_ACS;
	return GLYPHS_BRAILLE;
}

bool term_choose_color(enum deck_color wanted, const char *no_color, int colors)
{
	if (colors < 8 || wanted == COLOR_NEVER)
		return false;
	return wanted == COLOR_ALWAYS || !no_color || !*no_color;
}

unsigned term_choose_interval(int baud)
{
	if (baud <= 0 || baud >= 115200)
		return 250;
	return baud >= 38400 ? 1000 : 5000;
}

/* The baud rate of a pseudo terminal or of the console says nothing about its speed. */
static int line_speed(void)
{
	const char *name = ttyname(STDOUT_FILENO);

	if (!name || text_after(name, "/dev/pts/"))
		return 0;
	if (text_after(name, "/dev/tty") && name[8] >= '0' && name[8] <= '9')
		return 0;
	return baudrate();
}

/* ms between two lines with --simple: speaking one takes some seconds. */
#define SPOKEN_INTERVAL 10000

static attr_t style_of(unsigned style)
{
	return (style & STYLE_BOLD ? A_BOLD : 0) | (style & STYLE_DIM ? A_DIM : 0) |
	       (style & STYLE_REVERSE ? A_REVERSE : 0) |
	       (style & STYLE_UNDERLINE ? A_UNDERLINE : 0);
}

static void set_attributes(struct term *term)
{
	int colors = term->color && !term->mono ? terminfo_colors() : 0;

	for (int role = 0; role < ROLE_COUNT; role++) {
		struct role_look look = palette_look(term->theme, colors, (enum role)role);

		term->attributes[role] = (uint32_t)style_of(look.style);
		if (look.front < 0 && look.back < 0)
			continue;
		/* A pair for each role, numbered after it. */
		init_pair((short)(role + 1), look.front, look.back);
		term->attributes[role] |= (uint32_t)COLOR_PAIR(role + 1);
	}
}

static void choose_looks(struct term *term)
{
	const struct deck_looks *looks = &term->facts.looks;

	/* Once started, curses names even the terminal's own colours. */
	term->color = term_choose_color(looks->color, term->facts.no_color ? "1" : NULL,
					terminfo_colors()) &&
		      start_color() == OK;
	if (term->color)
		use_default_colors();
	term->theme = palette_choose(looks->theme, term->facts.background);
	set_attributes(term);
}

const char *term_next_theme(struct term *term)
{
	if (!term->color)
		return N_("This terminal has no colours, or is to show none.");
	if (term->mono || term->theme == THEME_HIGH)
		term->mono = !term->mono;
	if (!term->mono)
		term->theme = term->theme == THEME_HIGH   ? THEME_DARK
			      : term->theme == THEME_DARK ? THEME_LIGHT
							  : THEME_HIGH;
	set_attributes(term);
	term_repaint(term);
	return term->mono                   ? N_("Theme: without colours")
	       : term->theme == THEME_DARK  ? N_("Theme: dark")
	       : term->theme == THEME_LIGHT ? N_("Theme: light")
					    : N_("Theme: high contrast");
}

/*
 * Keys that terminals send although their terminfo entry does not say so: a
 * serial console set to vt100 usually has an xterm or a linux console behind it.
 */
static void define_keys(bool mouse)
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
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (key_defined(keys[i].sequence) == 0)
			define_key(keys[i].sequence, keys[i].key);
}

static int from_environment(const char *name)
{
	const char *text = getenv(name);
	int value = text ? atoi(text) : 0;

	return value > 0 && value <= 1000 ? value : 0;
}

/*
 * What was asked for, else what the kernel says. It says 0x0 for serial lines,
 * and curses then takes what terminfo says: only there LINES and COLUMNS count,
 * for they are often left over from another size.
 */
static int size_of(int forced, int found, int in_terminfo, int in_environment)
{
	if (forced > 0)
		return forced;
	return found == in_terminfo && in_environment ? in_environment : found;
}

static void take_size(struct term *term)
{
	int rows = size_of(term->forced_rows, LINES, terminfo_rows(), term->facts.rows);
	int cols = size_of(term->forced_cols, COLS, terminfo_cols(), term->facts.cols);

	if (rows != LINES || cols != COLS)
		resizeterm(rows, cols);
	term->rows = rows;
	term->cols = cols;
}

static bool locale_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void term_look(const struct deck_looks *looks, struct term_facts *ret)
{
	const char *name = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const char *background = getenv("COLORFGBG");

	*ret = (struct term_facts){
		.utf8 = locale_is_utf8(),
		.no_color = no_color && *no_color,
		.rows = from_environment("LINES"),
		.cols = from_environment("COLUMNS"),
		.looks = *looks,
	};
	text_copy(ret->name, sizeof(ret->name), name ? name : "");
	text_copy(ret->background, sizeof(ret->background), background ? background : "");
}

static void choose_glyphs(struct term *term, enum deck_glyphs wanted)
{
	bool locale = locale_is_utf8();

	term->utf8 = locale && term->facts.utf8;
	term->glyphs = term_choose_glyphs(wanted, term->facts.name, term->utf8);
	/* Curses draws lines as the locale has them, which here is not the terminal's. */
	if (locale != term->utf8 ||
	    (term->glyphs == GLYPHS_ACS && !terminfo_line_drawing() && !term->utf8))
		term->glyphs = GLYPHS_ASCII;
}

/* A deck that was attached to another terminal may find that it cannot show the language of its
 * process. The thread that draws then has messages and dates of its own. */
static void choose_language(struct term *term)
{
	locale_t whole;

	if (i18n_fits_terminal(term->facts.name, term->utf8))
		return;
	whole = duplocale(LC_GLOBAL_LOCALE);
	if (whole == (locale_t)0)
		return;
	term->english = newlocale(LC_MESSAGES_MASK | LC_TIME_MASK, "C", whole);
	if (term->english == (locale_t)0)
		freelocale(whole);
	else
		uselocale(term->english);
}

static unsigned char key_of(const struct termios *modes, int number)
{
	cc_t key = modes->c_cc[number];

	return key == (cc_t)_POSIX_VDISABLE ? 0 : key;
}

/* raw() would take flow control away, too, which a slow terminal may need. */
static void take_signal_keys(struct term *term)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, &modes) < 0)
		return;
	term->interrupt = key_of(&modes, VINTR);
	term->suspend = key_of(&modes, VSUSP);
	term->quit = key_of(&modes, VQUIT);
	modes.c_lflag &= ~(tcflag_t)ISIG;
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) == 0)
		def_prog_mode();
}

static void set_input(struct term *term)
{
	cbreak();
	noecho();
	nonl();
	take_signal_keys(term);
	/* wget_wch() on a window refreshes it first; a pad is never shown. */
	term->input = newpad(1, 1);
	keypad(term->input, TRUE);
	nodelay(term->input, TRUE);
	intrflush(term->input, FALSE);
	set_escdelay(term->slow ? 150 : 25);
	/* Presses alone: none waits for a second one, and a double click is two of them. */
	mouseinterval(0);
	define_keys(!term->facts.looks.no_mouse &&
		    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL));
}

int term_start(bool simple, const struct term_facts *facts, struct term **ret, struct error *reterr)
{
	struct term *term;
	int err;

	err = terminfo_check(facts->name, reterr);
	if (err)
		return err;
	term = calloc(1, sizeof(*term));
	if (!term)
		return error_nomem(reterr);
	term->facts = *facts;
	use_env(TRUE);
	use_tioctl(TRUE);
	term_rescue_prepare();
	terminfo_done();
	term->screen = newterm(term->facts.name, stdout, stdin);
	if (!term->screen) {
		free(term);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The terminal of the kind '%s' (TERM) could not be started. Use "
				   "'clonedeck list' and 'clonedeck clone' instead."),
				 facts->name);
	}
	choose_glyphs(term, facts->looks.glyphs);
	choose_language(term);
	term->interval = term_choose_interval(line_speed());
	term->slow = term->interval > 250;
	term->titles = !term->slow && terminfo_takes_title();
	if (simple)
		term->interval = SPOKEN_INTERVAL;
	term->forced_cols = facts->looks.cols;
	term->forced_rows = facts->looks.rows;
	choose_looks(term);
	set_input(term);
	take_size(term);
	/* curses sets the scrolling region for the size that it found; that has to be sent before
	 * it is corrected. */
	refresh();
	terminfo_whole_screen(term->rows);
	clearok(curscr, TRUE);
	term_rescue_arm();
	*ret = term;
	return 0;
}

static void forget(struct term *term)
{
	term_rescue_disarm();
	if (term->english != (locale_t)0) {
		uselocale(LC_GLOBAL_LOCALE);
		freelocale(term->english);
	}
	delwin(term->input);
	delscreen(term->screen);
	free(term);
}

void term_stop(struct term *term)
{
	if (!term)
		return;
	term_title(term, &(struct title){ 0 });
	/* Consoles without a second screen would keep the last frame. */
	clear();
	refresh();
	endwin();
	forget(term);
}

void term_drop(struct term *term)
{
	if (term)
		forget(term);
}

void term_abandon(struct term *term)
{
	if (!term)
		return;
	if (terminfo_takes_output())
		term_title(term, &(struct title){ 0 });
	term_rescue_give_back();
	forget(term);
}

bool term_resize(struct term *term)
{
	int rows = term->rows, cols = term->cols;

	take_size(term);
	/* Where the size was changed behind the terminal's back (a serial line), its scrolling
	 * region still ends at the old last line and moving the cursor stops there. */
	terminfo_whole_screen(term->rows);
	clearok(curscr, TRUE);
	return rows != term->rows || cols != term->cols;
}

void term_repaint(struct term *term)
{
	/* curses reads the size in its handler of this signal, also on a serial line that never
	 * sends one. */
	raise(SIGWINCH);
	terminfo_whole_screen(term->rows);
	clearok(curscr, TRUE);
}

void term_show(struct term *term, int row, int col)
{
	if (row < 0 || row >= term->rows || col < 0 || col >= term->cols)
		row = col = 0;
	move(row, col);
	wnoutrefresh(stdscr);
	doupdate();
}

void term_title(struct term *term, const struct title *title)
{
	char sequence[TITLE_BYTES_MAX];

	if (!term->titles || !*title_sequence(&term->title, title, sequence))
		return;
	charset_print(stdout, term->facts.utf8, sequence, strlen(sequence));
	term->title = *title;
}

void term_bell(struct term *term)
{
	/* One that is stuck is not waited for. */
	if (terminfo_takes_output())
		beep();
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
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
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
	struct pollfd pollfd = { .fd = STDIN_FILENO, .events = POLLIN };

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
	int got = wget_wch(term->input, &c);

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

int term_fd(const struct term *term)
{
	return STDIN_FILENO;
}
