/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices that vanish by themselves: detached when the last descriptor is closed, also when
 * the test that made them dies. Needs root. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LOOP_NODE_MAX 32

/* Over `file`, logical sectors of `sector_size`; flags: LO_FLAGS_DIRECT_IO and the like. Returns a
 * descriptor that keeps the device, its node's name in `node`; or -errno. */
static inline int loop_attach(int file, uint32_t sector_size, uint32_t flags,
			      char node[static LOOP_NODE_MAX])
{
	struct loop_config config = {
		.fd = (uint32_t)file,
		.block_size = sector_size,
		.info = { .lo_flags = flags | LO_FLAGS_AUTOCLEAR },
	};
	int mode = (flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC;
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);

	if (control < 0)
		return -errno;
	/* Somebody else may take the free one in between. */
	for (int i = 0; i < 20; i++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);
		int fd;

		if (number < 0)
			break;
		snprintf(node, LOOP_NODE_MAX, "/dev/loop%d", number);
		fd = open(node, mode);
		if (fd < 0)
			continue;
		if (ioctl(fd, LOOP_CONFIGURE, &config) == 0) {
			int off = 0;

			/* A node keeps BLKROSET from whoever had it before, also for who has it
			 * next: so it is never set here. The flag alone makes a disk read-only. */
			ioctl(fd, BLKROSET, &off);
			close(control);
			return fd;
		}
		close(fd);
		if (errno != EBUSY)
			break;
	}
	int code = errno ? -errno : -EBUSY;

	close(control);
	return code;
}
