/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening and closing for the sg backend: is it a disk, and how large are its blocks? */
#include "io/sg_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "io/buffers.h"

#define VERSION_3 30000
/* Number of old unit attentions to skip: each command reports one. */
#define NEWS_TRIES 8
/* Mapped buffers of a handle without an arena. */
#define MAPPED_ALONE (1U << 20)

/* What happened to the device before we opened it does not matter. */
static int run_at_start(const struct sg_backend *backend, int fd, const struct scsi_cdb *cdb,
			void *data, uint32_t length, struct sg_result *ret)
{
	int r;

	for (unsigned tries = 0; tries < NEWS_TRIES; tries++) {
		r = sg_run(backend->driver, fd, cdb, data, length, SCSI_TIMEOUT_MS, ret);
		if (ret->outcome != SCSI_RESET && ret->outcome != SCSI_DEFERRED)
			break;
	}
	return r;
}

static int read_capacity(const struct sg_backend *backend, const struct io_end *end, int fd,
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
	handle->format.only_long = end->host_managed;
	if (r < 0 && r != -ENODEV) {
		/* many USB bridges know only the short form, and the block layer accepts that */
		scsi_cdb_read_capacity_10(&cdb);
		r = run_at_start(backend, fd, &cdb, data, 8, &result);
		if (r == 0)
			r = scsi_parse_capacity_10(data, result.transferred, &handle->capacity);
	}
	result.code = r;
	return r < 0 ? sg_explain(end, "READ CAPACITY", &result, reterr) : 0;
}

/* The device must agree with what the block layer said when it was chosen. */
static int check_capacity(const struct io_end *end, const struct sg_handle *handle,
			  struct error *reterr)
{
	const struct scsi_capacity *capacity = &handle->capacity;
	uint64_t bytes, past;

	if (capacity->block_size != end->logical_sector_size)
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ESTALE, "READ CAPACITY", end->name,
			_("%s reports blocks of %u bytes through %s, but of %u bytes as a block "
			  "device: it is not the disk that was chosen, or it needs a new scan."),
			end->name, capacity->block_size, sg_node(end), end->logical_sector_size);
	if (__builtin_mul_overflow(capacity->blocks, (uint64_t)capacity->block_size, &bytes) ||
	    __builtin_add_overflow(end->start, end->size, &past) || past > bytes)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "READ CAPACITY", end->name,
				 _("%s is smaller through %s than as a block device: it is not the "
				   "disk that was chosen."),
				 end->name, sg_node(end));
	return 0;
}

bool sg_has_node(const struct io_end *end)
{
	return end->sg && *end->sg && end->sg_fd >= 0;
}

static int probe(const struct sg_backend *backend, const struct io_end *end, int *retversion,
		 struct error *reterr)
{
	/* a stacked device would pass on the commands without its offsets */
	bool reachable =
		backend->block ? end->kind == DISK_SCSI && !end->regular_file : sg_has_node(end);

	if (!reachable)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
				 _("%s has no sg node: it is no SCSI disk, or the sg driver is not "
				   "loaded (modprobe sg)."),
				 end->name);
	int r = backend->driver->version(backend->driver, backend->block ? end->fd : end->sg_fd,
					 retversion);

	if (r < 0 || *retversion < VERSION_3)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", end->name,
				 _("%s does not speak version 3 of the sg interface."),
				 sg_node(end));
	return 0;
}

int sg_probe(const struct io_backend *table, const struct io_end *end, struct error *reterr)
{
	int version = 0;

	return probe((const struct sg_backend *)table, end, &version, reterr);
}

/* Partitions of one disk have nodes of their own. */
static bool are_one_disk(const struct io_end *one, const struct io_end *other)
{
	return one->devno && other->devno ? one->devno == other->devno
					  : strcmp(sg_node(one), sg_node(other)) == 0;
}

/* One trust for all handles on a device: those of other lanes and, if it is on it, of the other
 * end. */
static int share_trust(struct sg_handle *handle, const struct io_setup *setup, struct error *reterr)
{
	const struct sg_handle *other = (const struct sg_handle *)setup->sibling;
	const struct io_handle *source = setup->source;

	if (!other && source && source->backend->open == sg_open &&
	    are_one_disk(source->end, handle->io.end))
		other = (const struct sg_handle *)source;
	if (!other)
		return sg_trust_new(&handle->trust, reterr);
	handle->trust = sg_trust_ref(other->trust);
	return 0;
}

/* A reserved and mapped buffer for each slot. */
static int map_buffers(struct sg_handle *handle, const struct io_setup *setup, struct error *reterr)
{
	const struct io_end *end = handle->io.end;
	const struct sg_driver *driver = handle->backend->driver;
	uint32_t wanted = setup->buffers ? io_buffers_size(setup->buffers) : MAPPED_ALONE;

	for (unsigned i = 0; i < handle->port_count; i++) {
		uint32_t bytes = wanted;
		int r = driver->map(driver, handle->ports[i].fd, &bytes, &handle->ports[i].buffer);

		if (r == -ENOSPC)
			return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
					 _("The sg driver gives %s only a buffer of %u KiB to map, "
					   "but a chunk has %u KiB. Choose a smaller --chunk, or "
					   "another --sg-io."),
					 sg_node(end), bytes / 1024, wanted / 1024);
		if (r < 0)
			return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
					 _("The sg driver's buffer for %s cannot be mapped: %s. "
					   "Choose another --sg-io."),
					 sg_node(end), error_phrase(r));
		handle->mapped = wanted;
	}
	return 0;
}

static int open_ports(struct sg_handle *handle, const struct io_setup *setup, struct error *reterr)
{
	const struct io_end *end = handle->io.end;
	const struct sg_driver *driver = handle->backend->driver;
	bool mapped = handle->backend->mode == SG_DATA_MMAP;
	unsigned count = mapped ? handle->depth : 1;
	int fds[SG_PORTS_MAX];

	for (; handle->port_count < count; handle->port_count++) {
		struct sg_port *port = &handle->ports[handle->port_count];
		int r = driver->reopen(driver, handle->control_fd, &port->fd);

		if (r < 0)
			return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
					 _("%s cannot be opened: %s."), sg_node(end),
					 error_phrase(r));
		port->eager = true;
		fds[handle->port_count] = port->fd;
	}
	handle->poll_fd = handle->ports[0].fd;
	if (count > 1) {
		int r = driver->group(driver, fds, count, &handle->poll_fd);

		if (r < 0)
			return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "open", end->name,
					 _("%s cannot be opened: %s."), sg_node(end),
					 error_phrase(r));
	}
	if (mapped)
		return map_buffers(handle, setup, reterr);
	/* a smaller buffer only costs speed, in indirect mode */
	if (setup->buffers)
		driver->reserve(driver, handle->ports[0].fd, io_buffers_size(setup->buffers));
	return 0;
}

void sg_free(struct sg_handle *handle)
{
	const struct sg_driver *driver = handle->backend->driver;

	if (handle->port_count > 1 && handle->poll_fd >= 0 &&
	    handle->poll_fd != handle->ports[0].fd)
		driver->close(driver, handle->poll_fd);
	for (unsigned i = 0; i < handle->port_count; i++) {
		if (handle->ports[i].buffer)
			driver->unmap(driver, handle->ports[i].buffer, handle->mapped);
		driver->close(driver, handle->ports[i].fd);
	}
	sg_trust_unref(handle->trust);
	free(handle);
}

/* Disks that do not support FUA and DPO refuse them at the first command. */
static int choose_format(struct sg_handle *handle, struct error *reterr)
{
	const struct sg_backend *backend = handle->backend;
	const struct io_end *end = handle->io.end;

	handle->format.protection = handle->capacity.protection;
	handle->format.fua = backend->fua;
	handle->format.dpo = backend->dpo;
	if (!backend->fua && !backend->dpo && !end->from_medium)
		return 0;
	bool known = sg_knows_fua(backend->driver, handle->ports[0].fd);

	handle->format.fua_reads = end->from_medium && known;
	if (known || (!backend->fua && !backend->dpo))
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -EOPNOTSUPP, "open", end->name,
			 _("%s knows neither FUA nor DPO: leave out --sg-fua and --sg-dpo."),
			 end->name);
}

/* A command here could get the news meant for another lane's commands of the copy. */
static void take_over(const struct sg_handle *other, struct sg_handle *handle)
{
	handle->capacity = other->capacity;
	handle->format = other->format;
}

static int meet_device(struct sg_handle *handle, struct error *reterr)
{
	const struct io_end *end = handle->io.end;
	int fd = handle->ports[0].fd;
	struct sg_result result;
	struct scsi_cdb cdb;

	scsi_cdb_test_unit_ready(&cdb);
	int r = run_at_start(handle->backend, fd, &cdb, NULL, 0, &result);

	if (r < 0)
		return sg_explain(end, "TEST UNIT READY", &result, reterr);
	r = read_capacity(handle->backend, end, fd, handle, reterr);
	if (r == 0)
		r = check_capacity(end, handle, reterr);
	if (r == 0)
		r = choose_format(handle, reterr);
	return r;
}

int sg_open(const struct io_backend *table, const struct io_end *end, const struct io_setup *setup,
	    struct io_handle **ret, struct error *reterr)
{
	const struct sg_backend *backend = (const struct sg_backend *)table;
	unsigned most = table->queue_most;
	int version = 0, r = probe(backend, end, &version, reterr);

	if (r < 0)
		return r;
	struct sg_handle *handle = calloc(1, sizeof(*handle));

	if (!handle)
		return error_nomem(reterr);
	handle->io = (struct io_handle){ .backend = table, .end = end };
	handle->backend = backend;
	/* the block layer reports the version of an ancient driver */
	if (!backend->block)
		snprintf(handle->driver, sizeof(handle->driver), "%u.%u.%u",
			 (unsigned)version / 10000 % 100, (unsigned)version / 100 % 100,
			 (unsigned)version % 100);
	handle->poll_fd = -1;
	handle->control_fd = backend->block ? end->fd : end->sg_fd;
	handle->depth = setup->depth < 1 ? 1 : setup->depth < most ? setup->depth : most;
	r = share_trust(handle, setup, reterr);
	if (r == 0)
		r = open_ports(handle, setup, reterr);
	if (r == 0 && setup->sibling)
		take_over((const struct sg_handle *)setup->sibling, handle);
	else if (r == 0)
		r = meet_device(handle, reterr);
	if (r < 0) {
		sg_free(handle);
		return r;
	}
	if (setup->peer) {
		handle->peer = (struct sg_handle *)setup->peer;
		handle->peer->peer = handle;
	}
	*ret = &handle->io;
	return 0;
}
