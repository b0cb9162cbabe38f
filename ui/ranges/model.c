/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/ranges/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

/* A partition or an image by itself is one row, from its first sector to its last. */
static void make_single_row(struct ranges_model *model, struct ranges_row *row)
{
	row->kind = REGION_WHOLE;
	row->range.count = model->context.sectors;
	row->partition = disk_partition(model->disk, model->source.partition);
}

static int make_rows(struct ranges_model *model)
{
	const struct disk *disk = model->disk;
	bool table = endpoint_is_whole_disk(&model->source) && disk && disk->region_count;
	size_t count = table ? disk->region_count : 1;
	struct ranges_row *rows = calloc(count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	free(model->rows);
	model->rows = rows;
	model->row_count = count;
	if (!table) {
		make_single_row(model, rows);
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const struct region *region = &disk->regions[i];
		struct ranges_row *row = &rows[i];

		row->range = (struct range){ region->start, region->sectors };
		row->kind = region->kind;
		if (region->partition >= 0 && (size_t)region->partition < disk->partition_count)
			row->partition = &disk->partitions[region->partition];
	}
	return 0;
}

int ranges_model_new(const struct endpoint *source, const struct disk *disk,
		     struct ranges_model **ret, struct error *reterr)
{
	struct ranges_model *model = calloc(1, sizeof(*model));

	if (!model)
		return error_nomem(reterr);
	model->source = *source;
	model->disk = disk;
	model->context.sector_size =
		source->logical_sector_size ? source->logical_sector_size : 512;
	model->context.sectors = source->size / model->context.sector_size;
	model->context.disk = endpoint_is_whole_disk(source) ? disk : NULL;
	model->destination_valid = true;
	model->destination_same = true;
	field_set(&model->destination, _("same"));
	if (make_rows(model) < 0 || ranges_model_tick_whole(model) < 0) {
		ranges_model_destroy(model);
		return error_nomem(reterr);
	}
	*ret = model;
	return 0;
}

void ranges_model_destroy(struct ranges_model *model)
{
	if (!model)
		return;
	range_list_done(&model->list);
	range_list_done(&model->change_list);
	free(model->rows);
	free(model);
}

int ranges_model_rebase(struct ranges_model *model, const struct disk *disk)
{
	const struct disk *before = model->disk;
	int error;

	model->disk = disk;
	error = make_rows(model);
	if (error < 0)
		model->disk = before;
	else
		model->context.disk = endpoint_is_whole_disk(&model->source) ? disk : NULL;
	return error;
}

/* ---- ticks ---- */

enum ranges_mark ranges_model_mark(const struct ranges_model *model, size_t row)
{
	struct range range = model->rows[row].range;

	if (!range.count)
		return RANGES_NONE;
	if (range_list_contains(&model->list, range))
		return RANGES_FULL;
	return range_list_overlaps(&model->list, range) ? RANGES_PARTLY : RANGES_NONE;
}

/* Writes the text anew after a tick changed the list; half-typed text is lost. */
static int list_to_text(struct ranges_model *model)
{
	model->entry = RANGES_ENTRY_TEXT;
	memset(&model->error, 0, sizeof(model->error));
	if (!model->list.count) {
		field_clear(&model->text);
		model->items = 0;
		model->valid = false;
		return 0;
	}

	char *text = rangespec_print(&model->list, &model->context);

	if (!text)
		return -ENOMEM;

	bool fits = field_set(&model->text, text);

	free(text);
	if (!fits)
		return -ENOBUFS;
	ranges_model_typed(model);
	return 0;
}

static void replace(struct range_list *list, struct range_list *by)
{
	range_list_done(list);
	*list = *by;
	memset(by, 0, sizeof(*by));
}

/* Takes over what `changed` holds, or leaves all as it was. */
static int take(struct ranges_model *model, struct range_list *changed, int error)
{
	struct range_list before = model->list;

	if (error < 0) {
		range_list_done(changed);
		return error;
	}
	model->list = *changed;
	error = list_to_text(model);
	if (error < 0) {
		range_list_done(&model->list);
		model->list = before;
		return error;
	}
	range_list_done(&before);
	return 0;
}

int ranges_model_toggle(struct ranges_model *model, size_t row)
{
	struct range_list changed = { 0 };
	int error = range_list_copy(&model->list, &changed);

	if (error == 0 && ranges_model_mark(model, row) == RANGES_FULL)
		error = range_list_subtract(&changed, model->rows[row].range);
	else if (error == 0)
		error = range_list_add(&changed, model->rows[row].range);
	return take(model, &changed, error);
}

int ranges_model_tick_partitions(struct ranges_model *model)
{
	struct range_list changed = { 0 };
	int error = 0;

	for (size_t i = 0; i < model->row_count && error == 0; i++)
		if (model->rows[i].partition || model->row_count == 1)
			error = range_list_add(&changed, model->rows[i].range);
	return take(model, &changed, error);
}

int ranges_model_tick_none(struct ranges_model *model)
{
	struct range_list changed = { 0 };

	return take(model, &changed, 0);
}

int ranges_model_tick_whole(struct ranges_model *model)
{
	struct range_list changed = { 0 };
	int error = range_list_add(&changed, (struct range){ 0, model->context.sectors });

	return take(model, &changed, error);
}

int ranges_model_set(struct ranges_model *model, const struct range_list *list)
{
	struct range_list changed = { 0 };
	int error = range_list_copy(list, &changed);

	return take(model, &changed, error);
}

bool ranges_model_is_whole(const struct ranges_model *model)
{
	return range_list_total(&model->list) == model->context.sectors;
}

/* ---- typing ---- */

struct field *ranges_model_field(struct ranges_model *model)
{
	return model->entry == RANGES_ENTRY_TEXT ? &model->text : &model->change;
}

static bool blank(const char *text)
{
	return text[strspn(text, " \t")] == '\0';
}

void ranges_model_typed(struct ranges_model *model)
{
	const struct field *field = ranges_model_field(model);
	struct range_list parsed = { 0 };
	size_t items = 0;

	memset(&model->error, 0, sizeof(model->error));

	bool empty = blank(field->text);
	bool good = !empty && rangespec_parse(field->text, &model->context, &parsed, &items,
					      &model->error) == 0;

	if (model->entry != RANGES_ENTRY_TEXT) {
		model->change_valid = good;
		if (good)
			replace(&model->change_list, &parsed);
		return;
	}
	model->valid = good;
	if (good || empty) {
		model->items = items;
		replace(&model->list, &parsed);
	}
}

void ranges_model_begin(struct ranges_model *model, enum ranges_entry entry)
{
	ranges_model_cancel(model);
	model->entry = entry;
	if (entry != RANGES_ENTRY_TEXT) {
		field_clear(&model->change);
		model->change_valid = false;
	}
}

bool ranges_model_accept(struct ranges_model *model)
{
	struct range_list changed = { 0 };
	int error;

	if (model->entry == RANGES_ENTRY_TEXT)
		return model->valid || blank(model->text.text);
	if (!model->change_valid)
		return false;
	error = range_list_copy(&model->list, &changed);
	for (size_t i = 0; i < model->change_list.count && error == 0; i++) {
		if (model->entry == RANGES_ENTRY_ADD)
			error = range_list_add(&changed, model->change_list.items[i]);
		else
			error = range_list_subtract(&changed, model->change_list.items[i]);
	}
	return take(model, &changed, error) == 0;
}

void ranges_model_cancel(struct ranges_model *model)
{
	bool changed = model->entry != RANGES_ENTRY_TEXT;

	model->entry = RANGES_ENTRY_TEXT;
	memset(&model->error, 0, sizeof(model->error));
	/* A valid text stays as it was typed; an invalid one is replaced by what the list holds. */
	if (!changed && !model->valid)
		list_to_text(model);
}

const struct rangespec_error *ranges_model_error(const struct ranges_model *model)
{
	return model->error.sentence[0] ? &model->error : NULL;
}

/* ---- destination ---- */

void ranges_model_destination_typed(struct ranges_model *model)
{
	char text[64];

	text_sanitise(text, sizeof(text), model->destination.text, strlen(model->destination.text));
	model->destination_error[0] = '\0';
	model->destination_same = !text[0] || !strcmp(text, _("same")) || !strcmp(text, "same");
	model->destination_valid = true;
	if (model->destination_same)
		return;

	int error = units_parse_lba(text, model->context.sector_size, &model->destination_lba);

	model->destination_valid = error == 0;
	if (error == -EDOM)
		snprintf(model->destination_error, sizeof(model->destination_error),
			 _("Destination \"%s\" is not a whole number of sectors of %u bytes."),
			 text, (unsigned)model->context.sector_size);
	else if (error == -ERANGE)
		snprintf(model->destination_error, sizeof(model->destination_error),
			 _("Destination \"%s\" lies beyond 2^64 bytes."), text);
	else if (error < 0)
		snprintf(
			model->destination_error, sizeof(model->destination_error),
			_("Destination \"%s\" is not an LBA; say for instance 2048, 1MiB or same."),
			text);
}

void ranges_model_destination_begin(struct ranges_model *model)
{
	if (model->destination_same)
		field_clear(&model->destination);
}

void ranges_model_destination_end(struct ranges_model *model)
{
	ranges_model_destination_typed(model);
	if (model->destination_same)
		field_set(&model->destination, _("same"));
}

bool ranges_model_destination_of(const struct ranges_model *model, uint64_t lba, uint64_t *ret)
{
	if (!model->destination_valid || !model->list.count)
		return false;
	if (model->destination_same) {
		*ret = lba;
		return true;
	}
	if (lba < model->list.items[0].start)
		return false;
	return u64_add(model->destination_lba, lba - model->list.items[0].start, ret);
}

uint64_t ranges_model_beyond(const struct ranges_model *model, const struct endpoint *destination)
{
	const struct range *last = model->list.items + model->list.count;
	uint64_t end;

	if (!endpoint_is_device(destination))
		return 0;
	if (!destination->size || !model->list.count ||
	    !ranges_model_destination_of(model, last[-1].start, &end) ||
	    !u64_add(end, last[-1].count, &end) || !u64_mul(end, model->context.sector_size, &end))
		return 0;
	return end > destination->size ? end - destination->size : 0;
}

bool ranges_model_ready(const struct ranges_model *model, char *reason, size_t size)
{
	if (ranges_model_error(model)) {
		text_copy(reason, size, model->error.sentence);
		return false;
	}
	if (!model->list.count) {
		text_copy(reason, size,
			  _("Nothing is chosen yet: tick rows with Space, or press e and type a "
			    "range."));
		return false;
	}
	if (!model->destination_valid) {
		text_copy(reason, size, model->destination_error);
		return false;
	}
	return true;
}
