/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 3 as data: what the plan says, in lines. Everything is made from the
 * plan and the verdicts themselves. Pure; no curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/units.h"
#include "guard/rules.h"
#include "plan/identifiers.h"
#include "plan/picture.h"
#include "plan/plan.h"

#include "ui/widgets/gate.h"
#include "ui/core/line.h"
#include "ui/core/term.h"

/* "SOURCE ": what a line on top is about. */
void plan_text_label(const char *label, struct line *line);
void plan_text_source(const struct plan *plan, struct line *line);
void plan_text_destination(const struct plan *plan, bool erases, struct line *line);
/* The destination is there already, so that whatever it holds can be lost. */
bool plan_erases(const struct plan *plan);
/* What that is: how many partitions, how large, and which, the largest first. disk: that the
 * destination is or lies on; NULL: not known. lost: as picture_lost() gives it. */
void plan_text_losses(const struct disk *disk, const struct lost *lost, size_t count, bool resumes,
		      enum units_scale scale, struct line *line);
/* held: areas that are written last; finished: bytes that a map calls so, 0 without one. */
void plan_text_copy(const struct plan *plan, size_t held, uint64_t finished, struct line *line);
/* offer: why another preset is offered; NULL: it is not. */
/* done: nothing can be changed any more. */
void plan_text_preset(const struct plan_options *options, const char *offer, bool done,
		      struct line *line);
/* Is the time of reading the copy back no longer than that of making it? */
bool plan_verifies_meanwhile(const struct plan_options *options, enum rolling_how rolling);
void plan_text_options(const struct plan_options *options, enum rolling_how rolling,
		       struct line *line);
/* What becomes of the table: "made to fit: 2 grows from 1.07G to 3.48G; 3, 4 move". offered: it
 * could be made to fit; done: nothing of it can be changed any more. */
void plan_text_layout(const struct plan *plan, bool offered, bool done, enum units_scale scale,
		      struct line *line);
/* What both disks will share, or will not. */
void plan_text_ids(const struct plan_options *options, const struct identifiers *shared, bool done,
		   struct line *line);
/* So many of them stay the same whatever is asked for. */
size_t plan_ids_stuck(const struct identifiers *shared);
/* All of them, how each gets a new value, and what may not start any more then; malloc'd, NULL
 * without memory. */
char *plan_ids_everything(const struct plan_options *options, const struct identifiers *shared);
/* "TO START: type what is asked for, then Enter" */
void plan_text_start(const struct gate *gate, bool shrinks, struct line *line);

/*
 * Lines of the list below the maps. Its entries are the verdicts but the one that
 * plan_text_losses() and plan_text_ids() stand for, then what will be lost, what changes in the
 * table, and the extents, counted through from 0.
 */
enum plan_line_kind {
	PLAN_LINE_CHECK,
	PLAN_LINE_TITLE,
	PLAN_LINE_LOST,
	PLAN_LINE_TABLE,
	PLAN_LINE_EXTENT,
};

#define PLAN_NO_ENTRY SIZE_MAX

struct plan_line {
	enum plan_line_kind kind;
	size_t entry;         /* PLAN_NO_ENTRY: a title */
	size_t index;         /* verdict, lost partition or extent; the kind that a title is for */
	bool first;           /* of a verdict's lines */
	size_t start, length; /* bytes of the verdict's sentence */
};

/* Zero-initialise. */
struct plan_lines {
	struct plan_line *items;
	size_t count, capacity;
	size_t entries;
};

/* Columns in front of a verdict's sentence ("  LIFTED  "). */
#define PLAN_CHECK_INDENT 10
/*
 * In full, in as many lines as it needs in `columns`: the entry `at`, and of the others, in
 * their order, those that `rows` still have room for. What is left takes one line each, and ends
 * in ".." where it is cut.
 */
void plan_lines_add_checks(struct plan_lines *lines, const struct verdict_list *verdicts,
			   int columns, int rows, size_t at);
void plan_lines_add_lost(struct plan_lines *lines, size_t count);
/* What of a table that fits is not as on the source. */
void plan_lines_add_table(struct plan_lines *lines, const struct fitted *fitted);
/* Only when there is more than one: a single one stands in the COPY line. */
void plan_lines_add_extents(struct plan_lines *lines, const struct plan *plan);
void plan_lines_done(struct plan_lines *lines);
/* First and last line of an entry. */
void plan_lines_find(const struct plan_lines *lines, size_t entry, size_t *retfirst,
		     size_t *retlast);

void plan_text_check(const struct gate *gate, const struct plan_line *at, struct line *line,
		     enum role *retrole);
void plan_text_lost(const struct lost *lost, uint32_t sector_size, enum units_scale scale,
		    struct line *line);
void plan_text_table(const struct fitted *fitted, size_t index, uint32_t sector_size,
		     struct line *line);
void plan_text_extent(const struct plan *plan, size_t index, struct line *line);
/* The scale under the maps: "0        2.00T        4.00T". */
void plan_text_axis(uint64_t bytes, enum units_scale scale, uint32_t sector_size,
		    struct line *line);
