/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/ask.h"

#include <scsi/sg_lib.h>

#include "base/clock.h"

#define TRIES 8 /* each takes one unit attention with it */

#define READY_TRIES  100
#define READY_PAUSE  (200 * NSEC_PER_MSEC)
#define RUN_RETRIES  8
#define RUN_TIMEOUTS 2 /* each takes a minute or more */

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

/* ---- synchronously ---- */

static int run_once(const struct sg_driver *driver, int fd, const struct scsi_cdb *cdb, void *data,
		    uint32_t length, unsigned timeout_ms, struct sg_result *ret)
{
	uint8_t sense[SCSI_SENSE_MAX];
	struct scsi_cdb copy = *cdb;
	sg_io_hdr_t header = scsi_header(&copy, data, length, sense);

	header.timeout = timeout_ms;
	*ret = (struct sg_result){ .outcome = SCSI_FAILED };
	ret->code = driver->run(driver, fd, &header);
	if (sg_is_full(ret->code))
		ret->outcome = SCSI_WAIT;
	if (ret->code < 0)
		return ret->code;
	ret->outcome = scsi_judge(&header, &ret->sense, &ret->code);
	ret->transferred = scsi_transferred(&header);
	return ret->code;
}

int sg_run(const struct sg_driver *driver, int fd, const struct scsi_cdb *cdb, void *data,
	   uint32_t length, unsigned timeout_ms, struct sg_result *ret)
{
	unsigned timeouts = 0;

	for (unsigned tries = 0;; tries++) {
		int r = run_once(driver, fd, cdb, data, length, timeout_ms, ret);
		bool wait = ret->outcome == SCSI_WAIT;

		if ((!wait && ret->outcome != SCSI_RETRY) ||
		    tries >= (wait ? READY_TRIES : RUN_RETRIES) ||
		    (r == -ETIMEDOUT && timeouts++ >= RUN_TIMEOUTS))
			return r;
		if (wait)
			clock_sleep_until(clock_monotonic() + READY_PAUSE);
	}
}

bool sg_knows_fua(const struct sg_driver *driver, int fd)
{
	bool known = false;
	int r = -EPROTO;

	for (int form = 1; form >= 0 && r < 0 && r != -ENODEV; form--) {
		uint8_t data[SCSI_MODE_MAX] = { 0 };
		struct sg_result result;
		struct scsi_cdb cdb;

		scsi_cdb_mode_sense_caching(form, &cdb);
		r = sg_run(driver, fd, &cdb, data, sizeof(data), SCSI_TIMEOUT_MS, &result);
		if (r == 0)
			r = scsi_parse_dpo_fua(form, data, result.transferred, &known);
	}
	return known;
}
