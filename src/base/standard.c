/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_fill(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The wrong way round; it becomes the lowest descriptor that is free, this one. */
		int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && (errno != EBADF || open("/dev/null", way) < 0))
			return -errno;
	}
	return 0;
}
