/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a copy that goes on has brought itself, and does not lose. */
#include <string.h>

#include "plan/picture.h"

static bool has_from(const struct disk *source, const struct partition *partition)
{
	for (size_t i = 0; partition->part_uuid[0] && i < source->partition_count; i++)
		if (strcmp(source->partitions[i].part_uuid, partition->part_uuid) == 0 &&
		    source->partitions[i].sectors == partition->sectors)
			return true;
	return false;
}

void picture_lost_but(const struct disk *source, struct lost *lost, size_t *count)
{
	size_t kept = 0;

	if (!source)
		return;
	for (size_t i = 0; i < *count; i++)
		if (!has_from(source, lost[i].partition))
			lost[kept++] = lost[i];
	*count = kept;
}
