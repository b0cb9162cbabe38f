/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/html.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

#define TEXT_MAX 2048

void html_markup(FILE *out, const char *markup)
{
	fputs(markup, out);
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

__attribute__((format(printf, 2, 0))) static void put_text(FILE *out, const char *format,
							   va_list args)
{
	char text[TEXT_MAX], shown[TEXT_MAX];

	vsnprintf(text, sizeof(text), format, args);
	put_escaped(out, text_show(shown, sizeof(shown), text));
}

void html_text(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_text(out, format, args);
	va_end(args);
}

void html_element(FILE *out, const char *tag, const char *format, ...)
{
	va_list args;

	fprintf(out, "<%s>", tag);
	va_start(args, format);
	put_text(out, format, args);
	va_end(args);
	fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void html_row(FILE *out, const char *label, const char *format, ...)
{
	va_list args;

	html_markup(out, "<tr>");
	html_element(out, "th", "%s", label);
	html_markup(out, "<td>");
	va_start(args, format);
	put_text(out, format, args);
	va_end(args);
	html_markup(out, "</td></tr>\n");
}

void html_section(FILE *out, const char *name, const char *title)
{
	fprintf(out, "<section class=\"%s\">\n", name);
	html_element(out, "h2", "%s", title);
	html_markup(out, "\n");
}

void html_section_end(FILE *out)
{
	html_markup(out, "</section>\n");
}
