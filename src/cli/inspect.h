/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What list and show share: a table on a terminal or in a pipe, by libsmartcols; disks as JSON
 * (data/schema: unknown is null, sizes are bytes, offsets bytes and LBA); and looking at disks in a
 * process apart. Both run without root and show what they can.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <json-c/json.h>

#include "base/error.h"
#include "discover/disk.h"

enum column_flags {
	COLUMN_RIGHT = 1 << 0,
	COLUMN_SHRINKS = 1 << 1, /* is cut where there is not enough room */
	COLUMN_WIDE = 1 << 2,    /* is left out on a narrow terminal */
};

struct column {
	const char *heading; /* N_() */
	unsigned flags;
	int most; /* there, longer texts keep their tail behind ".."; 0: no limit */
};

struct columns;

/* For standard output. */
int columns_new(const struct column *columns, size_t count, struct columns **ret,
		struct error *reterr);
/* One text per column, "" is shown as "-". */
int columns_add(struct columns *table, const char *const *texts, struct error *reterr);
int columns_print(struct columns *table, struct error *reterr);
void columns_destroy(struct columns *table); /* NULL is fine */

/* A new object, NULL without memory. */
json_object *disk_json(const struct disk *disk, bool with_regions);
/* Prints the document and a line end; releases it. document NULL: -ENOMEM. */
int disk_json_print(json_object *document, struct error *reterr);

/*
 * Runs work(data, reterr) in a child and returns its result. A process with a thread that waits for
 * a dead disk cannot end, and neither could a shell that waits for it; the child may linger while
 * the command itself has ended. What it prints through stdio is printed; what it changes in memory
 * stays there. Only while the program has one thread.
 */
int apart_run(int (*work)(void *data, struct error *reterr), void *data, struct error *reterr);

/* show.c. disk: anything that lies on it or leads to it. */
int show_run(const char *disk, bool json, struct error *reterr);
