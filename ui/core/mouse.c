/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/mouse.h"

#include <stdlib.h>

void mouse_add(struct mouse *mouse, int row, int from, int to, enum command command)
{
	if (mouse->count < (int)(sizeof(mouse->hits) / sizeof(*mouse->hits)))
		mouse->hits[mouse->count++] = (struct hit){ row, from, to, command };
}

static bool is_in(struct rect area, int row, int col)
{
	return row >= area.row && row < area.row + area.rows && col >= area.col &&
	       col < area.col + area.cols;
}

static enum command map_click(const struct draw *drawn, int row, int col, int *rettimes)
{
	int cell = (row - drawn->map.row) * drawn->map.cols + col - drawn->map.col;

	if (drawn->map_cell < 0)
		return COMMAND_MAP;
	if (cell == drawn->map_cell)
		return COMMAND_NONE;
	*rettimes = abs(cell - drawn->map_cell);
	return cell < drawn->map_cell ? COMMAND_LEFT : COMMAND_RIGHT;
}

int mouse_key(const struct mouse *mouse, int row, int col)
{
	const struct draw *drawn = &mouse->drawn;

	for (int i = 0; i < drawn->key_count; i++) {
		const struct draw_key *key = &drawn->keys[i];

		if (key->row == row && col >= key->from && col < key->to)
			return key->key;
	}
	return SPECIAL_NONE;
}

enum command mouse_click(const struct mouse *mouse, int row, int col, int *rettimes)
{
	const struct draw *drawn = &mouse->drawn;

	*rettimes = 1;
	for (int i = 0; i < mouse->count; i++) {
		const struct hit *hit = &mouse->hits[i];

		if (hit->row == row && col >= hit->from && col < hit->to)
			return hit->command;
	}
	if (is_in(drawn->field, row, col))
		return COMMAND_NEXT_FIELD;
	if (is_in(drawn->range, row, col))
		return COMMAND_EDIT_RANGE;
	if (is_in(drawn->map, row, col))
		return map_click(drawn, row, col, rettimes);
	if (!is_in(drawn->list, row, col) || !is_in(drawn->list, drawn->list_row, col) ||
	    row == drawn->list_row)
		return COMMAND_NONE;
	*rettimes = abs(row - drawn->list_row);
	return row < drawn->list_row ? mouse->above : mouse->below;
}
