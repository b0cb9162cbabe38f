/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/list.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#include "ui/core/layout.h"

void list_go(struct list *list, int row)
{
	int last = list->count - (list->text ? list->rows : 1);

	if (row > last)
		row = last;
	list->at = row > 0 ? row : 0;
}

bool list_find(struct list *list, int step, list_holds_fn *holds, void *data)
{
	/* The last page of a text begins before what was found in it. */
	int from = list->text && list->found ? list->found - 1 : list->at;

	for (int i = step != 0; i < list->count + (step != 0); i++) {
		int row = (from + (step < 0 ? list->count - i : i)) % list->count;

		if (!holds(data, row, list->wanted))
			continue;
		list_go(list, row);
		list->found = row + 1;
		return true;
	}
	return false;
}

bool list_sort_by(struct list *list, enum command command, int columns)
{
	if (command == COMMAND_SORT) {
		list->column = (list->column + 1) % (columns + 1);
		list->down = false;
	} else if (command == COMMAND_SORT_BACK) {
		list->down = !list->down;
		if (!list->column)
			list->column = 1;
	} else {
		return false;
	}
	return true;
}

/* The first of the sorted rows that this one comes before. */
static size_t place_of(const struct list *list, const char *rows, size_t count, size_t size,
		       list_compare_fn *compare)
{
	const char *row = rows + count * size;
	size_t from = 0, to = count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = compare(rows + middle * size, row, list->column);

		if (list->down ? order >= 0 : order <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* By binary insertion: qsort() does not keep the order of equal rows, and few comparisons are made,
 * which put texts together. */
void list_sort(const struct list *list, void *rows, size_t count, size_t size,
	       list_compare_fn *compare)
{
	char *first = rows, held[LIST_ROW_MAX];

	assert(size <= sizeof(held));
	for (size_t i = 1; list->column && i < count; i++) {
		size_t to = place_of(list, first, i, size, compare);

		memcpy(held, first + i * size, size);
		memmove(first + (to + 1) * size, first + to * size, (i - to) * size);
		memcpy(first + to * size, held, size);
	}
}

const char *list_heading(const struct list *list, int column, const char *text, int cols,
			 char *buffer, size_t size)
{
	size_t skip;
	char mark = list->down ? 'v' : '^';

	if (list->column != column)
		return text;
	if (text_width(text) + 2 <= cols)
		snprintf(buffer, size, "%s %c", text, mark);
	else
		snprintf(buffer, size, "%.*s%c", (int)text_break(text, cols - 1, &skip), text,
			 mark);
	return buffer;
}

void list_fit(struct list *list, int count, int rows)
{
	list->count = count;
	list->rows = rows;
	list_go(list, list->at);
	list->top = list->text ? list->at : layout_scroll(list->top, list->at, count, rows);
}

bool list_move(struct list *list, enum command command)
{
	/* One row of the last page stays in sight. */
	int page = list->rows > 1 ? list->rows - 1 : 1;

	if (list->text)
		list->found = 0;
	switch (command) {
	case COMMAND_UP:
		list_go(list, list->at - 1);
		return true;
	case COMMAND_DOWN:
		list_go(list, list->at + 1);
		return true;
	case COMMAND_PAGE_UP:
		list_go(list, list->at - page);
		return true;
	case COMMAND_PAGE_DOWN:
		list_go(list, list->at + page);
		return true;
	case COMMAND_FIRST:
		list_go(list, 0);
		return true;
	case COMMAND_LAST:
		list_go(list, list->count);
		return true;
	default:
		return false;
	}
}
