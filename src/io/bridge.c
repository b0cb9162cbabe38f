/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/bridge.h"

#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "scsi/ask.h"
#include "scsi/sense.h"

/* The kernel gives its own flushes the same time. */
#define FLUSH_TIMEOUT 60000 /* ms */

/* SPC-4, 4.5.6 */
#define KEY_MEDIUM_ERROR   3
#define KEY_HARDWARE_ERROR 4

/*
 * A reset or a change of medium after the last write is reported to this
 * command only: the kernel would never notice, and go on writing. About a disk
 * that is gone, its fsync() says nothing.
 */
static bool has_lost(const struct sg_result *result)
{
	const struct sense *sense = &result->sense;

	switch (result->outcome) {
	case SCSI_RESET:
	case SCSI_DEFERRED:
	case SCSI_CHANGED:
		return true;
	default:
		return result->code == -ENODEV || result->code == -ENOMEDIUM ||
		       (sense->known &&
			(sense->key == KEY_MEDIUM_ERROR || sense->key == KEY_HARDWARE_ERROR));
	}
}

int bridge_flush(const struct sg_driver *driver, const struct io_end *end, struct error *reterr)
{
	struct sg_result result = { 0 };
	struct scsi_cdb cdb;
	char words[256];
	int r;

	if (end->regular_file || end->kind != DISK_SCSI || strcmp(end->transport, "usb") != 0)
		return 0;
	scsi_cdb_synchronize_cache(false, &cdb);
	r = sg_run(driver, end->fd, &cdb, NULL, 0, FLUSH_TIMEOUT, &result);
	if (r == 0 || !has_lost(&result))
		return 0;
	error_set(reterr, ERROR_CLASS_DESTINATION, r, "flush", end->name,
		  _("What was written to %s since the last good flush may not be on the medium "
		    "(%s). Resume: it is written again."),
		  end->name,
		  result.sense.known ? sense_text(&result.sense, words, sizeof(words))
				     : error_phrase(r));
	if (reterr)
		reterr->sense = result.sense;
	return r;
}
