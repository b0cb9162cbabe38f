/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two views of one disk made into one: what the kernel and udev know, and what
 * was just read from the disk. What was read wins; the kernel adds the nodes.
 */
#ifndef CLONEDECK_DISCOVER_MERGE_H
#define CLONEDECK_DISCOVER_MERGE_H

#include "discover/disk.h"
#include "discover/table.h"

/* Takes partitions and notes out of the table; its areas stay there. -ENOMEM. */
int merge_table(struct disk *disk, struct table *table);
/* By start, then number; for qsort(). */
int merge_compare_partitions(const void *a, const void *b);

#endif
