/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text that came from a disk or a device is hostile: it may hold escape
 * sequences, broken UTF-8, right-to-left marks. Everything that is shown,
 * logged or reported goes through here once, where it enters the program.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Copies `from` (at most `length` bytes, or up to NUL) into `to`, always
 * terminated, always valid UTF-8: control characters, bidirectional and
 * zero-width format characters, private-use and unassigned code points and
 * broken sequences become '?', blanks of other widths a plain one; leading and
 * trailing blanks and line ends go. Truncates at a character boundary. Never
 * longer than `from`, and may be `from` itself. Does not depend on the locale.
 * Returns `to`. */
char *text_sanitise(char *to, size_t size, const char *from, size_t length);

/* The name of a file may be any bytes, and is needed as it is: to open it, and to find it again
 * from a map or a report. In files it is written so that nothing is lost: what text_sanitise()
 * would change, and '%' itself, byte by byte as %XX (two hexadecimal digits); the rest stays as it
 * is. The result is valid UTF-8 in one line, three times as long at most, and cut before a
 * character that does not fit. Returns `to`. */
char *text_encode(char *to, size_t size, const char *name);
/* The other way round; also of bytes that need not have been encoded. False, with *to "", for a
 * broken code, a NUL, or what does not fit. */
bool text_decode(char *to, size_t size, const char *encoded);
/* A sentence with such names in it, for the screen: as text_encode(), but '%' stays. Not in place.
 * Returns `to`. */
char *text_show(char *to, size_t size, const char *from);

/* Columns that `text` takes on the terminal (wcwidth in the present locale); what
 * cannot be shown counts one, for the '?' in its place. */
int text_width(const char *text);

/* Fits `text` into `columns` cells, padded with blanks on the right; too long
 * a text keeps its head (text_fit) or its tail behind ".." (text_fit_tail).
 * Never splits a character. `size` must hold 4 * columns + 1. Returns `to`. */
char *text_fit(char *to, size_t size, const char *text, int columns);
char *text_fit_tail(char *to, size_t size, const char *text, int columns);

/* Where to break `text` for a line of `columns`, at a blank or beside a wide character where it can
 * be: bytes that go on this line, 0 only for an empty text; *retskip is how many (blanks) to leave
 * out before the next. */
size_t text_break(const char *text, int columns, size_t *retskip);
/* Writes `first` and `text` behind it, broken into lines of `columns` (0: no limit); all but the
 * first are indented by the width of `first`. Ends with a line end.
 *
 * A command to paste stands behind a colon and two blanks, up to the next two blanks or the end of
 * the text. It is one line of its own, however long it is. */
void text_paragraph(FILE *out, int columns, const char *first, const char *text);

/* A text that is printed piece by piece. */
struct text_stream {
	char *text;
	size_t size;
	FILE *out;
};

/* Its stream; NULL without memory, and then it need not be ended. */
FILE *text_stream_begin(struct text_stream *stream);
/* Malloc'd; NULL where there was no memory for all of it. */
char *text_stream_end(struct text_stream *stream);

/* strlcpy that never splits a UTF-8 character; the two may overlap. Returns `to`. */
char *text_copy(char *to, size_t size, const char *from);
/* The arguments of the function that it stands in, as its `format` says; what does not fit is cut.
 * Returns what vsnprintf() does. */
#define text_vprint(to, size, format)                                                              \
	({                                                                                         \
		va_list arguments_;                                                                \
		int length_;                                                                       \
                                                                                                   \
		va_start(arguments_, format);                                                      \
		length_ = vsnprintf((to), (size), (format), arguments_);                           \
		va_end(arguments_);                                                                \
		length_;                                                                           \
	})
/* Appends an item to a text, behind `between` if it is not the first. False, and the text stays as
 * it is, where there is no room for all of it. */
bool text_append(char *text, size_t size, const char *between, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* To a list in words. */
#define text_join(list, size, ...) text_append((list), (size), ", ", __VA_ARGS__)
static inline const char *text_or_dash(const char *text)
{
	return text[0] ? text : "-";
}
/* "sdb" of "/dev/sdb", "a.img" of "/srv/a.img"; borrowed from it. */
const char *text_base_name(const char *path);

/* The rest of a text behind this prefix; NULL: the text has another beginning. */
const char *text_after(const char *text, const char *beginning);
/* Decimal digits up to `stop`, without a sign or a leading zero; *text is then after it, or at it
 * if it is NUL. False: it is no such number. */
bool text_take_number(const char **text, char stop, uint64_t *ret);
/* The index of a text in a list that ends with NULL; -1: it is not in it, or there is no list. */
int text_find(const char *text, const char *const *list);
#define text_is_one_of(text, ...)                                                                  \
	(text_find((text), (const char *const[]){ __VA_ARGS__, NULL }) >= 0)
/* Does a name have this ending, and something before it? */
bool text_has_ending(const char *name, const char *ending);
/* Takes such an ending off. Returns `name`. */
char *text_drop_ending(char *name, const char *ending);

/* "stop, wait or map" from words that end with NULL; truncated if it does not fit. Returns `to`. */
char *text_choice(char *to, size_t size, const char *const *words);

/* As one word of a POSIX shell, quoted where that is needed. False: it does not fit, or holds what
 * text_sanitise() would change, so that the printed word would not be the same. */
bool text_shell_quote(char *to, size_t size, const char *from);
/* The same for a command that is only shown: `instead` where it is false. Returns `to`. */
const char *text_shell_word(char *to, size_t size, const char *from, const char *instead);

/* Accepts either case; -1: not a digit. */
int text_hex_digit(char c);
