/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The held areas of a copy (plan/held.h), as they were read before anything was
 * written, in a file beside the map: a source that is gone for good, and a machine that
 * loses its power, do not take tables, boot sectors and superblocks along.
 *
 *   # clonedeck tables PLAN-ID SECTOR-SIZE
 *   stage LBA SECTORS            of all held areas, stage after stage, ascending
 *   data LBA SECTORS DIGEST      of what could be read of it
 *   end
 *   ...                          the data, in that order
 *
 * Unit: plan->sector_size of the source.
 */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/range.h"
#include "plan/held.h"
#include "plan/plan.h"

struct saved_area {
	struct range sectors;
	const void *data;
};

struct saved_tables {
	const struct range_list *stages; /* each written after the one before */
	unsigned stage_count;            /* at most 1 + HELD_KEYS */
	struct saved_area *areas;
	size_t area_count;
};

/* The name of that file: the map's, with another ending. */
void saved_tables_path(const char *map_path, char path[static PATH_MAX]);
/* Waits for the disk as file_replace() does. */
int saved_tables_save(const struct saved_tables *tables, const struct plan *plan, const char *path,
		      struct file_timeout *timeout, struct error *reterr);

/* Reads the file of this plan, of which nothing is trusted. take: called for each area whose data
 * is what its digest says; offset and length in bytes. NULL: nobody wants them. *ret: what is held
 * back, all of it inside the plan, without what is only wiped; NULL: nobody wants that. -ENOENT,
 * -EINVAL, -ENOMEM; then *ret is empty. */
int saved_tables_load(const char *path, const struct plan *plan,
		      void (*take)(void *user, uint64_t offset, uint32_t length, const void *data),
		      void *user, struct held *ret, struct error *reterr);
