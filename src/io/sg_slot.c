/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request of the sg backend: its command, and what to do with the answer. */
#include "io/sg_private.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

#define RETRIES_MAX 8                     /* per command; several unit attentions may be queued */
#define WAIT_STEP   (200 * NSEC_PER_MSEC) /* between tries of a device that is not ready */
#define WAIT_MAX    (60 * NSEC_PER_SEC)   /* a disk may need half of this to spin up */

#define LEAST_AT_ONCE 4096 /* bytes */
#define GROW_EVERY    64   /* requests */

static void count(uint64_t *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

static uint64_t slot_offset(const struct sg_slot *slot)
{
	return slot->request->offset + slot->request->done;
}

static const unsigned way_flags[] = {
	[SG_DATA_DIRECT] = SG_FLAG_DIRECT_IO,
	[SG_DATA_INDIRECT] = 0,
	[SG_DATA_MMAP] = SG_DRIVER_MMAP,
};

/* Builds and sends the command for the rest of the slot's request. */
static int slot_send(struct sg_handle *handle, struct sg_slot *slot)
{
	const struct io_end *end = handle->io.end;
	const struct sg_driver *driver = handle->backend->driver;
	int (*send)(const struct sg_driver *, int, sg_io_hdr_t *) =
		slot->run ? driver->run : driver->send;
	struct io_request *request = slot->request;
	uint32_t block_size = handle->capacity.block_size;
	uint64_t past, offset = slot_offset(slot);

	slot->wanted = request->length - request->done;
	if (handle->most && slot->wanted > handle->most)
		slot->wanted = handle->most;
	if (__builtin_add_overflow(offset, (uint64_t)slot->wanted, &past) || past > end->size ||
	    (end->start + offset) % block_size || slot->wanted % block_size)
		return -EINVAL;

	int r = scsi_cdb_transfer(&handle->format, request->direction == IO_WRITE,
				  (end->start + offset) / block_size, slot->wanted / block_size,
				  &slot->cdb);

	if (r < 0)
		return r;
	void *memory = (char *)request->buffer + request->done;

	if (slot->port->buffer) {
		if (slot->wanted > handle->mapped)
			return -EINVAL;
		if (request->direction == IO_WRITE)
			memcpy(slot->port->buffer, memory, slot->wanted);
		memory = NULL;
	}
	slot->header = scsi_header(&slot->cdb, memory, slot->wanted, slot->sense);
	if (request->direction == IO_WRITE)
		slot->header.dxfer_direction = SG_DXFER_TO_DEV;
	slot->header.flags = SG_DRIVER_Q_AT_TAIL | way_flags[handle->backend->mode];
	slot->header.usr_ptr = slot;
	slot->generation = sg_trust_sent(handle->trust);
	handle->io.calls++;
	r = send(driver, slot->port->fd, &slot->header);
	if (r == -EINVAL && slot->header.flags & SG_FLAG_DIRECT_IO) {
		/* too many memory segments for the adapter; fewer if copied */
		slot->header.flags &= ~(unsigned)SG_FLAG_DIRECT_IO;
		handle->io.calls++;
		r = send(driver, slot->port->fd, &slot->header);
		if (r == 0)
			count(&handle->counts.in_pieces);
	}
	if (r < 0) {
		sg_trust_answered(handle->trust, slot->generation);
		return r;
	}
	slot->on_the_way = true;
	slot->port->queued++;
	handle->queued++;
	return 0;
}

/* The driver copies through memory of its own, of which there may not be enough now, or ever. The
 * rest follows as after a short transfer. */
static bool ask_for_less(struct sg_handle *handle, const struct sg_slot *slot)
{
	uint32_t block_size = handle->capacity.block_size;
	uint32_t half = slot->wanted / 2 - slot->wanted / 2 % block_size;

	if (handle->queued > 0 || half < LEAST_AT_ONCE)
		return false;
	handle->most = half;
	return true;
}

static int slot_send_some(struct sg_handle *handle, struct sg_slot *slot)
{
	int r = slot_send(handle, slot);

	while (r == -ENOMEM && ask_for_less(handle, slot))
		r = slot_send(handle, slot);
	return r;
}

/* The end of a request. On a device that has lost data, no write succeeds any more. */
void sg_slot_complete(struct sg_handle *handle, struct sg_slot *slot, int result)
{
	struct io_request *request = slot->request;

	if (request->direction == IO_WRITE) {
		sg_trust_write_ends(handle->trust);
		if (result == 0)
			result = sg_trust_lost(handle->trust, &request->sense);
	}
	if (result == -ESTALE)
		request->done = 0;
	request->result = result;
	slot->completed = true;
	slot->not_before = 0;
}

static void slot_postpone(struct sg_handle *handle, struct sg_slot *slot, int code)
{
	uint64_t now = clock_monotonic();

	/* Sent again from reap(), which looks for the answer in the driver. */
	slot->run = false;
	if (now - slot->first_sent > WAIT_MAX)
		sg_slot_complete(handle, slot, code);
	else
		slot->not_before = now + WAIT_STEP;
}

int sg_slot_begin(struct sg_handle *handle, struct sg_slot *slot, struct io_request *request,
		  bool run)
{
	bool write = request->direction == IO_WRITE;
	/* do not read another medium, or write to a device that loses data */
	int r = sg_trust_lost(handle->trust, &request->sense);

	*slot = (struct sg_slot){
		.port = &handle->ports[(slot - handle->slots) % handle->port_count],
		.request = request,
		.run = run,
		.first_sent = request->submitted ? request->submitted : clock_monotonic(),
	};
	request->submitted = slot->first_sent;
	if (write)
		sg_trust_write_begins(handle->trust);
	/* Memory may be available again. */
	if (handle->sent % GROW_EVERY == 0)
		handle->most = handle->most > UINT32_MAX / 2 ? 0 : handle->most * 2;
	if (r == 0)
		r = slot_send_some(handle, slot);
	if (sg_is_full(r) && handle->queued == 0) {
		/* others keep the driver busy */
		slot_postpone(handle, slot, r);
		r = 0;
	}
	if (r < 0) {
		slot->request = NULL;
		if (write)
			sg_trust_write_ends(handle->trust);
	}
	return sg_is_full(r) ? -EAGAIN : r;
}

void sg_slot_resend(struct sg_handle *handle, struct sg_slot *slot)
{
	int r = slot_send_some(handle, slot);

	slot->not_before = 0;
	if (sg_is_full(r))
		slot_postpone(handle, slot, r);
	else if (r < 0)
		sg_slot_complete(handle, slot, r);
}

/* Good bytes of a failed read or write: up to the block that the device names, but never more than
 * it reports as transferred. */
static uint32_t good_prefix(const struct sg_handle *handle, const struct sg_slot *slot,
			    uint32_t transferred)
{
	const struct sense *sense = &slot->request->sense;
	uint32_t block_size = handle->capacity.block_size;
	uint64_t first = (handle->io.end->start + slot_offset(slot)) / block_size;

	if (!sense->has_lba || sense->lba < first)
		return 0;
	uint64_t blocks = sense->lba - first;

	if (blocks >= slot->wanted / block_size)
		return 0;
	uint32_t good = (uint32_t)blocks * block_size;

	return good < transferred ? good : transferred - transferred % block_size;
}

static void count_data_path(struct sg_handle *handle, const sg_io_hdr_t *header)
{
	if (handle->backend->block) /* it does not tell */
		return;
	if (handle->backend->mode == SG_DATA_MMAP)
		count(&handle->counts.mapped);
	else if ((header->info & SG_INFO_DIRECT_IO_MASK) == SG_INFO_DIRECT_IO)
		count(&handle->counts.direct);
	else
		count(&handle->counts.indirect);
}

/* Complete the entry before publishing its number. */
static void count_recovered(struct sg_handle *handle, const struct sg_slot *slot)
{
	struct sg_counts *counts = &handle->counts;
	const struct sense *sense = &slot->request->sense;
	uint32_t block_size = handle->capacity.block_size;
	uint64_t start = handle->io.end->start / block_size;

	if (counts->recovered < IO_RECOVERED_KEPT)
		counts->first[counts->recovered] = (struct io_recovered){
			.lba = sense->has_lba && sense->lba >= start
				       ? sense->lba - start
				       : slot_offset(slot) / block_size,
			.sense = *sense,
		};
	__atomic_store_n(&counts->recovered, counts->recovered + 1, __ATOMIC_RELEASE);
}

static void slot_retry(struct sg_handle *handle, struct sg_slot *slot)
{
	/* After a minute the disk was reset; whether to wait another one is for the caller to
	 * decide. */
	if (slot->request->result == -ETIMEDOUT || slot->retries++ >= RETRIES_MAX) {
		sg_slot_complete(handle, slot, slot->request->result);
		return;
	}
	count(&handle->counts.retried);
	sg_slot_resend(handle, slot);
}

static void slot_succeeded(struct sg_handle *handle, struct sg_slot *slot, uint32_t transferred)
{
	struct io_request *request = slot->request;

	transferred -= transferred % handle->capacity.block_size;
	request->done += transferred;
	if (request->done == request->length) {
		sg_slot_complete(handle, slot, 0);
	} else if (transferred == 0) {
		/* Not a sector of it, and nothing is wrong: no reason to call that sector bad. */
		request->result = -EIO;
		slot_retry(handle, slot);
	} else {
		sg_slot_resend(handle, slot);
	}
}

/* What the news in an answer means for everything written before. Writes that turn out to be
 * harmless are sent again. */
static enum scsi_outcome believe(struct sg_handle *handle, const struct sg_slot *slot,
				 enum scsi_outcome outcome)
{
	const struct io_request *request = slot->request;
	bool own = request->direction == IO_WRITE && request->done == 0;

	switch (outcome) {
	case SCSI_RESET:
		/* FUA writes are in no cache */
		if (handle->format.fua)
			return SCSI_RETRY;
		return sg_trust_reset(handle->trust, &request->sense, own) ? outcome : SCSI_RETRY;
	case SCSI_DEFERRED:
		/* another program's write, since we only read */
		if (!handle->io.end->writable)
			return SCSI_RETRY;
		sg_trust_lose(handle->trust, -ESTALE, &request->sense);
		return outcome;
	case SCSI_CHANGED:
		sg_trust_lose(handle->trust, -ESTALE, &request->sense);
		return outcome;
	default:
		return outcome;
	}
}

static void judge(struct sg_handle *handle, struct sg_slot *slot, const sg_io_hdr_t *header)
{
	struct io_request *request = slot->request;
	uint32_t transferred = scsi_transferred(header);
	int code;

	count_data_path(handle, header);
	if (slot->port->buffer && request->direction == IO_READ)
		memcpy((char *)request->buffer + request->done, slot->port->buffer, transferred);

	enum scsi_outcome outcome = scsi_judge(header, &request->sense, &code);

	request->result = code;
	outcome = believe(handle, slot, outcome);
	switch (outcome) {
	case SCSI_RECOVERED:
		count_recovered(handle, slot);
		slot_succeeded(handle, slot, transferred);
		break;
	case SCSI_GOOD:
		slot_succeeded(handle, slot, transferred);
		break;
	case SCSI_RETRY:
		slot_retry(handle, slot);
		break;
	case SCSI_WAIT:
		count(&handle->counts.waited);
		slot_postpone(handle, slot, code);
		break;
	case SCSI_FAILED:
		request->done += good_prefix(handle, slot, transferred);
		sg_slot_complete(handle, slot, code);
		break;
	case SCSI_RESET:
	case SCSI_DEFERRED:
	case SCSI_CHANGED:
		sg_slot_complete(handle, slot, code);
		break;
	}
}

void sg_slot_answered(struct sg_handle *handle, struct sg_slot *slot, const sg_io_hdr_t *header)
{
	unsigned generation = slot->generation;

	slot->on_the_way = false;
	judge(handle, slot, header);
	/* not earlier: a flush that waits for it needs its answer */
	sg_trust_answered(handle->trust, generation);
}
