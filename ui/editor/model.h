/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout editor as data: where the partitions come to lie on the destination, and how large
 * they are. What is possible is asked of the same arithmetic that makes the table
 * (layout_arrange()), so that nothing can be chosen here that the plan would refuse. Pure; no
 * curses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "discover/disk.h"
#include "layout/arrange.h"
#include "plan/options.h"
#include "session/used.h"

#include "ui/core/line.h"

struct editor_row {
	char what[64]; /* label, or what the table calls it */
	uint64_t used; /* bytes */
	bool used_known;
};

struct editor {
	struct layout_table table;                  /* as it lies if nothing is asked for */
	struct layout_part parts[FITTED_PARTS_MAX]; /* as it is to lie now */
	struct editor_row rows[FITTED_PARTS_MAX];
	struct plan_options before;  /* that it was opened with */
	struct plan_options opened;  /* the same, with a place for a partition that grows */
	struct plan_options options; /* now */
	struct plan_place offered;   /* the partition that can grow; number 0: none */
	size_t at;                   /* the partition that is changed */
};

/* What a key has done: `said` is a sentence, "" where there is nothing to say. */
struct editor_answer {
	bool changed;
	char said[256];
};

/* table: with one partition at least. source: what is known of it; NULL: nothing. fitted: what
 * options->table and grow come to; NULL: they keep the table. */
void editor_open(struct editor *editor, const struct layout_table *table, const struct disk *source,
		 const struct fitted *fitted, const struct plan_options *options);
/* What the partitions use is known now; NULL: it is not. */
void editor_take_used(struct editor *editor, const struct used *used);

/* The steps of a key, in sectors. */
uint64_t editor_step(const struct editor *editor, bool large);
/* By so many sectors, or as far as that is possible. */
void editor_resize(struct editor *editor, int64_t by, struct editor_answer *ret);
void editor_move(struct editor *editor, int64_t by, struct editor_answer *ret);
/* As large as it can be; it is that already: as small. */
void editor_fill(struct editor *editor, struct editor_answer *ret);
/* "900GB", "@930GB" or both, as --layout takes them. False: said is why not, and nothing changes.
 */
bool editor_type(struct editor *editor, const char *text, struct editor_answer *ret);
/* "512MiB": what editor_type() takes for the size as it is. */
void editor_print_typed(const struct editor *editor, char *buffer, size_t size);
/* To the partition that is offered to grow, and nothing else; again: to none. */
void editor_reset(struct editor *editor, struct editor_answer *ret);
/* Is the file system of what grows most to grow with it? */
void editor_toggle_fs(struct editor *editor, struct editor_answer *ret);
/* The options that make this layout. False: they are those that it was opened with. */
bool editor_options(const struct editor *editor, struct plan_options *ret);

/* ---- text ---- */

void editor_text_title(const char *node, uint64_t bytes, struct line *line);
void editor_text_header(struct line *line);
void editor_text_row(const struct editor *editor, size_t index, enum units_scale scale,
		     struct line *line);
/* What is in no partition. */
void editor_text_free(const struct editor *editor, enum units_scale scale, struct line *line);
/* What limits the chosen partition, and what becomes of its file system. */
void editor_text_limit(const struct editor *editor, enum units_scale scale, char *buffer,
		       size_t size);
/* `cells` letters each, and a NUL: on the source, on the copy, and under the chosen partition '='
 * where it cannot be made smaller and '+' beyond that. */
void editor_picture(const struct editor *editor, int cells, char *source, char *copy, char *marks);
