/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list in the making; for build.c and build_probe.c only. */
#ifndef CLONEDECK_DISCOVER_BUILD_PRIVATE_H
#define CLONEDECK_DISCOVER_BUILD_PRIVATE_H

#include <stddef.h>
#include <sys/types.h>

#include "discover/build.h"
#include "discover/gather.h"
#include "discover/table.h"
#include "discover/usage.h"

struct build {
	const struct scan_options *options;
	struct gathered gathered;
	struct usage *usage;
	struct disk_list *list;
	struct table *tables;    /* one per disk; empty: not read */
	const char **disk_paths; /* sysfs path of each disk, borrowed from blocks; NULL: sg only */
	dev_t *probed;           /* partitions whose contents are in udev's database */
	size_t probed_count;
};

/* A sentence for disk_list.missing: what could not be found out. 0 or -ENOMEM. */
int build_say_missing(struct build *build, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
