/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real sg driver. */
#include "io/sg_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static int linux_reopen(const struct sg_driver *driver, int sg_fd, int *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", sg_fd);
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
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
	struct pollfd polls[4];
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NSEC_PER_SEC),
	};

	if (count > sizeof(polls) / sizeof(polls[0]))
		return -EINVAL;
	for (unsigned i = 0; i < count; i++)
		polls[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };

	int n = ppoll(polls, count, &timeout, NULL);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -ETIMEDOUT;
	/* a detached device polls as hung up; what it still owes has to be received first */
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
	return r < 0 ? -errno : 0;
}

static void linux_close(const struct sg_driver *driver, int fd)
{
	close(fd);
}

const struct sg_driver sg_linux_driver = {
	.reopen = linux_reopen,
	.version = linux_version,
	.reserve = linux_reserve,
	.send = linux_send,
	.receive = linux_receive,
	.wait = linux_wait,
	.run = linux_run,
	.close = linux_close,
};
