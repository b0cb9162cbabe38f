/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sg backend's queue: commands out, answers in. */
#include "io/sg.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "io/sg_private.h"
#include "io/sync.h"

#define ASK_EVERY 8 /* answers before checking whether the next one is already there */
/* Drivers of memory disks run the command inside send(): when it returns, the answer is there.
 * After INSIDE_SURE such commands in a row, one system call instead of two runs each command,
 * except one in INSIDE_CHECK, to see whether the driver still answers at once. */
#define INSIDE_SURE  8
#define INSIDE_CHECK 64

static inline struct sg_handle *sg_of(struct io_handle *handle)
{
	return (struct sg_handle *)handle;
}

static struct sg_slot *free_slot(struct sg_handle *handle)
{
	for (unsigned i = 0; i < handle->depth; i++)
		if (!handle->slots[i].request)
			return &handle->slots[i];
	return NULL;
}

/* The answer is in the header of the command. */
static void answered_inside(struct sg_handle *handle, struct sg_slot *slot)
{
	sg_io_hdr_t answer = slot->header;

	slot->port->queued--;
	handle->queued--;
	/* what is sent again is queued */
	slot->run = false;
	sg_slot_answered(handle, slot, &answer);
}

/* For the only command in the driver. */
static void ask_at_once(struct sg_handle *handle, struct sg_slot *slot)
{
	const struct sg_driver *driver = handle->backend->driver;

	handle->io.calls++;
	if (driver->receive(driver, slot->port->fd, &slot->header) < 0) {
		handle->inside = 0;
		return;
	}
	handle->inside++;
	answered_inside(handle, slot);
}

static enum io_answer sg_submit(struct io_handle *io, struct io_request *request)
{
	struct sg_handle *handle = sg_of(io);
	bool sure = handle->inside >= INSIDE_SURE;
	bool check = handle->sent % INSIDE_CHECK == 0 || (handle->inside > 0 && !sure);
	struct sg_slot *slot = free_slot(handle);

	if (!slot)
		return IO_BUSY;

	request->done = 0;
	request->result = 0;
	request->sense = (struct sense){ 0 };

	int r = sg_slot_begin(handle, slot, request, sure && !check);

	if (r == -EAGAIN)
		return IO_BUSY;
	handle->sent++;
	if (r < 0) {
		request->result = r;
		request->completed = clock_monotonic();
		return IO_DONE;
	}
	if (slot->on_the_way && slot->run)
		answered_inside(handle, slot);
	else if (slot->on_the_way && check && handle->queued == 1)
		ask_at_once(handle, slot);
	if (!slot->completed) {
		handle->used++;
		return IO_QUEUED;
	}
	slot->request = NULL;
	request->completed = clock_monotonic();
	return IO_DONE;
}

/* The block node completes inside send(), so the whole request is done here. */
static enum io_answer sg_submit_now(struct io_handle *io, struct io_request *request)
{
	struct sg_handle *handle = sg_of(io);
	struct sg_slot *slot = &handle->slots[0];

	sync_begin(request);
	request->result = 0;
	int r = sg_slot_begin(handle, slot, request, false);

	if (r < 0)
		return sync_end(request, r);
	while (!slot->completed) {
		if (slot->not_before) {
			clock_sleep_until(slot->not_before);
			sg_slot_resend(handle, slot);
			continue;
		}
		answered_inside(handle, slot);
	}
	slot->request = NULL;
	request->completed = clock_monotonic();
	return IO_DONE;
}

/*
 * Receives the answer that is `ready`, and more if they are likely to be there:
 * each attempt is a system call, and most disks answer one command at a time.
 */
static int receive_port(struct sg_handle *handle, struct sg_port *port)
{
	const struct sg_driver *driver = handle->backend->driver;

	while (port->queued > 0 && (port->ready || port->eager)) {
		sg_io_hdr_t header;
		int r = driver->receive(driver, port->fd, &header);

		handle->io.calls++;
		if (r == -EAGAIN)
			port->eager = false;
		if (r < 0)
			return r == -EAGAIN ? 0 : r;
		port->queued--;
		handle->queued--;
		if (++port->answers % ASK_EVERY == 0)
			port->eager = true;
		port->ready = false;
		sg_slot_answered(handle, header.usr_ptr, &header);
	}
	return 0;
}

static int receive(struct sg_handle *handle)
{
	int r = 0;

	for (unsigned i = 0; i < handle->port_count && r == 0; i++)
		r = receive_port(handle, &handle->ports[i]);
	return r;
}

static void set_ready(struct sg_handle *handle, bool ready)
{
	for (unsigned i = 0; i < handle->port_count; i++)
		handle->ports[i].ready = ready;
}

static int receive_all(struct sg_handle *handle)
{
	for (unsigned i = 0; i < handle->port_count; i++)
		handle->ports[i].eager = true;
	return receive(handle);
}

/* The device is gone, and the driver returns no commands any more. */
static void fail_all(struct sg_handle *handle, int code)
{
	for (unsigned i = 0; i < handle->depth; i++) {
		struct sg_slot *slot = &handle->slots[i];

		if (slot->on_the_way)
			sg_trust_answered(handle->trust, slot->generation);
		slot->on_the_way = false;
		if (slot->request && !slot->completed)
			sg_slot_complete(handle, slot, code);
	}
	for (unsigned i = 0; i < handle->port_count; i++)
		handle->ports[i].queued = 0;
	handle->queued = 0;
}

/* Sends commands that have waited long enough; returns when the next one is due, 0: none. */
static uint64_t send_due(struct sg_handle *handle, uint64_t now)
{
	uint64_t next = 0;

	for (unsigned i = 0; handle->used > 0 && i < handle->depth; i++) {
		struct sg_slot *slot = &handle->slots[i];

		if (!slot->request || slot->completed || !slot->not_before)
			continue;
		if (slot->not_before <= now)
			sg_slot_resend(handle, slot);
		if (slot->not_before && (!next || slot->not_before < next))
			next = slot->not_before;
	}
	return next;
}

/* Answers received together get the same time: without a vDSO, reading the clock is a system
 * call. */
static unsigned take_completed(struct sg_handle *handle, uint64_t now, unsigned max,
			       struct io_request **ret)
{
	unsigned n = 0;

	for (unsigned i = 0; n < max && handle->used > 0 && i < handle->depth; i++) {
		struct sg_slot *slot = &handle->slots[i];

		if (!slot->request || !slot->completed)
			continue;
		slot->request->completed = now;
		ret[n++] = slot->request;
		slot->request = NULL;
		handle->used--;
	}
	return n;
}

/* Waits for the driver or for the next command that is due, at most until `deadline`. Sets
 * `ready` of the ports that have an answer. */
static int wait_for_answers(struct sg_handle *const *both, unsigned count_of, uint64_t now,
			    uint64_t deadline, uint64_t due)
{
	const struct sg_driver *driver = both[0]->backend->driver;
	uint64_t until = due && due < deadline ? due : deadline;
	struct sg_port *ports[SG_DRIVER_WAIT];
	int fds[SG_DRIVER_WAIT];
	unsigned count = 0;

	for (unsigned i = 0; i < count_of; i++) {
		set_ready(both[i], false);
		for (unsigned p = 0; p < both[i]->port_count; p++) {
			if (both[i]->ports[p].queued == 0)
				continue;
			ports[count] = &both[i]->ports[p];
			fds[count++] = both[i]->ports[p].fd;
		}
	}
	if (count == 0) {
		clock_sleep_until(until);
		return 0;
	}
	int r = driver->wait(driver, fds, count, until > now ? until - now : 0);

	both[0]->io.calls++;
	for (unsigned i = 0; r > 0 && i < count; i++)
		ports[i]->ready = r & 1 << i;
	return r == -ETIMEDOUT || r > 0 ? 0 : r;
}

/* Receives what the driver has, for both handles. */
static void receive_both(struct sg_handle *const *both, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int r = receive(both[i]);

		if (r < 0)
			fail_all(both[i], r);
	}
}

/* The queue cannot be polled: receive what is still there, and fail the rest. */
static void give_up_both(struct sg_handle *const *both, unsigned count, int code)
{
	for (unsigned i = 0; i < count; i++)
		if (receive_all(both[i]) < 0 || both[i]->queued > 0)
			fail_all(both[i], code);
}

static int sg_reap(struct io_handle *io, unsigned min, unsigned max, uint64_t timeout_ns,
		   struct io_request **ret)
{
	struct sg_handle *both[2] = { sg_of(io), sg_of(io)->peer };
	unsigned count = both[1] ? 2 : 1, n = 0;
	uint64_t deadline = 0;
	/* callers with a timeout of 0 wait elsewhere */
	bool polled = min == 0 || timeout_ns == 0;

	for (unsigned i = 0; polled && i < count; i++)
		set_ready(both[i], true);
	for (;;) {
		uint64_t now, due = 0;
		unsigned used = 0;

		receive_both(both, count);
		now = clock_monotonic();
		if (!deadline)
			deadline = timeout_ns < UINT64_MAX - now ? now + timeout_ns : UINT64_MAX;
		for (unsigned i = 0; i < count; i++) {
			uint64_t next = send_due(both[i], now);

			if (next && (!due || next < due))
				due = next;
			n += take_completed(both[i], now, max - n, ret + n);
			used += both[i]->used;
		}
		if (n >= min || n == max || now >= deadline || used == 0)
			return (int)n;

		int r = wait_for_answers(both, count, now, deadline, due);

		if (r < 0)
			give_up_both(both, count, r);
	}
}

static int sg_poll_fd(struct io_handle *io)
{
	return sg_of(io)->poll_fd;
}

/* sg cannot cancel a command that was sent; those waiting to be sent again are dropped. */
static void sg_cancel(struct io_handle *io)
{
	struct sg_handle *handle = sg_of(io);

	for (unsigned i = 0; i < handle->depth; i++) {
		struct sg_slot *slot = &handle->slots[i];

		if (slot->request && !slot->completed && slot->not_before)
			sg_slot_complete(handle, slot, -ECANCELED);
	}
}

static void sg_close(struct io_handle *io)
{
	struct sg_handle *handle = sg_of(io);
	uint64_t deadline = clock_monotonic() + (SCSI_TIMEOUT_MS + 1000) * NSEC_PER_MSEC;
	struct io_request *requests[SG_DRIVER_QUEUE];
	struct sg_handle *peer = handle->peer;

	sg_cancel(io);
	handle->peer = NULL;
	if (peer)
		peer->peer = NULL;
	/* the adapter must be done with the lane's buffers before they are freed */
	while (handle->queued > 0 && clock_monotonic() < deadline)
		sg_reap(io, 1, SG_DRIVER_QUEUE, NSEC_PER_SEC, requests);
	fail_all(handle, -ETIMEDOUT);
	sg_free(handle);
}

static void sg_stats(const struct io_handle *io, struct io_stats *ret)
{
	const struct sg_handle *handle = (const struct sg_handle *)io;
	const struct sg_counts *counts = &handle->counts;

	*ret = (struct io_stats){
		.known = true,
		.direct = __atomic_load_n(&counts->direct, __ATOMIC_RELAXED),
		.indirect = __atomic_load_n(&counts->indirect, __ATOMIC_RELAXED),
		.mapped = __atomic_load_n(&counts->mapped, __ATOMIC_RELAXED),
		.recovered = __atomic_load_n(&counts->recovered, __ATOMIC_ACQUIRE),
		.retried = __atomic_load_n(&counts->retried, __ATOMIC_RELAXED),
		.waited = __atomic_load_n(&counts->waited, __ATOMIC_RELAXED),
		.from_medium = handle->format.fua_reads,
		.first = counts->first,
	};
	memcpy(ret->driver, handle->driver, sizeof(ret->driver));
	if (!ret->indirect || handle->backend->mode != SG_DATA_DIRECT)
		return;
	if (__atomic_load_n(&counts->in_pieces, __ATOMIC_RELAXED) >= ret->indirect)
		ret->advice =
			_("The memory of some requests is in more pieces than the adapter accepts, "
			  "so the sg driver copies their data (a smaller --chunk avoids that).");
	else
		ret->advice = _("Direct IO was asked for, but the sg driver copies the data:  echo "
				"1 > /sys/module/sg/parameters/allow_dio  lets it do without.");
}

#define SG_TABLE(way)                                                                              \
	{                                                                                          \
		.name = "sg",                                                                      \
		.traits = IO_ASYNC | IO_DIRECT | IO_SENSE | IO_CAN_SHARE |                         \
			  ((way) == SG_DATA_DIRECT ? IO_WIDE : 0),                                 \
		.queue_most = (way) == SG_DATA_MMAP ? SG_PORTS_MAX : SG_DRIVER_QUEUE,              \
		.probe = sg_probe, .open = sg_open, .submit = sg_submit, .reap = sg_reap,          \
		.poll_fd = sg_poll_fd, .stats = sg_stats, .flush = sg_flush, .cancel = sg_cancel,  \
		.close = sg_close,                                                                 \
	}

void sg_backend_init(struct sg_backend *backend, const struct sg_driver *driver, enum sg_data mode)
{
	*backend = (struct sg_backend){ .io = SG_TABLE(mode), .driver = driver, .mode = mode };
}

#define SG_BLOCK_TABLE                                                                             \
	{                                                                                          \
		.name = "sg-block", .traits = IO_DIRECT | IO_SENSE, .queue_most = 1,               \
		.probe = sg_probe, .open = sg_open, .submit = sg_submit_now, .reap = sync_reap,    \
		.poll_fd = sync_poll_fd, .stats = sg_stats, .flush = sg_flush, .close = sg_close,  \
	}

#define SG_WAY(way, with_fua, with_dpo)                                                            \
	{                                                                                          \
		.io = SG_TABLE(way), .driver = &sg_linux_driver, .mode = (way), .fua = (with_fua), \
		.dpo = (with_dpo),                                                                 \
	}
#define SG_WAYS(way)                                                                               \
	{                                                                                          \
		{ SG_WAY(way, false, false), SG_WAY(way, false, true) },                           \
			{ SG_WAY(way, true, false), SG_WAY(way, true, true) },                     \
	}

const struct sg_backend *sg_backend_find(enum sg_data mode, bool fua, bool dpo)
{
	static const struct sg_backend ways[][2][2] = {
		[SG_DATA_DIRECT] = SG_WAYS(SG_DATA_DIRECT),
		[SG_DATA_INDIRECT] = SG_WAYS(SG_DATA_INDIRECT),
		[SG_DATA_MMAP] = SG_WAYS(SG_DATA_MMAP),
	};

	return &ways[mode][fua][dpo];
}

#define SG_BLOCK_WAY(with_fua, with_dpo)                                                           \
	{                                                                                          \
		.io = SG_BLOCK_TABLE, .driver = &sg_block_driver, .mode = SG_DATA_INDIRECT,        \
		.block = true, .fua = (with_fua), .dpo = (with_dpo),                               \
	}

const struct sg_backend *sg_backend_find_block(bool fua, bool dpo)
{
	static const struct sg_backend ways[2][2] = {
		{ SG_BLOCK_WAY(false, false), SG_BLOCK_WAY(false, true) },
		{ SG_BLOCK_WAY(true, false), SG_BLOCK_WAY(true, true) },
	};

	return &ways[fua][dpo];
}
