/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/map_lists.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "map/map_plan.h"

/* ---- the table that fits the destination ---- */

static const char digits[] = "0123456789abcdef";

static void print_unit(const struct fitted_unit *unit, FILE *file)
{
	size_t length = FITTED_UNIT;

	while (length > 0 && !unit->bytes[length - 1])
		length--;
	fprintf(file, MAP_COMMENT_PREFIX "fitted_bytes=%" PRIu64 ",", unit->at);
	for (size_t i = 0; i < length; i++) {
		putc(digits[unit->bytes[i] >> 4], file);
		putc(digits[unit->bytes[i] & 15], file);
	}
	putc('\n', file);
}

static void print_part(const struct fitted_part *part, FILE *file)
{
	fprintf(file,
		MAP_COMMENT_PREFIX "fitted_part=%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
				   "\n",
		part->number, part->start, part->sectors, part->to, part->size);
}

void map_fitted_print(const struct fitted *fitted, FILE *file)
{
	if (!fitted->count && !fitted->grown && !fitted->backup && !fitted->part_count)
		return;
	fputs("# fitted=PARTITION,START,BEFORE,AFTER,BACKUP: the table of the destination; "
	      "fitted_part=NUMBER,START,SECTORS,TO,SIZE: a partition that moves or is cut; "
	      "fitted_bytes=AT,HEX: written instead of what the source has there\n",
	      file);
	fprintf(file,
		MAP_COMMENT_PREFIX "fitted=%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		fitted->grown, fitted->start, fitted->before, fitted->after, fitted->backup);
	for (size_t i = 0; i < fitted->part_count; i++)
		print_part(&fitted->parts[i], file);
	for (size_t i = 0; i < fitted->count; i++)
		print_unit(&fitted->units[i], file);
}

static int read_bytes(struct fitted *fitted, const char *p)
{
	unsigned char bytes[FITTED_UNIT] = { 0 };
	uint64_t at;
	size_t n = 0;

	if (!text_take_number(&p, ',', &at))
		return -EINVAL;
	for (; p[0] && p[1]; p += 2, n++) {
		const char *high = strchr(digits, p[0]), *low = strchr(digits, p[1]);

		if (!high || !low || n >= FITTED_UNIT)
			return -EINVAL;
		bytes[n] = (unsigned char)((high - digits) << 4 | (low - digits));
	}
	return *p ? -EINVAL : fitted_add(fitted, at, bytes);
}

static int read_part(struct fitted *fitted, const char *p)
{
	struct fitted_part *part = &fitted->parts[fitted->part_count];
	uint64_t number;

	if (fitted->part_count >= FITTED_PARTS_MAX || !text_take_number(&p, ',', &number) ||
	    number > UINT_MAX || !text_take_number(&p, ',', &part->start) ||
	    !text_take_number(&p, ',', &part->sectors) || !text_take_number(&p, ',', &part->to) ||
	    !text_take_number(&p, '\0', &part->size))
		return -EINVAL;
	part->number = (unsigned)number;
	fitted->part_count++;
	return 0;
}

int map_fitted_read(struct fitted *fitted, const char *key, const char *value)
{
	uint64_t grown;

	if (strcmp(key, "fitted_part") == 0)
		return read_part(fitted, value);
	if (strcmp(key, "fitted_bytes") == 0)
		return read_bytes(fitted, value);
	if (strcmp(key, "fitted") != 0)
		return -ENOENT;
	if (!text_take_number(&value, ',', &grown) || grown > UINT_MAX ||
	    !text_take_number(&value, ',', &fitted->start) ||
	    !text_take_number(&value, ',', &fitted->before) ||
	    !text_take_number(&value, ',', &fitted->after) ||
	    !text_take_number(&value, '\0', &fitted->backup))
		return -EINVAL;
	fitted->grown = (unsigned)grown;
	return 0;
}

/* ---- free places ---- */

#define PLACES_IN_LINE 64 /* no line may be longer than 4 KiB */

/* Many of them: how far each is from the end of the one before, and its length, in hexadecimal. */
static void print_places(const struct range_list *list, const char *key, FILE *file)
{
	uint64_t end = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct range *place = &list->items[i];
		bool first = i % PLACES_IN_LINE == 0;

		if (first)
			fprintf(file, "%s" MAP_COMMENT_PREFIX "%s=", i ? "\n" : "", key);
		fprintf(file, "%s%" PRIx64 "+%" PRIx64, first ? "" : ",", place->start - end,
			place->count);
		end = place->start + place->count;
	}
	if (list->count)
		putc('\n', file);
}

void map_places_print(const struct free_places *places, FILE *file)
{
	if (!places)
		return;
	fputs("# Free places, copied later or left out: GAP+SECTORS from the end of the one "
	      "before,\n"
	      "# hexadecimal\n",
	      file);
	print_places(&places->later, "later", file);
	print_places(&places->left_out, "left_out", file);
}

static bool take_hex(const char **p, uint64_t *ret)
{
	char *end;

	/* "0x" would be taken as well. */
	if (!isxdigit((unsigned char)**p) || (*p)[1] == 'x' || (*p)[1] == 'X')
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, 16);
	*p = end;
	return errno == 0;
}

/* "GAP+SECTORS", behind the ranges that there are. */
static bool take_place(const char **p, const struct range_list *list, struct range *ret)
{
	const struct range *last = list->count ? &list->items[list->count - 1] : NULL;
	uint64_t gap, end;

	if (!take_hex(p, &gap) || *(*p)++ != '+' || !take_hex(p, &ret->count) || ret->count == 0)
		return false;
	return (gap > 0 || !last) && list->count < FREE_PLACES_MAX &&
	       u64_add(last ? last->start + last->count : 0, gap, &ret->start) &&
	       range_end(*ret, &end);
}

/* Whether they lie in the extents is checked by plan_from_extents(). */
int map_places_read(struct range_list *list, const char *p)
{
	struct range place;

	do
		if (!take_place(&p, list, &place))
			return -EINVAL;
		else if (range_list_add(list, place) < 0)
			return -ENOMEM;
	while (*p == ',' && p++);
	return *p ? -EINVAL : 0;
}
