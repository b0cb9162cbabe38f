/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single questions to a disk through its sg node, none of which is waited for
 * longer than all of them together may take.
 *
 * Not for a disk that is being written to by sg commands: the news of a reset
 * is told once, to whichever command comes next.
 */
#ifndef CLONEDECK_IO_SG_ASK_H
#define CLONEDECK_IO_SG_ASK_H

#include <stddef.h>
#include <stdint.h>

#include "base/scsi.h"
#include "io/sg_driver.h"

struct sg_asking {
	const struct sg_driver *driver;
	int fd;
	uint64_t deadline; /* monotonic ns */
	/* Of the last answer, whatever it was. */
	uint8_t sense[SCSI_SENSE_MAX];
	size_t sense_length;
};

/* One command that moves at most `length` bytes to us; with 0 none, and data may be NULL. News
 * from before is passed over. 0 or negative errno; -ETIMEDOUT: no answer, and another question
 * would get none either. */
int sg_ask(struct sg_asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
	   size_t *retlength);

#endif
