/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clonedeck show`. */
#include "cli/inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "discover/endpoint.h"
#include "discover/image_store.h"
#include "discover/scan.h"
#include "health/smartctl.h"
#include "report/describe.h"
#include "report/json.h"

#define HEADING_WIDTH 12

enum show_column { NUMBER, START, END, SECTORS, SIZE, TYPE, FS, LABEL, MOUNT, USE, COLUMN_COUNT };

static const struct column show_columns[COLUMN_COUNT] = {
	[NUMBER] = { "#", COLUMN_RIGHT },          [START] = { N_("START"), COLUMN_RIGHT },
	[END] = { N_("END"), COLUMN_RIGHT },       [SECTORS] = { N_("SECTORS"), COLUMN_RIGHT },
	[SIZE] = { N_("SIZE"), COLUMN_RIGHT },     [TYPE] = { N_("TYPE"), COLUMN_SHRINKS },
	[FS] = { N_("FS"), COLUMN_SHRINKS },       [LABEL] = { N_("LABEL"), COLUMN_SHRINKS },
	[MOUNT] = { N_("MOUNT"), COLUMN_SHRINKS }, [USE] = { N_("USE") },
};

/* A row of the table: a region, or an extended partition, which is none. */
struct row {
	struct region region;
	const struct partition *partition; /* NULL: none */
};

static void line(const char *heading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void line(const char *heading, const char *format, ...)
{
	char first[4 * HEADING_WIDTH + 1], text[DISK_FACT_MAX];

	text_vprint(text, sizeof(text), format);
	text_fit(first, sizeof(first), heading, HEADING_WIDTH);
	text_paragraph(stdout, columns_width(), first, text);
}

static const char *row_type(const struct disk *disk, const struct row *row)
{
	const struct partition *partition = row->partition;

	if (partition)
		return partition->type_name[0] ? partition->type_name : partition->type;
	if (row->region.kind != REGION_WHOLE)
		return region_words(disk, row->region.kind, row->region.start);
	return strcmp(disk->table, "?") == 0 ? _("not read") : _("no partition table");
}

static int add_row(struct columns *table, const struct disk *disk, const struct row *row,
		   struct error *reterr)
{
	const struct partition *p = row->partition;
	const struct region *region = &row->region;
	uint32_t unit = disk->identity.logical_sector_size;
	char number[16] = "", start[24], end[24], sectors[24], use[16];
	bool whole = region->kind == REGION_WHOLE;

	if (p)
		snprintf(number, sizeof(number), "%u", p->number);
	snprintf(start, sizeof(start), "%" PRIu64, region->start);
	snprintf(end, sizeof(end), "%" PRIu64, region->start + region->sectors - 1);
	snprintf(sectors, sizeof(sectors), "%" PRIu64, region->sectors);

	const char *texts[COLUMN_COUNT] = {
		[NUMBER] = number,
		[START] = start,
		[END] = end,
		[SECTORS] = sectors,
		[SIZE] = UNITS_SHORT(region->sectors * unit, UNITS_SI, unit),
		[TYPE] = row_type(disk, row),
		[FS] = p       ? p->fs
		       : whole ? disk->whole_fs
			       : "",
		[LABEL] = p       ? (p->label[0] ? p->label : p->name)
			  : whole ? disk->whole_label
				  : "",
		[MOUNT] = p       ? p->mountpoint
			  : whole ? use_mountpoint(&disk->in_use)
				  : "",
		[USE] = p       ? use_letters(&p->in_use, NO, use)
			: whole ? use_letters(&disk->in_use, NO, use)
				: "",
	};

	return columns_add(table, texts, reterr);
}

/* Regions in their order, an extended partition before the first thing in it. */
static int print_rows(const struct disk *disk, struct columns *table, struct error *reterr)
{
	size_t p = 0;

	for (size_t i = 0; i < disk->region_count; i++) {
		const struct region *region = &disk->regions[i];
		struct row row = { .region = *region };
		int r;

		for (; p < disk->partition_count && disk->partitions[p].start <= region->start;
		     p++) {
			const struct partition *extended = &disk->partitions[p];
			struct row container = { .region = { REGION_PARTITION, extended->start,
							     extended->sectors, (int)p },
						 .partition = extended };

			if (!extended->extended || extended->sectors == 0)
				continue;
			r = add_row(table, disk, &container, reterr);
			if (r < 0)
				return r;
		}
		if (region->partition >= 0)
			row.partition = &disk->partitions[region->partition];
		r = add_row(table, disk, &row, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static void print_image(const struct endpoint *endpoint, const struct disk *disk)
{
	const struct identity *identity = &disk->identity;
	char node[3 * sizeof(endpoint->node)], text[DISK_FACT_MAX];

	line(_("Image"), "%s", text_show(node, sizeof(node), endpoint->node));
	line(_("Size"), _("%s (%s B, %s of %u)"), UNITS_LONG(identity->size, UNITS_SI, 0),
	     UNITS_COUNT(identity->size),
	     UNITS_LONG(identity->size, UNITS_SECTORS, identity->logical_sector_size),
	     identity->logical_sector_size);
	/* A file does not say it, only what it holds does. */
	if (!disk->table[0] || strcmp(disk->table, "?") == 0)
		line(_("Sectors"), _("%u bytes are assumed: no table tells"),
		     identity->logical_sector_size);
	line(_("Table"), "%s", disk_table_words(disk, text));
	if (disk->table_uuid[0])
		line("PTUUID", "%s", disk->table_uuid);
	if (disk->note_count)
		line(_("Notes"), "%s", disk_notes_words(disk, text));
}

static void print_device(const struct disk_list *list, const struct disk *disk,
			 const struct health *health)
{
	const struct identity *identity = &disk->identity;
	struct disk_facts facts;

	line(_("Disk"), disk->medium_present != NO && identity->size ? "%s, %s" : "%s", disk->node,
	     UNITS_LONG(identity->size, UNITS_SI, 0));
	disk_describe(list, disk,
		      &(struct disk_health){
			      .known = health_is_known(health) || health->why[0] ? health : NULL },
		      &facts);
	for (size_t i = 0; i < facts.count; i++)
		line(facts.facts[i].label, "%s", facts.facts[i].text);
}

static int print_table(const struct disk_list *list, const struct disk *disk,
		       const struct endpoint *endpoint, const struct health *health,
		       struct error *reterr)
{
	struct columns *table = NULL;
	int r = 0;

	if (endpoint->kind == ENDPOINT_IMAGE)
		print_image(endpoint, disk);
	else
		print_device(list, disk, health);
	if (disk->region_count == 0)
		return 0;
	putchar('\n');
	r = columns_new(show_columns, COLUMN_COUNT, &table, reterr);
	if (r == 0)
		r = print_rows(disk, table, reterr);
	if (r == 0)
		r = columns_print(table, reterr);
	columns_destroy(table);
	return r;
}

static json_object *sg_driver_json(const struct disk_list *list)
{
	json_object *object;

	if (!list->sg_driver[0])
		return NULL;
	object = json_object_new_object();
	json_add_text(object, "version", list->sg_driver);
	json_object_object_add(object, "direct_io",
			       list->sg_direct == UNKNOWN
				       ? NULL
				       : json_object_new_boolean(list->sg_direct == YES));
	return object;
}

static int print_json(const struct disk_list *list, const struct disk *disk,
		      const struct endpoint *endpoint, const struct health *health,
		      struct error *reterr)
{
	json_object *document = json_object_new_object();
	json_object *object = disk_json(disk, true);

	json_add_text(document, "schema", "clonedeck.show/1");
	/* The whole path of an image */
	if (endpoint->kind == ENDPOINT_IMAGE)
		json_object_object_add(object, "node", report_json_path(endpoint->node));
	json_object_object_add(document, "disk", object);
	json_object_object_add(document, "sg_driver", sg_driver_json(list));
	json_object_object_add(document, "health", report_json_health(health));
	json_object_object_add(document, "missing",
			       report_json_texts_of(list->missing, list->missing_count));
	return disk_json_print(document, reterr);
}

/* The disk that is named, lies below the partition that is, or is in the image. */
static int find_disk(const struct disk_list *list, const char *text, struct image_store *images,
		     struct endpoint *endpoint, const struct disk **ret, struct error *reterr)
{
	int r = endpoint_resolve(list, text, false, endpoint, reterr);

	if (r < 0)
		return r;
	*ret = endpoint->kind == ENDPOINT_IMAGE ? image_store_read(images, endpoint)
						: endpoint_disk(list, endpoint);
	if (!*ret)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EIO, "read", text,
				 _("%s cannot be read."), text);
	return 0;
}

/* What could not be found out about other disks does not matter here. */
static void print_missing(const struct disk_list *list, const struct disk *disk)
{
	bool first = true;

	for (size_t i = 0; i < list->missing_count; i++) {
		if (text_after(list->missing[i], "/dev/") && !strstr(list->missing[i], disk->node))
			continue;
		if (first)
			putchar('\n');
		first = false;
		text_paragraph(stdout, columns_width(), "- ", list->missing[i]);
	}
}

struct show_work {
	const char *disk;
	bool json;
};

static int work(void *data, struct error *reterr)
{
	const struct show_work *wanted = data;
	struct scan_options how = { .all = true, .probe = true };
	struct disk_list *list = NULL;
	const struct disk *disk = NULL;
	struct image_store *images = image_store_new();
	struct endpoint endpoint = { 0 };
	struct scan *scan = NULL;
	struct health_end end;
	struct health health;
	int r = images ? scan_new(&how, &scan, reterr) : error_nomem(reterr);

	if (r == 0)
		r = scan_run(scan, &list, reterr);
	if (r == 0)
		r = find_disk(list, wanted->disk, images, &endpoint, &disk, reterr);
	health_clear(&health, NULL);
	if (r == 0 && endpoint.kind != ENDPOINT_IMAGE) {
		health_address(disk, &end);
		health_ask(&end, &health);
	}
	if (r == 0 && wanted->json)
		r = print_json(list, disk, &endpoint, &health, reterr);
	else if (r == 0)
		r = print_table(list, disk, &endpoint, &health, reterr);
	if (r == 0 && !wanted->json && endpoint.kind != ENDPOINT_IMAGE)
		print_missing(list, disk);
	disk_list_destroy(list);
	image_store_destroy(images);
	scan_destroy(scan);
	return r;
}

int show_run(const char *disk, bool json, struct error *reterr)
{
	return apart_run(work, &(struct show_work){ disk, json }, reterr);
}
