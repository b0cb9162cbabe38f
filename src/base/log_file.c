/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* A file system that is gone may have come back, and be mounted in its place: then the name leads
 * to the file, and the old descriptor to nothing. Somebody else's file is never taken for ours. */
static int open_again(struct log_file *file)
{
	int flags = LOG_FILE_FLAGS | (file->fd < 0 ? O_CREAT | O_EXCL : 0);
	int fd CLEANUP(close) = open(file->path, flags, 0600);
	struct stat status;

	if (fd < 0)
		return file->fd < 0 ? -errno : 0;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = cleanup_steal_fd(&fd);
	return 0;
}

/* What is behind the last sync may be lines, holes or half of both; nobody but us has written it
 * unless the file is longer than we made it. */
static int cut_off(struct log_file *file)
{
	struct stat status;

	if (fstat(file->fd, &status) < 0)
		return -errno;
	if (status.st_size > file->safe && status.st_size <= file->reached) {
		if (ftruncate(file->fd, file->safe) < 0)
			return -errno;
	} else if (status.st_size != file->safe) {
		file->safe = status.st_size;
		file->open_end = status.st_size > 0;
	}
	file->end = file->safe;
	if (file->reached < file->end)
		file->reached = file->end;
	return 0;
}

static int mend(struct log_file *file)
{
	int r = 0;

	if (file->fd < 0 || file->in_doubt)
		r = open_again(file);
	if (r == 0 && file->in_doubt)
		r = cut_off(file);
	file->in_doubt = r < 0;
	return r;
}

/* A part of it is not counted as written. */
static int put(struct log_file *file, const char *text, size_t length)
{
	size_t done = 0;
	int r = 0;

	while (done < length && r == 0) {
		ssize_t n = write(file->fd, text + done, length - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			r = n < 0 ? -errno : -EIO;
	}
	if (file->reached < file->end + (off_t)done)
		file->reached = file->end + (off_t)done;
	if (r == 0)
		file->end += (off_t)length;
	return r;
}

int log_file_write(struct log_file *file, const char *line, size_t length)
{
	int r = mend(file);

	if (r == 0 && file->open_end && file->end == file->safe)
		r = put(file, "\n", 1);
	if (r == 0)
		r = put(file, line, length);
	file->in_doubt = r < 0;
	return r;
}

int log_file_sync(struct log_file *file)
{
	if (file->fd < 0)
		return -ENOENT;
	if (fdatasync(file->fd) < 0) {
		/* The next one may say that all is well: this is told once, and what was not taken
		 * is not tried again. */
		file->end = file->safe;
		file->in_doubt = true;
		return -errno;
	}
	if (file->end > file->safe)
		file->open_end = false;
	file->safe = file->end;
	if (!file->in_doubt)
		file->reached = file->end;
	/* Once; a name that was taken away meanwhile does not make what is written less safe. */
	if (!file->named)
		(void)file_sync_directory(file->path);
	file->named = true;
	return 0;
}

void log_file_close(struct log_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}
