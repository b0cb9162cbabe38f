/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smallest copy loop, see miniloop.h. */
#include "fake/miniloop.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/major.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/buffers.h"

static uint64_t queue_number(dev_t dev, const char *name)
{
	char path[128];
	unsigned long long value = 0;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s", major(dev), minor(dev), name);

	FILE *f = fopen(path, "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu", &value) != 1)
		value = 0;
	fclose(f);
	return value;
}

static void describe_block(struct io_end *end, const struct stat *st)
{
	unsigned physical = 0;
	int logical = 0;

	ioctl(end->fd, BLKGETSIZE64, &end->size);
	ioctl(end->fd, BLKSSZGET, &logical);
	ioctl(end->fd, BLKPBSZGET, &physical);
	end->logical_sector_size = (uint32_t)logical;
	end->physical_sector_size = physical;
	end->max_transfer = (uint32_t)queue_number(st->st_rdev, "max_sectors_kb") * 1024;
	end->rotational = queue_number(st->st_rdev, "rotational") ? YES : NO;
	if (major(st->st_rdev) == LOOP_MAJOR)
		end->kind = DISK_LOOP;
	else
		end->kind = DISK_OTHER;
}

int miniloop_open(const char *path, bool writable, bool direct, struct io_end *ret)
{
	struct io_end end = { .name = path, .writable = writable, .direct = direct };
	int flags = (writable ? O_RDWR : O_RDONLY) | (direct ? O_DIRECT : 0) | O_CLOEXEC;
	struct stat st;

	end.fd = open(path, flags | (writable && strncmp(path, "/dev/", 5) != 0 ? O_CREAT : 0),
		      0600);
	if (end.fd < 0)
		return -errno;
	if (fstat(end.fd, &st) < 0) {
		close(end.fd);
		return -errno;
	}
	if (S_ISBLK(st.st_mode)) {
		describe_block(&end, &st);
	} else {
		end.regular_file = true;
		end.size = (uint64_t)st.st_size;
		end.rotational = UNKNOWN;
		end.kind = DISK_OTHER;
	}
	*ret = end;
	return 0;
}

void miniloop_close(struct io_end *end)
{
	close(end->fd);
	end->fd = -1;
}

struct lane {
	const struct miniloop *loop;
	_Atomic uint64_t *cursor, *write_cursor;
	_Atomic bool *stop;
	struct io_handle *source, *destination;
	bool shared; /* one queue for both */
	struct io_buffers *buffers;
	struct io_request *requests;
	struct io_request **idle; /* a stack */
	unsigned idle_count;
	struct io_request **done; /* a stack: read, still to be written */
	unsigned done_count;
	unsigned reading, writing, read_depth, write_depth;
	int result;
	struct error error;
};

static unsigned lane_depth(uint32_t depth, uint32_t lanes)
{
	unsigned share = depth / lanes;

	return share ? share : 1;
}

static bool take(_Atomic uint64_t *cursor, const struct miniloop *loop, struct io_request *request)
{
	uint64_t at = atomic_fetch_add(cursor, loop->choice.chunk);

	if (at >= loop->length)
		return false;
	request->offset = at;
	request->length = loop->length - at < loop->choice.chunk ? (uint32_t)(loop->length - at)
								 : loop->choice.chunk;
	return true;
}

static void finished(struct lane *lane, struct io_handle *handle, struct io_request *request)
{
	if (request->result < 0) {
		if (!lane->result)
			lane->result = io_explain(handle, request, &lane->error);
		atomic_store(lane->stop, true);
		lane->idle[lane->idle_count++] = request;
		return;
	}
	if (request->direction == IO_READ && lane->loop->mode == MINILOOP_COPY)
		lane->done[lane->done_count++] = request;
	else
		lane->idle[lane->idle_count++] = request;
}

/* True when the request went out. */
static bool send(struct lane *lane, struct io_request *request, enum io_direction direction)
{
	struct io_handle *handle = direction == IO_READ ? lane->source : lane->destination;
	unsigned *count = direction == IO_READ ? &lane->reading : &lane->writing;

	request->direction = direction;
	switch (handle->backend->submit(handle, request)) {
	case IO_DONE:
		finished(lane, handle, request);
		return true;
	case IO_QUEUED:
		(*count)++;
		return true;
	case IO_BUSY:
		break;
	}
	return false;
}

static bool start_writes(struct lane *lane)
{
	bool any = false;

	while (lane->done_count && lane->writing < lane->write_depth) {
		struct io_request *request = lane->done[--lane->done_count];

		if (!send(lane, request, IO_WRITE)) {
			lane->done[lane->done_count++] = request;
			break;
		}
		any = true;
	}
	return any;
}

static bool start_fresh(struct lane *lane, enum io_direction direction)
{
	unsigned *count = direction == IO_READ ? &lane->reading : &lane->writing;
	unsigned depth = direction == IO_READ ? lane->read_depth : lane->write_depth;
	_Atomic uint64_t *cursor = direction == IO_READ ? lane->cursor : lane->write_cursor;
	bool any = false;

	while (lane->idle_count && *count < depth && !atomic_load(lane->stop)) {
		struct io_request *request = lane->idle[lane->idle_count - 1];

		if (!take(cursor, lane->loop, request))
			break;
		lane->idle_count--;
		any = true;
		if (!send(lane, request, direction)) {
			lane->result = -EBUSY; /* below its own depth a handle has room */
			atomic_store(lane->stop, true);
			break;
		}
		if (lane->loop->mode == MINILOOP_COPY && lane->done_count)
			break; /* completed in the call: write it while it is warm */
	}
	return any;
}

static bool start(struct lane *lane)
{
	enum miniloop_mode mode = lane->loop->mode;
	bool any = start_writes(lane);

	if (mode != MINILOOP_WRITE)
		any |= start_fresh(lane, IO_READ);
	if (mode == MINILOOP_WRITE || mode == MINILOOP_BOTH)
		any |= start_fresh(lane, IO_WRITE);
	return any;
}

static void reap(struct lane *lane, struct io_handle *handle, unsigned min)
{
	struct io_request *requests[64];
	int n = handle->backend->reap(handle, min, 64, UINT64_MAX, requests);

	if (n < 0) {
		lane->result = n;
		atomic_store(lane->stop, true);
		lane->reading = lane->writing = 0;
		return;
	}
	for (int i = 0; i < n; i++) {
		bool read = requests[i]->direction == IO_READ;

		if (read)
			lane->reading--;
		else
			lane->writing--;
		finished(lane, read ? lane->source : lane->destination, requests[i]);
	}
}

static void wait_for_any(struct lane *lane)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .events = POLLIN } };

	if (lane->shared || !lane->writing) {
		reap(lane, lane->source, 1);
		return;
	}
	if (!lane->reading) {
		reap(lane, lane->destination, 1);
		return;
	}
	reap(lane, lane->source, 0);
	reap(lane, lane->destination, 0);
	if (lane->done_count || lane->idle_count)
		return;
	fds[0].fd = lane->source->backend->poll_fd(lane->source);
	fds[1].fd = lane->destination->backend->poll_fd(lane->destination);
	poll(fds, 2, -1);
}

static int lane_init(struct lane *lane, unsigned buffers, struct error *reterr)
{
	const struct miniloop *loop = lane->loop;
	const struct io_choice *choice = &loop->choice;
	struct io_setup setup = { .depth = lane->read_depth };
	int r = io_buffers_new(buffers, choice->chunk, &lane->buffers, reterr);

	if (r < 0)
		return r;
	setup.buffers = lane->buffers;
	r = io_open(choice->source, &loop->source, &setup, &lane->source, reterr);
	if (r < 0)
		return r;
	setup.depth = lane->write_depth;
	lane->shared =
		choice->source == choice->destination && choice->source->traits & IO_CAN_SHARE;
	if (lane->shared)
		setup.peer = lane->source;
	r = io_open(choice->destination, &loop->destination, &setup, &lane->destination, reterr);
	if (r < 0)
		return r;
	lane->requests = calloc(buffers, sizeof(*lane->requests));
	lane->idle = calloc(buffers, sizeof(*lane->idle));
	lane->done = calloc(buffers, sizeof(*lane->done));
	if (!lane->requests || !lane->idle || !lane->done)
		return error_nomem(reterr);
	for (unsigned i = 0; i < buffers; i++) {
		lane->requests[i].buffer = io_buffers_get(lane->buffers);
		lane->idle[lane->idle_count++] = &lane->requests[i];
	}
	return 0;
}

static void lane_done(struct lane *lane)
{
	io_close(lane->destination);
	io_close(lane->source);
	io_buffers_destroy(lane->buffers);
	free(lane->requests);
	free(lane->idle);
	free(lane->done);
}

static void *lane_main(void *arg)
{
	struct lane *lane = arg;
	unsigned buffers = lane->loop->choice.buffers_per_lane;

	lane->result = lane_init(lane, lane->loop->mode == MINILOOP_BOTH ? buffers * 2 : buffers,
				 &lane->error);
	if (!lane->result) {
		for (;;) {
			bool any = start(lane);

			if (lane->reading || lane->writing)
				wait_for_any(lane);
			else if (!any)
				break;
		}
	}
	lane_done(lane);
	return NULL;
}

int miniloop_run(const struct miniloop *loop, struct error *reterr)
{
	unsigned lanes = loop->choice.lanes;
	_Atomic uint64_t cursor = 0, write_cursor = 0;
	_Atomic bool stop = false;
	struct lane *lane = calloc(lanes, sizeof(*lane));
	pthread_t *threads = calloc(lanes, sizeof(*threads));
	int r = 0;

	for (unsigned i = 0; i < lanes; i++) {
		lane[i] = (struct lane){
			.loop = loop,
			.cursor = &cursor,
			.write_cursor = &write_cursor,
			.stop = &stop,
			.read_depth = lane_depth(loop->choice.source_depth, lanes),
			.write_depth = lane_depth(loop->choice.destination_depth, lanes),
		};
		pthread_create(&threads[i], NULL, lane_main, &lane[i]);
	}
	for (unsigned i = 0; i < lanes; i++) {
		pthread_join(threads[i], NULL);
		if (!r && lane[i].result) {
			r = lane[i].result;
			if (reterr)
				*reterr = lane[i].error;
		}
	}
	if (!r && loop->mode != MINILOOP_READ) {
		struct io_handle *handle;
		struct io_setup setup = { .depth = 1 };

		r = io_open(loop->choice.destination, &loop->destination, &setup, &handle, reterr);
		if (!r) {
			r = handle->backend->flush(handle, reterr);
			io_close(handle);
		}
	}
	free(lane);
	free(threads);
	return r;
}
