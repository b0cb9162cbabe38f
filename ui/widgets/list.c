/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/list.h"

#include "ui/core/layout.h"

void list_go(struct list *list, int row)
{
	int last = list->count - (list->text ? list->rows : 1);

	if (row > last)
		row = last;
	list->at = row > 0 ? row : 0;
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
