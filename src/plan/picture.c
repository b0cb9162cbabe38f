/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a disk as it is, and what a range or a plan touches of it. */
#include "plan/picture.h"

#include "plan/row.h"

void picture_disk(const struct disk *disk, uint64_t scale, int cells, char *out)
{
	struct scene scene = { .disk = disk, .size = disk->identity.size };
	struct row row;

	row_init(&row, &scene, scale, cells);
	row_draw_letters(&row, out);
}

struct ticked {
	const struct range_list *ranges;
	uint32_t sector_size;
};

static char ranges_mark(const void *what, struct row_bytes bytes)
{
	const struct ticked *ticked = what;
	uint64_t first = bytes.start / ticked->sector_size;
	uint64_t last = (bytes.end - 1) / ticked->sector_size;

	return range_list_overlaps(ticked->ranges, (struct range){ first, last - first + 1 }) ? '='
											      : ' ';
}

void picture_ranges(const struct disk *disk, const struct range_list *ranges, int cells, char *out)
{
	struct ticked ticked = { .ranges = ranges,
				 .sector_size = disk->identity.logical_sector_size };
	struct scene scene = { .disk = disk, .size = disk->identity.size };
	struct row row;

	/* Without a sector size there is no disk to draw either: no cell is in use. */
	if (ticked.sector_size == 0)
		scene.size = 0;
	row_init(&row, &scene, scene.size, cells);
	row_draw_marks(&row, ranges_mark, &ticked, out);
}
