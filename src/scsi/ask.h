/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single questions to a disk through its sg node, with a common deadline.
 *
 * Not for a disk that is being written to by sg commands: the news of a reset comes
 * only once, with whichever command is next.
 */
#ifndef CLONEDECK_SCSI_ASK_H
#define CLONEDECK_SCSI_ASK_H

#include <stddef.h>
#include <stdint.h>

#include "scsi/commands.h"
#include "scsi/driver.h"

struct sg_asking {
	const struct sg_driver *driver;
	int fd;
	uint64_t deadline; /* monotonic ns */
	/* Of the last answer, whatever it was. */
	uint8_t sense[SCSI_SENSE_MAX];
	size_t sense_length;
};

/* Sends a command that reads at most `length` bytes (0: none, data may be NULL). Ignores news of
 * earlier resets. 0 or negative errno; -ETIMEDOUT: no answer, and there will be none to further
 * questions. */
int sg_ask(struct sg_asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
	   size_t *retlength);

#endif
