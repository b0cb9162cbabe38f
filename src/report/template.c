/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/template.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/report.h"

#define DEPTH_MAX 8
#define KEY_MAX   32
#define TEXT_MAX  2048

struct rendering {
	FILE *out;
	json_object *around[DEPTH_MAX]; /* the objects and items around, the innermost last */
	unsigned depth;
	int result;
};

/* What stands between "{{" and "}}", without the character that says what it is. */
struct tag {
	char kind; /* '#', '^', '/', '!', '_', or '\0': a value */
	const char *text;
	size_t length;
	const char *start, *end; /* in the template, with the braces */
};

static bool next_tag(const char *from, const char *to, struct tag *ret)
{
	const char *start = memmem(from, (size_t)(to - from), "{{", 2), *end;

	if (!start)
		return false;
	end = memmem(start, (size_t)(to - start), "}}", 2);
	if (!end)
		return false;
	ret->start = start;
	ret->end = end + 2;
	ret->kind = strchr("#^/!_", start[2]) ? start[2] : '\0';
	ret->text = start + 2 + (ret->kind != '\0');
	ret->length = (size_t)(end - ret->text);
	/* A section that has lines of its own leaves none behind. */
	if (strchr("#^/!", ret->kind) && ret->kind && ret->end < to && *ret->end == '\n')
		ret->end++;
	return true;
}

static bool same(const struct tag *a, const struct tag *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* The tag that ends the section which `open` begins. */
static bool find_end(const struct tag *open, const char *to, struct tag *ret)
{
	unsigned depth = 1;

	for (const char *at = open->end; next_tag(at, to, ret); at = ret->end) {
		if (ret->kind == '/' && same(open, ret) && --depth == 0)
			return true;
		if ((ret->kind == '#' || ret->kind == '^') && same(open, ret))
			depth++;
	}
	return false;
}

static void put_escaped(FILE *out, const char *text)
{
	char shown[TEXT_MAX];

	for (text_show(shown, sizeof(shown), text), text = shown; *text; text++) {
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

static bool find(struct rendering *page, const char *name, size_t length, json_object **ret)
{
	char key[KEY_MAX];

	*ret = NULL;
	if (length == 1 && *name == '.') {
		*ret = page->around[page->depth - 1];
		return true;
	}
	snprintf(key, sizeof(key), "%.*s", (int)length, name);
	for (unsigned i = page->depth; i > 0; i--)
		if (json_object_is_type(page->around[i - 1], json_type_object) &&
		    json_object_object_get_ex(page->around[i - 1], key, ret))
			return true;
	page->result = -EINVAL;
	return false;
}

static void put_value(struct rendering *page, const struct tag *tag)
{
	const char *bar = memchr(tag->text, '|', tag->length);
	size_t length = bar ? (size_t)(bar - tag->text) : tag->length;
	json_object *value;

	if (!find(page, tag->text, length, &value) || !value)
		return;
	if (!bar)
		put_escaped(page->out, json_object_get_string(value));
	else if (strncmp(bar, "|count}", 7) == 0)
		put_escaped(page->out, UNITS_COUNT(json_object_get_uint64(value)));
	else if (strncmp(bar, "|ms}", 4) == 0)
		put_escaped(page->out, REPORT_MILLISECONDS(json_object_get_uint64(value)));
	else if (strncmp(bar, "|si}", 4) == 0)
		put_escaped(page->out, UNITS_LONG(json_object_get_uint64(value), UNITS_SI, 512));
	else
		page->result = -EINVAL;
}

/* ("text"), in which \" is a quote. */
static void put_translation(struct rendering *page, const struct tag *tag)
{
	char text[TEXT_MAX];
	size_t used = 0;

	if (tag->length < 4 || tag->length >= sizeof(text)) {
		page->result = -EINVAL;
		return;
	}
	for (size_t i = 2; i < tag->length - 2; i++)
		if (tag->text[i] != '\\')
			text[used++] = tag->text[i];
	text[used] = '\0';
	put_escaped(page->out, _(text));
}

static bool is_something(json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		return false;
	case json_type_boolean:
		return json_object_get_boolean(value);
	case json_type_string:
		return json_object_get_string_len(value) > 0;
	case json_type_array:
		return json_object_array_length(value) > 0;
	default:
		return true;
	}
}

static void put(struct rendering *page, const char *from, const char *to);

static void put_within(struct rendering *page, json_object *value, const char *from, const char *to)
{
	if (page->depth == DEPTH_MAX) {
		page->result = -EINVAL;
		return;
	}
	page->around[page->depth++] = value;
	put(page, from, to);
	page->depth--;
}

static void put_section(struct rendering *page, const struct tag *open, const struct tag *close)
{
	json_object *value;

	if (!find(page, open->text, open->length, &value))
		return;
	if (is_something(value) == (open->kind == '^'))
		return;
	if (open->kind == '#' && json_object_is_type(value, json_type_array))
		for (size_t i = 0; i < json_object_array_length(value); i++)
			put_within(page, json_object_array_get_idx(value, i), open->end,
				   close->start);
	else
		put_within(page, value, open->end, close->start);
}

static void put(struct rendering *page, const char *from, const char *to)
{
	struct tag tag, close;

	while (next_tag(from, to, &tag)) {
		fprintf(page->out, "%.*s", (int)(tag.start - from), from);
		from = tag.end;
		switch (tag.kind) {
		case '#':
		case '^':
			if (!find_end(&tag, to, &close)) {
				page->result = -EINVAL;
				return;
			}
			put_section(page, &tag, &close);
			from = close.end;
			break;
		case '_':
			put_translation(page, &tag);
			break;
		case '!':
			break;
		case '/':
			page->result = -EINVAL;
			return;
		default:
			put_value(page, &tag);
		}
	}
	fprintf(page->out, "%.*s", (int)(to - from), from);
}

int template_render(const char *template, json_object *root, FILE *out)
{
	struct rendering page = { .out = out, .around = { root }, .depth = 1 };

	put(&page, template, template + strlen(template));
	return page.result;
}
