/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/fitted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

int fitted_add(struct fitted *fitted, uint64_t at, const void *bytes)
{
	struct fitted_unit unit = { .at = at };

	if (at % FITTED_UNIT || fitted->count >= FITTED_MAX ||
	    (fitted->count && at <= fitted->units[fitted->count - 1].at))
		return -EINVAL;
	memcpy(unit.bytes, bytes, FITTED_UNIT);
	return array_append(fitted->units, fitted->count, unit);
}

int fitted_copy(const struct fitted *from, struct fitted *ret)
{
	*ret = *from;
	ret->units = NULL;
	if (from->count == 0)
		return 0;
	ret->units = array_copy(from->units, from->count);
	if (!ret->units)
		*ret = (struct fitted){ 0 };
	return ret->units ? 0 : -ENOMEM;
}

void fitted_done(struct fitted *fitted)
{
	free(fitted->units);
	*fitted = (struct fitted){ 0 };
}

const struct fitted_part *fitted_find(const struct fitted *fitted, unsigned number)
{
	for (size_t i = 0; i < fitted->part_count; i++)
		if (fitted->parts[i].number == number)
			return &fitted->parts[i];
	return NULL;
}

void fitted_place(const struct fitted *fitted, unsigned number, uint64_t *start, uint64_t *sectors)
{
	const struct fitted_part *part = fitted_find(fitted, number);

	if (part) {
		*start = part->to;
		*sectors = part->size;
	} else if (fitted->grown && fitted->grown == number) {
		*sectors = fitted->after;
	}
}

/* An LBA of the destination as its own table counts it. sector: bytes, of the source. */
static uint64_t fitted_lba(const struct fitted *fitted, uint32_t sector, uint64_t lba)
{
	return fitted->sector ? lba * sector / fitted->sector : lba;
}

static bool same_parts(const struct fitted *a, const struct fitted *b)
{
	bool same = a->part_count == b->part_count;

	for (size_t i = 0; same && i < a->part_count; i++) {
		const struct fitted_part *x = &a->parts[i], *y = &b->parts[i];

		same = x->number == y->number && x->start == y->start && x->sectors == y->sectors &&
		       x->to == y->to && x->size == y->size;
	}
	return same;
}

bool fitted_contains(const struct fitted *all, const struct fitted *some)
{
	size_t at = 0;

	for (size_t i = 0; i < some->count; i++) {
		while (at < all->count && all->units[at].at < some->units[i].at)
			at++;
		if (at == all->count || all->units[at].at != some->units[i].at ||
		    memcmp(all->units[at].bytes, some->units[i].bytes, FITTED_UNIT) != 0)
			return false;
	}
	return all->grown == some->grown && all->start == some->start &&
	       all->after == some->after && all->backup == some->backup && same_parts(all, some);
}

void fitted_apply(const struct fitted *fitted, uint64_t at, void *buffer, uint32_t length)
{
	uint64_t end = at + length;

	for (size_t i = 0; i < fitted->count && fitted->units[i].at < end; i++) {
		uint64_t from = fitted->units[i].at, to = from + FITTED_UNIT;

		if (to <= at)
			continue;
		from = from < at ? at : from;
		to = to > end ? end : to;
		memcpy((char *)buffer + (from - at),
		       fitted->units[i].bytes + (from - fitted->units[i].at), to - from);
	}
}

static void add_part(const struct fitted *fitted, const struct fitted_part *part, uint32_t sector,
		     char *buffer, size_t size)
{
	char before[UNITS_TEXT_MAX], after[UNITS_TEXT_MAX];
	uint64_t to = fitted_lba(fitted, sector, part->to);

	units_print_short(part->sectors * sector, UNITS_SI, sector, before);
	units_print_short(part->size * sector, UNITS_SI, sector, after);
	if (part->to == part->start && part->size > part->sectors)
		text_join(buffer, size, _("partition %u grows from %s to %s"), part->number, before,
			  after);
	else if (part->to == part->start && part->size == part->sectors)
		return;
	else if (part->to == part->start)
		text_join(buffer, size, _("partition %u is cut from %s to %s"), part->number,
			  before, after);
	else if (part->size == part->sectors)
		text_join(buffer, size, _("partition %u moves to LBA %" PRIu64), part->number, to);
	else if (part->size > part->sectors)
		text_join(buffer, size,
			  _("partition %u moves to LBA %" PRIu64 ", grows from %s to %s"),
			  part->number, to, before, after);
	else
		text_join(buffer, size,
			  _("partition %u moves to LBA %" PRIu64 ", cut from %s to %s"),
			  part->number, to, before, after);
}

const char *fitted_print(const struct fitted *fitted, uint32_t sector, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (fitted->sector && fitted->count)
		text_join(buffer, size, _("made anew for sectors of %u bytes"), fitted->sector);
	for (size_t i = 0; i < fitted->part_count; i++)
		add_part(fitted, &fitted->parts[i], sector, buffer, size);
	if (fitted->backup)
		text_join(buffer, size, _("backup GPT at LBA %" PRIu64), fitted->backup);
	if (fitted->grown && !fitted_find(fitted, fitted->grown))
		text_join(buffer, size, _("partition %u grows from %s to %s"), fitted->grown,
			  UNITS_SHORT(fitted->before * sector, UNITS_SI, sector),
			  UNITS_SHORT(fitted->after * sector, UNITS_SI, sector));
	if (!buffer[0])
		snprintf(buffer, size, "%s", _("nothing of it changes"));
	return buffer;
}
