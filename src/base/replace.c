/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define NAMES_MAX 100

int file_directory(const char *path, char ret[static PATH_MAX])
{
	char copy[PATH_MAX];

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	snprintf(ret, PATH_MAX, "%s", dirname(copy));
	return 0;
}

/* A file in that directory without a name, so that a crash leaves nothing. Not every file system
 * supports this. */
static int open_nameless(const char *path, mode_t mode)
{
	char directory[PATH_MAX];
	int r = file_directory(path, directory);

	if (r == 0)
		r = open(directory, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
	return r;
}

static int link_descriptor(int fd, const char *name)
{
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Finds an unused name in the directory: anything else there belongs to somebody, and may be the
 * disk image being copied. Links fd to it or, without one, creates a new file, which is
 * returned. */
static int take_name(int fd, const char *path, mode_t mode, char beside[static PATH_MAX])
{
	int r = -1;

	for (unsigned i = 0; r < 0 && i < NAMES_MAX; i++) {
		if (snprintf(beside, PATH_MAX, "%s.%ld-%u.new", path, (long)getpid(), i) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		r = fd >= 0 ? link_descriptor(fd, beside)
			    : open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				   mode);
		if (r < 0 && errno != EEXIST)
			break;
	}
	return r < 0 ? -errno : r;
}

/* The descriptor stays the caller's. */
static int write_file(int fd, void (*fill)(FILE *file, const void *user), const void *user)
{
	CLEANUP(close) int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	CLEANUP(fclose) FILE *file = NULL;

	file = own < 0 ? NULL : fdopen(own, "w");
	if (!file)
		return -errno;
	cleanup_steal_fd(&own);
	errno = 0;
	fill(file, user);
	if (fflush(file) || ferror(file))
		return errno ? -errno : -EIO;
	if (fsync(fileno(file)) < 0)
		return -errno;
	return fclose(cleanup_steal(file)) ? -errno : 0;
}

/* -EOPNOTSUPP where the file system knows none, or nothing can give it a name (/proc is not there).
 */
static int write_nameless(const char *path, mode_t mode, void (*fill)(FILE *file, const void *user),
			  const void *user, char beside[static PATH_MAX])
{
	CLEANUP(close) int fd = open_nameless(path, mode);
	int r = fd < 0 ? -EOPNOTSUPP : write_file(fd, fill, user);

	if (r == 0 && take_name(fd, path, mode, beside) < 0)
		r = -EOPNOTSUPP;
	return r;
}

static int write_named(const char *path, mode_t mode, void (*fill)(FILE *file, const void *user),
		       const void *user, char beside[static PATH_MAX])
{
	CLEANUP(close) int fd = take_name(-1, path, mode, beside);
	int r = fd < 0 ? fd : write_file(fd, fill, user);

	if (fd >= 0 && r < 0)
		unlink(beside);
	return r;
}

int file_sync_directory(const char *path)
{
	char directory[PATH_MAX];
	CLEANUP(close) int fd = -1;

	if (file_directory(path, directory) < 0)
		return -ENAMETOOLONG;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	int r = write_nameless(path, mode, fill, user, beside);

	if (r == -EOPNOTSUPP)
		r = write_named(path, mode, fill, user, beside);
	if (r < 0)
		return r;
	if (rename(beside, path) < 0) {
		r = -errno;
		unlink(beside);
		return r;
	}
	return file_sync_directory(path);
}
