/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitions as they were asked for: the arithmetic, and what a disk has room for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "base/units.h"
#include "layout/arrange.h"

__attribute__((format(printf, 3, 4))) static int refuse(struct error *reterr, int code,
							const char *format, ...)
{
	char text[sizeof(reterr->sentence)];

	text_vprint(text, sizeof(text), format);
	return error_set(reterr, ERROR_CLASS_REFUSED, code, "fit", NULL, "%s", text);
}

static int refuse_change(unsigned number, struct error *reterr)
{
	return refuse(reterr, -EINVAL,
		      _("Partition %u must stay as it is: with an extended partition, none "
			"is moved, cut or grown."),
		      number);
}

static int take_wishes(struct layout_part *parts, size_t count, uint32_t sector, bool movable,
		       const struct plan_options *options, struct error *reterr)
{
	for (size_t i = 0; i < PLAN_PLACES_MAX && options->places[i].number; i++) {
		const struct plan_place *place = &options->places[i];
		struct layout_part *part = parts;

		while (part < parts + count && part->number != place->number)
			part++;
		/* One within the extended partition may be there, but is not among these. */
		if (part == parts + count && !movable && place->number > 4)
			return refuse_change(place->number, reterr);
		if (part == parts + count)
			return refuse(reterr, -EINVAL, _("There is no partition %u to be changed."),
				      (unsigned)place->number);
		if (place->size % sector || place->start % sector)
			return refuse(reterr, -EINVAL,
				      _("Size and start of partition %u must be whole sectors of "
					"%u bytes."),
				      part->number, sector);
		if (place->size)
			part->size = place->size / sector;
		if (place->start)
			part->to = place->start / sector;
	}
	return 0;
}

static bool is_placed(const struct layout_part *part, const struct plan_options *options)
{
	const struct plan_place *place = plan_place_find(options, part->number);

	return place && place->start;
}

/* Others give way: first to the end of the disk, then to its beginning. */
static void make_room(struct layout_part *parts, size_t count, uint64_t usable, uint64_t unit,
		      const struct plan_options *options)
{
	uint64_t end = 0, limit = usable;

	for (size_t i = 0; i < count; i++) {
		if (!is_placed(&parts[i], options) && parts[i].to < end &&
		    !u64_align_up(end, unit, &parts[i].to))
			parts[i].to = end;
		if (!u64_add(parts[i].to, parts[i].size, &end))
			end = UINT64_MAX;
	}
	for (size_t i = count; i-- > 0;) {
		struct layout_part *part = &parts[i];

		if (!is_placed(part, options) && part->size <= limit &&
		    part->to > limit - part->size)
			part->to = u64_align_down(limit - part->size, unit);
		limit = part->to;
	}
}

static int check_part(const struct layout_part *part, bool first, uint32_t sector, bool movable,
		      struct error *reterr)
{
	if (part->size < part->least)
		return refuse(reterr, -EINVAL,
			      _("Partition %u cannot become smaller than its file system, %s: "
				"shrink that first, in an image."),
			      part->number, UNITS_LONG(part->least * sector, UNITS_SI, sector));
	if (!movable && part_changes(part))
		return refuse_change(part->number, reterr);
	if (part->to != part->start && (part->fixed || first))
		return refuse(reterr, -EINVAL, _("Partition %u must stay where it is: %s."),
			      part->number, part->fixed ? part->fixed : _("it is the first one"));
	if (part->size == 0)
		return refuse(reterr, -EINVAL, _("Partition %u cannot have a size of %s."),
			      part->number, UNITS_LONG(0, UNITS_SI, sector));
	return 0;
}

int layout_arrange(struct layout_part *parts, size_t count, uint32_t sector, uint64_t usable,
		   bool movable, const struct plan_options *options, struct error *reterr)
{
	uint64_t end = 0;
	int r = take_wishes(parts, count, sector, movable, options, reterr);

	if (r < 0)
		return r;
	make_room(parts, count, usable, LAYOUT_ALIGNMENT / sector, options);
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct layout_part *part = &parts[i];

		r = check_part(part, i == 0, sector, movable, reterr);
		if (r == 0 &&
		    (part->to < end || part->size > usable || part->to > usable - part->size))
			r = refuse(reterr, -ENOSPC,
				   _("With what is asked for, there is no room for partition %u."),
				   part->number);
		end = part->to + part->size;
	}
	return r;
}
