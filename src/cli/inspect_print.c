/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks as a table or as JSON. */
#include "cli/inspect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <libsmartcols.h>

#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "report/json.h"

/* ---- a table ---- */

#define CELL_MAX 512

struct columns {
	struct libscols_table *table;
	const struct column *columns;
	size_t count;
	bool limited;
};

int columns_width(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return columns && atoi(columns) > 0 ? atoi(columns) : 80;
}

static int smartcols_error(int r, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "print", NULL,
			 _("The table cannot be printed: %s."), error_phrase(r));
}

static int add_columns(struct columns *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		int flags = 0;

		if (column->flags & COLUMN_RIGHT)
			flags |= SCOLS_FL_RIGHT;
		if (column->flags & COLUMN_SHRINKS)
			flags |= SCOLS_FL_TRUNC;
		if (!scols_table_new_column(table->table, _(column->heading), 0, flags))
			return -ENOMEM;
	}
	return 0;
}

int columns_new(const struct column *columns, size_t count, struct columns **ret,
		struct error *reterr)
{
	struct columns *table = calloc(1, sizeof(*table));
	int width = columns_width(), r = 0;

	if (!table)
		return error_nomem(reterr);
	table->columns = columns;
	table->count = count;
	table->table = scols_new_table();
	table->limited = width > 0;
	if (!table->table || add_columns(table) < 0 ||
	    scols_table_set_stream(table->table, stdout) < 0) {
		columns_destroy(table);
		return error_nomem(reterr);
	}
	/* Without a terminal nothing is truncated. */
	r = scols_table_set_termforce(table->table, table->limited ? SCOLS_TERMFORCE_ALWAYS
								   : SCOLS_TERMFORCE_NEVER);
	if (r == 0 && table->limited)
		r = scols_table_set_termwidth(table->table, (size_t)width);
	if (r < 0) {
		columns_destroy(table);
		return smartcols_error(r, reterr);
	}
	*ret = table;
	return 0;
}

int columns_add(struct columns *table, const char *const *texts, struct error *reterr)
{
	struct libscols_line *line = scols_table_new_line(table->table, NULL);

	if (!line)
		return error_nomem(reterr);
	for (size_t i = 0; i < table->count; i++) {
		const char *text = texts[i][0] ? texts[i] : "-";
		int most = table->columns[i].most;
		char fitted[CELL_MAX];

		if (table->limited && most > 0 && text_width(text) > most)
			text = text_fit_tail(fitted, sizeof(fitted), text, most);
		if (scols_line_set_data(line, i, text) < 0)
			return error_nomem(reterr);
	}
	return 0;
}

int columns_print(struct columns *table, struct error *reterr)
{
	int r = scols_print_table(table->table);

	return r < 0 ? smartcols_error(r, reterr) : 0;
}

void columns_destroy(struct columns *table)
{
	if (!table)
		return;
	scols_unref_table(table->table);
	free(table);
}

/* ---- JSON ---- */

/* null where a hostile table names sectors beyond all bytes. */
static json_object *bytes(uint64_t sectors, uint32_t unit)
{
	uint64_t value;

	return u64_mul(sectors, unit, &value) ? json_object_new_uint64(value) : NULL;
}

static json_object *last(uint64_t start, uint64_t sectors)
{
	uint64_t end;

	return sectors && u64_add(start, sectors - 1, &end) ? json_object_new_uint64(end) : NULL;
}

static const char *use_name(enum use_kind kind)
{
	switch (kind) {
	case USE_MOUNT:
		return "mount";
	case USE_SWAP:
		return "swap";
	case USE_DM:
		return "dm";
	case USE_MD:
		return "md";
	case USE_BCACHE:
		return "holder";
	case USE_BOOT:
		return "boot";
	case USE_LOOP:
		return "file";
	case USE_COPY:
		return "copy";
	case USE_EXCLUSIVE:
		break;
	}
	return "exclusive";
}

static json_object *uses_json(const struct use_list *uses)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < uses->count; i++) {
		const struct use *use = &uses->items[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "kind", json_object_new_string(use_name(use->kind)));
		json_object_object_add(object, "what", report_json_text(use->what));
		json_object_object_add(object, "node", report_json_text(use->node));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *partition_json(const struct disk *disk, const struct partition *p)
{
	uint32_t unit = disk->identity.logical_sector_size;
	json_object *object = json_object_new_object();

	report_json_add_number(object, "number", p->number);
	json_object_object_add(object, "node", report_json_text(p->node));
	report_json_add_number(object, "start", p->start);
	/* The last sector, as fdisk has it. */
	json_object_object_add(object, "end", last(p->start, p->sectors));
	report_json_add_number(object, "sectors", p->sectors);
	json_object_object_add(object, "start_offset", bytes(p->start, unit));
	json_object_object_add(object, "size", bytes(p->sectors, unit));
	json_object_object_add(object, "type", report_json_text(p->type));
	json_object_object_add(object, "type_name", report_json_text(p->type_name));
	json_object_object_add(object, "name", report_json_text(p->name));
	json_object_object_add(object, "fs", report_json_text(p->fs));
	json_object_object_add(object, "label", report_json_text(p->label));
	json_object_object_add(object, "uuid", report_json_text(p->uuid));
	json_object_object_add(object, "part_uuid", report_json_text(p->part_uuid));
	json_object_object_add(object, "mountpoint", report_json_text(p->mountpoint));
	json_object_object_add(object, "extended", json_object_new_boolean(p->extended));
	json_object_object_add(object, "in_use", uses_json(&p->in_use));
	return object;
}

static const char *region_name(enum region_kind kind)
{
	switch (kind) {
	case REGION_TABLE:
		return "table";
	case REGION_PARTITION:
		return "partition";
	case REGION_GAP:
		return "gap";
	case REGION_TABLE_BACKUP:
		return "table_backup";
	case REGION_WHOLE:
		break;
	}
	return "whole";
}

static json_object *regions_json(const struct disk *disk)
{
	uint32_t unit = disk->identity.logical_sector_size;
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];
		json_object *object = json_object_new_object();

		json_object_object_add(object, "kind",
				       json_object_new_string(region_name(region->kind)));
		json_object_object_add(
			object, "partition",
			region->partition < 0
				? NULL
				: json_object_new_uint64(
					  disk->partitions[region->partition].number));
		report_json_add_number(object, "start", region->start);
		report_json_add_number(object, "end", region->start + region->sectors - 1);
		report_json_add_number(object, "sectors", region->sectors);
		report_json_add_number(object, "start_offset", region->start * unit);
		report_json_add_number(object, "size", region->sectors * unit);
		json_object_array_add(array, object);
	}
	return array;
}

static void add_nodes(json_object *object, const struct disk *disk)
{
	json_object *raw = json_object_new_array();

	for (size_t i = 0; i < disk->raw_count; i++)
		json_object_array_add(raw, json_object_new_string(disk->raw[i]));
	json_object_object_add(object, "node", report_json_text(disk->node));
	json_object_object_add(object, "sg", report_json_text(disk->sg));
	json_object_object_add(object, "bsg", report_json_text(disk->bsg));
	json_object_object_add(object, "raw", raw);
	json_object_object_add(object, "ng", report_json_text(disk->nvme_generic));
	json_object_object_add(object, "by_id", report_json_text(disk->by_id));
	json_object_object_add(object, "path", report_json_text(disk->path));
	json_object_object_add(object, "hctl", report_json_text(disk->hctl));
	json_object_object_add(object, "transport", report_json_text(disk->transport));
	json_object_object_add(object, "driver", report_json_text(disk->driver));
}

static void add_identity(json_object *object, const struct disk *disk)
{
	const struct identity *identity = &disk->identity;

	report_json_add_identity(object, identity);
	json_object_object_add(object, "size", report_json_positive_number(identity->size));
	json_object_object_add(object, "logical_sector_size",
			       report_json_positive_number(identity->logical_sector_size));
	json_object_object_add(object, "physical_sector_size",
			       report_json_positive_number(disk->physical_sector_size));
	json_object_object_add(object, "rotational", report_json_tristate(disk->rotational));
	json_object_object_add(object, "removable", report_json_tristate(disk->removable));
	json_object_object_add(object, "read_only", report_json_tristate(disk->read_only));
	json_object_object_add(object, "diskseq", report_json_positive_number(identity->diskseq));
	json_object_object_add(object, "max_transfer",
			       report_json_positive_number(disk->max_transfer));
	json_object_object_add(object, "queue_depth",
			       report_json_positive_number(disk->queue_depth));
	json_object_object_add(object, "write_cache", report_json_tristate(disk->write_cache));
	json_object_object_add(object, "unmap", report_json_tristate(disk->unmap));
	json_object_object_add(object, "write_zeroes", report_json_tristate(disk->zeroes));
	json_object_object_add(object, "zoned", report_json_text(disk->zoned));
}

/* null: could not be read; "none": read, and there is none. */
static json_object *table_json(const struct disk *disk)
{
	if (disk->table[0] == '?')
		return NULL;
	return json_object_new_string(disk->table[0] ? disk->table : "none");
}

json_object *disk_json(const struct disk *disk, bool with_regions)
{
	json_object *object = json_object_new_object();
	json_object *partitions = json_object_new_array();
	json_object *notes = json_object_new_array();

	for (size_t i = 0; i < disk->partition_count; i++)
		json_object_array_add(partitions, partition_json(disk, &disk->partitions[i]));
	for (size_t i = 0; i < disk->note_count; i++)
		json_object_array_add(notes, json_object_new_string(disk->notes[i].text));
	add_nodes(object, disk);
	add_identity(object, disk);
	json_object_object_add(object, "in_use", uses_json(&disk->in_use));
	json_object_object_add(object, "table", table_json(disk));
	json_object_object_add(object, "table_uuid", report_json_text(disk->table_uuid));
	json_object_object_add(object, "fs", report_json_text(disk->whole_fs));
	json_object_object_add(object, "label", report_json_text(disk->whole_label));
	json_object_object_add(object, "partitions", partitions);
	json_object_object_add(object, "notes", notes);
	if (with_regions)
		json_object_object_add(object, "regions", regions_json(disk));
	return object;
}

json_object *disk_json_missing(const struct disk_list *list)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < list->missing_count; i++)
		json_object_array_add(array, json_object_new_string(list->missing[i]));
	return array;
}

int disk_json_print(json_object *document, struct error *reterr)
{
	const char *printed = json_object_to_json_string_ext(
		document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	int r = 0;

	if (!document || !printed)
		r = error_nomem(reterr);
	else if (printf("%s\n", printed) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "print", NULL,
			      _("The output cannot be written: %s."), error_phrase(errno));
	json_object_put(document);
	return r;
}
