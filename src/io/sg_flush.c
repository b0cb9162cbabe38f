/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flushing for the sg backend: the device's cache, and whether to believe its answer. */
#include "io/sg_private.h"

#include <errno.h>
#include <unistd.h>

#include "base/i18n.h"
#include "scsi/sense.h"

#define FLUSH_TIMEOUT 300000 /* ms: a large write cache on a slow disk */
/* Unit attentions that do not matter, because nothing was written yet. */
#define NEWS_TRIES 8

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

/* Sends one SYNCHRONIZE CACHE. A device that was reset meanwhile has nothing left to flush, but
 * would confirm the next one. */
static int synchronize(const struct sg_handle *handle, bool long_lba, struct sg_result *result)
{
	struct scsi_cdb cdb;
	int r;

	scsi_cdb_synchronize_cache(long_lba, &cdb);
	for (unsigned tries = 0; tries < NEWS_TRIES; tries++) {
		/* through the claim's own descriptor: the lane's queue may be full */
		r = sg_run(handle->backend->driver, handle->control_fd, &cdb, NULL, 0,
			   FLUSH_TIMEOUT, result);
		if (result->outcome != SCSI_RESET ||
		    sg_trust_reset(handle->trust, &result->sense, 0))
			break;
	}
	return r;
}

/* A device without a write cache may not know the command; then there is nothing to flush. The
 * kernel's sd driver judges the same way. */
static int synchronize_any(const struct sg_handle *handle, struct sg_result *result)
{
	int r = synchronize(handle, handle->format.long_lba, result);

	if (r == -EOPNOTSUPP && handle->format.long_lba)
		r = synchronize(handle, false, result);
	return r == -EOPNOTSUPP ? 0 : r;
}

static int explain(const struct io_end *end, const struct sg_result *result, struct error *reterr)
{
	char words[256];

	if (result->code == -ESTALE && result->sense.known)
		error_set(reterr, ERROR_CLASS_DESTINATION, -ESTALE, "flush", end->name,
			  _("What was written to %s since the last good flush may not be on the "
			    "medium (%s). Resume: it is written again."),
			  end->name, sense_text(&result->sense, words, sizeof(words)));
	else
		sg_explain(end, "SYNCHRONIZE CACHE", result, reterr);
	if (reterr) {
		reterr->sense = result->sense;
		reterr->class = ERROR_CLASS_DESTINATION;
	}
	return result->code;
}

int sg_flush(struct io_handle *io, struct error *reterr)
{
	const struct sg_handle *handle = (const struct sg_handle *)io;
	const struct io_end *end = io->end;
	struct sg_result result = { 0 };

	sg_trust_flush_begin(handle->trust);
	int r = synchronize_any(handle, &result);

	r = sg_trust_flush_end(handle->trust, r, &result.sense);
	if (r < 0) {
		result.code = r;
		return explain(end, &result, reterr);
	}
	if (end->fd >= 0 && fsync(end->fd) < 0) {
		r = -errno;
		return error_set(reterr, ERROR_CLASS_DESTINATION, r, "flush", end->name,
				 _("%s could not be flushed: %s."), end->name, error_phrase(r));
	}
	return 0;
}
