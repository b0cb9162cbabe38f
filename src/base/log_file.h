/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file of a log, and how much of it the medium is known to hold. What the
 * kernel takes may still be lost: when a stick is pulled, writing to it succeeds
 * for a while. So only a sync counts. After anything that failed, what was written
 * since the last good sync is cut off (if the file is still there, or has come
 * back) and is the caller's to write again.
 *
 * One thread's at a time; each call may wait for the disk.
 */
#ifndef CLONEDECK_BASE_LOG_FILE_H
#define CLONEDECK_BASE_LOG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct log_file {
	char *path;
	int fd;        /* -1: to be made first, where nothing of that name may be yet */
	off_t safe;    /* bytes: the length at the last good sync */
	off_t end;     /* safe, plus the whole lines written since */
	off_t reached; /* end, plus lines written only in part */
	bool in_doubt; /* something failed */
	bool open_end; /* its safe part may end within somebody's line, which is ended first */
	bool named;    /* the directory was synced, too */
};

/* O_NONBLOCK: a FIFO under that name must not hang the program. */
#define LOG_FILE_FLAGS (O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

/* Appends a line in one write, so that lines of two programs never mix. 0 or a negative errno:
 * then nothing behind the last sync counts. */
int log_file_write(struct log_file *file, const char *line, size_t length);
/* All whole lines are on the medium: 0. Otherwise as above. */
int log_file_sync(struct log_file *file);
void log_file_close(struct log_file *file);

#endif
