/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads of a disk that may be dying, of which each failed one may be its last: past the page cache,
 * because through it the kernel reads a place that failed again at once; what failed is not read
 * again, and after the second failure nothing is. The second one is worth it: where the table at
 * the start cannot be read, its backup at the end tells what is on the disk.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct once {
	int fd;     /* borrowed */
	int direct; /* the same disk past the page cache; negative: the kernel has no such way */
	unsigned failures;
	uint64_t bad, bad_end; /* bytes: the read that failed first */
};

void once_open(struct once *once, int fd);
void once_close(struct once *once);
/* All of it, in bytes; both a multiple of the sector size. 0 or a negative errno: -ERANGE beyond
 * the end. */
int once_read(struct once *once, uint64_t offset, uint64_t length, void *to);
/* Can it be read? True where there is no way to find out without reading through the cache. */
bool once_try(struct once *once, uint64_t offset, uint64_t length);
