/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 3 as data: what the plan says, and the one gate between a plan and
 * writing. Pure; no curses, no session: the gate only answers whether the
 * technician has done all that starting asks for; session_confirm() checks it
 * once more.
 */
#ifndef CLONEDECK_UI_MODEL_PLAN_H
#define CLONEDECK_UI_MODEL_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/units.h"
#include "discover/disk.h"
#include "guard/rules.h"
#include "plan/picture.h"
#include "plan/plan.h"

#include "field.h"
#include "line.h"
#include "term.h"

/* ---- the gate ---- */

struct gate {
	const struct verdict_list *verdicts; /* borrowed; a new list needs a new gate */
	char token[512];
	bool *ticked; /* one per verdict, only those of warnings matter */
	size_t at;    /* verdict under the cursor */
	bool typing;  /* the field takes the keys */
	struct field typed;
};

enum gate_answer {
	GATE_NOT_TYPING, /* Enter outside the field never starts anything */
	GATE_REFUSED,    /* a rule refuses */
	GATE_UNTICKED,   /* *retwarning is the first warning not ticked, from 1 */
	GATE_EMPTY,
	GATE_WRONG,
	GATE_OPEN,
};

/* Nothing ticked, nothing typed. -ENOMEM. gate must be zero or an earlier gate. */
int gate_reset(struct gate *gate, const struct verdict_list *verdicts, const char *token);
void gate_done(struct gate *gate);
bool gate_refused(const struct gate *gate);
/* Number of a warning ("W1" is 1) by verdict index, 0 when it is none. */
unsigned gate_warning(const struct gate *gate, size_t verdict);
unsigned gate_unticked(const struct gate *gate);
void gate_move(struct gate *gate, int by);
/* Ticks or clears the warning under the cursor; false when there is none to tick. */
bool gate_tick(struct gate *gate);
/* Into the field or out of it; false (and out) when a rule refuses: there is no field then. */
bool gate_set_typing(struct gate *gate, bool typing);
/* Enter. GATE_OPEN empties the field: the same key again opens nothing. */
enum gate_answer gate_enter(struct gate *gate, unsigned *retwarning);

/* ---- text ---- */

void plan_text_source(const struct plan *plan, struct line *line);
void plan_text_destination(const struct plan *plan, struct line *line);
void plan_text_copy(const struct plan *plan, struct line *line);
void plan_text_options(const struct plan_options *options, struct line *line);
/* "TO START: tick W1, W2, then …" */
void plan_text_start(const struct gate *gate, struct line *line);

/* Lines of the list below the maps: verdicts broken to a width, and what follows them. */
enum plan_line_kind { PLAN_LINE_CHECK, PLAN_LINE_TITLE, PLAN_LINE_LOST, PLAN_LINE_EXTENT };

struct plan_line {
	enum plan_line_kind kind;
	size_t index;         /* verdict, lost partition or extent */
	bool first;           /* of a verdict's lines */
	size_t start, length; /* bytes of the verdict's sentence */
};

struct plan_lines {
	struct plan_line *items;
	size_t count;
};

/* Columns in front of a verdict's sentence ("  [ ] W1 "). */
#define PLAN_CHECK_INDENT 9

int plan_lines_add_checks(struct plan_lines *lines, const struct verdict_list *verdicts,
			  int columns);
int plan_lines_add_lost(struct plan_lines *lines, size_t count);
/* Only when there is more than one: a single one stands in the COPY line. */
int plan_lines_add_extents(struct plan_lines *lines, const struct plan *plan);
void plan_lines_done(struct plan_lines *lines);
/* The first line of a verdict. */
size_t plan_lines_find(const struct plan_lines *lines, size_t verdict);

void plan_text_check(const struct gate *gate, const struct plan_line *at, struct line *line,
		     enum role *retrole);
void plan_text_lost(const struct lost *lost, uint32_t sector_size, enum units_scale scale,
		    struct line *line);
void plan_text_extent(const struct plan *plan, size_t index, struct line *line);
/* The scale under the maps: "0        2.00T        4.00T". */
void plan_text_axis(uint64_t bytes, enum units_scale scale, struct line *line);

#endif
