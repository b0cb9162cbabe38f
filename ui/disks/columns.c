/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of screen 1 in columns. */
#include "ui/disks/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/layout.h"

/* The character device of a disk: sg, or the generic node of NVMe. */
static const char *generic_node(const struct disk *disk)
{
	return text_or_dash(text_base_name(disk->sg[0] ? disk->sg : disk->nvme_generic));
}

static void sector_sizes(const struct disk *disk, char *buffer, size_t size)
{
	snprintf(buffer, size, "%" PRIu32 "/%" PRIu32, disk->identity.logical_sector_size,
		 disk->physical_sector_size);
}

static int wider(int width, const char *text, int limit)
{
	int wanted = text_width(text);

	if (wanted > limit)
		wanted = limit;
	return wanted > width ? wanted : width;
}

/* Set in below its disk. */
static void partition_node(const struct partition *p, char *buffer, size_t size)
{
	snprintf(buffer, size, " %.90s", p->node[0] ? text_base_name(p->node) : "?");
}

#define MODEL_MOST  28
#define SERIAL_MOST 24

static void measure(const struct disks_model *model, struct disks_columns *c)
{
	char sizes[32], node[96];

	for (size_t i = 0; i < model->count; i++) {
		const struct disks_row *row = &model->rows[i];

		if (row->image) {
			continue;
		} else if (row->partition) {
			partition_node(row->partition, node, sizeof(node));
			c->node = wider(c->node, node, 13);
			continue;
		}
		c->node = wider(c->node, row->disk->name, 11);
		c->model = wider(c->model, row->disk->identity.model, MODEL_MOST);
		c->serial = wider(c->serial, row->disk->identity.serial, SERIAL_MOST);
		c->hctl = wider(c->hctl, row->disk->hctl, 10);
		c->sg = wider(c->sg, generic_node(row->disk), 7);
		c->transport = wider(c->transport, row->disk->transport, 6);
		if (row->disk->raw_count)
			c->raw = wider(c->raw, text_base_name(row->disk->raw[0]), 6);
		sector_sizes(row->disk, sizes, sizeof(sizes));
		c->sectors = wider(c->sectors, sizes, 11);
	}
}

/* Model and serial number, which c has as wide as they would like to be: half of the room each, but
 * for what the other one does not need. Serials of two disks differ at their end, so that is kept,
 * and enough where there is little room. */
static void share(bool narrow, int left, struct disks_columns *c)
{
	int model = c->model > 8 ? c->model : 8, serial = c->serial > 8 ? c->serial : 8;

	c->serial = narrow ? (left > 9 ? 8 : left / 2) : left - left / 2;
	if (!narrow && model > left / 2 && serial < c->serial)
		c->serial = serial > left - model ? serial : left - model;
	else if (!narrow && serial > c->serial && model < left / 2)
		c->serial = serial < left - model ? serial : left - model;
	c->model = left - c->serial;
	if (c->model > MODEL_MOST)
		c->model = MODEL_MOST;
	if (c->serial > SERIAL_MOST)
		c->serial = SERIAL_MOST;
}

void disks_columns(const struct disks_model *model, int cols, struct disks_columns *ret)
{
	struct disks_columns c = { .node = 7, .size = 6, .health = 8, .temperature = 4, .use = 4 };
	bool wide = cols >= LAYOUT_WIDE_COLS, narrow = cols < 60;
	int left;

	measure(model, &c);
	/* What tells two disks apart and whether one is well comes before how it is connected. */
	if (wide) {
		c.hctl = wider(c.hctl, "HCTL HCT", 10);
		c.sg = wider(c.sg, "sg00", 7);
		c.transport = wider(c.transport, "TRAN", 6);
		c.sectors = wider(c.sectors, "LOG/PHY", 11);
		c.wwn = 20;
	} else {
		c.hctl = c.sg = c.transport = c.sectors = 0;
	}
	/* The mark in front of a row says whether it can be chosen. */
	if (narrow)
		c.raw = c.temperature = c.use = 0;
	if (cols < 50)
		c.health = 0;
	c.gap = cols < LAYOUT_FULL_COLS ? 1 : 2;
	left = cols - DISKS_NODE_COL - (c.node + 1) - (c.size + c.gap) -
	       (c.health ? c.health + 1 : 0) - (c.temperature ? c.temperature + 1 : 0) -
	       (c.hctl ? c.hctl + 1 : 0) - (c.sg ? c.sg + 1 : 0) - (c.raw ? c.raw + 1 : 0) -
	       (c.sectors ? c.sectors + 1 : 0) - (c.transport ? c.transport + 1 : 0) -
	       (c.wwn ? c.wwn + 1 : 0) - (c.use ? c.use + 1 : 0);
	/* Between model and serial; the serial is what tells two disks apart. */
	left -= 2;
	/* The WWN stands in the box of a disk, too. */
	if (c.wwn && left / 2 < (c.model > c.serial ? c.model : c.serial)) {
		left += c.wwn + 1;
		c.wwn = 0;
	}
	if (left < 2)
		left = 2;
	share(cols < LAYOUT_FULL_COLS && left < 32, left, &c);
	*ret = c;
}

static void put_as(struct line *line, int width, const char *text,
		   void (*put)(struct line *, int, const char *))
{
	if (!width)
		return;
	put(line, width, text);
	line_add(line, " ");
}

static void put_column(struct line *line, int width, const char *text)
{
	put_as(line, width, text, line_put);
}

static void put_size(struct line *line, const struct disks_columns *c, const char *text)
{
	line_put_right(line, c->size, text);
	line_put(line, c->gap, "");
}

void disks_text_heading(const struct disks_model *model, const struct disks_columns *c,
			struct line *line)
{
	const struct list *list = &model->cursor;
	char text[64];

	line_to(line, DISKS_NODE_COL);
	put_column(line, c->node, list_heading(list, 1, _("NODE"), c->node, text, sizeof(text)));
	put_size(line, c, list_heading(list, 2, _("SIZE"), c->size, text, sizeof(text)));
	put_column(line, c->model, list_heading(list, 3, _("MODEL"), c->model, text, sizeof(text)));
	put_column(line, c->serial,
		   list_heading(list, 4, _("SERIAL"), c->serial, text, sizeof(text)));
	put_column(line, c->health, _("HEALTH"));
	put_column(line, c->temperature, _("TEMP"));
	put_column(line, c->hctl, _("HCTL"));
	put_column(line, c->sg, _("SG"));
	put_column(line, c->raw, _("RAW"));
	put_column(line, c->transport, _("TRAN"));
	put_column(line, c->sectors, _("LOG/PHY"));
	put_column(line, c->wwn, _("WWN"));
	line_put(line, c->use, _("USE"));
}

/* Is a part of the disk, but not the disk itself, this end? */
static bool part_of(const struct endpoint *endpoint, const struct disks_row *row)
{
	return row->disk && !row->partition && endpoint->kind == ENDPOINT_PARTITION &&
	       disks_lies_on(endpoint, row->disk);
}

static void put_marks(const struct disks_model *model, size_t at, struct line *line,
		      enum role *retrole)
{
	const struct disks_row *row = &model->rows[at];
	char marks[] = "    ";
	struct verdict verdict;

	*retrole = ROLE_NORMAL;
	if (part_of(model->source, row))
		marks[0] = 's';
	if (part_of(model->destination, row))
		marks[1] = 'd';
	if (disks_is(model->source, row)) {
		marks[1] = 'S';
		*retrole = ROLE_SOURCE;
	} else if (disks_is(model->destination, row)) {
		marks[1] = 'D';
		*retrole = ROLE_DESTINATION;
	} else if (marks[1] == ' ' && disks_refuse(row, true, &verdict)) {
		marks[1] = '!';
	} else if (marks[1] == ' ' && row->disk && row->disk->silent) {
		marks[1] = '?';
		*retrole = ROLE_WARN;
	}
	if ((int)at == model->cursor.at)
		marks[2] = '>';
	line_add(line, "%s", marks);
}

static const char *size_text(uint64_t bytes, uint32_t sector_size, enum units_scale scale,
			     char buffer[static UNITS_TEXT_MAX])
{
	if (!bytes)
		return "-";
	return units_print_short(bytes, scale, sector_size ? sector_size : 512, buffer);
}

int disks_health_col(const struct disks_columns *c)
{
	return DISKS_NODE_COL + c->node + 1 + c->size + c->gap + c->model + 1 + c->serial + 1;
}

enum role disks_health_role(const struct disk_health *health)
{
	int64_t sectors;

	switch (health->known ? health_judge(health->known, &sectors) : HEALTH_STATE_UNKNOWN) {
	case HEALTH_STATE_FAILING:
		return ROLE_BAD;
	case HEALTH_STATE_WEAK:
		return ROLE_WARN;
	default:
		return ROLE_NORMAL;
	}
}

static void put_health(const struct disk_health *health, const struct disks_columns *c,
		       struct line *line)
{
	char word[48] = "-", temperature[24] = "-";
	int64_t sectors = 0;

	switch (health->known ? health_judge(health->known, &sectors) : HEALTH_STATE_UNKNOWN) {
	case HEALTH_STATE_FAILING:
		text_copy(word, sizeof(word), _("FAILING"));
		break;
	case HEALTH_STATE_WEAK:
		/* Where the number has no room, the word has. */
		if (sectors > 99)
			text_copy(word, sizeof(word), _("weak"));
		else
			snprintf(word, sizeof(word), _("%d weak"), (int)sectors);
		break;
	case HEALTH_STATE_GOOD:
		text_copy(word, sizeof(word), _("good"));
		break;
	default:
		if (health->asking)
			text_copy(word, sizeof(word), "..");
		break;
	}
	if (health->known && health->known->values[HEALTH_TEMPERATURE] != HEALTH_UNKNOWN)
		snprintf(temperature, sizeof(temperature), "%" PRId64 "C",
			 health->known->values[HEALTH_TEMPERATURE]);
	put_column(line, c->health, word);
	put_column(line, c->temperature, temperature);
}

static void put_disk(const struct disk *disk, const struct disks_columns *c,
		     const struct disk_health *health, enum units_scale scale, struct line *line)
{
	char size[UNITS_TEXT_MAX], sectors[32], use[16];

	sector_sizes(disk, sectors, sizeof(sectors));
	put_column(line, c->node, disk->name);
	put_size(line, c,
		 size_text(disk->identity.size, disk->identity.logical_sector_size, scale, size));
	put_as(line, c->model, text_or_dash(disk->identity.model), line_put_marked);
	put_as(line, c->serial, text_or_dash(disk->identity.serial), line_put_tail);
	put_health(health, c, line);
	put_column(line, c->hctl, text_or_dash(disk->hctl));
	put_column(line, c->sg, generic_node(disk));
	put_column(line, c->raw, disk->raw_count ? text_base_name(disk->raw[0]) : "-");
	put_column(line, c->transport, text_or_dash(disk->transport));
	put_column(line, c->sectors, sectors);
	put_as(line, c->wwn, text_or_dash(disk->identity.wwn), line_put_tail);
	use_letters(&disk->in_use, disk->read_only, use);
	if (disk->copied && !use_list_find(&disk->in_use, USE_COPY))
		text_copy(use + strcspn(use, "-"), 2, "C");
	/* Only a disk that answers can be asked whether it is held open. */
	if (disk->silent)
		text_copy(use + (disk->in_use.count || disk->read_only == YES ? strlen(use) : 0), 2,
			  "?");
	line_put(line, c->use, use);
}

static void put_partition(const struct disk *disk, const struct partition *p,
			  const struct disks_columns *c, enum units_scale scale, struct line *line)
{
	char size[UNITS_TEXT_MAX], text[256], use[16];
	uint64_t bytes = p->sectors * disk->identity.logical_sector_size;

	partition_node(p, text, sizeof(text));
	put_column(line, c->node, text);
	put_size(line, c, size_text(bytes, disk->identity.logical_sector_size, scale, size));
	partition_words(p, text, sizeof(text));
	put_as(line, c->model, text, line_put_marked);
	put_as(line, c->serial, text_or_dash(p->mountpoint), line_put_tail);
	put_column(line, c->health, "");
	put_column(line, c->temperature, "");
	snprintf(text, sizeof(text), _("part %u"), p->number);
	put_column(line, c->hctl, text);
	put_column(line, c->sg, "");
	put_column(line, c->raw, "");
	put_column(line, c->transport, "");
	put_column(line, c->sectors, "");
	put_column(line, c->wwn, p->name);
	line_put(line, c->use, use_letters(&p->in_use, NO, use));
}

static void put_image(const struct endpoint *image, const struct disks_columns *c,
		      enum units_scale scale, struct line *line)
{
	char size[UNITS_TEXT_MAX];

	put_column(line, c->node, _("image"));
	put_size(line, c, image->exists ? size_text(image->size, 512, scale, size) : "-");
	/* Its path takes the columns that only disks have. */
	put_as(line, c->model + 1 + c->serial, image->node, line_put_tail);
	line_add(line, "%s", image->exists ? _("file") : _("to be created"));
}

void disks_text_row(const struct disks_model *model, size_t at, const struct disks_columns *columns,
		    const struct disk_health *health, enum units_scale scale, struct line *line,
		    enum role *retrole)
{
	const struct disks_row *row = &model->rows[at];

	put_marks(model, at, line, retrole);
	if (row->image)
		put_image(row->image, columns, scale, line);
	else if (row->partition)
		put_partition(row->disk, row->partition, columns, scale, line);
	else
		put_disk(row->disk, columns, health, scale, line);
}
