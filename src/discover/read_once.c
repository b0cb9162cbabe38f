/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "discover/read_once.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define ALIGNMENT    4096
#define FAILURES_MAX 2

void once_open(struct once *once, int fd)
{
	*once = (struct once){
		.fd = fd,
		.direct = file_open_again(fd, O_RDONLY | O_DIRECT | O_NONBLOCK),
	};
}

void once_close(struct once *once)
{
	fd_close(once->direct);
	once->direct = -1;
}

static int read_all(int fd, uint64_t offset, uint64_t length, char *to)
{
	for (uint64_t done = 0; done < length;) {
		ssize_t n = pread(fd, to + done, length - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ERANGE;
		done += (uint64_t)n;
	}
	return 0;
}

/* Drivers report a bad sector with different errors. */
static bool is_failure(int code)
{
	return code < 0 && code != -EINVAL && code != -ENOMEM && code != -ERANGE;
}

/* -EINVAL: not past the page cache. */
static int read_direct(struct once *once, uint64_t offset, uint64_t length, void *to)
{
	CLEANUP(free) void *buffer = NULL;
	int r = once->direct < 0 ? -EINVAL : 0;

	if (r == 0 && posix_memalign(&buffer, ALIGNMENT, length) != 0)
		return -ENOMEM;
	if (r == 0)
		r = read_all(once->direct, offset, length, buffer);
	if (r == 0 && to)
		memcpy(to, buffer, length);
	return r;
}

static bool is_spared(const struct once *once, uint64_t offset, uint64_t length)
{
	return once->failures >= FAILURES_MAX ||
	       (once->failures && offset < once->bad_end && offset + length > once->bad);
}

static void count(struct once *once, int code, uint64_t offset, uint64_t length)
{
	if (!is_failure(code))
		return;
	if (once->failures++)
		return;
	once->bad = offset;
	once->bad_end = offset + length;
}

int once_read(struct once *once, uint64_t offset, uint64_t length, void *to)
{
	int r;

	if (is_spared(once, offset, length))
		return -EIO;
	r = read_direct(once, offset, length, to);
	if (r == -EINVAL)
		r = read_all(once->fd, offset, length, to);
	count(once, r, offset, length);
	return r;
}

bool once_try(struct once *once, uint64_t offset, uint64_t length)
{
	int r;

	if (is_spared(once, offset, length))
		return false;
	r = read_direct(once, offset, length, NULL);
	count(once, r, offset, length);
	return !is_failure(r);
}
