/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `clonedeck show DISK`: its identity and its layout in sectors, with table
 * areas and gaps as rows; or the same as JSON (data/schema/show.schema.json).
 * Called as described in list.h.
 */
#ifndef CLONEDECK_CLI_SHOW_H
#define CLONEDECK_CLI_SHOW_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct show_options {
	const char *disk; /* a disk, or anything that lies on it or leads to it */
	bool json;
	const char *practice_dir; /* NULL: the machine's disks */
	int width;                /* as in struct list_options */
};

int show_run(const struct show_options *options, FILE *out, struct error *reterr);

#endif
