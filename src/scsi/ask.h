/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single commands to a disk, each waited for: sg_ask() queues it and gives up at a
 * deadline, sg_run() is synchronous (SG_IO) and repeats it.
 *
 * sg_ask() is not for a disk that is being written to by sg commands: it ignores a unit
 * attention, and a disk reports a reset only once, to whichever command is next.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
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

/* Has the driver no room until another command completes? */
static inline bool sg_is_full(int code)
{
	return code == -EDOM || code == -EAGAIN || code == -EBUSY || code == -ENOMEM;
}

/* The result of a synchronous command. */
struct sg_result {
	enum scsi_outcome outcome;
	int code;             /* 0 or negative errno, of the driver or by the outcome */
	uint32_t transferred; /* bytes */
	struct sense sense;
};

/* Runs a command that reads at most `length` bytes, and repeats it as long as the answer asks for
 * that. A reset or the like ends it, and is left to the caller. Returns code. */
int sg_run(const struct sg_driver *driver, int fd, const struct scsi_cdb *cdb, void *data,
	   uint32_t length, unsigned timeout_ms, struct sg_result *ret);
/* Does the disk know the bits DPO and FUA of READ and WRITE? By MODE SENSE; false: also if it does
 * not answer. */
bool sg_knows_fua(const struct sg_driver *driver, int fd);
