/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sg backend's beginning and end: is it a disk, how large are its blocks, flush its cache. */
#include "io/sg.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/sense.h"
#include "io/buffers.h"

#define VERSION_3     30000
#define READY_TRIES   100
#define READY_PAUSE   (200 * NSEC_PER_MSEC)
#define RUN_RETRIES   8
#define FLUSH_TIMEOUT 300000 /* ms: a large write cache on a slow disk */

/* Runs one command that moves at most `length` bytes to us, with retries. Returns the judged errno.
 */
static int run_command(const struct sg_backend *backend, int fd, const struct scsi_cdb *cdb,
		       void *data, uint32_t length, unsigned timeout_ms, struct sense *retsense)
{
	for (unsigned tries = 0;; tries++) {
		uint8_t sense[SCSI_SENSE_MAX];
		struct scsi_cdb copy = *cdb;
		sg_io_hdr_t header = {
			.interface_id = 'S',
			.dxfer_direction = length ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
			.cmd_len = copy.length,
			.cmdp = copy.bytes,
			.mx_sb_len = sizeof(sense),
			.sbp = sense,
			.dxfer_len = length,
			.dxferp = data,
			.timeout = timeout_ms,
		};
		int r = backend->driver->run(backend->driver, fd, &header), code;

		if (r < 0)
			return r;
		struct scsi_answer answer = {
			.status = header.status,
			.host_status = header.host_status,
			.driver_status = header.driver_status,
			.sense = sense,
			.sense_length = header.sb_len_wr,
		};
		enum scsi_outcome outcome = scsi_judge(&answer, retsense, &code);

		if (outcome == SCSI_GOOD || outcome == SCSI_RECOVERED)
			return header.resid > 0 && length ? -EPROTO : 0;
		if (outcome == SCSI_FAILED ||
		    tries >= (outcome == SCSI_WAIT ? READY_TRIES : RUN_RETRIES))
			return code;
		if (outcome == SCSI_WAIT)
			clock_sleep_until(clock_monotonic() + READY_PAUSE);
	}
}

static int explain(const struct io_target *target, const char *operation, int code,
		   const struct sense *sense, struct error *reterr)
{
	char words[256];

	if (sense->known) {
		sense_text(sense, words, sizeof(words));
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, operation, target->name,
			  _("%s (through %s) answered %s with an error: %s."), target->name,
			  target->sg, operation, words);
		if (reterr)
			reterr->sense = *sense;
		return code;
	}
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, code, operation, target->name,
			 _("%s (through %s) did not take %s: %s."), target->name, target->sg,
			 operation, error_phrase(code));
}

static int read_capacity(const struct sg_backend *backend, const struct io_target *target, int fd,
			 struct sg_handle *handle, struct error *reterr)
{
	uint8_t data[32] = { 0 };
	struct sense sense = { 0 };
	struct scsi_cdb cdb;

	scsi_cdb_read_capacity_16(sizeof(data), &cdb);
	int r = run_command(backend, fd, &cdb, data, sizeof(data), SG_TIMEOUT_MS, &sense);

	if (r == 0)
		r = scsi_parse_capacity_16(data, sizeof(data), &handle->capacity);
	handle->format.long_lba = r == 0;
	if (r < 0 && r != -ENODEV) {
		/* many USB bridges know only the short form; the block layer lives with that too */
		scsi_cdb_read_capacity_10(&cdb);
		r = run_command(backend, fd, &cdb, data, 8, SG_TIMEOUT_MS, &sense);
		if (r == 0)
			r = scsi_parse_capacity_10(data, 8, &handle->capacity);
	}
	if (r < 0)
		return explain(target, "READ CAPACITY", r, &sense, reterr);
	return 0;
}

/* What the device says of itself has to agree with what the block layer said when it was chosen. */
static int check_capacity(const struct io_target *target, const struct sg_handle *handle,
			  struct error *reterr)
{
	const struct scsi_capacity *capacity = &handle->capacity;
	uint64_t bytes, end;

	if (capacity->block_size != target->logical_sector_size)
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ESTALE, "READ CAPACITY", target->name,
			_("%s reports blocks of %u bytes through %s, but of %u bytes as a "
			  "block device: it is not the disk that was chosen, or it needs a "
			  "new scan."),
			target->name, capacity->block_size, target->sg,
			target->logical_sector_size);
	if (__builtin_mul_overflow(capacity->blocks, (uint64_t)capacity->block_size, &bytes) ||
	    __builtin_add_overflow(target->start, target->size, &end) || end > bytes)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "READ CAPACITY",
				 target->name,
				 _("%s is smaller through %s than as a block device: it is not the "
				   "disk that was chosen."),
				 target->name, target->sg);
	return 0;
}

int sg_probe(const struct io_backend *table, const struct io_target *target, struct error *reterr)
{
	const struct sg_backend *backend = (const struct sg_backend *)table;
	int version = 0;

	if (!target->sg || !*target->sg || target->sg_fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", target->name,
				 _("%s has no sg node: it is no SCSI disk, or the sg driver is not "
				   "loaded (modprobe sg)."),
				 target->name);
	int r = backend->driver->version(backend->driver, target->sg_fd, &version);

	if (r < 0 || version < VERSION_3)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", target->name,
				 _("%s does not speak version 3 of the sg interface."), target->sg);
	return 0;
}

int sg_open(const struct io_backend *table, const struct io_target *target,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	const struct sg_backend *backend = (const struct sg_backend *)table;
	struct sense sense = { 0 };
	struct scsi_cdb cdb;
	int r = sg_probe(table, target, reterr);

	if (r < 0)
		return r;
	struct sg_handle *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	handle->io = (struct io_handle){ .backend = table, .target = target };
	handle->backend = backend;
	handle->eager = true;
	handle->depth = setup->depth < SG_DRIVER_QUEUE ? setup->depth : SG_DRIVER_QUEUE;
	handle->fd = -1;
	r = backend->driver->reopen(backend->driver, target->sg_fd, &handle->fd);
	if (r < 0) {
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", target->name,
			  _("%s cannot be opened: %s."), target->sg, error_phrase(r));
		goto out;
	}

	scsi_cdb_test_unit_ready(&cdb);
	r = run_command(backend, handle->fd, &cdb, NULL, 0, SG_TIMEOUT_MS, &sense);
	if (r < 0) {
		explain(target, "TEST UNIT READY", r, &sense, reterr);
		goto out;
	}
	r = read_capacity(backend, target, handle->fd, handle, reterr);
	if (r < 0)
		goto out;
	r = check_capacity(target, handle, reterr);
	if (r < 0)
		goto out;
	handle->format.protection = handle->capacity.protection;
	handle->format.fua = backend->fua;
	handle->format.dpo = backend->dpo;
	/* a smaller buffer than wished costs speed in indirect mode, nothing else */
	if (setup->buffers)
		backend->driver->reserve(backend->driver, handle->fd,
					 io_buffers_size(setup->buffers));
	if (setup->peer) {
		handle->peer = (struct sg_handle *)setup->peer;
		handle->peer->peer = handle;
	}
	*ret = &handle->io;
	return 0;
out:
	if (handle->fd >= 0)
		backend->driver->close(backend->driver, handle->fd);
	free(handle);
	return r;
}

/* A device without a write cache may not know the command; then there is nothing to flush. The
 * kernel's sd driver judges the same way. */
int sg_flush(struct io_handle *io, struct error *reterr)
{
	const struct sg_handle *handle = (const struct sg_handle *)io;
	const struct io_target *target = io->target;
	struct sense sense = { 0 };
	struct scsi_cdb cdb;

	/* through the claim's own descriptor: the lane's queue may be full */
	scsi_cdb_synchronize_cache(handle->format.long_lba, &cdb);
	int r = run_command(handle->backend, target->sg_fd, &cdb, NULL, 0, FLUSH_TIMEOUT, &sense);

	if (r == -EOPNOTSUPP && handle->format.long_lba) {
		scsi_cdb_synchronize_cache(false, &cdb);
		r = run_command(handle->backend, target->sg_fd, &cdb, NULL, 0, FLUSH_TIMEOUT,
				&sense);
	}
	if (r == -EOPNOTSUPP)
		r = 0;
	if (r < 0) {
		explain(target, "SYNCHRONIZE CACHE", r, &sense, reterr);
		if (reterr)
			reterr->class = ERROR_CLASS_DESTINATION;
		return r;
	}
	if (target->fd >= 0 && fsync(target->fd) < 0) {
		r = -errno;
		return error_set(reterr, ERROR_CLASS_DESTINATION, r, "flush", target->name,
				 _("%s could not be flushed: %s."), target->name, error_phrase(r));
	}
	return 0;
}
