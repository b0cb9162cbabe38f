/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "content/content.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/text.h"

#define ALIGN 4096U /* as every O_DIRECT wants it */
#define PIECE (1U << 20)
/* The first and the last so many bytes are always used: superblocks, boot sectors, and what other
 * programs recognise a member by. */
#define EDGE (1U << 20)
/* Reading over a smaller free place is faster than going around it. */
#define SMALL (256U << 10)

/* ---- how large a file system says it is: what lies behind that in its partition is nobody's ----
 */

#define FIRST 4096U /* bytes: what most of them say about themselves lies in these */

/* Each: bytes, 0 if it cannot be. `first`: the first bytes of the volume, or from `at` on. */

static uint64_t size_of_ext(const unsigned char *first)
{
	const unsigned char *super = first + 1024;
	uint64_t blocks = bytes_little(super + 4, 4), bytes;

	if (bytes_little(super + 0x38, 2) != 0xef53 || bytes_little(super + 0x18, 4) > 6)
		return 0;
	if (bytes_little(super + 0x60, 4) & 0x80) /* 64bit */
		blocks |= bytes_little(super + 0x150, 4) << 32;
	return u64_mul(blocks, 1024ULL << bytes_little(super + 0x18, 4), &bytes) ? bytes : 0;
}

static uint64_t size_of_xfs(const unsigned char *first)
{
	uint32_t block;
	uint64_t blocks, bytes;

	memcpy(&block, first + 4, sizeof(block));
	memcpy(&blocks, first + 8, sizeof(blocks));
	return memcmp(first, "XFSB", 4) == 0 && u64_mul(be64toh(blocks), be32toh(block), &bytes)
		       ? bytes
		       : 0;
}

/* The backup of its boot sector lies behind the sectors that it counts. */
static uint64_t size_of_ntfs(const unsigned char *first)
{
	uint64_t sectors = bytes_little(first + 0x28, 8), bytes;

	return memcmp(first + 3, "NTFS    ", 8) == 0 && u64_add(sectors, 1, &sectors) &&
			       u64_mul(sectors, bytes_little(first + 0x0b, 2), &bytes)
		       ? bytes
		       : 0;
}

static uint64_t size_of_fat(const unsigned char *first)
{
	uint64_t sectors = bytes_little(first + 0x13, 2);

	if (!sectors)
		sectors = bytes_little(first + 0x20, 4);
	return bytes_little(first + 510, 2) == 0xaa55 ? sectors * bytes_little(first + 0x0b, 2) : 0;
}

static uint64_t size_of_exfat(const unsigned char *first)
{
	uint64_t bytes;

	return memcmp(first + 3, "EXFAT   ", 8) == 0 && first[0x6c] >= 9 && first[0x6c] <= 12 &&
			       u64_mul(bytes_little(first + 0x48, 8), 1ULL << first[0x6c], &bytes)
		       ? bytes
		       : 0;
}

static uint64_t size_of_f2fs(const unsigned char *first)
{
	const unsigned char *super = first + 1024;
	uint64_t bytes;

	return bytes_little(super, 4) == 0xf2f52010 && bytes_little(super + 16, 4) == 12 &&
			       u64_mul(bytes_little(super + 36, 8), 4096, &bytes)
		       ? bytes
		       : 0;
}

/* The bytes on this device alone: a file system may have several. */
static uint64_t size_of_btrfs(const unsigned char *first)
{
	return memcmp(first + 0x40, "_BHRfS_M", 8) == 0 ? bytes_little(first + 0xc9 + 8, 8) : 0;
}

static uint64_t size_of_swap(const unsigned char *first)
{
	return memcmp(first + FIRST - 10, "SWAPSPACE2", 10) == 0 &&
			       bytes_little(first + 1024, 4) == 1
		       ? (bytes_little(first + 1028, 4) + 1) * FIRST
		       : 0;
}

/* ---- the kinds ---- */

static const struct kind {
	const char *fs; /* libblkid's TYPE */
	content_reader *read;
	uint64_t (*size)(const unsigned char *first); /* NULL: it does not say */
	uint64_t at;
} kinds[] = {
	{ "ext2", content_ext, size_of_ext },   { "ext3", content_ext, size_of_ext },
	{ "ext4", content_ext, size_of_ext },   { "swap", content_swap, size_of_swap },
	{ "swsuspend", content_swap },          { "xfs", content_xfs, size_of_xfs },
	{ "vfat", content_fat, size_of_fat },   { "exfat", content_exfat, size_of_exfat },
	{ "ntfs", content_ntfs, size_of_ntfs }, { "btrfs", content_btrfs, size_of_btrfs, 65536 },
	{ "f2fs", content_f2fs, size_of_f2fs },
};

static const struct kind *kind_of(const char *fs)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].fs, fs) == 0)
			return &kinds[i];
	return NULL;
}

bool content_known(const char *fs)
{
	return kind_of(fs) != NULL;
}

/* ---- reading ---- */

/* All of [at, at + size) into an aligned buffer; at is aligned, too. What lies behind the last
 * byte that is asked for may be missing. */
static int read_aligned(const struct volume *volume, uint64_t at, unsigned char *buffer,
			size_t size, size_t needed)
{
	for (size_t got = 0; got < needed;) {
		ssize_t n;

		if (volume->cancel && atomic_load(volume->cancel))
			return -ECANCELED;
		n = pread(volume->fd, buffer + got, size - got, (off_t)(at + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		got += (size_t)n;
		/* O_DIRECT goes on only from where it may begin. */
		if (got < needed && got % ALIGN != 0)
			return -EIO;
	}
	return 0;
}

int volume_read(const struct volume *volume, uint64_t offset, void *buffer, size_t size)
{
	unsigned char *piece CLEANUP(free) = NULL;
	uint64_t end, from;
	size_t room;
	int r = 0;

	if (!u64_add(offset, size, &end) || end > volume->size ||
	    !u64_add(volume->start, offset, &from))
		return -ERANGE;
	/* Most reads are of a few bytes: the kernel is not to clear so many pages for each. */
	room = size > PIECE - ALIGN ? PIECE : (from % ALIGN + size) / ALIGN * ALIGN + ALIGN;
	piece = aligned_alloc(ALIGN, room);
	if (!piece)
		return -ENOMEM;
	for (size_t done = 0; r == 0 && done < size;) {
		uint64_t at = u64_align_down(from + done, ALIGN);
		size_t skip = (size_t)(from + done - at), take = size - done;

		if (take > PIECE - skip)
			take = PIECE - skip;
		r = read_aligned(volume, at, piece, (skip + take + ALIGN - 1) / ALIGN * ALIGN,
				 skip + take);
		if (r == 0)
			memcpy((unsigned char *)buffer + done, piece + skip, take);
		done += take;
	}
	return r;
}

int content_add_free(const struct volume *volume, struct content *content, uint64_t offset,
		     uint64_t bytes)
{
	struct range_list *list = &content->free;
	uint64_t end, first, sector = volume->sector_size;
	struct range *last = list->count ? &list->items[list->count - 1] : NULL;

	if (!u64_add(offset, bytes, &end) || end > volume->size)
		return -EINVAL;
	if (!u64_align_up(offset, sector, &first) || first >= u64_align_down(end, sector))
		return 0;
	first /= sector;
	content->free_bytes += bytes;
	/* A small one that nothing was added to is left out at once: there may be billions. */
	if (last && last->start + last->count < first && last->count * sector < SMALL)
		list->count--;
	return range_list_add(list, (struct range){ first, end / sector - first });
}

int content_add_bitmap(const struct volume *volume, struct content *content, uint64_t offset,
		       uint64_t unit, const unsigned char *bitmap, uint64_t bits)
{
	int r = 0;

	for (uint64_t bit = 0; r == 0 && bit < bits;) {
		uint64_t from;

		while (bit < bits && bitmap[bit / 8] >> (bit % 8) & 1)
			bit += bit % 8 == 0 && bitmap[bit / 8] == 0xff ? 8 : 1;
		from = bit;
		while (bit < bits && !(bitmap[bit / 8] >> (bit % 8) & 1))
			bit += bit % 8 == 0 && bitmap[bit / 8] == 0 ? 8 : 1;
		if (bit > bits)
			bit = bits;
		if (from < bit)
			r = content_add_free(volume, content, offset + from * unit,
					     (bit - from) * unit);
	}
	return r;
}

int content_doubt(struct content *content, const char *why)
{
	text_copy(content->whole, sizeof(content->whole), why);
	return -EBADMSG;
}

/* Takes out what is always used, and places so small that reading over them is faster. */
static int cut(const struct volume *volume, struct range_list *list)
{
	uint64_t edge = EDGE / volume->sector_size, sectors = volume->size / volume->sector_size;
	size_t kept = 0;
	int r = range_list_subtract(list, (struct range){ 0, edge });

	if (r == 0)
		r = range_list_subtract(
			list, (struct range){ sectors > edge ? sectors - edge : 0, edge + 1 });
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].count * volume->sector_size >= SMALL)
			list->items[kept++] = list->items[i];
	list->count = kept;
	return r;
}

static int read_and_check(const struct volume *volume, content_reader *read,
			  struct content *content)
{
	int r = read(volume, content);

	if (content->whole[0] || r == -ENOMEM || r == -ECANCELED)
		return r;
	if (r == -EINVAL || r == -ERANGE)
		return content_doubt(content, _("its metadata holds impossible values"));
	if (r < 0)
		return content_doubt(content, error_phrase(r));
	if (content->free_bytes > volume->size ||
	    volume->size - content->free_bytes < content->used_bytes)
		return content_doubt(content,
				     _("its map shows less in use than the file system counts"));
	return cut(volume, &content->free);
}

int content_read(const struct volume *volume, const char *fs, struct content *content)
{
	const struct kind *kind = kind_of(fs);
	int r;

	*content = (struct content){ 0 };
	if (kind && content_size(volume, fs) > volume->size)
		r = content_doubt(content,
				  _("it is larger than the partition or disk in which it lies"));
	else if (kind)
		r = read_and_check(volume, kind->read, content);
	else
		r = content_doubt(content, fs[0] ? _("what such a file system uses is not known")
						 : _("no file system was recognised"));
	if (r < 0)
		range_list_done(&content->free);
	content->used_bytes = volume->size - range_list_total(&content->free) * volume->sector_size;
	return content->whole[0] ? 0 : r;
}

void content_done(struct content *content)
{
	range_list_done(&content->free);
}

uint64_t content_size(const struct volume *volume, const char *fs)
{
	const struct kind *kind = kind_of(fs);
	unsigned char first[FIRST];
	uint64_t bytes = 0;

	if (kind && kind->size && volume_read(volume, kind->at, first, sizeof(first)) == 0)
		bytes = kind->size(first);
	return bytes ? bytes : volume->size;
}
