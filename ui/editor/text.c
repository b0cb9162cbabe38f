/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words, columns and pictures of the layout editor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "after/resize_fs.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "plan/picture.h"

#include "ui/core/layout.h"
#include "ui/editor/model.h"

#define SIZE_COLS 7

/* From these widths on there is room for a column. */
#define WITH_FS    50
#define WITH_START 68
#define WITH_USED  74

struct columns {
	int what, fs, used, least, start;
};

static struct columns columns_of(int width)
{
	return (struct columns){
		.what = width < WITH_FS            ? 8
			: width < LAYOUT_WIDE_COLS ? 12
						   : 28,
		.fs = width < WITH_FS            ? 0
		      : width < LAYOUT_WIDE_COLS ? 6
						 : 12,
		.used = width < WITH_USED ? 0 : SIZE_COLS,
		.least = width < WITH_FS ? 0 : SIZE_COLS,
		.start = width < WITH_START ? 0 : SIZE_COLS,
	};
}

void editor_text_title(const char *node, uint64_t bytes, struct line *line)
{
	char text[256];

	snprintf(text, sizeof(text), _(" LAYOUT  of the copy on %s, %s"), node,
		 UNITS_LONG(bytes, UNITS_SI, 512));
	line_fit(line, text);
}

void editor_text_header(struct line *line)
{
	const struct columns c = columns_of(line->limit);

	line_put(line, 2, "");
	line_put_right(line, 3, "#");
	line_cell(line, c.what, _("WHAT"));
	line_cell(line, c.fs, _("FS"));
	line_cell_right_word(line, c.used, _("USED"));
	line_cell_right_word(line, c.least, _("LEAST"));
	line_cell_right_word(line, c.start, _("START"));
	line_cell_right_word(line, SIZE_COLS, _("SIZE"));
	line_add(line, "  %s", _("CHANGE"));
}

static void print_size(const struct editor *editor, uint64_t sectors, enum units_scale scale,
		       char buffer[static UNITS_TEXT_MAX])
{
	units_print_short(sectors * editor->table.sector, scale, editor->table.sector, buffer);
}

static void text_change(const struct editor *editor, const struct layout_part *part,
			enum units_scale scale, struct line *line)
{
	bool larger = part->size > part->sectors;
	uint64_t more = larger ? part->size - part->sectors : part->sectors - part->size;
	uint64_t way = part->to > part->start ? part->to - part->start : part->start - part->to;
	char size[UNITS_TEXT_MAX], far[UNITS_TEXT_MAX], grown[64], moved[64], text[128];

	print_size(editor, more, scale, size);
	print_size(editor, way, scale, far);
	snprintf(grown, sizeof(grown), larger ? _("grows %s") : _("cut by %s"), size);
	snprintf(moved, sizeof(moved), part->to > part->start ? _("moves +%s") : _("moves -%s"),
		 far);
	/* Two numbers may need more room than there is. */
	if (more && way && text_width(grown) + 2 + text_width(moved) > line->limit - line->columns)
		snprintf(grown, sizeof(grown), "%c%s", larger ? '+' : '-', size);
	snprintf(text, sizeof(text), "%s%s%s", more ? grown : "", more && way ? ", " : "",
		 way ? moved : "");
	line_fit(line, more || way ? text : _("stays"));
}

void editor_text_row(const struct editor *editor, size_t index, enum units_scale scale,
		     struct line *line)
{
	const struct columns c = columns_of(line->limit);
	const struct layout_part *part = &editor->parts[index];
	const struct editor_row *row = &editor->rows[index];
	uint32_t sector = editor->table.sector;
	char text[UNITS_TEXT_MAX];

	line_put(line, 2, "");
	snprintf(text, sizeof(text), "%u", part->number);
	line_put_right(line, 3, text);
	line_cell(line, c.what, row->what);
	if (c.fs) {
		line_put(line, 1, "");
		line_put_fs(line, c.fs, part->fs);
	}
	units_print_short(row->used, scale, sector, text);
	line_cell_right(line, c.used, row->used_known ? text : "?");
	print_size(editor, part->least, scale, text);
	line_cell_right(line, c.least, text);
	print_size(editor, part->to, scale, text);
	line_cell_right(line, c.start, text);
	print_size(editor, part->size, scale, text);
	line_cell_right(line, SIZE_COLS, text);
	line_add(line, "  ");
	text_change(editor, part, scale, line);
}

void editor_text_free(const struct editor *editor, enum units_scale scale, struct line *line)
{
	uint64_t room = editor->table.usable - editor->table.first;
	char size[UNITS_TEXT_MAX];

	for (size_t i = 0; i < editor->table.count; i++)
		room -= editor->parts[i].size < room ? editor->parts[i].size : room;
	print_size(editor, room, scale, size);
	line_add(line, _(" In no partition: %s"), size);
	if (editor->options.grow_fs)
		line_piece(line, "%s", _("file system grows, too (Space)"));
}

static const struct layout_part *grows_most(const struct editor *editor)
{
	const struct layout_part *most = NULL;

	for (size_t i = 0; i < editor->table.count; i++) {
		const struct layout_part *part = &editor->parts[i];

		if (part->size > part->sectors &&
		    (!most || part->size - part->sectors > most->size - most->sectors))
			most = part;
	}
	return most;
}

static void text_growth(const struct editor *editor, const struct layout_part *part, char *buffer,
			size_t size)
{
	char command[128];

	if (!grow_fs_by_hand(part->fs, "", command, sizeof(command))[0])
		snprintf(buffer, size,
			 _("Partition %u grows; no tool is known that grows what is in it (%s)."),
			 part->number, part->fs[0] ? part->fs : "?");
	else if (editor->options.grow_fs && part == grows_most(editor))
		snprintf(buffer, size,
			 _("Partition %u grows, and after the copy its %s with it. Space: only the "
			   "partition."),
			 part->number, part->fs);
	else if (part == grows_most(editor))
		snprintf(buffer, size,
			 _("Partition %u grows; its %s stays as large as it is. Space: it grows, "
			   "too."),
			 part->number, part->fs);
	else
		snprintf(buffer, size,
			 _("Partition %u grows; its %s is to be grown by hand, after the copy."),
			 part->number, part->fs);
}

void editor_text_limit(const struct editor *editor, enum units_scale scale, char *buffer,
		       size_t size)
{
	const struct layout_part *part = &editor->parts[editor->at];
	const char *fixed = !editor->table.movable ? _("the table has an extended partition")
			    : editor->at == 0      ? _("it is the first one")
						   : part->fixed;
	char least[UNITS_TEXT_MAX];

	units_print_long(part->least * editor->table.sector,
			 scale == UNITS_SECTORS ? UNITS_SI : scale, editor->table.sector, least);
	if (part->size > part->sectors)
		text_growth(editor, part, buffer, size);
	else if (fixed)
		snprintf(buffer, size, _("Partition %u must stay where it is: %s. At least %s."),
			 part->number, fixed, least);
	else if (part->least < part->sectors)
		snprintf(buffer, size,
			 _("Partition %u may move. At least %s: its %s is as large as that."),
			 part->number, least, part->fs);
	else
		snprintf(
			buffer, size,
			_("Partition %u may move, but not become smaller: what is in it fills it."),
			part->number);
}

/* ---- the pictures ---- */

/* The partitions on a disk of their own, for the row that shows them. */
static void draw_parts(const struct editor *editor, bool copy, int cells, char *out)
{
	const struct layout_table *table = &editor->table;
	uint64_t scale = table->room > table->sectors ? table->room : table->sectors;
	CLEANUP(free) struct partition *partitions = calloc(table->count, sizeof(*partitions));
	struct disk disk = {
		.identity = { .size = (copy ? table->room : table->sectors) * table->sector,
			      .logical_sector_size = table->sector },
		.partitions = partitions,
		.partition_count = partitions ? table->count : 0,
	};

	for (size_t i = 0; i < disk.partition_count; i++) {
		const struct layout_part *part = &editor->parts[i];

		partitions[i].number = part->number;
		partitions[i].start = copy ? part->to : part->start;
		partitions[i].sectors = copy ? part->size : part->sectors;
	}
	picture_disk(&disk, scale * table->sector, cells, out);
}

/* In the cells of the chosen partition: so much of it as it must have, then the rest. */
static void draw_marks(const struct editor *editor, const char *copy, char *marks)
{
	const struct layout_part *part = &editor->parts[editor->at];
	int first = -1, count = 0, least;

	/* Those from 36 on share one. */
	for (int i = 0; copy[i]; i++) {
		bool mine = part->number < 36 && copy[i] == picture_letter(part->number);

		marks[i] = ' ';
		if (mine && first < 0)
			first = i;
		count += mine;
	}
	marks[strlen(copy)] = '\0';
	if (first < 0)
		return;
	least = part->size ? (int)((double)part->least / (double)part->size * count + 0.5) : 0;
	for (int i = 0; i < count; i++)
		marks[first + i] = i == 0 || i < least ? '=' : '+';
}

void editor_picture(const struct editor *editor, int cells, char *source, char *copy, char *marks)
{
	draw_parts(editor, false, cells, source);
	draw_parts(editor, true, cells, copy);
	draw_marks(editor, copy, marks);
}
