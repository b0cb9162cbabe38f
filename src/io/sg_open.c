/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sg backend's beginning and end: is it a disk, how large are its blocks. */
#include "io/sg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "io/buffers.h"

#define VERSION_3 30000
/* Of unit attentions from before we came: each command takes one with it. */
#define NEWS_TRIES 8

/* What happened to the device before it was ours to write to concerns nobody any more. */
static int run_at_start(const struct sg_backend *backend, int fd, const struct scsi_cdb *cdb,
			void *data, uint32_t length, struct sg_result *ret)
{
	int r;

	for (unsigned tries = 0; tries < NEWS_TRIES; tries++) {
		r = sg_run(backend->driver, fd, cdb, data, length, SG_TIMEOUT_MS, ret);
		if (ret->outcome != SCSI_RESET && ret->outcome != SCSI_DEFERRED)
			break;
	}
	return r;
}

static int read_capacity(const struct sg_backend *backend, const struct io_target *target, int fd,
			 struct sg_handle *handle, struct error *reterr)
{
	uint8_t data[32] = { 0 };
	struct sg_result result;
	struct scsi_cdb cdb;

	scsi_cdb_read_capacity_16(sizeof(data), &cdb);
	int r = run_at_start(backend, fd, &cdb, data, sizeof(data), &result);

	if (r == 0)
		r = scsi_parse_capacity_16(data, result.transferred, &handle->capacity);
	handle->format.long_lba = r == 0;
	if (r < 0 && r != -ENODEV) {
		/* many USB bridges know only the short form; the block layer lives with that too */
		scsi_cdb_read_capacity_10(&cdb);
		r = run_at_start(backend, fd, &cdb, data, 8, &result);
		if (r == 0)
			r = scsi_parse_capacity_10(data, result.transferred, &handle->capacity);
	}
	result.code = r;
	return r < 0 ? sg_explain(target, "READ CAPACITY", &result, reterr) : 0;
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

/* One for all handles on a device: of other lanes, and of the other end when that is on it, too. */
static int share_trust(struct sg_handle *handle, const struct io_setup *setup, struct error *reterr)
{
	const struct sg_handle *other = (const struct sg_handle *)setup->sibling;
	const struct sg_handle *peer = (const struct sg_handle *)setup->peer;

	if (!other && peer && strcmp(peer->io.target->sg, handle->io.target->sg) == 0)
		other = peer;
	if (!other)
		return sg_trust_new(&handle->trust, reterr);
	handle->trust = sg_trust_ref(other->trust);
	return 0;
}

int sg_open(const struct io_backend *table, const struct io_target *target,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	const struct sg_backend *backend = (const struct sg_backend *)table;
	struct sg_result result;
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
	r = share_trust(handle, setup, reterr);
	if (r < 0)
		goto out;
	r = backend->driver->reopen(backend->driver, target->sg_fd, &handle->fd);
	if (r < 0) {
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", target->name,
			  _("%s cannot be opened: %s."), target->sg, error_phrase(r));
		goto out;
	}

	scsi_cdb_test_unit_ready(&cdb);
	r = run_at_start(backend, handle->fd, &cdb, NULL, 0, &result);
	if (r < 0) {
		sg_explain(target, "TEST UNIT READY", &result, reterr);
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
	sg_trust_unref(handle->trust);
	free(handle);
	return r;
}
