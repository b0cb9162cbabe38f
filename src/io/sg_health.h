/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A SCSI disk's word on its own health, by its log pages (scsi_log.h), through
 * its sg node: nothing has to be installed for that, and no program is started.
 *
 * Not for a disk that is being written to by sg commands: the news of a reset
 * is told once, to whichever command comes next. There is sg_gauge.h for that.
 */
#ifndef CLONEDECK_IO_SG_HEALTH_H
#define CLONEDECK_IO_SG_HEALTH_H

#include <stdint.h>

#include "discover/disk.h"
#include "discover/health.h"
#include "io/sg_driver.h"

/* The node to ask through; "" for a disk that is none of SCSI's own, such as one behind USB,
 * whose bridges do not bear every command. */
const char *sg_health_node(const struct disk *disk);

/* Waits `patience` ns at most. 0 when something is known; -EOPNOTSUPP: nothing, another way of
 * asking may do; -ETIMEDOUT: the disk did not answer. Any thread that may wait. */
int sg_health_ask(const char *node, uint64_t patience, struct health *ret);
/* The same by a descriptor of the node. */
int sg_health_ask_by(const struct sg_driver *driver, int fd, uint64_t patience, struct health *ret);

#endif
