/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of a disk from LBA 0 to its end. Two views of it are made one: what the
 * kernel and udev know, and what was just read from the disk. What was read wins; the
 * kernel adds the nodes.
 */
#pragma once

#include "discover/disk.h"
#include "discover/table.h"

/* Adds notes about partitions that overlap or reach beyond the end. -ENOMEM. */
int regions_note_problems(struct table *table, uint64_t disk_sectors);
/* Fills regions of the disk from its partitions (sorted by start) and the table's areas; a disk
 * of unknown size gets none. -ENOMEM. */
int regions_make(struct disk *disk, const struct table_area *areas, size_t area_count);

/* Takes partitions and notes out of the table; its areas stay there. -ENOMEM. */
int merge_table(struct disk *disk, struct table *table);
