/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files that hold a disk in another form than byte for byte: compressed, or in
 * the format of a virtual machine or of another imaging program. Copied as they
 * are they would be useless on a disk, so they are refused, with the command that
 * makes a raw image of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct container;

/* By its magic number: the first bytes, or those at the end. NULL: none that is known, or the file
 * could not be read. */
const struct container *container_of_file(int fd, uint64_t size);
/* By the ending of a name, for a file that is to be made. NULL: none that is known. */
const struct container *container_of_name(const char *path);

/* Both return -EINVAL, class USAGE, with what to do instead. `path` as the user named it. */
int container_refuse_source(const struct container *container, const char *path,
			    struct error *reterr);
/* exists: it would be overwritten; else it is only named so. */
int container_refuse_destination(const struct container *container, const char *path, bool exists,
				 struct error *reterr);
