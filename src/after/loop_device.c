/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "after/loop_device.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define TRIES 16                   /* others look for a free one at the same time */
#define PAUSE (20 * NSEC_PER_MSEC) /* udev looks at one that was just detached */

/* An overlay over a tmpfs, as live systems have it, takes the flag and refuses each request then.
 */
static void check_direct(int loop)
{
	char byte;

	if (pread(loop, &byte, 1, 0) != 1)
		ioctl(loop, LOOP_SET_DIRECT_IO, 0UL);
}

static int configure(int loop, int file, const struct loop_window *window)
{
	struct loop_config config = {
		.fd = (uint32_t)file,
		.block_size = window->sector_size,
		.info = { .lo_offset = window->start,
			  .lo_sizelimit = window->length,
			  .lo_flags = LO_FLAGS_AUTOCLEAR },
	};

	if (window->direct)
		config.info.lo_flags |= LO_FLAGS_DIRECT_IO;
	if (ioctl(loop, LOOP_CONFIGURE, &config) == 0) {
		if (window->direct)
			check_direct(loop);
		return 0;
	}
	config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
	return window->direct && errno == EINVAL && ioctl(loop, LOOP_CONFIGURE, &config) == 0
		       ? 0
		       : -errno;
}

int loop_attach(int file, const struct loop_window *window, char node[static LOOP_NODE_MAX])
{
	CLEANUP(close) int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (control < 0)
		return -errno;
	for (int i = 0; i < TRIES; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE), fd, r;

		if (number < 0)
			return -errno;
		snprintf(node, LOOP_NODE_MAX, "/dev/loop%d", number);
		fd = open(node, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		/* Before there is anything to be seen on it. */
		if (window->locked && flock(fd, LOCK_EX | LOCK_NB) < 0) {
			clock_sleep_until(clock_monotonic() + PAUSE);
			close(fd);
			continue;
		}
		r = configure(fd, file, window);
		if (r == 0) {
			int off = 0;

			/* The node stays read-only after someone who had it before made it so. */
			ioctl(fd, BLKROSET, &off);
			return fd;
		}
		close(fd);
		if (r != -EBUSY)
			return r;
	}
	return -EBUSY;
}
