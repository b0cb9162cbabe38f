/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/ask.h"

#include <errno.h>

#include <scsi/sg_lib.h>

#include "base/clock.h"

#define TRIES 8 /* each takes one unit attention with it */

/* Waits for the answer, or -ETIMEDOUT: then the driver may still hold the command, but will copy
 * nothing to us, since nobody collects it. */
static int await(const struct sg_asking *asking, sg_io_hdr_t *ret)
{
	int r = -EAGAIN;

	while (r == -EAGAIN) {
		uint64_t now = clock_monotonic();

		r = now < asking->deadline ? asking->driver->wait(asking->driver, &asking->fd, 1,
								  asking->deadline - now)
					   : -ETIMEDOUT;
		if (r >= 0)
			r = asking->driver->receive(asking->driver, asking->fd, ret);
	}
	return r;
}

static int ask_once(struct sg_asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
		    size_t *retlength, enum scsi_outcome *retoutcome)
{
	sg_io_hdr_t header = scsi_header(cdb, data, length, asking->sense);
	struct sense sense;

	asking->sense_length = 0;
	int r = asking->driver->send(asking->driver, asking->fd, &header);

	if (r == 0)
		r = await(asking, &header);
	if (r < 0)
		return r;
	asking->sense_length = header.sb_len_wr;
	*retoutcome = scsi_judge(&header, &sense, &r);
	/* This is how an ATA disk refuses a command; libata's error handling examines it each
	 * time. */
	if (sense.known && !sense.deferred && sense.key == SPC_SK_ABORTED_COMMAND)
		*retoutcome = SCSI_FAILED;
	*retlength = scsi_transferred(&header);
	return r;
}

int sg_ask(struct sg_asking *asking, struct scsi_cdb *cdb, void *data, uint32_t length,
	   size_t *retlength)
{
	enum scsi_outcome outcome = SCSI_FAILED;
	int r = -EIO;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		r = ask_once(asking, cdb, data, length, retlength, &outcome);
		if (r == 0 || r == -ETIMEDOUT || outcome == SCSI_FAILED || outcome == SCSI_WAIT)
			break;
		outcome = SCSI_FAILED;
	}
	return r;
}
