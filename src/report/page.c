/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain text within a width. */
#include "report/page.h"

#include <stdarg.h>

#include "base/text.h"

#define LABEL_COLUMNS   9
#define COLUMNS_MIN     40
#define VALUE_MAX       2048
#define BYTES_PER_GLYPH 4

void page_init(struct page *page, FILE *out, int columns)
{
	page->out = out;
	page->columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
}

void page_field(struct page *page, const char *label, const char *format, ...)
{
	char value[VALUE_MAX], shown[VALUE_MAX];
	char first[1 + BYTES_PER_GLYPH * LABEL_COLUMNS + 1] = " ";
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	/* A path may hold anything, also what a terminal obeys. */
	text_show(shown, sizeof(shown), value);
	text_fit(first + 1, sizeof(first) - 1, label, LABEL_COLUMNS);
	text_paragraph(page->out, page->columns, first, shown);
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
	text_paragraph(page->out, page->columns, "   ", shown);
}
