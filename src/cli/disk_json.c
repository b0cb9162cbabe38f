/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks as JSON. */
#include "cli/disk_json.h"

#include <errno.h>

#include "base/i18n.h"
#include "base/range.h"

bool disk_json_add(json_object *object, const char *name, json_object *value)
{
	if (object && json_object_object_add(object, name, value) == 0)
		return true;
	json_object_put(value);
	return false;
}

static json_object *text(const char *value)
{
	return value[0] ? json_object_new_string(value) : NULL;
}

static json_object *number(uint64_t value)
{
	return json_object_new_uint64(value);
}

static json_object *known_number(uint64_t value)
{
	return value ? number(value) : NULL;
}

/* null where a hostile table names sectors beyond all bytes. */
static json_object *bytes(uint64_t sectors, uint32_t unit)
{
	uint64_t value;

	return u64_mul(sectors, unit, &value) ? number(value) : NULL;
}

static json_object *last(uint64_t start, uint64_t sectors)
{
	uint64_t end;

	return sectors && u64_add(start, sectors - 1, &end) ? number(end) : NULL;
}

static json_object *truth(enum tristate value)
{
	return value == UNKNOWN ? NULL : json_object_new_boolean(value == YES);
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

		disk_json_add(object, "kind", json_object_new_string(use_name(use->kind)));
		disk_json_add(object, "what", text(use->what));
		disk_json_add(object, "node", text(use->node));
		json_object_array_add(array, object);
	}
	return array;
}

static json_object *partition_json(const struct disk *disk, const struct partition *p)
{
	uint32_t unit = disk->identity.logical_sector_size;
	json_object *object = json_object_new_object();

	disk_json_add(object, "number", number(p->number));
	disk_json_add(object, "node", text(p->node));
	disk_json_add(object, "start", number(p->start));
	/* The last sector, as fdisk has it. */
	disk_json_add(object, "end", last(p->start, p->sectors));
	disk_json_add(object, "sectors", number(p->sectors));
	disk_json_add(object, "start_offset", bytes(p->start, unit));
	disk_json_add(object, "size", bytes(p->sectors, unit));
	disk_json_add(object, "type", text(p->type));
	disk_json_add(object, "type_name", text(p->type_name));
	disk_json_add(object, "name", text(p->name));
	disk_json_add(object, "fs", text(p->fs));
	disk_json_add(object, "label", text(p->label));
	disk_json_add(object, "uuid", text(p->uuid));
	disk_json_add(object, "part_uuid", text(p->part_uuid));
	disk_json_add(object, "mountpoint", text(p->mountpoint));
	disk_json_add(object, "extended", json_object_new_boolean(p->extended));
	disk_json_add(object, "in_use", uses_json(&p->in_use));
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

		disk_json_add(object, "kind", json_object_new_string(region_name(region->kind)));
		disk_json_add(object, "partition",
			      region->partition < 0
				      ? NULL
				      : number(disk->partitions[region->partition].number));
		disk_json_add(object, "start", number(region->start));
		disk_json_add(object, "end", number(region->start + region->sectors - 1));
		disk_json_add(object, "sectors", number(region->sectors));
		disk_json_add(object, "start_offset", number(region->start * unit));
		disk_json_add(object, "size", number(region->sectors * unit));
		json_object_array_add(array, object);
	}
	return array;
}

static void add_nodes(json_object *object, const struct disk *disk)
{
	json_object *raw = json_object_new_array();

	for (size_t i = 0; i < disk->raw_count; i++)
		json_object_array_add(raw, json_object_new_string(disk->raw[i]));
	disk_json_add(object, "node", text(disk->node));
	disk_json_add(object, "sg", text(disk->sg));
	disk_json_add(object, "bsg", text(disk->bsg));
	disk_json_add(object, "raw", raw);
	disk_json_add(object, "ng", text(disk->nvme_generic));
	disk_json_add(object, "by_id", text(disk->by_id));
	disk_json_add(object, "path", text(disk->path));
	disk_json_add(object, "hctl", text(disk->hctl));
	disk_json_add(object, "transport", text(disk->transport));
	disk_json_add(object, "driver", text(disk->driver));
}

static void add_identity(json_object *object, const struct disk *disk)
{
	const struct identity *identity = &disk->identity;

	disk_json_add(object, "model", text(identity->model));
	disk_json_add(object, "serial", text(identity->serial));
	disk_json_add(object, "wwn", text(identity->wwn));
	disk_json_add(object, "firmware", text(identity->firmware));
	disk_json_add(object, "size", known_number(identity->size));
	disk_json_add(object, "logical_sector_size", known_number(identity->logical_sector_size));
	disk_json_add(object, "physical_sector_size", known_number(disk->physical_sector_size));
	disk_json_add(object, "rotational", truth(disk->rotational));
	disk_json_add(object, "removable", truth(disk->removable));
	disk_json_add(object, "read_only", truth(disk->read_only));
	disk_json_add(object, "diskseq", known_number(identity->diskseq));
	disk_json_add(object, "max_transfer", known_number(disk->max_transfer));
	disk_json_add(object, "queue_depth", known_number(disk->queue_depth));
	disk_json_add(object, "write_cache", truth(disk->write_cache));
	disk_json_add(object, "unmap", truth(disk->unmap));
	disk_json_add(object, "write_zeroes", truth(disk->zeroes));
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
	disk_json_add(object, "in_use", uses_json(&disk->in_use));
	disk_json_add(object, "table", table_json(disk));
	disk_json_add(object, "table_uuid", text(disk->table_uuid));
	disk_json_add(object, "fs", text(disk->whole_fs));
	disk_json_add(object, "label", text(disk->whole_label));
	disk_json_add(object, "partitions", partitions);
	disk_json_add(object, "notes", notes);
	if (with_regions)
		disk_json_add(object, "regions", regions_json(disk));
	return object;
}

json_object *disk_json_missing(const struct disk_list *list)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < list->missing_count; i++)
		json_object_array_add(array, json_object_new_string(list->missing[i]));
	return array;
}

int disk_json_print(json_object *document, FILE *out, struct error *reterr)
{
	const char *printed = json_object_to_json_string_ext(
		document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	int r = 0;

	if (!document || !printed)
		r = error_nomem(reterr);
	else if (fprintf(out, "%s\n", printed) < 0)
		r = error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "print", NULL,
			      _("The output cannot be written: %s."), error_phrase(errno));
	json_object_put(document);
	return r;
}
