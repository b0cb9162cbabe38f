/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The health of a SCSI disk from its log pages (scsi_log.h), through its sg node,
 * without any other program.
 *
 * Not for a disk that is being written to by sg commands: the news of a reset comes
 * only once, with whichever command is next. Use sg_gauge.h there.
 */
#ifndef CLONEDECK_IO_SG_HEALTH_H
#define CLONEDECK_IO_SG_HEALTH_H

#include <stdint.h>

#include "discover/disk.h"
#include "discover/health.h"
#include "io/sg_driver.h"

/* The node to ask through; "" for a disk that is not native SCSI, such as one behind a USB bridge,
 * not all of which survive every command. */
const char *sg_health_node(const struct disk *disk);

/* Waits at most `patience` ns. 0: something is known; -EOPNOTSUPP: nothing, try another way;
 * -ETIMEDOUT: the disk did not answer. Any thread that may wait. */
int sg_health_ask(const char *node, uint64_t patience, struct health *ret);
/* The same with a descriptor of the node. */
int sg_health_ask_by(const struct sg_driver *driver, int fd, uint64_t patience, struct health *ret);

#endif
