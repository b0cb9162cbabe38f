/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a disk or a file system can clear by itself, without data that is sent to it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "io/io.h"

int io_clear(const struct io_end *end, bool discard, uint64_t offset, uint64_t length)
{
	uint64_t range[2] = { offset, length };
	struct stat st;
	int r;

	if (fstat(end->fd, &st) < 0)
		return -errno;
	if (S_ISREG(st.st_mode)) {
		if (offset + length > (uint64_t)st.st_size)
			return -EOPNOTSUPP;
		r = fallocate(end->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			      (off_t)length);
	} else if (S_ISBLK(st.st_mode)) {
		r = ioctl(end->fd, discard ? BLKDISCARD : BLKZEROOUT, range);
	} else {
		return -EOPNOTSUPP;
	}
	return r < 0 ? -errno : 0;
}
