/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words and columns of screen 2. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "plan/picture.h"

#include "ui/core/layout.h"
#include "ui/ranges/model.h"

/* From this width on there is room for what the narrow table leaves out. */
#define WIDE 110
/* And for the sectors beside what is used: labels would be shorter than on a narrow screen. */
#define WIDEST 130
/* And below this one, for no block addresses. */
#define SMALL 70
/* Below this one, not for what is used, either. */
#define SMALLEST 50

struct columns {
	bool wide;
	int number, lba, sectors, size, used, align, type, fs, label, mount;
};

static void columns_fit(const struct ranges_model *model, int width, struct columns *ret)
{
	unsigned highest = 1;

	for (size_t i = 0; i < model->row_count; i++)
		if (model->rows[i].partition && model->rows[i].partition->number > highest)
			highest = model->rows[i].partition->number;
	memset(ret, 0, sizeof(*ret));
	ret->wide = width >= WIDE;
	ret->number = line_digits(highest);
	ret->lba = line_digits(model->context.sectors);
	if (ret->lba < (ret->wide ? 12 : 10))
		ret->lba = ret->wide ? 12 : 10;
	/* On a small screen the size alone has to do. */
	if (width < SMALL)
		ret->lba = 0;
	ret->size = 6;
	ret->used = model->used && width >= SMALLEST ? 6 : 0;
	/* Where there is not room for both, what is used tells more than the size once more. */
	ret->sectors = ret->used && width < WIDEST ? 0 : ret->lba;

	/* What is left after the mark, the numbers and the blanks between them. */
	int left = width - 6 - ret->number - 2 * (ret->lba ? ret->lba + 1 : 0) -
		   (ret->sectors ? ret->sectors + 1 : 0) - (ret->size + 1) -
		   (ret->used ? ret->used + 1 : 0);

	if (!ret->wide) {
		ret->fs = 4;
		ret->label = 6;
		ret->mount = 3;
		ret->type = left - ret->fs - ret->label - ret->mount - 4;
		return;
	}
	ret->align = 4;
	left -= ret->align + 1 + ret->lba + 1 + 4;
	ret->fs = 6;
	ret->type = left * 5 / 9 < 36 ? left * 5 / 9 : 36;
	left -= ret->fs + ret->type;
	ret->label = left / 2;
	ret->mount = left - ret->label;
}

void ranges_model_header(const struct ranges_model *model, struct line *line)
{
	struct columns c;

	columns_fit(model, line->limit, &c);
	line_put(line, 6, _(" SEL"));
	line_put(line, c.number, "#");
	line_cell_right_word(line, c.lba, _("START"));
	line_cell_right_word(line, c.lba, _("END"));
	line_cell_right_word(line, c.sectors, _("SECTORS"));
	line_cell_right_word(line, c.size, _("SIZE"));
	line_cell_right_word(line, c.used, _("USED"));
	line_cell_right_word(line, c.align, _("ALGN"));
	line_cell(line, c.type, _("TYPE"));
	line_cell(line, c.fs, _("FS"));
	line_cell(line, c.label, _("LABEL"));
	line_cell(line, c.mount, c.wide ? _("MOUNT") : _("USE"));
	if (c.wide)
		line_cell_right_word(line, c.lba, _("DEST LBA"));
}

static const char *row_type(const struct ranges_model *model, const struct ranges_row *row)
{
	const char *words =
		model->disk ? region_words(model->disk, row->kind, row->range.start) : "";

	if (words[0])
		return words;
	if (row->partition) {
		if (row->partition->type_name[0])
			return row->partition->type_name;
		return text_or_dash(row->partition->type);
	}
	return model->source.kind == ENDPOINT_IMAGE ? _("image file") : _("no partition table");
}

/* "1M", "4K", "512": the largest power of two that the start is a multiple of. */
static void print_alignment(uint64_t start, char *ret, size_t size)
{
	uint64_t power = start & (~start + 1);

	if (!start)
		snprintf(ret, size, "-");
	else if (power >= 1 << 20)
		snprintf(ret, size, "1M");
	else if (power >= 1024)
		snprintf(ret, size, "%" PRIu64 "K", power >> 10);
	else
		snprintf(ret, size, "%" PRIu64, power);
}

static void put_number(struct line *line, int width, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	line_cell_right(line, width, text);
}

/* "-" where it is not understood: all of it is copied. */
static void put_used(const struct ranges_model *model, const struct ranges_row *row,
		     enum units_scale scale, struct line *line, int width)
{
	const struct used_part *part =
		used_find(model->used, row->partition ? row->partition->number : 0);
	char text[UNITS_TEXT_MAX] = "-";

	if (part && !part->whole[0])
		units_print_short(part->used_bytes, scale, model->context.sector_size, text);
	line_cell_right(line, width, text);
}

static const char *mark_text(enum ranges_mark mark)
{
	static const char *const text[] = {
		[RANGES_NONE] = "[ ]",
		[RANGES_PARTLY] = "[~]",
		[RANGES_FULL] = "[x]",
	};

	return text[mark];
}

void ranges_model_row(const struct ranges_model *model, size_t index, enum units_scale scale,
		      struct line *line)
{
	const struct ranges_row *row = &model->rows[index];
	const struct partition *partition = row->partition;
	uint32_t sector_size = model->context.sector_size;
	enum ranges_mark mark = ranges_model_mark(model, index);
	bool whole_disk = row->kind == REGION_WHOLE && !partition && model->disk;
	const struct use_list *in_use = partition    ? &partition->in_use
					: whole_disk ? &model->disk->in_use
						     : NULL;
	char text[UNITS_TEXT_MAX], letters[16];
	uint64_t destination;
	struct columns c;

	columns_fit(model, line->limit, &c);
	line_put(line, 2, "");
	line_put(line, 4, mark_text(mark));
	snprintf(text, sizeof(text), partition ? "%u" : "-", partition ? partition->number : 0);
	line_put(line, c.number, text);
	put_number(line, c.lba, row->range.start);
	put_number(line, c.lba, row->range.count ? row->range.start + row->range.count - 1 : 0);
	put_number(line, c.sectors, row->range.count);
	units_print_short(row->range.count * sector_size, scale, sector_size, text);
	line_cell_right(line, c.size, text);
	put_used(model, row, scale, line, c.used);
	print_alignment(partition ? partition->start * sector_size : 0, text, sizeof(text));
	line_cell_right(line, c.align, text);
	line_cell(line, c.type, row_type(model, row));
	line_put(line, 1, "");
	line_put_fs(line, c.fs,
		    partition    ? partition->fs
		    : whole_disk ? model->disk->whole_fs
				 : "");
	line_cell(line, c.label,
		  partition    ? (partition->label[0] ? partition->label : partition->name)
		  : whole_disk ? model->disk->whole_label
			       : "");
	line_cell(line, c.mount,
		  !in_use  ? ""
		  : c.wide ? use_mountpoint(in_use)
			   : use_letters(in_use, NO, letters));
	if (!c.wide)
		return;
	if (mark == RANGES_FULL &&
	    ranges_model_destination_of(model, row->range.start, &destination))
		put_number(line, c.lba, destination);
	else
		line_cell_right(line, c.lba, mark == RANGES_PARTLY ? "~" : "-");
}

/* As wide as it is, but not wider than `most`. */
static void put_short(struct line *line, int most, const char *text, bool tail)
{
	const char *shown = text_or_dash(text);
	int wide = text_width(shown) < most ? text_width(shown) : most;

	if (tail)
		line_put_tail(line, wide, shown);
	else
		line_put_marked(line, wide, shown);
}

#define IDENTITY_COLS 12 /* of both, from which on they can be told apart */

/* Model and serial share what `rest`, which follows them, leaves; the serial tells more. The WWN
 * where there is room for all of it. */
static void put_identity(struct line *line, const struct identity *identity, const char *rest)
{
	int serial = identity->serial[0] ? text_width(identity->serial) : 1; /* "-" */
	char wwn[sizeof(identity->wwn) + 16] = "";
	int left;

	if (line->limit >= LAYOUT_WIDE_COLS && identity->wwn[0])
		snprintf(wwn, sizeof(wwn), "  %s %s", _("WWN"), identity->wwn);
	left = line->limit - line->columns - text_width(rest) - text_width(_("S/N")) - 3;
	/* On a narrow screen, what tells two disks apart comes first. */
	if (left < IDENTITY_COLS && text_width(identity->model) + serial > left) {
		left += text_width(rest);
		rest = "";
	}
	if (text_width(wwn) > left - text_width(identity->model) - serial)
		wwn[0] = '\0';
	left -= text_width(wwn);
	if (serial > left * 3 / 5)
		serial = left * 3 / 5;
	put_short(line, left - serial, identity->model, false);
	line_add(line, "  %s ", _("S/N"));
	put_short(line, serial, identity->serial, true);
	line_add(line, "%s%s", wwn, rest);
}

void ranges_text_destination(const struct endpoint *destination, struct line *line)
{
	char rest[UNITS_TEXT_MAX + 16];

	if (destination->kind == ENDPOINT_NONE)
		return;
	line_add(line, " %s ", _("Dest"));
	line_to(line, 2 + text_width(_("Source")));
	if (destination->kind == ENDPOINT_IMAGE) {
		line_put_tail(line, line->limit - line->columns - 1, destination->node);
		return;
	}
	line_add(line, "%s  ", node_short(destination->node));
	snprintf(rest, sizeof(rest), _("  %s B"), UNITS_COUNT(destination->size));
	put_identity(line, &destination->identity, rest);
}

void ranges_model_title(const struct ranges_model *model, struct line *line)
{
	const struct endpoint *source = &model->source;
	const char *table =
		model->disk && model->disk->table[0] ? model->disk->table : _("no table");
	char count[UNITS_TEXT_MAX], rest[128];

	units_print_count(model->context.sectors, count);
	if (source->kind == ENDPOINT_IMAGE) {
		snprintf(rest, sizeof(rest), _("  image file  %s  %s sectors of %u"), table, count,
			 (unsigned)model->context.sector_size);
		line_add(line, " %s ", _("Source"));
		put_short(line, line->limit - line->columns - text_width(rest), source->node, true);
		line_add(line, "%s", rest);
		return;
	}
	snprintf(rest, sizeof(rest), _("  %s  %s sectors of %u"),
		 source->kind == ENDPOINT_PARTITION ? _("partition") : table, count,
		 (unsigned)model->context.sector_size);
	line_add(line, " %s %s  ", _("Source"), node_short(source->node));
	put_identity(line, &source->identity, rest);
}

void ranges_model_totals(const struct ranges_model *model, enum units_scale scale,
			 struct line *line)
{
	const struct range_list *list =
		model->entry == RANGES_ENTRY_TEXT ? &model->list : &model->change_list;
	bool known = model->entry == RANGES_ENTRY_TEXT ? model->valid : model->change_valid;
	uint64_t sectors = range_list_total(list);
	char count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];

	if (!known) {
		line_add(line, _("   = nothing"));
		return;
	}
	units_print_count(sectors, count);
	units_print_long(sectors * model->context.sector_size,
			 scale == UNITS_SECTORS ? UNITS_SI : scale, model->context.sector_size,
			 size);
	if (model->entry == RANGES_ENTRY_ADD)
		line_add(line, _("   + %s sectors, %s, as far as they are not chosen yet"), count,
			 size);
	else if (model->entry == RANGES_ENTRY_REMOVE)
		line_add(line, _("   - %s sectors, %s, as far as they are chosen"), count, size);
	else if (list->count == 1)
		line_add(line,
			 P_("   = %zu item, 1 extent, %s sectors, %s",
			    "   = %zu items, 1 extent after merging, %s sectors, %s", model->items),
			 model->items, count, size);
	else
		line_add(line, _("   = %zu items, %zu extents after merging, %s sectors, %s"),
			 model->items, list->count, count, size);
}

void ranges_model_summary(const struct ranges_model *model, enum units_scale scale,
			  struct line *line)
{
	uint64_t sectors = range_list_total(&model->list);
	char count[UNITS_TEXT_MAX], size[UNITS_TEXT_MAX];

	if (!model->list.count) {
		line_add(line, _("Nothing is chosen."));
		return;
	}
	units_print_count(sectors, count);
	units_print_long(sectors * model->context.sector_size,
			 scale == UNITS_SECTORS ? UNITS_SI : scale, model->context.sector_size,
			 size);
	if (sectors == model->context.sectors)
		line_add(line, _("Everything: %s sectors, %s, with tables and gaps."), count, size);
	else
		line_add(line,
			 P_("%zu range, %s sectors, %s; nothing else is copied.",
			    "%zu ranges, %s sectors, %s; gaps between them are not copied.",
			    model->list.count),
			 model->list.count, count, size);
}

void ranges_model_map(const struct ranges_model *model, int cells, char *what, char *ticked)
{
	uint64_t sectors = model->context.sectors;
	uint32_t sector_size = model->context.sector_size;
	/* A partition or an image by itself: one kind of thing from end to end. */
	struct partition all = { .number = model->source.partition, .sectors = sectors };
	const struct disk alone = {
		.identity = { .size = sectors * sector_size, .logical_sector_size = sector_size },
		.partitions = &all,
		.partition_count = 1,
	};
	const struct disk *disk =
		model->source.kind != ENDPOINT_PARTITION && model->disk ? model->disk : &alone;

	picture_disk(disk, sectors * sector_size, cells, what);
	picture_ranges(disk, &model->list, cells, ticked);
}
