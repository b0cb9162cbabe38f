/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/widgets/picture.h"

#include <stdio.h>
#include <string.h>

static unsigned number_of(char cell)
{
	if (cell >= '1' && cell <= '9')
		return (unsigned)(cell - '0');
	return cell >= 'a' && cell <= 'z' ? (unsigned)(cell - 'a') + 10 : 0;
}

static void draw_partition(struct draw *draw, struct rect area, int row, int col, int cols,
			   unsigned number, const struct disk *named)
{
	const struct partition *p = named ? disk_partition(named, number) : NULL;
	char text[256];

	snprintf(text, sizeof(text), "%u %s", number,
		 !p            ? ""
		 : p->label[0] ? p->label
		 : p->fs[0]    ? p->fs
			       : p->type_name);
	draw_edge(draw, area, row, col);
	draw_cell(draw, area, row, col + 1, cols - 1, ROLE_NORMAL, text);
}

void picture_draw(struct draw *draw, struct rect area, int row, int col, const char *cells,
		  const struct disk *named)
{
	draw_edge(draw, area, row, col++);
	while (*cells) {
		const char same[] = { *cells, '\0' };
		int cols = (int)strspn(cells, same);
		unsigned number = number_of(*cells);

		if (number && cols > 1)
			draw_partition(draw, area, row, col, cols, number, named);
		else
			for (int i = 0; i < cols; i++)
				draw_map_cells(draw, area, row, col + i, same);
		cells += cols;
		col += cols;
	}
	draw_edge(draw, area, row, col);
}
