/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hostile text made harmless, and text fitted into terminal cells. UTF-8 is
 * decoded here and not by the C library, whose answer depends on the locale.
 */
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/array.h"
#include "base/i18n.h"

#define CODE_BROKEN UINT32_MAX

struct code_range {
	uint32_t first, last;
};

/*
 * What must not reach a terminal, a log or a report. By Unicode 14:
 *   - control, format (bidirectional marks, zero-width, tags), surrogate, private use,
 *     line and paragraph separator (general categories Cc Cf Cs Co Zl Zp), noncharacters;
 *   - characters that show nothing at all (default ignorable: fillers, variation
 *     selectors, the combining grapheme joiner);
 *   - unassigned code points in runs of 16 and more. Shorter holes inside a script are
 *     let through: a later Unicode fills them, and they carry no function.
 * Sorted; planes from 3134B on are empty, private or tags.
 */
static const struct code_range harmful[] = {
	{ 0x0000, 0x001f },   { 0x007f, 0x009f },    { 0x00ad, 0x00ad },   { 0x034f, 0x034f },
	{ 0x05f5, 0x0605 },   { 0x061c, 0x061c },    { 0x06dd, 0x06dd },   { 0x070e, 0x070f },
	{ 0x088f, 0x0897 },   { 0x08e2, 0x08e2 },    { 0x0e5c, 0x0e80 },   { 0x0ee0, 0x0eff },
	{ 0x0fdb, 0x0fff },   { 0x115f, 0x1160 },    { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
	{ 0x1acf, 0x1aff },   { 0x200b, 0x200f },    { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0x2427, 0x243f },   { 0x244b, 0x245f },    { 0x2e5e, 0x2e7f },   { 0x2fd6, 0x2fef },
	{ 0x3164, 0x3164 },   { 0xa62c, 0xa63f },    { 0xa7da, 0xa7f1 },   { 0xaac3, 0xaada },
	{ 0xd7fc, 0xf8ff },   { 0xfada, 0xfaff },    { 0xfbc3, 0xfbd2 },   { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f },   { 0xfefd, 0xff00 },    { 0xffa0, 0xffa0 },   { 0xffef, 0xfffb },
	{ 0xfffe, 0xffff },   { 0x1005e, 0x1007f },  { 0x101a1, 0x101cf }, { 0x101fe, 0x1027f },
	{ 0x103d6, 0x103ff }, { 0x105bd, 0x105ff },  { 0x10768, 0x1077f }, { 0x107bb, 0x107ff },
	{ 0x108b0, 0x108df }, { 0x10940, 0x1097f },  { 0x10aa0, 0x10abf }, { 0x10bb0, 0x10bff },
	{ 0x10c49, 0x10c7f }, { 0x10d3a, 0x10e5f },  { 0x10eb2, 0x10eff }, { 0x10f5a, 0x10f6f },
	{ 0x10f8a, 0x10faf }, { 0x10fcc, 0x10fdf },  { 0x110bd, 0x110bd }, { 0x110c3, 0x110cf },
	{ 0x1123f, 0x1127f }, { 0x11375, 0x113ff },  { 0x11462, 0x1147f }, { 0x114da, 0x1157f },
	{ 0x115de, 0x115ff }, { 0x1166d, 0x1167f },  { 0x116ca, 0x116ff }, { 0x11747, 0x117ff },
	{ 0x1183c, 0x1189f }, { 0x1195a, 0x1199f },  { 0x119e5, 0x119ff }, { 0x11af9, 0x11bff },
	{ 0x11cb7, 0x11cff }, { 0x11daa, 0x11edf },  { 0x11ef9, 0x11faf }, { 0x1239a, 0x123ff },
	{ 0x12544, 0x12f8f }, { 0x1342f, 0x143ff },  { 0x14647, 0x167ff }, { 0x16b90, 0x16e3f },
	{ 0x16e9b, 0x16eff }, { 0x16fa0, 0x16fdf },  { 0x18cd6, 0x18cff }, { 0x18d09, 0x1afef },
	{ 0x1b123, 0x1b14f }, { 0x1b153, 0x1b163 },  { 0x1b2fc, 0x1bbff }, { 0x1bca0, 0x1ceff },
	{ 0x1cfc4, 0x1cfff }, { 0x1d173, 0x1d17a },  { 0x1d1eb, 0x1d1ff }, { 0x1d246, 0x1d2df },
	{ 0x1d379, 0x1d3ff }, { 0x1dab0, 0x1deff },  { 0x1df1f, 0x1dfff }, { 0x1e02b, 0x1e0ff },
	{ 0x1e150, 0x1e28f }, { 0x1e2af, 0x1e2bf },  { 0x1e300, 0x1e7df }, { 0x1e8d7, 0x1e8ff },
	{ 0x1e960, 0x1ec70 }, { 0x1ecb5, 0x1ed00 },  { 0x1ed3e, 0x1edff }, { 0x1eebc, 0x1eeef },
	{ 0x1eef2, 0x1efff }, { 0x1f1ae, 0x1f1e5 },  { 0x1f266, 0x1f2ff }, { 0x1f8b2, 0x1f8ff },
	{ 0x1fbcb, 0x1fbef }, { 0x1fbfa, 0x1ffff },  { 0x2a6e0, 0x2a6ff }, { 0x2ebe1, 0x2f7ff },
	{ 0x2fa1e, 0x2ffff }, { 0x3134b, 0x10ffff },
};

static bool code_in(const struct code_range *ranges, size_t count, uint32_t code)
{
	size_t at = array_first(count, i, ranges[i].last >= code);

	return at < count && ranges[at].first <= code;
}

/* Blanks other than U+0020, which look alike and have any width. */
static bool code_is_blank(uint32_t code)
{
	static const struct code_range blanks[] = {
		{ 0x0020, 0x0020 }, { 0x00a0, 0x00a0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
	};

	return code_in(blanks, ARRAY_SIZE(blanks), code);
}

/*
 * Decodes one character of text[0..length), length > 0. Returns its bytes; for
 * a broken sequence *ret is CODE_BROKEN and the result is the length of the
 * longest well-formed beginning, at least 1 (Unicode 3.9, table 3-7).
 */
static size_t utf8_decode(const unsigned char *text, size_t length, uint32_t *ret)
{
	unsigned char lead = text[0];
	unsigned char low = 0x80, high = 0xbf; /* bounds of the second byte */
	size_t need;
	uint32_t code;

	*ret = CODE_BROKEN;
	if (lead < 0x80) {
		*ret = lead;
		return 1;
	} else if (lead >= 0xc2 && lead <= 0xdf) {
		need = 2;
		code = lead & 0x1f;
	} else if (lead >= 0xe0 && lead <= 0xef) {
		need = 3;
		code = lead & 0x0f;
		if (lead == 0xe0)
			low = 0xa0; /* below: overlong */
		else if (lead == 0xed)
			high = 0x9f; /* above: surrogates */
	} else if (lead >= 0xf0 && lead <= 0xf4) {
		need = 4;
		code = lead & 0x07;
		if (lead == 0xf0)
			low = 0x90; /* below: overlong */
		else if (lead == 0xf4)
			high = 0x8f; /* above: beyond U+10FFFF */
	} else {
		return 1;
	}
	for (size_t i = 1; i < need; i++) {
		if (i >= length || text[i] < low || text[i] > high)
			return i;
		code = code << 6 | (text[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	*ret = code;
	return need;
}

static bool is_harmless(uint32_t code)
{
	return code == ' ' || (code != CODE_BROKEN && !code_is_blank(code) &&
			       !code_in(harmful, ARRAY_SIZE(harmful), code));
}

/* White space as sysfs files and INQUIRY strings end with. */
static bool is_edge(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

char *text_sanitise(char *to, size_t size, const char *from, size_t length)
{
	const unsigned char *text = (const unsigned char *)from;
	size_t used = 0, end = 0; /* end: after the last non-blank character */

	if (size == 0)
		return to;
	length = strnlen(from, length);
	while (length > 0 && is_edge(text[length - 1]))
		length--;
	while (length > 0 && is_edge(text[0])) {
		text++;
		length--;
	}
	while (length > 0) {
		uint32_t code;
		size_t taken = utf8_decode(text, length, &code);
		const unsigned char *put = text;
		size_t put_length = taken;
		bool blank = code_is_blank(code);

		if (blank || code == CODE_BROKEN || code_in(harmful, ARRAY_SIZE(harmful), code)) {
			put = (const unsigned char *)(blank ? " " : "?");
			put_length = 1;
		}
		if (!blank || used > 0) {
			if (put_length >= size - used)
				break;
			memmove(to + used, put, put_length);
			used += put_length;
		}
		if (!blank)
			end = used;
		text += taken;
		length -= taken;
	}
	to[end] = '\0';
	return to;
}

/* "%XX" for everything that is not harmless, and for every character `also`. */
static char *escape(char *to, size_t size, const char *from, char also)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t length = strlen(from), used = 0;

	while (length > 0) {
		const unsigned char *text = (const unsigned char *)from;
		uint32_t code;
		size_t taken = utf8_decode(text, length, &code);
		bool plain = is_harmless(code) && (!also || code != (unsigned char)also);

		if (used + (plain ? taken : 3 * taken) >= size)
			break;
		for (size_t i = 0; i < taken; i++) {
			if (plain) {
				to[used++] = from[i];
				continue;
			}
			to[used++] = '%';
			to[used++] = digits[text[i] >> 4];
			to[used++] = digits[text[i] & 15];
		}
		from += taken;
		length -= taken;
	}
	if (size > 0)
		to[used] = '\0';
	return to;
}

char *text_encode(char *to, size_t size, const char *name)
{
	return escape(to, size, name, '%');
}

char *text_show(char *to, size_t size, const char *from)
{
	return escape(to, size, from, '\0');
}

/* Cells that the next character takes, *retbytes its length. Broken bytes and what the
 * locale cannot show count one cell each: a '?' stands there. */
static int next_width(const char *text, size_t length, size_t *retbytes)
{
	uint32_t code;

	*retbytes = utf8_decode((const unsigned char *)text, length, &code);
	int width = code == CODE_BROKEN ? -1 : wcwidth((wchar_t)code);

	return width < 0 ? 1 : width;
}

int text_width(const char *text)
{
	size_t length = strlen(text);
	int columns = 0;

	while (length > 0) {
		size_t bytes;

		columns += next_width(text, length, &bytes);
		text += bytes;
		length -= bytes;
	}
	return columns;
}

char *text_fit(char *to, size_t size, const char *text, int columns)
{
	size_t length = strlen(text), used = 0;
	int left = columns > 0 ? columns : 0;

	if (size == 0)
		return to;
	while (length > 0) {
		size_t bytes;
		int width = next_width(text, length, &bytes);

		/* Combining characters may be many: keep room for the blanks to come. */
		if (width > left || used + bytes + (size_t)(left - width) >= size)
			break;
		memcpy(to + used, text, bytes);
		used += bytes;
		left -= width;
		text += bytes;
		length -= bytes;
	}
	while (left-- > 0 && used + 1 < size)
		to[used++] = ' ';
	to[used] = '\0';
	return to;
}

char *text_fit_tail(char *to, size_t size, const char *text, int columns)
{
	int width = text_width(text);
	size_t mark = columns > 2 ? 2 : 0; /* in less there is no room for the dots */

	if (size <= mark || width <= columns)
		return text_fit(to, size, text, columns);

	size_t length = strlen(text);
	int room = columns - (int)mark;

	/* Also drops what combines with the last character dropped. */
	while (length > 0) {
		size_t bytes;
		int cells = next_width(text, length, &bytes);

		if (width <= room && cells > 0)
			break;
		width -= cells;
		text += bytes;
		length -= bytes;
	}
	memset(to, '.', mark);
	text_fit(to + mark, size - mark, text, room);
	return to;
}

/* Punctuation that no line begins with, small kana and marks of repetition among it. */
static bool begins_no_line(uint32_t code)
{
	static const struct code_range marks[] = {
		{ '!', '!' },       { '%', '%' },       { ')', ')' },       { ',', '.' },
		{ ':', ';' },       { '?', '?' },       { ']', ']' },       { '}', '}' },
		{ 0x0300, 0x036f }, { 0x2019, 0x2019 }, { 0x201d, 0x201d }, { 0x2025, 0x2026 },
		{ 0x3001, 0x3002 }, { 0x3005, 0x3005 }, { 0x3009, 0x3009 }, { 0x300b, 0x300b },
		{ 0x300d, 0x300d }, { 0x300f, 0x300f }, { 0x3011, 0x3011 }, { 0x3015, 0x3015 },
		{ 0x3041, 0x3041 }, { 0x3043, 0x3043 }, { 0x3045, 0x3045 }, { 0x3047, 0x3047 },
		{ 0x3049, 0x3049 }, { 0x3063, 0x3063 }, { 0x3083, 0x3083 }, { 0x3085, 0x3085 },
		{ 0x3087, 0x3087 }, { 0x308e, 0x308e }, { 0x3099, 0x309e }, { 0x30a1, 0x30a1 },
		{ 0x30a3, 0x30a3 }, { 0x30a5, 0x30a5 }, { 0x30a7, 0x30a7 }, { 0x30a9, 0x30a9 },
		{ 0x30c3, 0x30c3 }, { 0x30e3, 0x30e3 }, { 0x30e5, 0x30e5 }, { 0x30e7, 0x30e7 },
		{ 0x30ee, 0x30ee }, { 0x30f5, 0x30f6 }, { 0x30fb, 0x30fe }, { 0xff01, 0xff01 },
		{ 0xff05, 0xff05 }, { 0xff09, 0xff09 }, { 0xff0c, 0xff0c }, { 0xff0e, 0xff0e },
		{ 0xff1a, 0xff1b }, { 0xff1f, 0xff1f }, { 0xff3d, 0xff3d }, { 0xff5d, 0xff5d },
	};

	return code_in(marks, ARRAY_SIZE(marks), code);
}

static bool ends_no_line(uint32_t code)
{
	static const struct code_range marks[] = {
		{ '(', '(' },       { '[', '[' },       { '{', '{' },       { 0x2018, 0x2018 },
		{ 0x201c, 0x201c }, { 0x3008, 0x3008 }, { 0x300a, 0x300a }, { 0x300c, 0x300c },
		{ 0x300e, 0x300e }, { 0x3010, 0x3010 }, { 0x3014, 0x3014 }, { 0xff08, 0xff08 },
		{ 0xff3b, 0xff3b }, { 0xff5b, 0xff5b },
	};

	return code_in(marks, ARRAY_SIZE(marks), code);
}

/* Japanese and Chinese have no blanks between words: a line may end beside any wide character. */
static bool may_break(const char *before, const char *after, size_t length)
{
	uint32_t one, other;
	size_t bytes;
	bool wide = next_width(before, length, &bytes) == 2 ||
		    next_width(after, length - (size_t)(after - before), &bytes) == 2;

	utf8_decode((const unsigned char *)before, length, &one);
	utf8_decode((const unsigned char *)after, length - (size_t)(after - before), &other);
	return wide && !ends_no_line(one) && !begins_no_line(other);
}

size_t text_break(const char *text, int columns, size_t *retskip)
{
	size_t length = strlen(text), at = 0, end = 0, bytes;
	int wide = 0;

	while (at < length) {
		wide += next_width(text + at, length - at, &bytes);
		/* A line of no columns still makes progress. */
		if (wide > columns && at)
			break;
		at += bytes;
		if (text[at] == ' ' ||
		    (at < length && may_break(text + at - bytes, text + at, length - at + bytes)))
			end = at;
	}
	/* A word longer than the line is cut. */
	if (at < length && end)
		at = end;
	*retskip = strspn(text + at, " ");
	return at;
}

/* A quoted word may hold two blanks as well. */
static size_t command_length(const char *text)
{
	bool quoted = false;
	size_t at;

	for (at = 0; text[at] && (quoted || strncmp(text + at, "  ", 2) != 0); at++) {
		if (text[at] == '\'')
			quoted = !quoted;
		else if (!quoted && text[at] == '\\' && text[at + 1])
			at++;
	}
	return at;
}

void text_paragraph(FILE *out, int columns, const char *first, const char *text)
{
	int indent = text_width(first);
	bool command = false;

	do {
		const char *mark = command ? NULL : strstr(text, ":  ");
		size_t skip, length = text_break(text, columns ? columns - indent : INT_MAX, &skip);

		if (command)
			length = command_length(text);
		command = mark && mark < text + length;
		if (command)
			length = (size_t)(mark + 1 - text);
		fprintf(out, "%s%.*s\n", first, (int)length, text);
		text += length;
		text += strspn(text, " ");
		first = "";
		if (*text)
			fprintf(out, "%*s", indent, "");
	} while (*text);
}

char *text_copy(char *to, size_t size, const char *from)
{
	if (size == 0)
		return to;

	size_t length = strlen(from), used = length < size ? length : 0;

	while (used < length) {
		uint32_t code;
		size_t bytes =
			utf8_decode((const unsigned char *)from + used, length - used, &code);

		if (used + bytes >= size)
			break;
		used += bytes;
	}
	memmove(to, from, used);
	to[used] = '\0';
	return to;
}

char *text_choice(char *to, size_t size, const char *const *words)
{
	size_t used = 0;

	for (int i = 0; words[i]; i++) {
		const char *between = i == 0 ? "" : (words[i + 1] ? ", " : _(" or "));

		if (used < size)
			used += (size_t)snprintf(to + used, size - used, "%s%s", between, words[i]);
	}
	return to;
}

static bool is_plain_word(const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";

	return text[0] && text[strspn(text, plain)] == '\0';
}

bool text_shell_quote(char *to, size_t size, const char *from)
{
	size_t used = 0, length = strlen(from);

	if (length + 3 > size)
		return false;
	if (is_plain_word(from)) {
		memcpy(to, from, length + 1);
		return true;
	}
	if (strcmp(text_sanitise(to, size, from, length), from) != 0)
		return false;
	to[used++] = '\'';
	for (; *from; from++) {
		const char *as = *from == '\'' ? "'\\''" : (const char[]){ *from, '\0' };
		size_t more = strlen(as);

		/* Two bytes stay free for the end. */
		if (used + more + 2 > size)
			return false;
		memcpy(to + used, as, more);
		used += more;
	}
	to[used++] = '\'';
	to[used] = '\0';
	return true;
}

const char *text_shell_word(char *to, size_t size, const char *from, const char *instead)
{
	return text_shell_quote(to, size, from) ? to : text_copy(to, size, instead);
}

bool text_append(char *text, size_t size, const char *between, const char *format, ...)
{
	size_t used = strlen(text), skip = used ? strlen(between) : 0;
	size_t room = used + skip < size ? size - used - skip : 0;
	int length = room ? text_vprint(text + used + skip, room, format) : -1;

	if (length < 0 || (size_t)length >= room) {
		text[used] = '\0';
		return false;
	}
	memcpy(text + used, between, skip);
	return true;
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *text_after(const char *text, const char *beginning)
{
	size_t length = strlen(beginning);

	return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

bool text_take_number(const char **text, char stop, uint64_t *ret)
{
	const char *digits = *text;
	char *end;

	if (digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && digits[1] != stop))
		return false;
	errno = 0;
	*ret = strtoull(digits, &end, 10);
	if (errno || *end != stop)
		return false;
	*text = stop ? end + 1 : end;
	return true;
}

int text_find(const char *text, const char *const *list)
{
	for (int i = 0; list && list[i]; i++)
		if (strcmp(text, list[i]) == 0)
			return i;
	return -1;
}

bool text_has_ending(const char *name, const char *ending)
{
	size_t length = strlen(name), tail = strlen(ending);

	return length > tail && strcmp(name + length - tail, ending) == 0;
}

char *text_drop_ending(char *name, const char *ending)
{
	if (text_has_ending(name, ending))
		name[strlen(name) - strlen(ending)] = '\0';
	return name;
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool text_decode(char *to, size_t size, const char *encoded)
{
	size_t used = 0;

	for (const char *p = encoded; *p; p++) {
		char c = *p;

		if (c == '%') {
			int high = text_hex_digit(p[1]), low = high < 0 ? -1 : text_hex_digit(p[2]);

			c = low < 0 ? '\0' : (char)(high << 4 | low);
			p += low < 0 ? 0 : 2;
		}
		if (c == '\0' || used + 1 >= size) {
			if (size > 0)
				to[0] = '\0';
			return false;
		}
		to[used++] = c;
	}
	if (size > 0)
		to[used] = '\0';
	return size > 0;
}

FILE *text_stream_begin(struct text_stream *stream)
{
	*stream = (struct text_stream){ 0 };
	stream->out = open_memstream(&stream->text, &stream->size);
	return stream->out;
}

char *text_stream_end(struct text_stream *stream)
{
	bool failed = ferror(stream->out);

	if (fclose(stream->out) == 0 && !failed)
		return stream->text;
	free(stream->text);
	return NULL;
}
