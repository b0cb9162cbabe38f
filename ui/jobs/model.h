/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 7 as data: the copies that run on this machine, then those that can be continued, then
 * those that have ended, each in words. Pure; no curses, no session.
 */
#pragma once

#include <stddef.h>

#include "discover/running.h"
#include "report/past_copy.h"

#include "ui/core/line.h"
#include "ui/core/term.h"
#include "ui/widgets/list.h"

#define JOBS_MAX 640

/* One of both; borrowed. */
struct jobs_row {
	const struct running *running;
	const struct past_copy *past;
	bool unfinished; /* it can be continued */
};

struct jobs_model {
	struct jobs_row rows[JOBS_MAX];
	int count;
};

/* The map of a copy that runs is not one to be continued. */
void jobs_model_make(struct jobs_model *model, const struct running *running, size_t running_count,
		     const struct past_copy *past, size_t past_count);
#define JOBS_SORT_COLUMNS 4
/* As the list says; the copies that run come first in its own order only. */
void jobs_model_sort(struct jobs_model *model, const struct list *list);
const char *jobs_sort_name(int column);
/* Where the copy of this row is after the model was made anew; -1: nowhere. */
int jobs_model_row_of(const struct jobs_model *model, long pid, const char *map, int64_t at);
/* Does its row, or what is known of it, say that text? */
bool jobs_holds(const struct jobs_row *row, const char *text);
/* The headings of the columns, and a row, of lines as wide as their limit. */
void jobs_text_head(const struct list *list, struct line *line);
void jobs_text_row(const struct jobs_row *row, struct line *line);
enum role jobs_role(const struct jobs_row *row);
/* What is known of it, as lines; owned by the caller, NULL: no memory. now: unix seconds. */
char *jobs_details(const struct jobs_row *row, int64_t now);
