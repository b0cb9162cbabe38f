/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "after/after.h"
#include "base/cleanup.h"

#define TRIES 16

int after_loop(const struct after_disk *disk, uint64_t start, uint64_t length,
	       char node[static AFTER_NODE_MAX])
{
	CLEANUP(close) int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	const struct loop_config config = {
		.fd = (uint32_t)disk->fd,
		.block_size = disk->sector_size,
		.info = { .lo_offset = start,
			  .lo_sizelimit = length,
			  .lo_flags = LO_FLAGS_AUTOCLEAR },
	};

	if (control < 0)
		return -errno;
	/* Others look for a free one at the same time. */
	for (int i = 0; i < TRIES; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE), fd;

		if (number < 0)
			return -errno;
		snprintf(node, AFTER_NODE_MAX, "/dev/loop%d", number);
		fd = open(node, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
			return fd;
		int code = errno;

		close(fd);
		if (code != EBUSY)
			return -code;
	}
	return -EBUSY;
}
