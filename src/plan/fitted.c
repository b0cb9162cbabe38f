/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/fitted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"

int fitted_add(struct fitted *fitted, uint64_t at, const void *bytes)
{
	struct fitted_unit *units;

	if (at % FITTED_UNIT || fitted->count >= FITTED_MAX ||
	    (fitted->count && at <= fitted->units[fitted->count - 1].at))
		return -EINVAL;
	units = reallocarray(fitted->units, fitted->count + 1, sizeof(*units));
	if (!units)
		return -ENOMEM;
	fitted->units = units;
	units[fitted->count].at = at;
	memcpy(units[fitted->count++].bytes, bytes, FITTED_UNIT);
	return 0;
}

int fitted_copy(const struct fitted *from, struct fitted *ret)
{
	*ret = *from;
	ret->units = NULL;
	if (from->count == 0)
		return 0;
	ret->units = reallocarray(NULL, from->count, sizeof(*ret->units));
	if (!ret->units) {
		*ret = (struct fitted){ 0 };
		return -ENOMEM;
	}
	memcpy(ret->units, from->units, from->count * sizeof(*ret->units));
	return 0;
}

void fitted_done(struct fitted *fitted)
{
	free(fitted->units);
	*fitted = (struct fitted){ 0 };
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
	       all->after == some->after && all->backup == some->backup;
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

const char *fitted_print(const struct fitted *fitted, uint32_t sector, char *buffer, size_t size)
{
	char before[UNITS_TEXT_MAX], after[UNITS_TEXT_MAX], place[96] = "";

	if (fitted->backup)
		snprintf(place, sizeof(place), _("backup GPT at LBA %" PRIu64), fitted->backup);
	if (fitted->grown)
		snprintf(buffer, size, _("%s%spartition %u grows from %s to %s"), place,
			 place[0] ? ", " : "", fitted->grown,
			 units_print_short(fitted->before * sector, UNITS_SI, sector, before),
			 units_print_short(fitted->after * sector, UNITS_SI, sector, after));
	else
		snprintf(buffer, size, "%s", place[0] ? place : _("nothing of it changes"));
	return buffer;
}
