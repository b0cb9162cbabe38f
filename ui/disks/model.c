/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/disks/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/i18n.h"

void disks_init(struct disks_model *model, const struct endpoint *source,
		const struct endpoint *destination)
{
	*model = (struct disks_model){ .source = source, .destination = destination };
}

void disks_done(struct disks_model *model)
{
	free(model->rows);
	free(model->open);
	*model = (struct disks_model){ 0 };
}

static long find_open(const struct disks_model *model, const struct disk *disk)
{
	for (size_t i = 0; i < model->open_count; i++)
		if (identity_same(&disk->identity, &model->open[i]))
			return (long)i;
	return -1;
}

bool disks_lies_on(const struct endpoint *endpoint, const struct disk *disk)
{
	return endpoint_is_device(endpoint) && strcmp(endpoint->disk_node, disk->node) == 0 &&
	       identity_same(&endpoint->identity, &disk->identity);
}

/* What a technician means by "the disks": not what the kernel makes of memory or of other disks.
 * What is chosen is never hidden. */
static bool ordinary(const struct disks_model *model, const struct disk *disk)
{
	if (model->all || disks_lies_on(model->source, disk) ||
	    disks_lies_on(model->destination, disk))
		return true;
	switch (disk->kind) {
	case DISK_RAM:
	case DISK_DM:
	case DISK_MD:
		return false;
	case DISK_LOOP:
		return disk->identity.size > 0;
	default:
		return true;
	}
}

static bool is_image(const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_IMAGE;
}

static size_t count_rows(const struct disks_model *model)
{
	size_t count = 2; /* image files */

	for (size_t i = 0; model->list && i < model->list->count; i++)
		count += 1 + model->list->disks[i].partition_count;
	return count;
}

static bool is_virtual(const struct disk *disk)
{
	return disk->kind == DISK_LOOP || disk->kind == DISK_RAM || disk->kind == DISK_DM ||
	       disk->kind == DISK_MD;
}

static void add_disk(struct disks_model *model, const struct disk *disk)
{
	if (!ordinary(model, disk))
		return;
	model->rows[model->count++] = (struct disks_row){ .disk = disk };
	if (find_open(model, disk) < 0)
		return;
	for (size_t p = 0; p < disk->partition_count; p++)
		model->rows[model->count++] =
			(struct disks_row){ .disk = disk, .partition = &disk->partitions[p] };
}

const char *disks_sort_name(int column)
{
	static const char *const names[DISKS_SORT_COLUMNS + 1] = {
		N_("as found"), N_("NODE"), N_("SIZE"), N_("MODEL"), N_("SERIAL"),
	};

	return _(names[column]);
}

/* By what the disk is: its partitions stay below it. */
static int compare(const void *a, const void *b, int column)
{
	const struct disk *one = ((const struct disks_row *)a)->disk;
	const struct disk *other = ((const struct disks_row *)b)->disk;

	switch (column) {
	case 1:
		return strverscmp(one->node, other->node);
	case 2:
		return (one->identity.size > other->identity.size) -
		       (one->identity.size < other->identity.size);
	case 3:
		return strcasecmp(one->identity.model, other->identity.model);
	default:
		return strcasecmp(one->identity.serial, other->identity.serial);
	}
}

/* Real disks come first, loop and other virtual ones after them. */
static void add_rows(struct disks_model *model)
{
	for (int made_up = 0; made_up <= 1; made_up++)
		for (size_t i = 0; model->list && i < model->list->count; i++)
			if (is_virtual(&model->list->disks[i]) == made_up)
				add_disk(model, &model->list->disks[i]);
	list_sort(&model->cursor, model->rows, model->count, sizeof(*model->rows), compare);
	if (is_image(model->source))
		model->rows[model->count++] = (struct disks_row){ .image = model->source };
	if (is_image(model->destination))
		model->rows[model->count++] = (struct disks_row){ .image = model->destination };
}

void disks_remember(const struct disks_model *model, struct disks_place *ret)
{
	const struct disks_row *row = disks_current(model);

	*ret = (struct disks_place){ .row = (size_t)model->cursor.at };
	if (!row || !row->disk)
		return;
	ret->known = true;
	ret->identity = row->disk->identity;
	snprintf(ret->node, sizeof(ret->node), "%s", row->disk->node);
	if (row->partition)
		ret->partition = row->partition->number;
}

/* How well a row fits the place: 0 not at all, more is better. */
static int fit(const struct disks_row *row, const struct disks_place *place)
{
	unsigned partition = row->partition ? row->partition->number : 0;
	int score;

	if (!row->disk || !identity_same(&row->disk->identity, &place->identity))
		return 0;
	/* Two disks may look the same (no serial, no number of their own): then the name decides.
	 */
	score = strcmp(row->disk->node, place->node) == 0 ? 5 : 2;
	if (partition == place->partition)
		return score + 2;
	return partition == 0 ? score + 1 : 0;
}

static void restore(struct disks_model *model, const struct disks_place *place)
{
	int best = 0;

	/* If the disk under the cursor is gone, the cursor stays on its line. */
	model->cursor.count = (int)model->count;
	list_go(&model->cursor, (int)place->row);
	for (size_t i = 0; place->known && i < model->count; i++) {
		int score = fit(&model->rows[i], place);

		if (score > best) {
			best = score;
			model->cursor.at = (int)i;
		}
	}
}

int disks_update(struct disks_model *model, const struct disk_list *list,
		 const struct disks_place *place)
{
	free(model->rows);
	model->count = 0;
	model->list = list;
	model->rows = calloc(count_rows(model), sizeof(*model->rows));
	if (!model->rows)
		return -ENOMEM;
	add_rows(model);
	restore(model, place);
	return 0;
}

const struct disks_row *disks_current(const struct disks_model *model)
{
	return model->cursor.at < (int)model->count ? &model->rows[model->cursor.at] : NULL;
}

int disks_toggle(struct disks_model *model)
{
	const struct disks_row *row = disks_current(model);
	struct disks_place place;
	long at;

	if (!row || !row->disk || !row->disk->partition_count)
		return -ENOENT;
	at = find_open(model, row->disk);
	if (at >= 0)
		model->open[at] = model->open[--model->open_count];
	else if (array_append(model->open, model->open_count, row->disk->identity) < 0)
		return -ENOMEM;
	disks_remember(model, &place);
	return disks_update(model, model->list, &place);
}

static bool holds(const char *where, const char *text)
{
	return strcasestr(where, text) != NULL;
}

static bool partition_holds(const struct partition *p, const char *text)
{
	return holds(p->node, text) || holds(p->fs, text) || holds(p->label, text) ||
	       holds(p->name, text) || holds(p->uuid, text) || holds(p->mountpoint, text);
}

bool disks_holds(const struct disks_model *model, size_t at, const char *text)
{
	const struct disks_row *row = &model->rows[at];
	const struct disk *disk = row->disk;

	if (row->image)
		return holds(row->image->node, text);
	if (row->partition)
		return partition_holds(row->partition, text);
	for (size_t i = 0; i < disk->partition_count; i++)
		if (partition_holds(&disk->partitions[i], text))
			return true;
	return holds(disk->node, text) || holds(disk->sg, text) || holds(disk->hctl, text) ||
	       holds(disk->identity.model, text) || holds(disk->identity.serial, text) ||
	       holds(disk->identity.wwn, text) || holds(disk->path, text) ||
	       holds(disk->by_id, text) || holds(disk->transport, text);
}

/* ---- choosing ---- */

void disks_next_destination(struct disks_model *model)
{
	struct verdict verdict;

	for (size_t i = 1; i < model->count; i++) {
		size_t at = ((size_t)model->cursor.at + i) % model->count;
		const struct disks_row *row = &model->rows[at];

		if (!row->disk || row->partition || row->disk->silent ||
		    disks_lies_on(model->source, row->disk) || disks_refuse(row, true, &verdict))
			continue;
		model->cursor.at = (int)at;
		return;
	}
}

void disks_endpoint(const struct disks_row *row, struct endpoint *ret)
{
	if (row->image)
		*ret = *row->image;
	else if (row->partition)
		endpoint_from_partition(row->disk, row->partition, ret);
	else
		endpoint_from_disk(row->disk, ret);
}

bool disks_is(const struct endpoint *endpoint, const struct disks_row *row)
{
	if (row->image)
		return endpoint == row->image;
	if (!disks_lies_on(endpoint, row->disk))
		return false;
	return endpoint->partition == (row->partition ? row->partition->number : 0);
}

bool disks_refuse(const struct disks_row *row, bool destination, struct verdict *ret)
{
	struct endpoint end;

	if (!row->disk)
		return false;
	/* It cannot be the end of a plan: there is no node to open. */
	if (row->partition && !row->partition->node[0]) {
		*ret = (struct verdict){ .kind = VERDICT_REFUSE };
		snprintf(ret->sentence, sizeof(ret->sentence),
			 _("The kernel does not know partition %u of %s: choose the disk and tick "
			   "the partition on screen 2."),
			 row->partition->number, row->disk->node);
		return true;
	}
	disks_endpoint(row, &end);
	return destination ? rules_refuse_destination(row->disk, &end, ret)
			   : rules_refuse_source(row->disk, &end, ret);
}
