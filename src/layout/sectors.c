/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A destination whose sectors have another size: a GPT or MS-DOS table counts sectors, and so does
 * much of what is in partitions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "content/content.h"
#include "layout/layout_private.h"

#define LUKS2_HEADER 16384U /* the smallest, and what cryptsetup makes */

uint64_t sector_multiple(const struct fitting *f)
{
	return f->other_sector > f->sector ? f->other_sector / f->sector : 1;
}

uint64_t sector_there(const struct fitting *f, uint64_t lba)
{
	return lba * f->sector / f->other_sector;
}

/* The sector size of all that is encrypted in it; 0: unknown. */
static uint32_t luks2_sector(const struct volume *volume)
{
	static const char key[] = "\"sector_size\":";
	char *header = calloc(1, LUKS2_HEADER + 1), *p = header;
	uint32_t least = 0;

	if (header && volume_read(volume, 0, header, LUKS2_HEADER) == 0 && header[7] == 2)
		p += 4096;
	else
		p = NULL;
	while (p && (p = strstr(p, key))) {
		uint32_t found = (uint32_t)strtoul(p += strlen(key), NULL, 10);

		least = least && least < found ? least : found;
	}
	free(header);
	return least;
}

/* The unit in which this file system reads and writes; 0: unknown, or it says the disk's sector
 * size and works with no other. */
static uint32_t unit_of(const struct volume *volume, const char *fs)
{
	unsigned char data[512];

	if (strcmp(fs, "swap") == 0 || strcmp(fs, "f2fs") == 0)
		return 4096;
	if (strcmp(fs, "crypto_LUKS") == 0)
		return luks2_sector(volume);
	if (strcmp(fs, "xfs") == 0)
		return volume_read(volume, 0, data, sizeof(data)) < 0
			       ? 0
			       : (uint32_t)bytes_big(data + 0x66, 2);
	if (strcmp(fs, "btrfs") == 0)
		return volume_read(volume, 65536, data, sizeof(data)) < 0
			       ? 0
			       : (uint32_t)bytes_little(data + 0x90, 4);
	if (strncmp(fs, "ext", 3) != 0 || volume_read(volume, 1024, data, sizeof(data)) < 0 ||
	    bytes_little(data + 0x18, 4) > 6)
		return 0;
	return 1024U << bytes_little(data + 0x18, 4);
}

static bool works_with_both(const struct fitting *f, const struct layout_part *part)
{
	const struct volume volume = volume_of(f, part);
	uint32_t larger = f->sector > f->other_sector ? f->sector : f->other_sector;

	return unit_of(&volume, part->fs) >= larger;
}

/* "1 (vfat), 3 (ntfs)" */
static void list_bound(const struct fitting *f, char *list, size_t size)
{
	list[0] = '\0';
	for (size_t i = 0; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];

		if (!works_with_both(f, part))
			text_join(list, size, "%u (%s)", part->number,
				  part->fs[0] ? part->fs : _("unknown"));
	}
}

/* The end of a partition that is no whole sector there is left out, if nothing uses it. */
static int trim(const struct fitting *f, struct layout_part *part, struct error *reterr)
{
	uint64_t unit = sector_multiple(f), whole = u64_align_down(part->sectors, unit), least;

	if (!u64_align_up(part->least, unit, &least) || part->start % unit || least > whole)
		return fitting_refuse(f, reterr,
				      _("Partition %u of %s does not begin and end at multiples of "
					"%u bytes: it cannot be told in sectors of %s."),
				      part->number, f->name, f->other_sector, f->other);
	part->least = least;
	part->sectors = part->size = whole;
	return 0;
}

int sectors_check(struct fitting *f, struct error *reterr)
{
	char bound[96];
	int r;

	if (f->other_sector == f->sector)
		return 0;
	r = learn_parts(f, reterr);
	if (r < 0)
		return r;
	list_bound(f, bound, sizeof(bound));
	if (bound[0])
		return error_set(
			reterr, ERROR_CLASS_REFUSED, -ENOTSUP, "fit", f->other,
			_("%s has sectors of %u bytes and %s of %u, and partition %s could not be "
			  "read there, or it is not known. Take a disk with sectors of %u bytes."),
			f->name, f->sector, f->other, f->other_sector, bound, f->sector);
	for (size_t i = 0; r == 0 && i < f->part_count; i++)
		r = trim(f, &f->parts[i], reterr);
	return r;
}
