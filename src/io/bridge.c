/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/bridge.h"

#include <string.h>

#include "base/i18n.h"
#include "base/sense.h"
#include "io/sg_parts.h"

/* As long as the kernel gives its own flushes. */
#define FLUSH_TIMEOUT 60000 /* ms */
/* Unit attentions: each is told once. */
#define NEWS_TRIES 8

/* SPC-4, 4.5.6 */
#define KEY_MEDIUM_ERROR   3
#define KEY_HARDWARE_ERROR 4

static bool has_lost(const struct sense *sense)
{
	return sense->known && (sense->deferred || sense->key == KEY_MEDIUM_ERROR ||
				sense->key == KEY_HARDWARE_ERROR);
}

int bridge_flush(const struct sg_driver *driver, const struct io_end *end, struct error *reterr)
{
	struct sg_result result = { 0 };
	struct scsi_cdb cdb;
	char words[256];
	int r = 0;

	if (end->regular_file || end->kind != DISK_SCSI || strcmp(end->transport, "usb") != 0)
		return 0;
	scsi_cdb_synchronize_cache(false, &cdb);
	for (unsigned tries = 0; tries < NEWS_TRIES; tries++) {
		r = sg_run(driver, end->fd, &cdb, NULL, 0, FLUSH_TIMEOUT, &result);
		if (result.outcome != SCSI_RESET && result.outcome != SCSI_CHANGED)
			break;
	}
	if (r == 0 || !has_lost(&result.sense))
		return 0;
	error_set(reterr, ERROR_CLASS_DESTINATION, r, "flush", end->name,
		  _("What was written to %s since the last good flush may not be on the medium "
		    "(%s). Resume: it is written again."),
		  end->name, sense_text(&result.sense, words, sizeof(words)));
	if (reterr)
		reterr->sense = result.sense;
	return r;
}
