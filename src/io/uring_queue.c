/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#if HAVE_LIBURING

#include "io/uring_queue.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "io/buffers.h"

#define RING_ENTRIES 64U
#define FILES_MAX    8U

/* Linux 6.3; missing in the headers of liburing 2.3. */
#ifndef IORING_FEAT_REG_REG_RING
#define IORING_FEAT_REG_REG_RING (1U << 13)
#endif

/*
 * Does the kernel hand the requests to threads of its own, because the driver (zram, FUSE) can only
 * wait for them? A read past the end tells, without asking the device for anything.
 */
static bool has_kernel_threads(const struct io_end *end)
{
	char byte;
	struct iovec piece = { &byte, 1 };

	return preadv2(end->fd, &piece, 1, (off_t)1 << 62, RWF_NOWAIT) < 0 && errno == EOPNOTSUPP;
}

/*
 * Best first. The first two leave completion work to the caller, with its warm caches. Deferred, it
 * costs one wake-up for all that a lane waits for; but who waits for each answer would be woken up
 * by the kernel's threads each time, and without that they put it into the ring themselves.
 */
static int ring_init(struct uring_queue *queue, unsigned entries, unsigned more, bool deferred)
{
	static const unsigned flags[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_R_DISABLED, /* 6.1 */
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
			IORING_SETUP_R_DISABLED, /* 5.19 */
		IORING_SETUP_R_DISABLED,         /* 5.10 */
		0,
	};
	int r = -EINVAL;

	for (size_t i = !deferred; i < ARRAY_SIZE(flags) && r == -EINVAL; i++) {
		r = io_uring_queue_init(entries, &queue->ring,
					flags[i] | more | IORING_SETUP_CLAMP);
		queue->enabled = !(flags[i] & IORING_SETUP_R_DISABLED);
	}
	return r;
}

static int unavailable(const char *device, int code, struct error *reterr)
{
	if (code == -EPERM || code == -EACCES)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", device,
				 _("io_uring is switched off on this system "
				   "(kernel.io_uring_disabled or a sandbox)."));
	if (code == -ENOSYS)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", device,
				 _("This kernel has no io_uring."));
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -EOPNOTSUPP, "open", device,
			 _("io_uring cannot be set up: %s."), error_phrase(code));
}

int uring_queue_probe(const char *device, struct error *reterr)
{
	struct uring_queue queue = { 0 };
	int r = ring_init(&queue, 2, 0, true);

	if (r < 0)
		return unavailable(device, r, reterr);
	/* A sandbox may allow a ring, and not the call that sets it going. */
	r = uring_queue_enable(&queue);
	io_uring_queue_exit(&queue.ring);
	return r < 0 ? unavailable(device, r, reterr) : 0;
}

/*
 * One entry per huge page, so that a buffer stays one segment. Kernels before
 * 6.3 cut registered buffers into small pages, which costs more (segment
 * limits) than registering saves; buffers that are not inside one huge page
 * gain nothing either. A refusal (RLIMIT_MEMLOCK) only costs speed.
 */
static void register_buffers(struct uring_queue *queue, struct io_buffers *buffers)
{
	size_t size;

	if (!buffers || !(queue->ring.features & IORING_FEAT_REG_REG_RING) ||
	    URING_PAGE % io_buffers_size(buffers) != 0)
		return;

	char *arena = io_buffers_arena(buffers, &size);
	unsigned count = (unsigned)(size / URING_PAGE);
	struct iovec *pages = calloc(count, sizeof(*pages));

	if (!pages)
		return;
	for (unsigned i = 0; i < count; i++)
		pages[i] = (struct iovec){ arena + (size_t)i * URING_PAGE, URING_PAGE };
	if (io_uring_register_buffers(&queue->ring, pages, count) == 0) {
		queue->arena = arena;
		queue->arena_size = size;
	}
	free(pages);
}

int uring_queue_add_file(struct uring_queue *queue, int fd)
{
	int fds[FILES_MAX];

	if (queue->files == FILES_MAX)
		return -1;
	if (!queue->files) {
		for (unsigned i = 0; i < FILES_MAX; i++)
			fds[i] = -1;
		if (io_uring_register_files(&queue->ring, fds, FILES_MAX) < 0)
			return -1;
	}
	if (io_uring_register_files_update(&queue->ring, queue->files, &fd, 1) != 1)
		return -1;
	return (int)queue->files++;
}

/* The kernel's threads may run where the calling one may; a refusal only costs speed. */
static void keep_threads_near(struct uring_queue *queue)
{
	cpu_set_t near;

	if (sched_getaffinity(0, sizeof(near), &near) == 0)
		io_uring_register_iowq_aff(&queue->ring, sizeof(near), &near);
}

int uring_queue_new(const struct io_end *end, const struct io_setup *setup,
		    struct uring_queue **ret, struct error *reterr)
{
	struct uring_queue *queue = calloc(1, sizeof(*queue));
	unsigned entries = setup->depth > RING_ENTRIES / 2 ? setup->depth * 2 : RING_ENTRIES;

	if (!queue) {
		error_nomem(reterr);
		return -ENOMEM;
	}

	queue->threads = setup->singly && has_kernel_threads(end);

	int r = ring_init(queue, entries, setup->polled ? IORING_SETUP_IOPOLL : 0, !queue->threads);

	if (r < 0) {
		free(queue);
		unavailable(end->name, r, reterr);
		return -EOPNOTSUPP;
	}
	queue->handles = 1;
	queue->event = -1;
	if (queue->threads)
		keep_threads_near(queue);
	if (!setup->plain)
		register_buffers(queue, setup->buffers);
	*ret = queue;
	return 0;
}

struct uring_queue *uring_queue_ref(struct uring_queue *queue)
{
	queue->handles++;
	return queue;
}

void uring_queue_unref(struct uring_queue *queue)
{
	if (--queue->handles)
		return;
	/* The kernel drops the files of a closed ring later, in a worker; until then, the devices
	 * would look open to others. */
	if (queue->files)
		io_uring_unregister_files(&queue->ring);
	io_uring_queue_exit(&queue->ring);
	fd_close(queue->event);
	free(queue);
}

int uring_queue_enable(struct uring_queue *queue)
{
	if (queue->enabled)
		return 0;

	/* liburing 2.3 declares a function for this and does not export it. */
	if (syscall(__NR_io_uring_register, queue->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL,
		    0) < 0)
		return -errno;
	queue->enabled = true;
	return 0;
}

bool uring_queue_has(const struct uring_queue *queue, const char *at)
{
	return queue->arena && at >= queue->arena && at < queue->arena + queue->arena_size;
}

/* Not the ring's own descriptor: with deferred task work, that does not wake poll(). */
int uring_queue_poll_fd(struct uring_queue *queue)
{
	if (queue->event >= 0)
		return queue->event;

	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return queue->ring.ring_fd;
	if (io_uring_register_eventfd(&queue->ring, fd) < 0) {
		close(fd);
		return queue->ring.ring_fd;
	}
	queue->event = fd;
	return fd;
}

void uring_queue_clear_event(struct uring_queue *queue)
{
	eventfd_t count;

	if (queue->event >= 0)
		eventfd_read(queue->event, &count);
}

#endif
