/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single synchronous commands of the sg backend: run, judge, explain. */
#include "io/sg_private.h"

#include <errno.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "scsi/sense.h"

#define READY_TRIES  100
#define READY_PAUSE  (200 * NSEC_PER_MSEC)
#define RUN_RETRIES  8
#define RUN_TIMEOUTS 2 /* each takes a minute or more */

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

int sg_read_caching(const struct sg_driver *driver, int fd, struct scsi_caching *ret)
{
	int r = -EOPNOTSUPP;

	for (int form = 1; form >= 0; form--) {
		uint8_t data[SCSI_MODE_MAX] = { 0 };
		struct sg_result result;
		struct scsi_cdb cdb;

		scsi_cdb_mode_sense_caching(form, &cdb);
		r = sg_run(driver, fd, &cdb, data, sizeof(data), SCSI_TIMEOUT_MS, &result);
		if (r == 0)
			r = scsi_parse_mode_caching(form, data, result.transferred, ret);
		if (r == 0 || r == -ENODEV)
			break;
	}
	return r;
}

int sg_explain(const struct io_end *end, const char *operation, const struct sg_result *result,
	       struct error *reterr)
{
	const struct sense *sense = &result->sense;
	char words[256];

	if (!sense->known)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, result->code, operation,
				 end->name, _("%s (through %s) did not accept %s: %s."), end->name,
				 sg_node(end), operation, error_phrase(result->code));
	sense_text(sense, words, sizeof(words));
	error_set(reterr, ERROR_CLASS_ENVIRONMENT, result->code, operation, end->name,
		  _("%s (through %s) answered %s with an error: %s."), end->name, sg_node(end),
		  operation, words);
	if (reterr)
		reterr->sense = *sense;
	return result->code;
}
