/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of a copy as a form: one line of text each, read back as a
 * whole. What it shows always reads back as the same options. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

#include "ui/core/draw.h"
#include "ui/widgets/field.h"

#define OPTION_ROWS 29

struct options_form {
	struct field fields[OPTION_ROWS];
	int at;                            /* row */
	bool fresh;                        /* nothing was typed since the line was reached … */
	char before[PLAN_OPTION_TEXT_MAX]; /* … with this text */
};

void options_form_set(struct options_form *form, const struct plan_options *options);
/* False: *retrow is the line that cannot be read and reason says why; *ret is untouched. */
bool options_form_read(const struct options_form *form, uint32_t sector_size,
		       struct plan_options *ret, int *retrow, char *reason, size_t size);
int options_form_row(enum plan_option option);
const char *options_form_label(int row);
/* What it does, in a few words: it stands behind the field. */
const char *options_form_hint(int row);
/* What may stand there. */
const char *options_form_allowed(int row);
void options_form_move(struct options_form *form, int by);
/* Half a small screen on, at most to the last line. */
void options_form_page(struct options_form *form, int direction);
/* After a change of the field: what is typed first replaces what stood there, and a blank in a line
 * of few words goes to the next of them. */
void options_form_typed(struct options_form *form);

/* A rate as it is typed, "50M", "0" or "none" for no limit: bytes per second, 64 KiB at least. */
bool options_read_rate(const char *text, uint64_t *ret);
/* The shortest text that reads back as the same number of bytes. */
const char *options_print_size(uint64_t bytes, char *buffer, size_t size);

/* The dialog for the options of a copy, drawn over screen 3. */

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body);
