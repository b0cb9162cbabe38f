/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scsi/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"

static int linux_reopen(const struct sg_driver *driver, int sg_fd, int *ret)
{
	int fd = file_open_again(sg_fd, O_RDWR | O_NONBLOCK);

	if (fd < 0)
		return fd;
	*ret = fd;
	return 0;
}

static int linux_version(const struct sg_driver *driver, int fd, int *ret)
{
	return ioctl(fd, SG_GET_VERSION_NUM, ret) < 0 ? -errno : 0;
}

static int linux_reserve(const struct sg_driver *driver, int fd, uint32_t bytes)
{
	int size = (int)bytes;

	return ioctl(fd, SG_SET_RESERVED_SIZE, &size) < 0 ? -errno : 0;
}

static int linux_map(const struct sg_driver *driver, int fd, uint32_t *bytes, void **ret)
{
	int size = (int)*bytes;

	if (ioctl(fd, SG_SET_RESERVED_SIZE, &size) < 0 ||
	    ioctl(fd, SG_GET_RESERVED_SIZE, &size) < 0)
		return -errno;
	if (size < 0 || (uint32_t)size < *bytes) {
		*bytes = size < 0 ? 0 : (uint32_t)size;
		return -ENOSPC;
	}
	void *buffer = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (buffer == MAP_FAILED)
		return -errno;
	*ret = buffer;
	return 0;
}

static void linux_unmap(const struct sg_driver *driver, void *buffer, uint32_t bytes)
{
	munmap(buffer, bytes);
}

static int linux_group(const struct sg_driver *driver, const int *fds, unsigned count, int *ret)
{
	int group = epoll_create1(EPOLL_CLOEXEC);

	if (group < 0)
		return -errno;
	for (unsigned i = 0; i < count; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(group, EPOLL_CTL_ADD, fds[i], &event) < 0) {
			int r = -errno;

			close(group);
			return r;
		}
	}
	*ret = group;
	return 0;
}

static int linux_send(const struct sg_driver *driver, int fd, sg_io_hdr_t *header)
{
	ssize_t n;

	do {
		n = write(fd, header, sizeof(*header));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int linux_receive(const struct sg_driver *driver, int fd, sg_io_hdr_t *ret)
{
	ssize_t n;

	ret->interface_id = 'S';
	do {
		n = read(fd, ret, sizeof(*ret));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n == (ssize_t)sizeof(*ret) ? 0 : -EPROTO;
}

static int linux_wait(const struct sg_driver *driver, const int *fds, unsigned count,
		      uint64_t timeout_ns)
{
	struct pollfd polls[SG_DRIVER_WAIT];
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NSEC_PER_SEC),
	};

	if (count > ARRAY_SIZE(polls))
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		polls[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };

	int n = ppoll(polls, count, &timeout, NULL);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -ETIMEDOUT;
	/* a detached device polls as hung up; receive what it still owes first */
	int ready = 0;

	for (unsigned i = 0; i < count; i++)
		if (polls[i].revents & POLLIN)
			ready |= 1 << i;
	return ready ? ready : -ENODEV;
}

static int linux_run(const struct sg_driver *driver, int fd, sg_io_hdr_t *header)
{
	int r;

	do {
		r = ioctl(fd, SG_IO, header);
	} while (r < 0 && errno == EINTR);
	/* the kernel has given up the device; a queued command would report that in its host
	 * status */
	if (r < 0 && errno == ENXIO)
		return -ENODEV;
	return r < 0 ? -errno : 0;
}

static int block_reopen(const struct sg_driver *driver, int block_fd, int *ret)
{
	int fd = fcntl(block_fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

/* The block layer maps the caller's memory and has no buffer of its own. */
static int block_reserve(const struct sg_driver *driver, int fd, uint32_t bytes)
{
	return 0;
}

static void linux_close(const struct sg_driver *driver, int fd)
{
	close(fd);
}

const struct sg_driver sg_block_driver = {
	.reopen = block_reopen,
	.version = linux_version,
	.reserve = block_reserve,
	.send = linux_run,
	.run = linux_run,
	.close = linux_close,
};

const struct sg_driver sg_linux_driver = {
	.reopen = linux_reopen,
	.version = linux_version,
	.reserve = linux_reserve,
	.map = linux_map,
	.unmap = linux_unmap,
	.group = linux_group,
	.send = linux_send,
	.receive = linux_receive,
	.wait = linux_wait,
	.run = linux_run,
	.close = linux_close,
};
