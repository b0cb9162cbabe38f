/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"

#include "ui/core/palette.h"
#include "ui/core/terminfo.h"

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum deck_glyphs term_choose_glyphs(enum deck_glyphs wanted, const char *name, bool utf8)
{
	if (wanted == GLYPHS_ACS || wanted == GLYPHS_ASCII)
		return wanted;
	if (!utf8)
		return GLYPHS_ACS;
	if (wanted != GLYPHS_AUTO)
		return wanted;
	/* The console's font has 256 or 512 glyphs: no braille, and only some of the blocks. */
	if (starts_with(name, "linux"))
		return GLYPHS_HALF;
	if (starts_with(name, "vt"))
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
static int line_speed(const struct term *term)
{
	const char *name = ttyname(fileno(term->out));

	if (!name || starts_with(name, "/dev/pts/"))
		return 0;
	if (starts_with(name, "/dev/tty") && name[8] >= '0' && name[8] <= '9')
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
	term->dim = term->color && (termattrs() & A_DIM);
	if (term->color)
		use_default_colors();
	term->theme = palette_choose(looks->theme, term->facts.background);
	set_attributes(term);
}

const char *term_next_theme(struct term *term)
{
	term_use(term);
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
	/* LINES and COLS are those of whichever terminal changed its size last. */
	int had_rows = getmaxy(stdscr), had_cols = getmaxx(stdscr);
	int rows = size_of(term->forced_rows, had_rows, terminfo_rows(), term->facts.rows);
	int cols = size_of(term->forced_cols, had_cols, terminfo_cols(), term->facts.cols);

	if (rows != had_rows || cols != had_cols)
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

	if (tcgetattr(fileno(term->in), &modes) < 0)
		return;
	term->interrupt = key_of(&modes, VINTR);
	term->suspend = key_of(&modes, VSUSP);
	term->quit = key_of(&modes, VQUIT);
	modes.c_lflag &= ~(tcflag_t)ISIG;
	if (tcsetattr(fileno(term->in), TCSADRAIN, &modes) == 0)
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
	term_define_keys(!term->facts.looks.no_mouse &&
			 mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL));
}

/* ncurses keeps one list of the windows of all screens, and whatever is in it goes with any of
 * them: of several, only the last one is deleted. The others cost some kB until the process ends.
 */
static unsigned screens;

void term_use(struct term *term)
{
	set_term(term->screen);
	uselocale(term->english != (locale_t)0 ? term->english : LC_GLOBAL_LOCALE);
}

/* False: there is no memory. */
static bool open_files(struct term *term, int *descriptors)
{
	term->borrowed = !descriptors;
	term->in = descriptors ? descriptor_stream(descriptors[0], "r") : stdin;
	term->out = descriptors ? descriptor_stream(descriptors[1], "w") : stdout;
	if (descriptors && term->in)
		descriptors[0] = -1;
	if (descriptors && term->out)
		descriptors[1] = -1;
	return term->in && term->out;
}

static void free_term(struct term *term)
{
	if (!term->borrowed && term->in)
		fclose(term->in);
	if (!term->borrowed && term->out)
		fclose(term->out);
	free(term);
}

int term_start(bool simple, const struct term_facts *facts, int *descriptors, struct term **ret,
	       struct error *reterr)
{
	struct term *term;
	int err;

	/* Whoever sent descriptors has looked at that terminal. */
	err = descriptors ? 0 : terminfo_check(facts->name, reterr);
	if (err)
		return err;
	term = calloc(1, sizeof(*term));
	if (!term)
		return error_nomem(reterr);
	term->facts = *facts;
	if (!open_files(term, descriptors)) {
		free_term(term);
		return error_nomem(reterr);
	}
	use_env(TRUE);
	use_tioctl(TRUE);
	if (term->borrowed) {
		term_rescue_prepare();
		terminfo_done();
	}
	term->screen = newterm(term->facts.name, term->out, term->in);
	if (!term->screen) {
		free_term(term);
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOTTY, "open", "",
				 _("The terminal of the kind '%s' (TERM) could not be started. Use "
				   "'clonedeck list' and 'clonedeck clone' instead."),
				 facts->name);
	}
	screens++;
	choose_glyphs(term, facts->looks.glyphs);
	choose_language(term);
	term->interval = term_choose_interval(line_speed(term));
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
	terminfo_whole_screen(term->out, term->rows);
	clearok(curscr, TRUE);
	if (term->borrowed)
		term_rescue_arm();
	*ret = term;
	return 0;
}

static void forget(struct term *term)
{
	if (term->borrowed)
		term_rescue_disarm();
	term_use(term);
	if (term->english != (locale_t)0) {
		uselocale(LC_GLOBAL_LOCALE);
		freelocale(term->english);
	}
	delwin(term->input);
	if (--screens == 0)
		delscreen(term->screen);
	free_term(term);
}

void term_stop(struct term *term)
{
	if (!term)
		return;
	term_use(term);
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
	bool takes = term && terminfo_takes_output(fileno(term->out));

	if (!term)
		return;
	if (takes && !term->borrowed) {
		term_stop(term);
		return;
	}
	if (takes)
		term_title(term, &(struct title){ 0 });
	if (term->borrowed)
		term_rescue_give_back();
	forget(term);
}

bool term_resize(struct term *term)
{
	int rows = term->rows, cols = term->cols;

	term_use(term);
	take_size(term);
	/* Where the size was changed behind the terminal's back (a serial line), its scrolling
	 * region still ends at the old last line and moving the cursor stops there. */
	terminfo_whole_screen(term->out, term->rows);
	clearok(curscr, TRUE);
	return rows != term->rows || cols != term->cols;
}

void term_repaint(struct term *term)
{
	/* curses reads the size in its handler of this signal, also on a serial line that never
	 * sends one. */
	term_use(term);
	raise(SIGWINCH);
	terminfo_whole_screen(term->out, term->rows);
	clearok(curscr, TRUE);
}

void term_show(struct term *term, int row, int col)
{
	if (row < 0 || row >= term->rows || col < 0 || col >= term->cols)
		row = col = 0;
	term_use(term);
	move(row, col);
	wnoutrefresh(stdscr);
	doupdate();
}

void term_title(struct term *term, const struct title *title)
{
	char sequence[TITLE_BYTES_MAX];

	term_use(term);
	if (!term->titles || !*title_sequence(&term->title, title, sequence))
		return;
	fputs(sequence, term->out);
	fflush(term->out);
	term->title = *title;
}

void term_bell(struct term *term)
{
	term_use(term);
	beep();
}

int term_fd(const struct term *term)
{
	return fileno(term->in);
}
