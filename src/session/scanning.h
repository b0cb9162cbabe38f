/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the disks, and looks for the images of a copy that waits. Waits for all of them. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "discover/scan.h"
#include "session/choose.h"

/* An image file that is waited for. Its path may lead to a file system that does not answer. */
struct looked {
	struct endpoint recorded, found;
	struct error error; /* why it was not found; code 0: it was */
};

/* The scanning thread's while it runs, but for `again` and `follows`. */
struct scanning {
	bool again;   /* something changed while it ran */
	bool patient; /* for disks that take their time to answer */
	bool follows; /* the front end wants lists in the background, not just the first one */
	bool looks;   /* for the ends of the plan that are images */
	bool named;   /* only the disks of these ends are opened */
	struct session_names names;
	struct looked images[2]; /* source, destination; of another kind: not looked for */
	struct scan_spared spared[2];
	dev_t bad_on;
	struct range_list bad;
	struct scan_options options;
	struct scan *scan;
	struct disk_list *disks;
	struct error error; /* code 0: there is a list */
};

/* data: a struct scanning. */
void scanning_run(void *data);
