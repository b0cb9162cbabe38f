/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/map_places.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "map/map_plan.h"

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
