/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The map pane as data: which part of the source is shown, what the cell under
 * the cursor is, and in words the areas that differ or are bad. Pure; no curses.
 *
 * Bytes are those of the source's node, LBAs are in plan->sector_size.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "job/snapshot.h"
#include "discover/disk.h"
#include "plan/plan.h"

#include "ui/core/line.h"

#define MAP_ZOOM_MAX 40

/* Which part is shown. Zero-initialise: all of it, with the cursor where the copy is. */
struct map_view {
	unsigned zoom;  /* 0: everything, each further level one half of it */
	bool held;      /* the cursor was moved and does not follow the copy any more */
	uint64_t at;    /* byte under the cursor */
	uint64_t start; /* first byte shown, as of the last window */
};

/* The view in cells. A window without cells must not be passed on. */
struct map_window {
	uint64_t start, size; /* bytes */
	int cells, cols;      /* cols of them side by side */
	int cursor;           /* the cell under the cursor */
};

/* A cell is never smaller than a sector; the cursor is always inside. */
void map_view_window(struct map_view *view, const struct plan *plan, uint64_t position, int rows,
		     int cols, struct map_window *ret);
/* Moves the cursor by cells of the window, which knows it at once, as several keys may come before
 * it is drawn again; at the edges the window follows. */
void map_view_move(struct map_view *view, struct map_window *window, const struct plan *plan,
		   int64_t cells);
/* To a byte, in the middle of the window if it lies outside. */
void map_view_go(struct map_view *view, const struct map_window *window, uint64_t at);
/* Around the cursor. */
void map_view_zoom(struct map_view *view, int levels);

/* First sector and number of sectors that a cell stands for. */
void map_cell_sectors(const struct map_window *window, const struct plan *plan, int cell,
		      uint64_t *retlba, uint64_t *retsectors);
/* The partition of a disk that holds an LBA of the plan; NULL: none, or nobody knows. */
const struct partition *map_partition(const struct plan *plan, const struct disk *disk,
				      uint64_t lba);

/* "LBA 2048-4095 (2,048 sectors)  + rescued  partition 1 ext4 "boot"". */
void map_text_cell(const struct plan *plan, const struct disk *disk,
		   const struct map_window *window, char letter, struct line *line);

/* Areas that are listed: first those that the verify found different, then the bad ones. */
struct map_area {
	const struct job_mismatch *mismatch; /* or … */
	const struct job_bad_area *bad;      /* … its number `number` in the snapshot */
	size_t number;
	uint64_t lba, sectors; /* of the source, plan->sector_size */
};

size_t map_area_count(const struct job_snapshot *job);
/* i < map_area_count(). */
void map_area_at(const struct job_snapshot *job, size_t i, struct map_area *ret);
void map_text_area(const struct map_area *area, struct line *line);
/* What went wrong there and what it means, a sentence or two. */
const char *map_text_why(const struct map_area *area, char *buffer, size_t size);

/* What a failure means, and what a technician can do. Pure. */

/* A sentence, translated, static. code: negative errno, for where there is no sense. write: the
 * destination was written, else the source was read. */
const char *explain_failure(const struct sense *sense, int code, bool write);
