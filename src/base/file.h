/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replacing a file so that at any moment, power cut included, a complete one
 * has its name: written beside it, synced, renamed, and the directory synced. What
 * is being written has no name (O_TMPFILE) until it is complete, so a crash leaves
 * nothing; on file systems that know no such files (FAT, NFS), and for the moment
 * before it is renamed, it is "NAME.PID-N.new", a name that nothing had. That one
 * is never read, and nobody removes it after a crash: it might be somebody else's.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/clock.h"

struct worker;

/* How long log, map and report wait for their disk, in ns: a healthy one, however busy, has
 * answered by then. */
#define TIMEOUT_DURING_COPY (10 * NSEC_PER_SEC)
#define TIMEOUT_AT_END      (30 * NSEC_PER_SEC)

/*
 * How long to wait for the disk of a file. A worker (base/worker.h) does the writing
 * and is abandoned when it takes longer: the answer is -ETIMEDOUT, and so it is at
 * once for every other file of that directory until the worker has ended. Where there
 * is no memory or no thread for that, the caller's own thread waits. One thread's at
 * a time; NULL in its place waits for ever.
 */
struct file_timeout {
	uint64_t ns;   /* from the moment on that a file is begun */
	dev_t beneath; /* the directory must not be on this file system (file_beneath()); 0: any */
	/* Zero at first: */
	struct worker *hung;    /* NULL: nothing hangs */
	struct file_work *work; /* what it is at */
	uint64_t since;         /* monotonic ns: when that was begun */
};

/* Abandons what still hangs. */
void file_timeout_done(struct file_timeout *timeout);

/*
 * fill() writes the contents; an error of the stream is noticed here. Only the user
 * may read the new file. 0 or a negative errno: -EEXIST when the
 * name belongs to something that is not a regular file (a device, a link, a
 * directory), which is left as it is; -EXDEV when the directory is on the file
 * system `beneath` by now; -ETIMEDOUT. Only where the directory could not be synced
 * has the file been replaced all the same.
 */
int file_replace(struct file_timeout *timeout, const char *path,
		 void (*fill)(FILE *file, const void *user), const void *user);
/* A file that does not exist counts as removed. 0 or a negative errno, as above. */
int file_remove(struct file_timeout *timeout, const char *path);
/* Like error_phrase(), for the results of these functions. */
const char *file_phrase(int code);

/*
 * The file system that the directory of `path` will be on once its own is unmounted: that of the
 * mount point. Whoever means to save there for a while asks at the beginning; later, a stick may
 * be gone and its mount point an empty directory, on a rescue system one in memory. 0: none (its
 * own is that of "/"), or unknown. Waits for the disk.
 */
dev_t file_beneath(const char *path);
/*
 * Where a file named so is to be written: `path` itself or, if that is a link, the file it leads
 * to, there or not, in the folder as it really is. For whoever is going to replace it several
 * times: a link would not be, and may lead elsewhere by then. What is there and no regular file
 * stays as it is named. 0 or a negative errno, with *ret as `path` as far as that fits.
 */
int file_follow(const char *path, char *ret, size_t size);
/* A new open file description of the same file or device. A descriptor, or a negative errno. */
int file_open_again(int fd, int flags);
/* To read a file that anybody may have made, of at most so many bytes: a pipe or a device of that
 * name is not waited for. A descriptor, or a negative errno: -EINVAL for what is no regular file,
 * -EFBIG. */
int file_open_untrusted(const char *path, off_t most);
/*
 * All of a text, into size bytes. Only from a regular file that belongs to the user or to root, and
 * that nobody else may write: else -EPERM. -EFBIG if it is longer, -EILSEQ if it holds a 0.
 * 0 or a negative errno.
 */
int file_read_trusted(const char *path, char *ret, size_t size);
/* A file that was made stays found after a power cut. 0 or a negative errno. */
int file_sync_directory(const char *path);
