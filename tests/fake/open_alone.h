/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Opens a device with O_EXCL and O_RDONLY or O_RDWR. Another program that lists the disks of this
 * machine holds each of them for a moment, too: that is waited for. Returns a descriptor, or -1
 * with errno. */
static inline int open_alone(const char *node, int access)
{
	int fd = open(node, access | O_EXCL | O_CLOEXEC);

	for (int i = 0; fd < 0 && errno == EBUSY && i < 200; i++) {
		usleep(10000);
		fd = open(node, access | O_EXCL | O_CLOEXEC);
	}
	return fd;
}
