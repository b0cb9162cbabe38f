/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/rescue.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"

enum type { WORD, NUMBER, LONG_NUMBER, BYTES };

struct option {
	const char *name;
	enum type type;
	size_t offset;
	uint64_t most;
	const char *words[4];
};

#define OPTION(name, type, member, ...)                                                            \
	{                                                                                          \
		name, type, offsetof(struct plan_options, member), __VA_ARGS__                     \
	}

static const struct option table[RESCUE_OPTIONS] = {
	OPTION("on-write-error", WORD, on_write_error, 0, { "stop", "map" }),
	OPTION("fill", WORD, fill, 0, { "zero", "mark", "leave" }),
	OPTION("retry-passes", NUMBER, retry_passes, 1000),
	OPTION("slow-limit", NUMBER, slow_limit, 86400),
	OPTION("max-bad-areas", LONG_NUMBER, max_bad_areas, UINT32_MAX),
	OPTION("max-read-errors", LONG_NUMBER, max_read_errors, UINT32_MAX),
	OPTION("max-error-rate", BYTES, max_error_rate, INT64_MAX),
	OPTION("max-no-read", NUMBER, max_no_read, 7ULL * 86400),
	OPTION("rate", BYTES, rate, INT64_MAX),
};

_Static_assert(sizeof(enum fill) == sizeof(unsigned) && sizeof(enum on_error) == sizeof(unsigned),
	       "words are read and written as unsigned");

const char *rescue_option_name(size_t i)
{
	return table[i].name;
}

static bool same_name(const char *name, const char *option, char separator)
{
	for (; *name && *option; name++, option++)
		if (*name != (*option == '-' ? separator : *option))
			return false;
	return *name == *option;
}

int rescue_option_find(const char *name, char separator)
{
	for (size_t i = 0; i < RESCUE_OPTIONS; i++)
		if (same_name(name, table[i].name, separator))
			return (int)i;
	return -ENOENT;
}

static uint64_t get(const struct plan_options *options, const struct option *option)
{
	const char *p = (const char *)options + option->offset;
	unsigned narrow;
	uint64_t wide;

	if (option->type == LONG_NUMBER || option->type == BYTES) {
		memcpy(&wide, p, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, p, sizeof(narrow));
	return narrow;
}

static void put(struct plan_options *options, const struct option *option, uint64_t value)
{
	char *p = (char *)options + option->offset;
	unsigned narrow = (unsigned)value;

	if (option->type == LONG_NUMBER || option->type == BYTES)
		memcpy(p, &value, sizeof(value));
	else
		memcpy(p, &narrow, sizeof(narrow));
}

static int parse_word(const struct option *option, const char *value, uint64_t *ret)
{
	for (size_t i = 0; option->words[i]; i++) {
		if (strcmp(value, option->words[i]) != 0)
			continue;
		*ret = i;
		return 0;
	}
	return -EINVAL;
}

static int parse_number(const char *value, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*value || strlen(value) > 15)
		return -EINVAL;
	for (; *value; value++) {
		if (*value < '0' || *value > '9')
			return -EINVAL;
		n = n * 10 + (uint64_t)(*value - '0');
	}
	*ret = n;
	return 0;
}

int rescue_option_set(struct plan_options *options, size_t i, const char *value)
{
	const struct option *option = &table[i];
	uint64_t number = 0;
	int r;

	if (option->type == WORD)
		r = parse_word(option, value, &number);
	else if (option->type == BYTES)
		r = units_parse_size(value, 0, NULL, &number);
	else
		r = parse_number(value, &number);
	if (r < 0 || (option->type != WORD && number > option->most))
		return -EINVAL;
	put(options, option, number);
	return 0;
}

const char *rescue_option_print(const struct plan_options *options, size_t i,
				char buffer[static UNITS_TEXT_MAX])
{
	uint64_t value = get(options, &table[i]);

	if (table[i].type == WORD)
		return table[i].words[value];
	snprintf(buffer, UNITS_TEXT_MAX, "%" PRIu64, value);
	return buffer;
}

const char *rescue_option_values(size_t i, char *buffer, size_t size)
{
	const struct option *option = &table[i];

	if (option->type == WORD && option->words[2])
		snprintf(buffer, size, _("%s, %s or %s"), option->words[0], option->words[1],
			 option->words[2]);
	else if (option->type == WORD)
		snprintf(buffer, size, _("%s or %s"), option->words[0], option->words[1]);
	else if (option->type == BYTES)
		snprintf(buffer, size, _("a size, such as 64K or 1MB"));
	else
		snprintf(buffer, size, _("a whole number from 0 to %" PRIu64), option->most);
	return buffer;
}

void rescue_options_merge(struct plan_options *options, const struct plan_options *from,
			  unsigned given)
{
	for (size_t i = 0; i < RESCUE_OPTIONS; i++)
		if (given & 1u << i)
			put(options, &table[i], get(from, &table[i]));
}
