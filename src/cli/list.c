/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clonedeck list`. */
#include "cli/list.h"

#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/apart.h"
#include "cli/columns.h"
#include "cli/disk_json.h"
#include "discover/scan.h"

/* From here on what the deck shows in its details fits into the table. */
#define LIST_WIDE 110

#define SERIAL_NARROW 12

enum list_column { NODE, HCTL, SG, RAW, SIZE, TRAN, MODEL, SERIAL, USE, NARROW_COUNT };
enum list_wide_column {
	W_NODE,
	W_HCTL,
	W_SG,
	W_RAW,
	W_SIZE,
	W_SECTORS,
	W_TRAN,
	W_MODEL,
	W_SERIAL,
	W_WWN,
	W_USE,
	WIDE_COUNT
};

static const struct column narrow_columns[NARROW_COUNT] = {
	[NODE] = { N_("NODE") },
	[HCTL] = { N_("HCTL") },
	[SG] = { N_("SG") },
	[RAW] = { N_("RAW") },
	[SIZE] = { N_("SIZE"), COLUMN_RIGHT },
	[TRAN] = { N_("TRAN") },
	[MODEL] = { N_("MODEL"), COLUMN_SHRINKS },
	[SERIAL] = { N_("SERIAL"), 0, SERIAL_NARROW },
	[USE] = { N_("USE") },
};

static const struct column wide_columns[WIDE_COUNT] = {
	[W_NODE] = { N_("NODE") },
	[W_HCTL] = { N_("HCTL") },
	[W_SG] = { N_("SG") },
	[W_RAW] = { N_("RAW") },
	[W_SIZE] = { N_("SIZE"), COLUMN_RIGHT },
	[W_SECTORS] = { N_("LOG/PHY") },
	[W_TRAN] = { N_("TRAN") },
	[W_MODEL] = { N_("MODEL"), COLUMN_SHRINKS },
	[W_SERIAL] = { N_("SERIAL") },
	[W_WWN] = { N_("WWN"), COLUMN_SHRINKS },
	[W_USE] = { N_("USE") },
};

/* "raw1,raw2" */
static const char *print_raw(const struct disk *disk, char *to, size_t size)
{
	size_t used = 0;

	to[0] = '\0';
	for (size_t i = 0; i < disk->raw_count && used < size; i++) {
		const char *slash = strrchr(disk->raw[i], '/');

		used += (size_t)snprintf(to + used, size - used, "%s%s", i ? "," : "",
					 slash ? slash + 1 : disk->raw[i]);
	}
	return to;
}

static const char *print_size(const struct disk *disk, char buffer[static UNITS_TEXT_MAX])
{
	if (disk->identity.size == 0)
		return "";
	return units_print_short(disk->identity.size, UNITS_SI, disk->identity.logical_sector_size,
				 buffer);
}

static const char *print_sectors(const struct disk *disk, char *to, size_t size)
{
	if (!disk->identity.logical_sector_size || !disk->physical_sector_size)
		return "";
	snprintf(to, size, "%u/%u", disk->identity.logical_sector_size, disk->physical_sector_size);
	return to;
}

static int add_row(struct columns *table, const struct disk *disk, bool wide, struct error *reterr)
{
	char raw[160], size[UNITS_TEXT_MAX], sectors[32], use[16];
	const char *node = node_short(disk->node), *sg = node_short(disk->sg);
	const struct identity *identity = &disk->identity;

	print_raw(disk, raw, sizeof(raw));
	use_letters(&disk->in_use, disk->read_only, use);
	if (wide) {
		const char *texts[WIDE_COUNT] = {
			[W_NODE] = node,
			[W_HCTL] = disk->hctl,
			[W_SG] = sg,
			[W_RAW] = raw,
			[W_SIZE] = print_size(disk, size),
			[W_SECTORS] = print_sectors(disk, sectors, sizeof(sectors)),
			[W_TRAN] = disk->transport,
			[W_MODEL] = identity->model,
			[W_SERIAL] = identity->serial,
			[W_WWN] = identity->wwn,
			[W_USE] = use,
		};

		return columns_add(table, texts, reterr);
	}

	const char *texts[NARROW_COUNT] = {
		[NODE] = node,
		[HCTL] = disk->hctl,
		[SG] = sg,
		[RAW] = raw,
		[SIZE] = print_size(disk, size),
		[TRAN] = disk->transport,
		[MODEL] = identity->model,
		[SERIAL] = identity->serial,
		[USE] = use,
	};

	return columns_add(table, texts, reterr);
}

static bool any_in_use(const struct disk_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->disks[i].in_use.count > 0 || list->disks[i].read_only == YES)
			return true;
	return false;
}

static void print_copy(const char *node, const char *words, int width, FILE *out)
{
	char text[320];

	snprintf(text, sizeof(text), "%s: %s", node, words);
	text_paragraph(out, width, "- ", text);
}

/* Copies of other processes, which know what they do. */
static void print_copies(const struct disk_list *list, int width, FILE *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct disk *disk = &list->disks[i];

		if (disk->read_by[0])
			print_copy(disk->node, disk->read_by, width, out);
		for (size_t u = 0; u < disk->in_use.count; u++) {
			const struct use *use = &disk->in_use.items[u];

			if (use->kind == USE_EXCLUSIVE && use->what[0])
				print_copy(use->node, use->what, width, out);
		}
	}
}

static void print_notes(const struct disk_list *list, bool verbose, int width, FILE *out)
{
	bool raw = verbose && list->no_raw_driver;

	if (any_in_use(list)) {
		fputc('\n', out);
		text_paragraph(out, width, "",
			       _("USE: B running system, M mounted, S swap, L LVM/dm, R md raid, "
				 "H other holder, F file in use, O open, ro read-only"));
	}
	print_copies(list, width, out);
	if (list->missing_count > 0 || raw)
		fputc('\n', out);
	for (size_t i = 0; i < list->missing_count; i++)
		text_paragraph(out, width, "- ", list->missing[i]);
	if (raw)
		text_paragraph(out, width, "- ",
			       _("This kernel has no raw driver (/dev/raw), so there are no raw "
				 "bindings; direct access to the disks takes their place."));
}

static int print_table(const struct disk_list *list, const struct list_options *options, FILE *out,
		       struct error *reterr)
{
	struct columns *table = NULL;
	int width = options->width, r;

	if (width == 0)
		width = columns_width(out);

	bool wide = width == 0 || width >= LIST_WIDE;

	if (list->count == 0) {
		fprintf(out, "%s\n", _("There is no disk."));
		print_notes(list, options->verbose, width, out);
		return 0;
	}
	r = columns_new(wide ? wide_columns : narrow_columns,
			wide ? (size_t)WIDE_COUNT : (size_t)NARROW_COUNT, width, out, &table,
			reterr);
	for (size_t i = 0; r == 0 && i < list->count; i++)
		r = add_row(table, &list->disks[i], wide, reterr);
	if (r == 0)
		r = columns_print(table, reterr);
	columns_destroy(table);
	if (r == 0)
		print_notes(list, options->verbose, width, out);
	return r;
}

static int print_json(const struct disk_list *list, FILE *out, struct error *reterr)
{
	json_object *document = json_object_new_object();
	json_object *disks = json_object_new_array();

	json_object_object_add(document, "schema", json_object_new_string("clonedeck.list/1"));
	for (size_t i = 0; i < list->count; i++)
		json_object_array_add(disks, disk_json(&list->disks[i], false));
	json_object_object_add(document, "disks", disks);
	json_object_object_add(document, "missing", disk_json_missing(list));
	return disk_json_print(document, out, reterr);
}

struct list_work {
	const struct list_options *options;
	FILE *out;
};

static int work(void *data, struct error *reterr)
{
	const struct list_work *list_work = data;
	const struct list_options *options = list_work->options;
	struct scan_options how = {
		.all = options->all,
		.probe = true,
		.practice_dir = options->practice_dir,
	};
	struct disk_list *list = NULL;
	struct scan *scan = NULL;
	int r = scan_new(&how, &scan, reterr);

	if (r == 0)
		r = scan_run(scan, &list, reterr);
	if (r == 0)
		r = options->json ? print_json(list, list_work->out, reterr)
				  : print_table(list, options, list_work->out, reterr);
	disk_list_destroy(list);
	scan_destroy(scan);
	return r;
}

int list_run(const struct list_options *options, FILE *out, struct error *reterr)
{
	return apart_run(work, &(struct list_work){ options, out }, reterr);
}
