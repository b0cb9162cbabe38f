/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain text within a width. */
#include "report/page.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define LABEL_COLUMNS   9
#define FIELD_INDENT    (1 + LABEL_COLUMNS)
#define ITEM_INDENT     3
#define COLUMNS_MIN     40
#define VALUE_MAX       2048
#define BYTES_PER_GLYPH 4

void page_init(struct page *page, FILE *out, int columns)
{
	page->out = out;
	page->columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
}

/* Bytes of `text` that fit `columns` cells, cut before a blank where there is one. */
static size_t line_length(const char *text, int columns)
{
	char part[VALUE_MAX];
	size_t fits = 0, blank = 0;

	for (size_t i = 1; text[i - 1] && i < sizeof(part); i++) {
		if (((unsigned char)text[i] & 0xc0) == 0x80)
			continue;
		memcpy(part, text, i);
		part[i] = '\0';
		if (text_width(part) > columns)
			return blank ? blank : (fits ? fits : i);
		fits = i;
		if (text[i] == ' ' || text[i] == '\0')
			blank = i;
	}
	return fits;
}

static void put_wrapped(struct page *page, const char *text, int indent)
{
	bool first = true;

	do {
		size_t length = line_length(text, page->columns - indent);

		fprintf(page->out, "%*s%.*s\n", first ? 0 : indent, "", (int)length, text);
		text += length;
		text += strspn(text, " ");
		first = false;
	} while (*text);
}

void page_field(struct page *page, const char *label, const char *format, ...)
{
	char value[VALUE_MAX], shown[VALUE_MAX], fitted[BYTES_PER_GLYPH * LABEL_COLUMNS + 1];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	/* A path may hold anything, also what a terminal obeys. */
	text_show(shown, sizeof(shown), value);
	fprintf(page->out, " %s", text_fit(fitted, sizeof(fitted), label, LABEL_COLUMNS));
	put_wrapped(page, shown, FIELD_INDENT);
}

void page_item(struct page *page, const char *format, ...)
{
	char value[VALUE_MAX], shown[VALUE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	/* A path may hold anything, also what a terminal obeys. */
	text_show(shown, sizeof(shown), value);
	fprintf(page->out, "%*s", ITEM_INDENT, "");
	put_wrapped(page, shown, ITEM_INDENT);
}
