/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that images and loop devices keep their bytes in. Only reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/endpoint.h"

struct storage {
	dev_t devno;
	ino_t inode;
	uint64_t start, size; /* bytes of the file; 0: to its end */
};

/* False where there is no such regular file. One in an overlay is that of its layer. */
bool storage_of_file(const char *path, struct storage *ret);
/* The file behind a loop device, given by its folder in sysfs and its node. False for any other
 * device, and for a loop device over a block device. */
bool storage_of_loop(const char *directory, const char *node, struct storage *ret);
/* Of an image, or of the loop device that the endpoint is, or is a partition of. */
bool storage_of(const struct endpoint *endpoint, struct storage *ret);

/* Does the kernel swap to that file? */
bool storage_is_swap(const struct endpoint *endpoint);

/* Both are one file. */
bool storage_same(const struct storage *a, const struct storage *b);
/* And some of its bytes are both's. */
bool storage_shared(const struct storage *a, const struct storage *b);
