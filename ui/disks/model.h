/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 1 as data: which rows there are, where the cursor is, what is chosen,
 * and all of it in words. Pure; no curses, no session.
 *
 * The rows borrow from the disk list; after a new list disks_update() has to
 * be called before anything else.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "discover/disk.h"
#include "discover/endpoint.h"
#include "guard/rules.h"
#include "health/health.h"
#include "report/describe.h"

#include "ui/core/line.h"
#include "ui/core/term.h"
#include "ui/widgets/list.h"

struct disks_row {
	const struct disk *disk;           /* NULL: an image file */
	const struct partition *partition; /* NULL: the whole disk */
	const struct endpoint *image;      /* a chosen image file, borrowed from the choice */
};

struct disks_model {
	const struct disk_list *list;                /* borrowed; NULL before the first scan */
	const struct endpoint *source, *destination; /* borrowed, never NULL */
	bool all;                                    /* also what is no ordinary disk */
	struct disks_row *rows;
	size_t count;
	struct list cursor;
	struct identity *open; /* disks whose partitions are shown */
	size_t open_count;
};

void disks_init(struct disks_model *model, const struct endpoint *source,
		const struct endpoint *destination);
void disks_done(struct disks_model *model);
/* Where the cursor is. To be remembered before the list that the rows point into is freed. */
struct disks_place {
	bool known;
	struct identity identity;
	char node[64];
	unsigned partition;
	size_t row;
};
void disks_remember(const struct disks_model *model, struct disks_place *ret);
/* Makes the rows again, of another list; the cursor stays on its disk or partition, by identity.
 * -ENOMEM leaves no rows. */
int disks_update(struct disks_model *model, const struct disk_list *list,
		 const struct disks_place *place);
/* The row under the cursor, NULL when there is none. */
const struct disks_row *disks_current(const struct disks_model *model);
/* Opens or closes the disk under the cursor. -ENOENT: it has no partitions; -ENOMEM. */
int disks_toggle(struct disks_model *model);
/* Does that row say the text anywhere, also in what is not shown of it? */
bool disks_holds(const struct disks_model *model, size_t row, const char *text);
/* The columns it can be sorted by, and their names. */
#define DISKS_SORT_COLUMNS 4
const char *disks_sort_name(int column);

/* Moves to the next disk that may be the destination of the source; nowhere where there is none. */
void disks_next_destination(struct disks_model *model);

/* The endpoint that a row stands for. */
void disks_endpoint(const struct disks_row *row, struct endpoint *ret);
bool disks_is(const struct endpoint *endpoint, const struct disks_row *row);
/* Does this end lie on that disk, whole or in part? */
bool disks_lies_on(const struct endpoint *endpoint, const struct disk *disk);
/* What the guard says against the row as this end; false: nothing. */
bool disks_refuse(const struct disks_row *row, bool destination, struct verdict *ret);

/* ---- text ---- */

/* Widths of the columns for a screen of this width and these rows; 0: left out. */
struct disks_columns {
	int node, size, gap, model, serial, health, temperature;
	int hctl, sg, raw, sectors, transport, wwn; /* wide screens */
	int use;
};
void disks_columns(const struct disks_model *model, int cols, struct disks_columns *ret);
void disks_text_heading(const struct disks_model *model, const struct disks_columns *columns,
			struct line *line);
/* health: of the row's disk. */
void disks_text_row(const struct disks_model *model, size_t row,
		    const struct disks_columns *columns, const struct disk_health *health,
		    enum units_scale scale, struct line *line, enum role *retrole);
/* Where the health starts in a row, and how it stands out; ROLE_NORMAL: not. */
int disks_health_col(const struct disks_columns *columns);
enum role disks_health_role(const struct disk_health *health);
/* Where the name starts in a row. */
#define DISKS_NODE_COL 4

/* A disk in a few long lines, the least important one last. */
#define DISKS_SUMMARY_MAX 4
int disks_summary(const struct disk *disk, const struct disk_health *health,
		  struct line ret[static DISKS_SUMMARY_MAX]);
/* What an image file holds, or why that is not known. disk: session_image(). */
void disks_text_image(const struct endpoint *image, const struct disk *disk, struct line *line);
/* Table and partitions. */
void disks_text_holds(const struct disk *disk, struct line *line);
/* Everything known about the disk, and what could not be found out at all, in lines that end with
 * \n; malloc'd, NULL without memory. */
char *disks_everything(const struct disk_list *list, const struct disk *disk,
		       const struct disk_health *health, enum units_scale scale);
/* What is chosen and what to look out for, one sentence. */
void disks_text_choice(const struct disks_model *model, struct line *line);
