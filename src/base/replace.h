/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replacing a file so that at any moment, power cut included, a complete one
 * has its name: written beside it, synced, renamed, and the directory synced. What
 * is being written has no name (O_TMPFILE) until it is complete, so a crash leaves
 * nothing; on file systems that know no such files (FAT, NFS), and for the moment
 * before it is renamed, it is "NAME.PID-N.new", a name that nothing had. That one
 * is never read, and nobody removes it after a crash: it might be somebody else's.
 */
#ifndef CLONEDECK_BASE_REPLACE_H
#define CLONEDECK_BASE_REPLACE_H

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * The file system that the directory of `path` will be on once its own is unmounted: that of the
 * mount point. Whoever means to save there for a while asks at the beginning; later, a stick may
 * be gone and its mount point an empty directory, on a rescue system one in memory. 0: none (its
 * own is that of "/"), or unknown. Waits for the disk.
 */
dev_t file_beneath(const char *path);
/*
 * fill() writes the contents; an error of the stream is noticed here. mode is
 * that of the new file, as of open(). 0 or a negative errno: -EEXIST when the
 * name belongs to something that is not a regular file (a device, a link, a
 * directory), which is left as it is; -EXDEV when the directory is on the file
 * system `beneath` by now (0: it may be on any). Only where the directory could
 * not be synced has the file been replaced all the same.
 */
int file_replace(const char *path, dev_t beneath, mode_t mode,
		 void (*fill)(FILE *file, const void *user), const void *user);
/*
 * Where a file named so is to be written: `path` itself or, if that is a link, the file it leads
 * to, there or not, in the folder as it really is. For whoever is going to replace it several
 * times: a link would not be, and may lead elsewhere by then. What is there and no regular file
 * stays as it is named. 0 or a negative errno, with *ret as `path` as far as that fits.
 */
int file_follow(const char *path, char *ret, size_t size);
/* One that is not there is removed. 0 or a negative errno, as above. */
int file_remove(const char *path, dev_t beneath);
/* The directory that its name is in; -ENAMETOOLONG. */
int file_directory(const char *path, char ret[static PATH_MAX]);
/* A file that was made stays found after a power cut. 0 or a negative errno. */
int file_sync_directory(const char *path);

#endif
