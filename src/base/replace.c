/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int write_file(const char *path, mode_t mode, void (*fill)(FILE *file, const void *user),
		      const void *user)
{
	CLEANUP(close) int fd = -1;
	CLEANUP(fclose) FILE *file = NULL;

	/* A leftover of a crash; O_EXCL then makes sure that no link is followed. */
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	file = fdopen(fd, "w");
	if (!file)
		return -errno;
	cleanup_steal_fd(&fd);
	errno = 0;
	fill(file, user);
	if (fflush(file) || ferror(file))
		return errno ? -errno : -EIO;
	if (fsync(fileno(file)) < 0)
		return -errno;
	return fclose(cleanup_steal(file)) ? -errno : 0;
}

static int sync_directory(const char *path)
{
	char copy[PATH_MAX];
	CLEANUP(close) int fd = -1;

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems cannot sync a directory; then there is nothing more to do. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != EROFS))
		return -errno;
	return 0;
}

int file_replace(const char *path, mode_t mode, void (*fill)(FILE *file, const void *user),
		 const void *user)
{
	char beside[PATH_MAX];
	struct stat st;

	if (snprintf(beside, sizeof(beside), "%s.new", path) >= (int)sizeof(beside))
		return -ENAMETOOLONG;
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return -EEXIST;
	int r = write_file(beside, mode, fill, user);

	if (r == 0 && rename(beside, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(beside);
		return r;
	}
	return sync_directory(path);
}
