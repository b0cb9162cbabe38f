/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/worker.h"

#define NAMES_MAX 100
/* Of the files that are made: they tell what is on the disks. */
#define MODE 0600

/* The directory that the last part of the path is in. */
static int directory_of(const char *path, char ret[static PATH_MAX])
{
	char copy[PATH_MAX];

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	snprintf(ret, PATH_MAX, "%s", dirname(copy));
	return 0;
}

/* The directory of `path`, held open: what is written lands in this one, whatever is mounted or
 * unmounted there meanwhile. */
static int open_directory(const char *path, dev_t beneath, const char **retname)
{
	char directory[PATH_MAX];
	int r = directory_of(path, directory);
	int fd CLEANUP(close) = r < 0 ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	*retname = text_base_name(path);
	if (r < 0)
		return r;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (beneath && st.st_dev == beneath)
		return -EXDEV;
	return cleanup_steal_fd(&fd);
}

dev_t file_beneath(const char *path)
{
	const char *name;
	int fd CLEANUP(close) = open_directory(path, 0, &name);
	struct stat here, above;

	if (fd < 0 || fstat(fd, &here) < 0)
		return 0;
	for (;; here = above) {
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		close(fd);
		fd = up;
		if (fd < 0 || fstat(fd, &above) < 0)
			return 0;
		if (above.st_dev != here.st_dev)
			return above.st_dev;
		if (above.st_ino == here.st_ino)
			return 0;
	}
}

/* The target of the link `path`, which does not exist: realpath() needs one that does. */
static int read_link(const char *path, char ret[static PATH_MAX])
{
	char target[PATH_MAX], directory[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	int r = length < 0 ? -errno : directory_of(path, directory);

	if (r < 0)
		return r;
	target[length] = '\0';
	if (target[0] == '/')
		snprintf(ret, PATH_MAX, "%s", target);
	else if (snprintf(ret, PATH_MAX, "%s/%s", directory, target) >= PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

static bool is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* With all links in the folder's path followed, if the folder exists. */
static int in_real_folder(const char *path, char ret[static PATH_MAX])
{
	char directory[PATH_MAX], real[PATH_MAX];
	int r = directory_of(path, directory);

	if (r < 0)
		return r;
	if (!realpath(directory, real))
		snprintf(real, sizeof(real), "%s", directory);
	if (snprintf(ret, PATH_MAX, "%s/%s", strcmp(real, "/") == 0 ? "" : real,
		     text_base_name(path)) >= PATH_MAX)
		return -ENAMETOOLONG;
	return 0;
}

static int follow(const char *path, char ret[static PATH_MAX])
{
	char here[PATH_MAX], there[PATH_MAX];
	struct stat st;
	int r = 0;

	if (stat(path, &st) == 0)
		return !S_ISREG(st.st_mode) || realpath(path, ret) ? 0 : -errno;
	if (errno != ENOENT)
		return -errno;
	snprintf(here, sizeof(here), "%s", path);
	/* A circle made stat() above fail with ELOOP. */
	while (r == 0 && is_link(here)) {
		r = read_link(here, there);
		memcpy(here, there, sizeof(here));
	}
	return r < 0 ? r : in_real_folder(here, ret);
}

int file_follow(const char *path, char *ret, size_t size)
{
	char real[PATH_MAX];
	int r = 0;

	if (snprintf(real, sizeof(real), "%s", path) >= (int)sizeof(real))
		r = -ENAMETOOLONG;
	else if (is_link(path))
		r = follow(path, real);
	if (r == 0 && strlen(real) < size) {
		snprintf(ret, size, "%s", real);
		return 0;
	}
	snprintf(ret, size, "%s", path);
	return r < 0 ? r : -ENAMETOOLONG;
}

static int link_descriptor(int fd, int directory, const char *name)
{
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, from, directory, name, AT_SYMLINK_FOLLOW);
}

/* Finds an unused name in the directory: anything else there belongs to somebody, and may be the
 * disk image being copied. Links fd to it or, without one, creates a new file, which is
 * returned. */
static int take_name(int fd, int directory, const char *name, char beside[static PATH_MAX])
{
	int r = -1;

	for (unsigned i = 0; r < 0 && i < NAMES_MAX; i++) {
		if (snprintf(beside, PATH_MAX, "%s.%ld-%u.new", name, (long)getpid(), i) >=
		    PATH_MAX)
			return -ENAMETOOLONG;
		r = fd >= 0 ? link_descriptor(fd, directory, beside)
			    : openat(directory, beside,
				     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
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

/* In a file without a name, so that a crash leaves nothing. -EOPNOTSUPP where the file system knows
 * none, or nothing can give it a name (/proc is not there). */
static int write_nameless(int directory, const char *name,
			  void (*fill)(FILE *file, const void *user), const void *user,
			  char beside[static PATH_MAX])
{
	CLEANUP(close) int fd = openat(directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, MODE);
	int r = fd < 0 ? -EOPNOTSUPP : write_file(fd, fill, user);

	if (r == 0 && take_name(fd, directory, name, beside) < 0)
		r = -EOPNOTSUPP;
	return r;
}

static int write_named(int directory, const char *name, void (*fill)(FILE *file, const void *user),
		       const void *user, char beside[static PATH_MAX])
{
	CLEANUP(close) int fd = take_name(-1, directory, name, beside);
	int r = fd < 0 ? fd : write_file(fd, fill, user);

	if (fd >= 0 && r < 0)
		unlinkat(directory, beside, 0);
	return r;
}

/* Some file systems cannot sync a directory; then there is nothing more to do. */
static int sync_directory(int fd)
{
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int file_sync_directory(const char *path)
{
	const char *name;
	CLEANUP(close) int fd = open_directory(path, 0, &name);

	return fd < 0 ? fd : sync_directory(fd);
}

static int replace(const char *path, dev_t beneath, void (*fill)(FILE *file, const void *user),
		   const void *user)
{
	char beside[PATH_MAX];
	const char *name;
	CLEANUP(close) int directory = open_directory(path, beneath, &name);
	struct stat st;

	if (directory < 0)
		return directory;
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return -EEXIST;
	int r = write_nameless(directory, name, fill, user, beside);

	if (r == -EOPNOTSUPP)
		r = write_named(directory, name, fill, user, beside);
	if (r < 0)
		return r;
	if (renameat(directory, beside, directory, name) < 0) {
		r = -errno;
		unlinkat(directory, beside, 0);
		return r;
	}
	return sync_directory(directory);
}

static int remove_file(const char *path, dev_t beneath)
{
	const char *name;
	CLEANUP(close) int directory = open_directory(path, beneath, &name);

	if (directory < 0)
		return directory == -ENOENT ? 0 : directory;
	return unlinkat(directory, name, 0) < 0 && errno != ENOENT ? -errno : 0;
}

/* ---- with a timeout ---- */

/* A buffer that doubles, as open_memstream()'s, would take twice the memory of a map with 100,000
 * areas. */
struct piece {
	struct piece *next;
	size_t length;
	char bytes[256 << 10];
};

/* Everything the worker needs, since its caller may not wait for its end. */
struct file_work {
	char *path;
	dev_t beneath;
	bool remove;
	struct piece *pieces, *last;
	int result;
};

static struct piece *add_piece(struct file_work *work)
{
	struct piece *piece = malloc(sizeof(*piece));

	if (!piece)
		return NULL;
	piece->next = NULL;
	piece->length = 0;
	if (work->last)
		work->last->next = piece;
	else
		work->pieces = piece;
	work->last = piece;
	return piece;
}

static ssize_t keep_bytes(void *cookie, const char *bytes, size_t length)
{
	struct file_work *work = cookie;

	for (size_t done = 0, some; done < length; done += some) {
		struct piece *piece = work->last;

		if (!piece || piece->length == sizeof(piece->bytes))
			piece = add_piece(work);
		if (!piece)
			return 0;
		some = length - done;
		if (some > sizeof(piece->bytes) - piece->length)
			some = sizeof(piece->bytes) - piece->length;
		memcpy(&piece->bytes[piece->length], &bytes[done], some);
		piece->length += some;
	}
	return (ssize_t)length;
}

static void put_bytes(FILE *file, const void *user)
{
	const struct file_work *work = user;

	/* replace() asks the stream whether it all went out. */
	for (const struct piece *piece = work->pieces; piece; piece = piece->next)
		(void)fwrite(piece->bytes, 1, piece->length, file);
}

static void run_work(void *data)
{
	struct file_work *work = data;

	work->result = work->remove ? remove_file(work->path, work->beneath)
				    : replace(work->path, work->beneath, put_bytes, work);
}

static void destroy_work(void *data)
{
	struct file_work *work = data;

	for (struct piece *piece = work->pieces, *next; piece; piece = next) {
		next = piece->next;
		free(piece);
	}
	free(work->path);
	free(work);
}

/* fill: NULL to remove the file. NULL: there is no memory for it. */
static struct file_work *prepare(const char *path, void (*fill)(FILE *file, const void *user),
				 const void *user)
{
	struct file_work *work = calloc(1, sizeof(*work));
	FILE *file;
	bool failed;

	if (!work)
		return NULL;
	work->path = strdup(path);
	work->remove = !fill;
	failed = !work->path;
	if (fill && !failed) {
		file = fopencookie(work, "w", (cookie_io_functions_t){ .write = keep_bytes });
		if (file)
			fill(file, user);
		failed = !file || ferror(file);
		failed |= file && fclose(file);
	}
	if (!failed)
		return work;
	destroy_work(work);
	return NULL;
}

/* If one file of a directory hangs, so do all others in it; other directories need not. */
static bool same_directory(const char *one, const char *other)
{
	char a[PATH_MAX], b[PATH_MAX];

	return directory_of(one, a) == 0 && directory_of(other, b) == 0 && strcmp(a, b) == 0;
}

static bool still_hangs(struct file_timeout *timeout, const char *path)
{
	if (!timeout->hung)
		return false;
	if (same_directory(timeout->work->path, path) &&
	    !worker_wait(timeout->hung, timeout->since + timeout->ns))
		return true;
	file_timeout_done(timeout);
	return false;
}

/* In a worker. 1: there is no memory, or no thread, for it. */
static int run_in_time(struct file_work *work, struct file_timeout *timeout)
{
	const struct worker_order order = {
		.body = run_work,
		.destroy = destroy_work,
		.data = work,
		.name = "files",
	};
	uint64_t now = clock_monotonic();
	struct worker *worker;
	int r;

	if (!work)
		return 1;
	work->beneath = timeout->beneath;
	if (worker_start(&order, &worker) < 0) {
		destroy_work(work);
		return 1;
	}
	if (!worker_wait(worker, now + timeout->ns)) {
		timeout->hung = worker;
		timeout->work = work;
		timeout->since = now;
		return -ETIMEDOUT;
	}
	r = work->result;
	worker_abandon(worker);
	return r;
}

void file_timeout_done(struct file_timeout *timeout)
{
	worker_abandon(timeout->hung);
	timeout->hung = NULL;
	timeout->work = NULL;
}

int file_replace(struct file_timeout *timeout, const char *path,
		 void (*fill)(FILE *file, const void *user), const void *user)
{
	int r = 1;

	if (timeout && still_hangs(timeout, path))
		return -ETIMEDOUT;
	if (timeout)
		r = run_in_time(prepare(path, fill, user), timeout);
	return r > 0 ? replace(path, timeout ? timeout->beneath : 0, fill, user) : r;
}

int file_remove(struct file_timeout *timeout, const char *path)
{
	int r = 1;

	if (timeout && still_hangs(timeout, path))
		return -ETIMEDOUT;
	if (timeout)
		r = run_in_time(prepare(path, NULL, NULL), timeout);
	return r > 0 ? remove_file(path, timeout ? timeout->beneath : 0) : r;
}

const char *file_phrase(int code)
{
	if (code == -ETIMEDOUT)
		return _("its disk does not answer");
	return code == -EXDEV ? _("its disk is not mounted any more") : error_phrase(code);
}

int file_open_again(int fd, int flags)
{
	char path[40];

	/* This thread may have descriptors of its own. */
	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int file_open_untrusted(const char *path, off_t most)
{
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return st.st_size > most ? -EFBIG : cleanup_steal_fd(&fd);
}

static bool is_trusted(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (st->st_uid == 0 || st->st_uid == geteuid()) &&
	       !(st->st_mode & (S_IWGRP | S_IWOTH));
}

int file_read_trusted(const char *path, char *ret, size_t size)
{
	/* A FIFO under that name must not hang the program. */
	int fd CLEANUP(close) = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	size_t used = 0;
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!is_trusted(&st))
		return -EPERM;
	while (n > 0 && used < size) {
		n = read(fd, ret + used, size - used);
		if (n < 0)
			return -errno;
		used += (size_t)n;
	}
	if (used == size)
		return -EFBIG;
	ret[used] = '\0';
	return strlen(ret) == used ? 0 : -EILSEQ;
}
