/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/editor/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"

#define STEPS       256 /* of the small ones, from one end of the disk to the other */
#define LARGE_STEPS 16

/* ---- what is asked for, and what comes of it ---- */

static uint64_t unit_of(const struct editor *editor)
{
	return LAYOUT_ALIGNMENT / editor->table.sector;
}

/* Where the partitions lie with these options. */
static int arrange(const struct editor *editor, const struct plan_options *options,
		   struct layout_part *ret, struct error *reterr)
{
	const struct layout_table *table = &editor->table;

	memcpy(ret, table->parts, table->count * sizeof(*ret));
	return layout_arrange(ret, table->count, table->sector, table->usable, table->movable,
			      options, reterr);
}

/* -E2BIG: there are too many already. */
static int put_place(struct plan_options *options, const struct plan_place *place)
{
	struct plan_place *places = options->places;
	size_t i = 0;

	while (i < PLAN_PLACES_MAX && places[i].number && places[i].number != place->number)
		i++;
	if (i == PLAN_PLACES_MAX)
		return -E2BIG;
	if (place->size || place->start) {
		places[i] = *place;
		return 0;
	}
	for (; places[i].number; i++)
		places[i] = i + 1 < PLAN_PLACES_MAX ? places[i + 1] : (struct plan_place){ 0 };
	return 0;
}

/* 0 where it is as if nothing was asked for: then it can give way to others. */
static struct plan_place place_of(const struct editor *editor, uint64_t size, uint64_t start)
{
	const struct layout_part *part = &editor->table.parts[editor->at];

	return (struct plan_place){
		.number = part->number,
		.size = size == part->size ? 0 : size * editor->table.sector,
		.start = start == part->to ? 0 : start * editor->table.sector,
	};
}

/* start 0: it may give way to others. */
static int try_place(const struct editor *editor, uint64_t size, uint64_t start,
		     struct plan_options *ret, struct error *reterr)
{
	const struct plan_place place = place_of(editor, size, start);
	struct layout_part parts[FITTED_PARTS_MAX];
	int r;

	*ret = editor->options;
	r = put_place(ret, &place);
	return r < 0 ? r : arrange(editor, ret, parts, reterr);
}

static void take(struct editor *editor, const struct plan_options *options)
{
	editor->options = *options;
	if (arrange(editor, &editor->options, editor->parts, NULL) < 0)
		memcpy(editor->parts, editor->table.parts, sizeof(editor->parts));
}

/* The start that was asked for, or that it may lie anywhere. */
static uint64_t asked_start(const struct editor *editor)
{
	const struct layout_part *part = &editor->table.parts[editor->at];
	const struct plan_place *place = plan_place_find(&editor->options, part->number);

	return place && place->start ? place->start / editor->table.sector : part->to;
}

/* A size, or a start, between what is there and what is wanted. */
static int try_value(const struct editor *editor, bool start, uint64_t value,
		     struct plan_options *ret, struct error *reterr)
{
	const struct layout_part *part = &editor->parts[editor->at];

	return start ? try_place(editor, part->size, value, ret, reterr)
		     : try_place(editor, value, asked_start(editor), ret, reterr);
}

/* Takes the last value between both that is not refused. False: there is none. */
static bool approach(struct editor *editor, bool start, uint64_t from, uint64_t wanted)
{
	uint64_t unit = unit_of(editor), low = 0;
	uint64_t high = (wanted > from ? wanted - from : from - wanted) / unit + 1;
	struct plan_options options, best;

	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2, value;

		value = wanted > from ? from + middle * unit : from - middle * unit;
		if (try_value(editor, start, value, &options, NULL) == 0) {
			low = middle;
			best = options;
		} else {
			high = middle;
		}
	}
	if (low)
		take(editor, &best);
	return low > 0;
}

static void say_full(const struct editor *editor, struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at], *fixed = part + 1;
	const struct layout_part *end = editor->parts + editor->table.count;
	char size[UNITS_TEXT_MAX];

	while (fixed < end && !fixed->fixed)
		fixed++;
	units_print_long(part->size * editor->table.sector, UNITS_SI, editor->table.sector, size);
	if (fixed < end)
		snprintf(
			ret->said, sizeof(ret->said),
			_("Partition %u has all the room there is, %s: partition %u behind it must "
			  "stay where it is."),
			part->number, size, fixed->number);
	else
		snprintf(ret->said, sizeof(ret->said),
			 _("Partition %u has all the room there is, %s: another one would have to "
			   "become smaller."),
			 part->number, size);
}

static void say_limit(const struct editor *editor, bool start, int code, const struct error *error,
		      struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at];

	if (code == -E2BIG)
		snprintf(ret->said, sizeof(ret->said),
			 _("No more than %u partitions can be changed: r starts anew."),
			 (unsigned)PLAN_PLACES_MAX);
	else if (start && editor->table.movable && editor->at && !part->fixed)
		snprintf(ret->said, sizeof(ret->said), _("Partition %u can move no further."),
			 part->number);
	else
		text_copy(ret->said, sizeof(ret->said), error->sentence);
}

static void change(struct editor *editor, bool start, uint64_t wanted, struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at];
	uint64_t from = start ? part->to : part->size;
	struct error error = { 0 };
	struct plan_options options;
	int r;

	*ret = (struct editor_answer){ 0 };
	if (wanted == from)
		return;
	r = try_value(editor, start, wanted, &options, &error);
	if (r == 0)
		take(editor, &options);
	ret->changed = r == 0 || approach(editor, start, from, wanted);
	if (r < 0 && r != -E2BIG && !start && wanted > from && editor->table.movable)
		say_full(editor, ret);
	else if (r < 0)
		say_limit(editor, start, r, &error, ret);
}

/* ---- keys ---- */

uint64_t editor_step(const struct editor *editor, bool large)
{
	uint64_t step = unit_of(editor);

	while (step < editor->table.room / STEPS)
		step *= 2;
	return large ? step * LARGE_STEPS : step;
}

void editor_resize(struct editor *editor, int64_t by, struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at];
	uint64_t step = (uint64_t)(by < 0 ? -by : by), unit = unit_of(editor);
	uint64_t size = by > 0 ? part->size + step : part->size > step ? part->size - step : 0;
	/* A partition that has grown ends at a whole unit, as all tools make it. */
	uint64_t end = u64_align_down(part->to + size, unit);

	change(editor, false, end > part->to + unit ? end - part->to : unit, ret);
}

void editor_move(struct editor *editor, int64_t by, struct editor_answer *ret)
{
	uint64_t at = editor->parts[editor->at].to, unit = unit_of(editor);
	uint64_t step = (uint64_t)(by < 0 ? -by : by);

	change(editor, true,
	       by > 0             ? u64_align_down(at + step, unit)
	       : at > step + unit ? u64_align_down(at - step + unit - 1, unit)
				  : unit,
	       ret);
}

void editor_fill(struct editor *editor, struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at];
	uint64_t unit = unit_of(editor), room = u64_align_down(editor->table.usable, unit);
	uint64_t end = part->to + part->size;
	struct editor_answer least;

	/* It may end behind the last whole unit already. */
	change(editor, false, (room > end ? room : end + unit) - part->to, ret);
	if (ret->changed)
		return;
	change(editor, false, editor->table.parts[editor->at].least, &least);
	if (least.changed)
		*ret = least;
}

bool editor_type(struct editor *editor, const char *text, struct editor_answer *ret)
{
	const struct layout_part *part = &editor->parts[editor->at];
	struct plan_options options = { 0 };
	struct plan_place *place = &options.places[0];
	uint32_t sector = editor->table.sector;
	char layout[64];
	struct error error = { 0 };
	int r;

	*ret = (struct editor_answer){ 0 };
	snprintf(layout, sizeof(layout), "%u%s%.50s", part->number, text[0] == '@' ? "" : ":",
		 text);
	if (strchr(text, ',') || plan_option_set(&options, PLAN_OPTION_LAYOUT, layout) < 0) {
		snprintf(ret->said, sizeof(ret->said),
			 _("Type a size as 900GB or 900GiB, a start as @930GB, or both: "
			   "900GB@930GB."));
		return false;
	}
	/* Whole units, as the keys make them. */
	r = try_place(editor,
		      place->size ? u64_align_down(place->size, LAYOUT_ALIGNMENT) / sector
				  : part->size,
		      place->start ? u64_align_down(place->start, LAYOUT_ALIGNMENT) / sector
				   : asked_start(editor),
		      &options, &error);
	if (r < 0) {
		text_copy(ret->said, sizeof(ret->said), error.sentence);
		if (r == -E2BIG)
			say_limit(editor, false, r, &error, ret);
		return false;
	}
	take(editor, &options);
	ret->changed = true;
	return true;
}

void editor_print_typed(const struct editor *editor, char *buffer, size_t size)
{
	const struct layout_part *part = &editor->parts[editor->at];
	uint64_t bytes = part->size * editor->table.sector;

	if (bytes % LAYOUT_ALIGNMENT == 0)
		snprintf(buffer, size, "%" PRIu64 "MiB", bytes / LAYOUT_ALIGNMENT);
	else
		snprintf(buffer, size, "%" PRIu64, bytes);
}

static void wish(struct editor *editor, const struct plan_place *place)
{
	struct plan_options options = editor->options;

	memset(options.places, 0, sizeof(options.places));
	options.places[0] = *place;
	options.table = TABLE_FIT;
	options.grow = GROW_NO;
	take(editor, &options);
}

void editor_reset(struct editor *editor, struct editor_answer *ret)
{
	const struct plan_place none = { 0 };
	bool as_offered = memcmp(editor->options.places, &editor->offered, sizeof(none)) == 0 &&
			  !editor->options.places[1].number;
	bool grows = editor->offered.number && !as_offered;

	*ret = (struct editor_answer){ .changed = true };
	wish(editor, grows ? &editor->offered : &none);
	if (grows)
		snprintf(ret->said, sizeof(ret->said), _("As offered: partition %u gets the room."),
			 (unsigned)editor->offered.number);
	else
		snprintf(ret->said, sizeof(ret->said), "%s",
			 _("Nothing is changed beyond what this disk needs."));
}

void editor_toggle_fs(struct editor *editor, struct editor_answer *ret)
{
	editor->options.grow_fs = !editor->options.grow_fs;
	*ret = (struct editor_answer){ .changed = true };
	snprintf(ret->said, sizeof(ret->said), "%s",
		 editor->options.grow_fs
			 ? _("After the copy, the file system of the partition that grows most is "
			     "grown with it.")
			 : _("File systems stay as large as they are."));
}

bool editor_options(const struct editor *editor, struct plan_options *ret)
{
	const struct plan_options *now = &editor->options, *opened = &editor->opened;
	bool same = editor->before.table != TABLE_KEEP && now->grow_fs == opened->grow_fs &&
		    memcmp(now->places, opened->places, sizeof(now->places)) == 0;

	*ret = same ? editor->before : *now;
	return !same;
}

/* ---- opening ---- */

static void describe(struct editor *editor, const struct disk *source)
{
	for (size_t i = 0; i < editor->table.count; i++) {
		const struct layout_part *part = &editor->table.parts[i];
		struct editor_row *row = &editor->rows[i];

		for (size_t k = 0; source && k < source->partition_count; k++) {
			const struct partition *p = &source->partitions[k];

			if (p->number == part->number && p->start == part->start)
				text_copy(row->what, sizeof(row->what),
					  p->label[0]  ? p->label
					  : p->name[0] ? p->name
						       : p->type_name);
		}
	}
}

void editor_take_used(struct editor *editor, const struct used *used)
{
	for (size_t i = 0; i < editor->table.count; i++) {
		const struct used_part *uses = used_find(used, editor->table.parts[i].number);

		editor->rows[i].used_known = uses && !uses->whole[0];
		editor->rows[i].used = uses ? uses->used_bytes : 0;
	}
}

/* The largest partition that can grow gets all the room. */
static void find_offer(struct editor *editor)
{
	size_t best = editor->table.count;
	struct editor_answer answer;

	for (size_t i = 0; i < editor->table.count; i++) {
		const struct layout_part *part = &editor->table.parts[i];

		if (best < editor->table.count &&
		    part->sectors <= editor->table.parts[best].sectors)
			continue;
		editor->at = i;
		wish(editor, &(struct plan_place){ 0 });
		change(editor, false, editor->table.usable - part->to, &answer);
		if (!answer.changed)
			continue;
		best = i;
		editor->offered = editor->options.places[0];
	}
}

void editor_open(struct editor *editor, const struct layout_table *table, const struct disk *source,
		 const struct fitted *fitted, const struct plan_options *options)
{
	struct plan_place grows = { 0 };
	const struct plan_place *placed;

	*editor = (struct editor){ .table = *table, .before = *options, .options = *options };
	describe(editor, source);
	find_offer(editor);
	editor->options = *options;
	editor->options.grow = GROW_NO;
	if (options->table == TABLE_KEEP) {
		wish(editor, &editor->offered);
	} else {
		grows.number = options->grow && fitted ? fitted->grown : 0;
		placed = plan_place_find(options, grows.number);
		grows.start = placed ? placed->start : 0;
		grows.size = grows.number ? fitted->after * table->sector : 0;
		if (grows.number)
			put_place(&editor->options, &grows);
		take(editor, &editor->options);
	}
	editor->opened = editor->options;
	editor->at = 0;
	for (size_t i = 0; i < table->count; i++)
		if (table->parts[i].number == editor->options.places[0].number)
			editor->at = i;
}
