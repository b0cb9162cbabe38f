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
 * fill() writes the contents; an error of the stream is noticed here. mode is
 * that of the new file, as of open(). 0 or a negative errno: -EEXIST when the
 * name belongs to something that is not a regular file (a device, a link, a
 * directory), which is left as it is. Only where the directory could not be
 * synced has the file been replaced all the same.
 */
int file_replace(const char *path, mode_t mode, void (*fill)(FILE *file, const void *user),
		 const void *user);
/* The directory that its name is in; -ENAMETOOLONG. */
int file_directory(const char *path, char ret[static PATH_MAX]);
/* A file that was made stays found after a power cut. 0 or a negative errno. */
int file_sync_directory(const char *path);

#endif
