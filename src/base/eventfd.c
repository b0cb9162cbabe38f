/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/eventfd.h"

#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/i18n.h"

int eventfd_new(struct error *reterr)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd >= 0)
		return fd;
	fd = -errno;
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, fd, "eventfd", "",
			 _("No file descriptor could be made: %s."), error_phrase(fd));
}

/* Neither can fail but for a full or an empty counter, and both are what is wanted. */
void eventfd_signal(int fd)
{
	uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
}

void eventfd_clear(int fd)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n;
}
