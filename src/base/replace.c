/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define NAMES_MAX 100

/* Under a name that nothing has: whatever else lies there is somebody's, and may be the disk image
 * that is being copied. */
static int open_beside(const char *path, mode_t mode, char beside[static PATH_MAX])
{
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < NAMES_MAX; i++) {
		if (snprintf(beside, PATH_MAX, "%s.%ld-%u.new", path, (long)getpid(), i) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

static int write_file(int new_fd, void (*fill)(FILE *file, const void *user), const void *user)
{
	CLEANUP(close) int fd = new_fd;
	CLEANUP(fclose) FILE *file = NULL;

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

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return -EEXIST;
	int fd = open_beside(path, mode, beside);

	if (fd < 0)
		return fd;
	int r = write_file(fd, fill, user);

	if (r == 0 && rename(beside, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(beside);
		return r;
	}
	return sync_directory(path);
}
