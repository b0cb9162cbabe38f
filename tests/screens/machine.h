/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines that we do not have, as disk lists: for screens that have to look
 * the same on every machine the tests run on.
 */
#pragma once

#include "discover/disk.h"
#include "health/health.h"
#include "layout/arrange.h"
#include "plan/plan.h"
#include "report/past_copy.h"

/*
 * "rescue": SATA, SAS, USB with the running system, NVMe; two disks of one model.
 * "many": 200 disks. "hostile": names and labels that try to break the screen.
 * "crowded": two disks of 128 partitions. "silent": rescue, and sdb hangs. "unplugged": rescue
 * without sdb. "reattached": rescue, where sda was away. "none": no disk. NULL for another name or
 * without memory.
 */
struct disk_list *machine_make(const char *name);
/* What a disk of them answers; the copies that were made there; the table that a source gets. */
void machine_health(const struct disk *disk, struct health *ret);
const struct past_copy *machine_past(size_t *retcount);
void machine_table(const struct disk *source, const struct plan *plan, struct layout_table *table);
