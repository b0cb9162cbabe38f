/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/sg_ask.h"

#include <errno.h>

#include <scsi/sg_lib.h>

#include "base/clock.h"

#define TRIES      8     /* each takes one unit attention with it */
#define TIMEOUT_MS 60000 /* the driver's: earlier it would reset the disk for a mere question */

/* The answer, or -ETIMEDOUT: then the driver may still hold the command, but it copies nothing
 * to us any more, since nobody collects it. */
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
	struct sense sense;
	sg_io_hdr_t header = {
		.interface_id = 'S',
		.dxfer_direction = length ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = cdb->length,
		.cmdp = cdb->bytes,
		.mx_sb_len = sizeof(asking->sense),
		.sbp = asking->sense,
		.dxfer_len = length,
		.dxferp = data,
		.timeout = TIMEOUT_MS,
	};

	asking->sense_length = 0;
	int r = asking->driver->send(asking->driver, asking->fd, &header);

	if (r == 0)
		r = await(asking, &header);
	if (r < 0)
		return r;
	asking->sense_length = header.sb_len_wr;
	struct scsi_answer answer = {
		.status = header.status,
		.host_status = header.host_status,
		.driver_status = header.driver_status,
		.sense = asking->sense,
		.sense_length = header.sb_len_wr,
	};

	*retoutcome = scsi_judge(&answer, &sense, &r);
	/* So an ATA disk refuses a command, and libata's error handling looks it over each time. */
	if (sense.known && !sense.deferred && sense.key == SPC_SK_ABORTED_COMMAND)
		*retoutcome = SCSI_FAILED;
	*retlength = header.resid <= 0                 ? length
		     : (uint32_t)header.resid < length ? length - (uint32_t)header.resid
						       : 0;
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
