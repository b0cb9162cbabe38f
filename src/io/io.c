/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common to all backends: the size of files, and failed requests in words. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "scsi/sense.h"

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, uint64_t)
#endif

static int extend(const struct io_end *end, struct error *reterr)
{
	struct stat st;
	int code = 0;

	if (fstat(end->fd, &st) < 0) {
		code = -errno;
	} else if ((uint64_t)st.st_size < end->size && ftruncate(end->fd, (off_t)end->size) < 0) {
		code = -errno;
		/* Where there are no holes (FAT), it has taken all room that there was. */
		(void)!ftruncate(end->fd, st.st_size);
	}
	return code == 0 ? 0
			 : error_set(reterr, ERROR_CLASS_DESTINATION, code, "open", end->name,
				     _("%s cannot be made %" PRIu64 " bytes long: %s."), end->name,
				     end->size, error_phrase(code));
}

int io_open(const struct io_backend *backend, const struct io_end *end,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	/* Later lanes must not extend a file that another program has truncated meanwhile. */
	bool grows = end->regular_file && end->writable && backend != &io_null_backend &&
		     !setup->sibling;
	int r = grows ? extend(end, reterr) : 0;

	return r < 0 ? r : backend->open(backend, end, setup, ret, reterr);
}

/* The kernel refuses what is sent to another medium only until it has seen that medium. */
static bool has_other_medium(const struct io_end *end)
{
	uint64_t now;

	return end->medium && ioctl(end->fd, BLKGETDISKSEQ, &now) == 0 && now != end->medium;
}

static int refuse(const struct io_end *end, enum io_direction direction)
{
	if (has_other_medium(end))
		return -ENODEV;
	return direction == IO_WRITE && io_is_shortened(end) ? -EBADFD : 0;
}

enum io_answer io_submit(struct io_handle *handle, struct io_request *request)
{
	int r = refuse(handle->end, request->direction);

	if (r == 0)
		return handle->backend->submit(handle, request);
	request->result = r;
	request->done = 0;
	request->sense = (struct sense){ 0 };
	request->submitted = request->completed = clock_monotonic();
	return IO_DONE;
}

static int explain(const struct io_end *end, const struct io_request *request, uint64_t lba,
		   uint64_t sectors, const char *why, struct error *reterr)
{
	bool read = request->direction == IO_READ;
	uint32_t size = io_sector_size(end);
	/* Where there is one line of 80 columns for it, its end is cut: the cause comes first. */
	const char *format = read ? P_("Reading %s failed at LBA %" PRIu64 ": %s (%" PRIu64
				       " sector of %" PRIu32 " bytes).",
				       "Reading %s failed at LBA %" PRIu64 ": %s (%" PRIu64
				       " sectors of %" PRIu32 " bytes).",
				       sectors)
				  : P_("Writing %s failed at LBA %" PRIu64 ": %s (%" PRIu64
				       " sector of %" PRIu32 " bytes).",
				       "Writing %s failed at LBA %" PRIu64 ": %s (%" PRIu64
				       " sectors of %" PRIu32 " bytes).",
				       sectors);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return error_set_at(reterr, read ? ERROR_CLASS_SOURCE : ERROR_CLASS_DESTINATION,
			    request->result, read ? "read" : "write", end->name, lba, sectors,
			    format, end->name, lba, why, sectors, size);
#pragma GCC diagnostic pop
}

/* If there is no room, the advice differs from that for a bad sector. */
static int explain_full(const struct io_end *end, const struct io_request *request, uint64_t lba,
			uint64_t sectors, const char *why, struct error *reterr)
{
	const char *format =
		end->regular_file
			? _("The file system that holds %s has no room left for LBA %" PRIu64
			    " and what follows: %s. Make room, then resume.")
			: _("There is no room left behind %s for LBA %" PRIu64
			    " and what follows: %s. Its storage is thinly provisioned and used up, "
			    "or it has become smaller: enlarge that, then resume.");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return error_set_at(reterr, ERROR_CLASS_DESTINATION, request->result, "write", end->name,
			    lba, sectors, format, end->name, lba, why);
#pragma GCC diagnostic pop
}

static bool is_full(const struct io_request *request)
{
	return request->direction == IO_WRITE &&
	       (request->result == -ENOSPC || request->result == -EDQUOT);
}

/* This request is not at fault: the answers to earlier writes can no longer be trusted. */
static int explain_stale(const struct io_end *end, const struct io_request *request,
			 const char *why, struct error *reterr)
{
	const struct sense *sense = &request->sense;
	bool read = request->direction == IO_READ;
	const char *format =
		sense->deferred ? _("%s reports that a write which it had accepted earlier has "
				    "failed (%s). What was written since the last flush is not to "
				    "be trusted; resume writes it again.")
		: sense->asc == 0x29
			? _("%s was reset or lost power (%s), and with it what its write cache "
			    "held. Resume: what was written since the last flush is written again.")
			: _("%s reports that it is no longer what it was at the start (%s). Make "
			    "sure that it is the right disk, then resume.");

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return error_set(reterr, read ? ERROR_CLASS_SOURCE : ERROR_CLASS_DESTINATION,
			 request->result, read ? "read" : "write", end->name, format, end->name,
			 why);
#pragma GCC diagnostic pop
}

int io_explain(const struct io_handle *handle, const struct io_request *request,
	       struct error *reterr)
{
	const struct io_end *end = handle->end;
	const struct sense *sense = &request->sense;
	uint32_t size = io_sector_size(end);
	uint64_t first = (request->offset + request->done) / size;
	uint64_t past = (request->offset + request->length + size - 1) / size;
	char why[256];

	/* the device's sense data says more than the errno */
	if (sense->known)
		sense_text(sense, why, sizeof(why));
	else
		snprintf(why, sizeof(why), "%s", error_phrase(request->result));

	int r;

	if (is_full(request))
		r = explain_full(end, request, first, past - first, why, reterr);
	else if (request->result == -ESTALE && sense->known)
		r = explain_stale(end, request, why, reterr);
	else
		r = explain(end, request, first, past - first, why, reterr);

	if (reterr)
		reterr->sense = *sense;
	return r;
}

void io_stats_add(struct io_stats *sum, const struct io_stats *more)
{
	sum->known |= more->known;
	sum->direct += more->direct;
	sum->indirect += more->indirect;
	sum->mapped += more->mapped;
	sum->recovered += more->recovered;
	sum->retried += more->retried;
	sum->waited += more->waited;
	sum->from_medium |= more->from_medium;
}

int io_clear(const struct io_end *end, bool discard, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };
	struct stat st;
	int r;

	if (has_other_medium(end))
		return -ENODEV;
	if (fstat(end->fd, &st) < 0)
		return -errno;
	if (S_ISREG(st.st_mode)) {
		if (offset + length > (uint64_t)st.st_size)
			return -EOPNOTSUPP;
		r = fallocate(end->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			      (off_t)length);
	} else if (S_ISBLK(st.st_mode)) {
		r = ioctl(end->fd, discard ? BLKDISCARD : BLKZEROOUT, range);
	} else {
		return -EOPNOTSUPP;
	}
	return r < 0 ? -errno : 0;
}
