/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The accessible and the real size of an ATA disk, according to the disk itself,
 * through its sg node if that passes ATA commands (SATA, most USB bridges).
 */
#ifndef CLONEDECK_SCSI_REACH_H
#define CLONEDECK_SCSI_REACH_H

#include <stdint.h>

#include "scsi/driver.h"

struct sg_reach {
	uint64_t open;  /* accessible bytes; 0 unknown */
	uint64_t whole; /* bytes, including those hidden by its settings; 0 unknown */
};

/* Waits at most `timeout` ns. Any thread that may wait. */
void sg_reach_ask(const char *node, uint64_t timeout, struct sg_reach *ret);
/* The same with a descriptor of the node. */
void sg_reach_ask_by(const struct sg_driver *driver, int fd, uint64_t timeout,
		     struct sg_reach *ret);

#endif
