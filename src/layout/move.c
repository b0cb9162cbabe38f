/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partitions that move: together on a smaller disk, where they are also cut, and out of the way of
 * one that grows on a larger. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/letters.h"
#include "base/range.h"
#include "base/text.h"
#include "base/units.h"
#include "content/content.h"
#include "discover/table.h"
#include "layout/layout_private.h"

#define FIRST     512U
#define CODE      440U /* of an MBR, before the disk's signature */
#define GRUB_CORE 0x5c /* in GRUB's first sector: where the next one is */
#define HIDDEN    0x1c /* in the first sector of FAT and NTFS: sectors of the disk before it */

static const char type_bios_boot[] = "21686148-6449-6e6f-744e-656564454649";

/* ---- the arithmetic ---- */

bool squeeze(struct layout_part *parts, size_t count, uint64_t usable, uint64_t unit, bool cut,
	     size_t *retblocked, uint64_t *retmissing)
{
	uint64_t end = usable;

	for (size_t i = 0; i < count; i++) {
		parts[i].to = parts[i].start;
		parts[i].size = parts[i].sectors;
	}
	for (size_t i = count; i-- > 0 && parts[i].start + parts[i].sectors > end;) {
		struct layout_part *part = &parts[i];
		uint64_t least, last = u64_align_down(end, unit);

		if (part->start + part->least <= end) {
			part->size = (last < part->start + part->least ? end : last) - part->start;
			break;
		}
		if (!u64_align_up(part->least, unit, &least) || least > part->sectors)
			least = part->sectors;
		part->size = cut ? least : part->sectors;
		if (i == 0 || part->fixed || part->size > end) {
			*retblocked = i;
			*retmissing = part->start + part->least - end;
			return false;
		}
		part->to = u64_align_down(end - part->size, unit);
		end = part->to;
	}
	return true;
}

/* ---- what is in them ---- */

struct volume volume_of(const struct fitting *f, const struct layout_part *part)
{
	return (struct volume){ .fd = f->fd,
				.start = part->start * f->sector,
				.size = part->sectors * f->sector,
				.sector_size = f->sector };
}

static bool has_words(const unsigned char *code, size_t length, const char *words)
{
	return memmem(code, length, words, strlen(words)) != NULL;
}

bool goes_by_table(const unsigned char *code)
{
	static const unsigned char none[CODE];

	return memcmp(code, none, CODE) == 0 || has_words(code, CODE, "perating system") ||
	       has_words(code, CODE, "artition table") || has_words(code, CODE, "oot error");
}

/* Why the boot code in the first sector of the disk may need it at its place; NULL: it does not. */
static const char *named_by_mbr(const struct fitting *f, const struct layout_part *part)
{
	const unsigned char *code = f->before;
	uint64_t lba = bytes_little(code + GRUB_CORE, 8);

	if (has_words(code, CODE, "GRUB"))
		return lba >= part->start && lba - part->start < part->sectors
			       ? _("GRUB's first sector names its place")
			       : NULL;
	return goes_by_table(code) ? NULL : _("the boot code of the disk may name its place");
}

static const char *why_fixed(const struct fitting *f, const struct layout_part *part,
			     const char *type)
{
	const struct volume volume = volume_of(f, part);
	unsigned char first[FIRST];

	if (letters_same(type, type_bios_boot))
		return _("GRUB's first sector names its place");
	if (strcmp(part->fs, "BitLocker") == 0 || strcmp(part->fs, "exfat") == 0)
		return _("what is in it says where it begins");
	if (!f->gpt && strcmp(part->fs, "ntfs") == 0)
		return _("Windows finds it by its place");
	if (volume_read(&volume, 0, first, sizeof(first)) < 0)
		return _("its first sector cannot be read");
	if (bytes_little(first + 510, 2) == 0xaa55 &&
	    (has_words(first, FIRST, "GRUB") || has_words(first, FIRST, "LILO")))
		return _("boot code in it names its place");
	return named_by_mbr(f, part);
}

/* What a file system says of itself is trusted only if it is in order. */
static bool is_in_order(const struct volume *volume, const char *fs)
{
	struct content content;
	bool sound = content_read(volume, fs, &content) == 0 && !content.whole[0];

	content_done(&content);
	return sound;
}

static void learn_part(const struct fitting *f, const struct table *table, struct layout_part *part)
{
	const struct volume volume = volume_of(f, part);
	const char *type = "";
	uint64_t bytes;

	for (size_t i = 0; i < table->partition_count; i++) {
		const struct partition *found = &table->partitions[i];

		if (found->number != part->number || found->start != part->start)
			continue;
		text_copy(part->fs, sizeof(part->fs), found->fs);
		type = found->type;
	}
	bytes = content_size(&volume, part->fs);
	if (bytes < volume.size && is_in_order(&volume, part->fs))
		part->least = (bytes + f->sector - 1) / f->sector;
	part->fixed = why_fixed(f, part, type);
}

static int read_contents(const struct fitting *f, struct table *ret)
{
	/* libblkid does not read what is open for direct access. */
	CLEANUP(close) int fd = file_open_again(f->fd, O_RDONLY);
	const struct table_source from = { .fd = fd,
					   .size = f->sectors * f->sector,
					   .sector_size = f->sector };

	return fd < 0 ? fd : table_read(&from, ret);
}

int learn_parts(struct fitting *f, struct error *reterr)
{
	struct table table = { 0 };
	int r;

	if (f->part_count > FITTED_PARTS_MAX)
		return fitting_refuse(f, reterr,
				      _("%s has %zu partitions: no more than %u are moved."),
				      f->name, f->part_count, FITTED_PARTS_MAX);
	if (f->learned)
		return 0;
	r = read_contents(f, &table);
	for (size_t i = 0; r == 0 && i < f->part_count; i++)
		learn_part(f, &table, &f->parts[i]);
	table_done(&table);
	f->learned = r == 0;
	if (r == 0)
		return 0;
	return error_set(reterr, ERROR_CLASS_SOURCE, r, "fit", f->name,
			 _("The partition table of %s cannot be read (%s): keep it as it is."),
			 f->name, error_phrase(r));
}

/* ---- where that is not enough ---- */

static bool can_shrink(const struct layout_part *part)
{
	return strncmp(part->fs, "ext", 3) == 0 || strcmp(part->fs, "ntfs") == 0 ||
	       strcmp(part->fs, "btrfs") == 0;
}

/* Refuses the first partition from here on that cannot be trusted, and says why. */
static int refuse_doubtful(const struct fitting *f, size_t from, uint64_t missing,
			   struct error *reterr)
{
	for (size_t i = from; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];
		const struct volume volume = volume_of(f, part);
		struct content content = { 0 };

		if (content_known(part->fs))
			content_read(&volume, part->fs, &content);
		content_done(&content);
		if (content.whole[0])
			return fitting_refuse(
				f, reterr,
				_("The partitions of %s are %s sectors too large for %s, and "
				  "partition %u (%s) is left as it is: %s. Bring it in order "
				  "first, or take a larger disk."),
				f->name, UNITS_COUNT(missing), f->other, part->number, part->fs,
				content.whole);
	}
	return 0;
}

static uint64_t used_of(const struct fitting *f, const struct layout_part *part)
{
	const struct volume volume = volume_of(f, part);
	struct content content;
	uint64_t used = volume.size;

	if (content_read(&volume, part->fs, &content) == 0)
		used = content.used_bytes;
	content_done(&content);
	return used;
}

#define BTRFS_LEAST (256ULL << 20) /* btrfs filesystem resize refuses less */

/* How small its file system can become. */
static uint64_t least_of(const struct layout_part *part, uint64_t used)
{
	return strcmp(part->fs, "btrfs") == 0 && used < BTRFS_LEAST ? BTRFS_LEAST : used;
}

/* The one with most to spare; NULL: none has enough. */
static const struct layout_part *find_spare(const struct fitting *f, size_t from, uint64_t missing,
					    uint64_t *retused)
{
	const struct layout_part *best = NULL;
	uint64_t most = missing * f->sector;

	for (size_t i = from; i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];
		uint64_t used = can_shrink(part) ? used_of(f, part) : UINT64_MAX;
		uint64_t least = least_of(part, used), bytes = part->least * f->sector;

		if (least >= bytes || bytes - least <= most)
			continue;
		most = bytes - least;
		best = part;
		*retused = used;
	}
	return best;
}

static int refuse_blocked(struct fitting *f, size_t blocked, uint64_t missing, struct error *reterr)
{
	const struct layout_part *part = &f->parts[blocked], *spare;
	uint64_t unit = LAYOUT_ALIGNMENT / f->sector, used = 0;
	char from[256], to[256];

	if (!u64_align_up(missing, unit, &missing))
		missing = part->sectors;
	spare = find_spare(f, blocked, missing, &used);
	if (!spare && refuse_doubtful(f, blocked, missing, reterr) < 0)
		return -EINVAL;
	if (!spare)
		return fitting_refuse(
			f, reterr,
			_("Moved together as far as possible, the partitions of %s are %s "
			  "sectors too large for %s: partition %u stays where it is (%s). No file "
			  "system from there on can be shrunk by so much: take a larger disk, or "
			  "copy files to new file systems."),
			f->name, UNITS_COUNT(missing), f->other, part->number,
			blocked == 0  ? _("it is the first one")
			: part->fixed ? part->fixed
				      : _("there is no room before it"));
	f->shrink = (struct layout_shrink){
		.number = spare->number,
		.start = spare->start * f->sector,
		.length = spare->sectors * f->sector,
		.bytes = u64_align_down((spare->least - missing) * f->sector, LAYOUT_ALIGNMENT),
	};
	text_copy(f->shrink.fs, sizeof(f->shrink.fs), spare->fs);
	text_shell_word(from, sizeof(from), f->name, "SOURCE");
	text_shell_word(to, sizeof(to), f->other, "DESTINATION");
	return fitting_refuse(
		f, reterr,
		_("Partition %u (%s, %s used) must become %s sectors smaller for %s. "
		  "Shrink it in an image, not on the source (in the deck: s on 3):  clonedeck "
		  "clone -s %s -d %s --shrink-via IMAGE"),
		spare->number, spare->fs, UNITS_SHORT(used, UNITS_SI, f->sector),
		UNITS_COUNT(missing), f->other, from, to);
}

int fit_smaller(struct fitting *f, struct error *reterr)
{
	uint64_t unit = LAYOUT_ALIGNMENT / f->sector, missing = 0;
	size_t blocked = 0;
	int r;

	if (f->extended)
		return fitting_refuse(
			f, reterr,
			_("%s has an extended partition, and partitions that end behind the end of "
			  "%s: with such a table none is moved or cut. Move them on a copy with "
			  "GParted first, or take a larger disk."),
			f->name, f->other);
	r = learn_parts(f, reterr);
	if (r < 0 || squeeze(f->parts, f->part_count, f->usable, unit, false, &blocked, &missing) ||
	    squeeze(f->parts, f->part_count, f->usable, unit, true, &blocked, &missing))
		return r;
	return refuse_blocked(f, blocked, missing, reterr);
}

/* ---- room for one that grows ---- */

void make_way(struct layout_part *parts, size_t count, uint64_t usable, uint64_t unit)
{
	uint64_t end = usable;

	for (size_t i = count; i-- > 0;) {
		struct layout_part *part = &parts[i];
		uint64_t to = end < part->size ? 0 : u64_align_down(end - part->size, unit);

		if (!part->fixed && to > part->start)
			part->to = to;
		end = part->to;
	}
}

int fit_larger(struct fitting *f, struct layout_part *part, struct error *reterr)
{
	size_t behind = (size_t)(f->parts + f->part_count - part) - 1;
	int r;

	if (behind == 0)
		return 0;
	r = learn_parts(f, reterr);
	if (r == 0)
		make_way(part + 1, behind, f->usable, LAYOUT_ALIGNMENT / f->sector);
	return r;
}

/* ---- what says where it begins ---- */

static bool is_sound(const struct layout_part *part, const unsigned char *first)
{
	return bytes_little(first + 510, 2) == 0xaa55 &&
	       bytes_little(first + HIDDEN, 4) == (part->start & UINT32_MAX);
}

/* Where the copy of the first sector is, in bytes; 0: there is none. */
static uint64_t second_of(const struct layout_part *part, const unsigned char *first)
{
	uint64_t bytes = bytes_little(first + 0x0b, 2), at = 0;

	if (strcmp(part->fs, "ntfs") == 0)
		return u64_mul(bytes_little(first + 0x28, 8), bytes, &at) ? at : 0;
	/* FAT32 alone has a zero there. */
	return bytes_little(first + 0x16, 2) == 0 ? bytes_little(first + 0x32, 2) * bytes : 0;
}

static int add_begin(const struct fitting *f, const struct layout_part *part, uint64_t at,
		     struct fitted *ret, unsigned char first[static FIRST])
{
	const struct volume volume = volume_of(f, part);
	unsigned char changed[FIRST];
	int r = at <= part->size * f->sector - FIRST ? volume_read(&volume, at, first, FIRST)
						     : -ERANGE;

	if (r < 0 || !is_sound(part, first))
		return r == -ENOMEM ? r : 0;
	memcpy(changed, first, FIRST);
	for (unsigned i = 0; i < 4; i++)
		changed[HIDDEN + i] = (unsigned char)(part->to >> 8 * i);
	return fitted_add(ret, volume.start + at, changed);
}

int moved_collect(const struct fitting *f, struct fitted *ret, struct error *reterr)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->part_count; i++) {
		const struct layout_part *part = &f->parts[i];
		unsigned char first[FIRST] = { 0 }, other[FIRST];
		uint64_t second;

		if (part->to == part->start ||
		    (strcmp(part->fs, "vfat") != 0 && strcmp(part->fs, "ntfs") != 0))
			continue;
		r = add_begin(f, part, 0, ret, first);
		second = second_of(part, first);
		if (r == 0 && second && second % FITTED_UNIT == 0)
			r = add_begin(f, part, second, ret, other);
	}
	return r < 0 ? error_nomem(reterr) : 0;
}
