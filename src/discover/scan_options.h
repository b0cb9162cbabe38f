/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which disks a scan lists, and which of them it opens. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/range.h"

struct scan_options {
	bool all;                 /* also loop, RAM, dm and md devices that have a size */
	bool probe;               /* open the disks and read their tables */
	const char *practice_dir; /* only loop devices over files in this directory; NULL: all
				     disks of the machine */
	/* Borrowed, for tests. */
	const char *mountinfo; /* NULL: /proc/self/mountinfo */
	const char *swaps;     /* NULL: /proc/swaps */
	const char *cmdline;   /* NULL: /proc/cmdline */
	bool only_some;        /* with probe: open only the disks in `only` */
	dev_t only[2];
	/* With probe: never open these, the ends of a copy of this process (USE_COPY): they are
	 * listed as they told before. devno 0: none. */
	struct scan_spared {
		dev_t devno;
		uint64_t diskseq;
	} spared[2];
	struct cache *cache;   /* what disks told before (borrowed); NULL: read all */
	dev_t bad_on;          /* the disk that `bad` is about */
	struct range_list bad; /* logical sectors known to be unreadable, not to be read again */
};
