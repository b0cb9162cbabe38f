/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of an ATA disk can be reached, and how much of it there is: asked
 * of the disk itself, through its sg node, where ATA commands get through (SATA,
 * most USB bridges).
 */
#ifndef CLONEDECK_IO_SG_REACH_H
#define CLONEDECK_IO_SG_REACH_H

#include <stdint.h>

#include "discover/disk.h"
#include "io/sg_driver.h"

struct sg_reach {
	uint64_t open;  /* bytes that the disk lets others reach; 0 unknown */
	uint64_t whole; /* bytes that there are, with what its settings hide; 0 unknown */
};

/* The node to ask through; "" for a disk that is not to be asked. */
const char *sg_reach_node(const struct disk *disk);

/* Waits `patience` ns at most. Any thread that may wait. What is not told is unknown. */
void sg_reach_ask(const char *node, uint64_t patience, struct sg_reach *ret);
/* The same by a descriptor of the node. */
void sg_reach_ask_by(const struct sg_driver *driver, int fd, uint64_t patience,
		     struct sg_reach *ret);

#endif
