/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's view of a disk and the disk's own, made into one. */
#include "discover/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "discover/regions.h"

int merge_compare_partitions(const void *a, const void *b)
{
	const struct partition *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The kernel gives an extended partition two sectors, whatever it holds. */
static bool same_place(const struct partition *kernel, const struct partition *read)
{
	return kernel->number == read->number && kernel->start == read->start &&
	       (read->extended || kernel->sectors == read->sectors);
}

/* Gives the partition read from the disk its node; false if the kernel has none at that place. */
static bool take_node(const struct disk *disk, struct partition *read, bool *taken)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		const struct partition *kernel = &disk->partitions[i];

		if (!same_place(kernel, read))
			continue;
		text_copy(read->node, sizeof(read->node), kernel->node);
		read->devno = kernel->devno;
		/* Already read by udev. */
		if (!read->fs[0]) {
			text_copy(read->fs, sizeof(read->fs), kernel->fs);
			text_copy(read->label, sizeof(read->label), kernel->label);
			text_copy(read->uuid, sizeof(read->uuid), kernel->uuid);
		}
		taken[i] = true;
		return true;
	}
	return false;
}

static int note_left_over(const struct disk *disk, const struct partition *kernel,
			  struct table *table)
{
	return table_add_note(
		table,
		_("The kernel has %s at LBA %llu, but the partition table does not: it was "
		  "changed. Have the kernel read it again with: blockdev --rereadpt %s"),
		kernel->node, (unsigned long long)kernel->start, disk->node);
}

/* A partition that only the kernel has may be mounted: it stays in the list. */
static int keep_left_over(struct disk *disk, const bool *taken, struct table *table)
{
	for (size_t i = 0; i < disk->partition_count; i++) {
		struct partition *partitions;

		if (taken[i])
			continue;
		partitions = reallocarray(table->partitions, table->partition_count + 1,
					  sizeof(*partitions));
		if (!partitions)
			return -ENOMEM;
		table->partitions = partitions;
		partitions[table->partition_count++] = disk->partitions[i];
		if (note_left_over(disk, &disk->partitions[i], table) < 0)
			return -ENOMEM;
	}
	return 0;
}

int merge_table(struct disk *disk, struct table *table)
{
	bool *taken = calloc(disk->partition_count + 1, sizeof(*taken));
	int r = taken ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < table->partition_count; i++)
		take_node(disk, &table->partitions[i], taken);
	if (r == 0)
		r = regions_note_problems(table, disk_sectors(disk));
	if (r == 0)
		r = keep_left_over(disk, taken, table);
	free(taken);
	if (r < 0)
		return r;
	free(disk->partitions);
	disk->partitions = table->partitions;
	disk->partition_count = table->partition_count;
	disk->notes = table->notes;
	disk->note_count = table->note_count;
	table->partitions = NULL;
	table->partition_count = 0;
	table->notes = NULL;
	table->note_count = 0;
	text_copy(disk->table, sizeof(disk->table), table->type);
	text_copy(disk->table_uuid, sizeof(disk->table_uuid), table->uuid);
	text_copy(disk->whole_fs, sizeof(disk->whole_fs), table->whole_fs);
	text_copy(disk->whole_label, sizeof(disk->whole_label), table->whole_label);
	memcpy(disk->signatures, table->signatures, sizeof(disk->signatures));
	disk->signature_count = table->signature_count;
	return 0;
}
