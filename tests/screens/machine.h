/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machines that we do not have, as disk lists: for screens that have to look
 * the same on every machine the tests run on.
 */
#ifndef CLONEDECK_TESTS_SCREENS_MACHINE_H
#define CLONEDECK_TESTS_SCREENS_MACHINE_H

#include "discover/disk.h"

/*
 * "rescue": SATA, SAS, USB with the running system, NVMe; two disks of one model.
 * "many": 200 disks. "hostile": names and labels that try to break the screen.
 * "crowded": two disks of 128 partitions. "silent": rescue, and sdb hangs. "unplugged": rescue
 * without sdb. "none": no disk. NULL for another name or without memory.
 */
struct disk_list *machine_make(const char *name);

#endif
