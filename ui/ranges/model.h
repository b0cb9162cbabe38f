/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 2 as data: the rows of the source with their ticks, the free-form
 * text, and where it goes on the destination. Ticks and text are two views of
 * one list of ranges: whichever changes, the other follows. Pure; no curses.
 *
 * The model borrows the disk; one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "base/units.h"
#include "discover/disk.h"
#include "discover/endpoint.h"
#include "plan/rangespec.h"
#include "session/used.h"

#include "ui/widgets/field.h"
#include "ui/core/line.h"

enum ranges_mark { RANGES_NONE, RANGES_PARTLY, RANGES_FULL };

/* What the field on the left is for at the moment. */
enum ranges_entry {
	RANGES_ENTRY_TEXT,   /* the whole text, live */
	RANGES_ENTRY_ADD,    /* a range to add */
	RANGES_ENTRY_REMOVE, /* a range to take out */
};

struct ranges_row {
	struct range range; /* sectors of the source's node */
	enum region_kind kind;
	const struct partition *partition; /* NULL: none */
};

struct ranges_model {
	const struct disk *disk; /* NULL: what the source, an image, holds is not known */
	struct endpoint source;
	struct rangespec_context context;
	struct ranges_row *rows;
	size_t row_count;

	struct range_list list;  /* what is chosen: of the last text that could be read */
	size_t items;            /* as typed */
	const struct used *used; /* what the partitions use; NULL: not known. Borrowed */

	enum ranges_entry entry;
	struct field text;            /* always the whole text */
	struct field change;          /* of ADD and REMOVE */
	struct rangespec_error error; /* of the field that is being edited */
	bool valid;                   /* the text says what the list holds */
	bool change_valid;
	struct range_list change_list;

	struct field destination; /* "same", an LBA, or a size with its suffix */
	bool destination_valid, destination_same;
	uint64_t destination_lba;
	char destination_error[256];
};

/* Everything is ticked. disk: the one that the source is or lies on, or that an image
 * holds; NULL: not known. */
int ranges_model_new(const struct endpoint *source, const struct disk *disk,
		     struct ranges_model **ret, struct error *reterr);
void ranges_model_destroy(struct ranges_model *model); /* NULL is fine */
/* The disk was looked at again: new rows, the same choice. -ENOMEM leaves all as it was. */
int ranges_model_rebase(struct ranges_model *model, const struct disk *disk);

enum ranges_mark ranges_model_mark(const struct ranges_model *model, size_t row);
/* A row that is not fully ticked becomes so, a ticked one is cleared. -ENOMEM. */
int ranges_model_toggle(struct ranges_model *model, size_t row);
int ranges_model_tick_partitions(struct ranges_model *model);
int ranges_model_tick_none(struct ranges_model *model);
int ranges_model_tick_whole(struct ranges_model *model);
/* The choice is this list. */
int ranges_model_set(struct ranges_model *model, const struct range_list *list);
bool ranges_model_is_whole(const struct ranges_model *model);

/* The field on the left as it is now. Call ranges_model_typed() after every change of it. */
struct field *ranges_model_field(struct ranges_model *model);
void ranges_model_typed(struct ranges_model *model);
void ranges_model_begin(struct ranges_model *model, enum ranges_entry entry);
/* Enter: ADD and REMOVE take effect. False while the field holds an error. */
bool ranges_model_accept(struct ranges_model *model);
/* Esc: back to what the list holds. */
void ranges_model_cancel(struct ranges_model *model);
/* NULL: nothing to complain about (an empty text is no error while typing). */
const struct rangespec_error *ranges_model_error(const struct ranges_model *model);

/* The field for the destination: "same" gives way to typing, and comes back when nothing was
 * typed. */
void ranges_model_destination_begin(struct ranges_model *model);
void ranges_model_destination_typed(struct ranges_model *model);
void ranges_model_destination_end(struct ranges_model *model);
/* Where the sector `lba` of the source will go; false while unknown. */
bool ranges_model_destination_of(const struct ranges_model *model, uint64_t lba, uint64_t *ret);

/* Bytes of what is chosen that lie beyond the end of this disk or partition; 0: it fits, or that is
 * not known. */
uint64_t ranges_model_beyond(const struct ranges_model *model, const struct endpoint *destination);

/* May the plan be made? False with the reason in a sentence. */
bool ranges_model_ready(const struct ranges_model *model, char *reason, size_t size);

/* ---- text ---- */
void ranges_model_title(const struct ranges_model *model, struct line *line);
/* "Dest   sdb  WDC …": where it goes, in the same way; nothing where none is chosen. */
void ranges_text_destination(const struct endpoint *destination, struct line *line);
void ranges_model_header(const struct ranges_model *model, struct line *line);
void ranges_model_row(const struct ranges_model *model, size_t row, enum units_scale scale,
		      struct line *line);
/* "= 4 items, 3 extents after merging, 3,905,980,449 sectors, 2.00 TB" */
void ranges_model_totals(const struct ranges_model *model, enum units_scale scale,
			 struct line *line);
/* "3 ranges, 3,907,026,944 sectors, 2.00 TB; gaps are not copied." */
void ranges_model_summary(const struct ranges_model *model, enum units_scale scale,
			  struct line *line);
/* `cells` letters each, and a NUL: what lies on the source, and '=' under what is ticked. */
void ranges_model_map(const struct ranges_model *model, int cells, char *what, char *ticked);
