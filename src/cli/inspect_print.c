/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks as a table or as JSON. */
#include "cli/inspect.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <libsmartcols.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/json.h"

/* ---- a table ---- */

#define CELL_MAX 512
/* From this width on, a row has room for all columns. */
#define WIDE 110

struct columns {
	struct libscols_table *table;
	const struct column *columns;
	size_t count;
	bool narrow;
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
		if (column->flags & COLUMN_WIDE && table->narrow)
			flags |= SCOLS_FL_HIDDEN;
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
	table->narrow = width > 0 && width < WIDE;
	if (!table->table || add_columns(table) < 0) {
		columns_destroy(table);
		return error_nomem(reterr);
	}
	/* Without a terminal nothing is truncated. */
	r = scols_table_set_termforce(table->table,
				      width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (r == 0 && width)
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

		if (table->narrow && most > 0 && text_width(text) > most)
			text = text_fit_tail(fitted, sizeof(fitted), text, most);
		if (scols_line_set_data(line, i, text) < 0)
			return error_nomem(reterr);
	}
	return 0;
}

/* The library takes text for what the locale's character set says, and all text is UTF-8 here. */
static int lay_out(struct columns *table, char **ret)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
	int r;

	if (utf8 != (locale_t)0)
		before = uselocale(utf8);
	r = scols_print_table_to_string(table->table, ret);
	if (utf8 != (locale_t)0) {
		uselocale(before);
		freelocale(utf8);
	}
	return r;
}

int columns_print(struct columns *table, struct error *reterr)
{
	char *text CLEANUP(free) = NULL;
	int r = lay_out(table, &text);

	if (r < 0)
		return smartcols_error(r, reterr);
	if (text && *text)
		puts(text);
	return 0;
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

static json_object *uses_json(const void *member)
{
	static const char *const kinds[] = {
		[USE_MOUNT] = "mount", [USE_SWAP] = "swap",           [USE_DM] = "dm",
		[USE_MD] = "md",       [USE_BCACHE] = "holder",       [USE_BOOT] = "boot",
		[USE_LOOP] = "file",   [USE_EXCLUSIVE] = "exclusive", [USE_COPY] = "copy",
	};
	static const struct json_field fields[] = {
		JSON_WORD_OF("kind", kinds, struct use, kind),
		JSON_FIELD("what", JSON_TEXT, struct use, what),
		JSON_FIELD("node", JSON_TEXT, struct use, node),
	};
	const struct use_list *uses = member;

	return report_json_list_of(fields, uses->items, uses->count);
}

#define PARTITION(key, kind) JSON_FIELD(#key, kind, struct partition, key)

static json_object *partition_json(const struct disk *disk, const struct partition *p)
{
	static const struct json_field fields[] = {
		PARTITION(number, JSON_NUMBER),
		PARTITION(node, JSON_TEXT),
		PARTITION(start, JSON_NUMBER),
		PARTITION(sectors, JSON_NUMBER),
		PARTITION(type, JSON_TEXT),
		PARTITION(type_name, JSON_TEXT),
		PARTITION(name, JSON_TEXT),
		PARTITION(fs, JSON_TEXT),
		PARTITION(label, JSON_TEXT),
		PARTITION(uuid, JSON_TEXT),
		PARTITION(part_uuid, JSON_TEXT),
		PARTITION(mountpoint, JSON_TEXT),
		PARTITION(extended, JSON_BOOL),
		JSON_PART_OF("in_use", uses_json, struct partition, in_use),
	};
	uint32_t unit = disk->identity.logical_sector_size;
	json_object *object = report_json_of(fields, p);

	/* The last sector, as fdisk has it. */
	json_object_object_add(object, "end", last(p->start, p->sectors));
	json_object_object_add(object, "start_offset", bytes(p->start, unit));
	json_object_object_add(object, "size", bytes(p->sectors, unit));
	return object;
}

static json_object *regions_json(const struct disk *disk)
{
	static const char *const kinds[] = {
		[REGION_TABLE] = "table", [REGION_PARTITION] = "partition",
		[REGION_GAP] = "gap",     [REGION_TABLE_BACKUP] = "table_backup",
		[REGION_WHOLE] = "whole",
	};
	static const struct json_field fields[] = {
		JSON_WORD_OF("kind", kinds, struct region, kind),
		JSON_FIELD("start", JSON_NUMBER, struct region, start),
		JSON_FIELD("sectors", JSON_NUMBER, struct region, sectors),
	};
	uint32_t unit = disk->identity.logical_sector_size;
	json_object *array = report_json_list_of(fields, disk->regions, disk->region_count);

	for (size_t i = 0; i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];
		json_object *object = json_object_array_get_idx(array, i);
		unsigned partition =
			region->partition < 0 ? 0 : disk->partitions[region->partition].number;

		json_object_object_add(object, "partition", report_json_positive_number(partition));
		json_add_number(object, "end", region->start + region->sectors - 1);
		json_add_number(object, "start_offset", region->start * unit);
		json_add_number(object, "size", region->sectors * unit);
	}
	return array;
}

/* null: could not be read; "none": read, and there is none. */
static json_object *table_json(const void *member)
{
	const char *table = member;

	if (table[0] == '?')
		return NULL;
	return json_object_new_string(table[0] ? table : "none");
}

#define DISK(key, kind)             JSON_FIELD(#key, kind, struct disk, key)
#define DISK_AS(name, kind, member) JSON_FIELD(name, kind, struct disk, member)

json_object *disk_json(const struct disk *disk, bool with_regions)
{
	static const struct json_field fields[] = {
		DISK(node, JSON_TEXT),
		DISK(sg, JSON_TEXT),
		DISK(bsg, JSON_TEXT),
		DISK_AS("ng", JSON_TEXT, nvme_generic),
		DISK(by_id, JSON_TEXT),
		DISK(path, JSON_TEXT),
		DISK(hctl, JSON_TEXT),
		DISK(transport, JSON_TEXT),
		DISK(driver, JSON_TEXT),
		DISK_AS("model", JSON_TEXT, identity.model),
		DISK_AS("serial", JSON_TEXT, identity.serial),
		DISK_AS("wwn", JSON_TEXT, identity.wwn),
		DISK_AS("firmware", JSON_TEXT, identity.firmware),
		DISK_AS("size", JSON_POSITIVE, identity.size),
		DISK_AS("logical_sector_size", JSON_POSITIVE, identity.logical_sector_size),
		DISK(physical_sector_size, JSON_POSITIVE),
		DISK(rotational, JSON_TRISTATE),
		DISK(removable, JSON_TRISTATE),
		DISK(read_only, JSON_TRISTATE),
		DISK_AS("diskseq", JSON_POSITIVE, identity.diskseq),
		DISK(max_transfer, JSON_POSITIVE),
		DISK(queue_depth, JSON_POSITIVE),
		DISK(write_cache, JSON_TRISTATE),
		DISK(unmap, JSON_TRISTATE),
		DISK_AS("write_zeroes", JSON_TRISTATE, zeroes),
		DISK(zoned, JSON_TEXT),
		JSON_PART_OF("in_use", uses_json, struct disk, in_use),
		JSON_PART_OF("table", table_json, struct disk, table),
		DISK(table_uuid, JSON_TEXT),
		DISK_AS("fs", JSON_TEXT, whole_fs),
		DISK_AS("label", JSON_TEXT, whole_label),
	};
	json_object *object = report_json_of(fields, disk);
	json_object *partitions = json_object_new_array(), *notes = json_object_new_array();

	for (size_t i = 0; i < disk->partition_count; i++)
		json_object_array_add(partitions, partition_json(disk, &disk->partitions[i]));
	for (size_t i = 0; i < disk->note_count; i++)
		json_object_array_add(notes, json_object_new_string(disk->notes[i].text));
	json_object_object_add(object, "raw", report_json_texts_of(disk->raw, disk->raw_count));
	json_object_object_add(object, "partitions", partitions);
	json_object_object_add(object, "notes", notes);
	if (with_regions)
		json_object_object_add(object, "regions", regions_json(disk));
	return object;
}

int disk_json_print(json_object *document, struct error *reterr)
{
	CLEANUP(free)
	char *text = report_json_print(document,
				       JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);

	if (!text)
		return error_nomem(reterr);
	if (puts(text) < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "print", NULL,
				 _("The output cannot be written: %s."), error_phrase(errno));
	return 0;
}
