/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "content/content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
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

static const struct content_kind kinds[] = {
	{ "ext2", content_ext },    { "ext3", content_ext },       { "ext4", content_ext },
	{ "swap", content_swap },   { "swsuspend", content_swap }, { "xfs", content_xfs },
	{ "vfat", content_fat },    { "exfat", content_exfat },    { "ntfs", content_ntfs },
	{ "btrfs", content_btrfs }, { "f2fs", content_f2fs },
};

static content_reader *reader_of(const char *fs)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].fs, fs) == 0)
			return kinds[i].read;
	return NULL;
}

bool content_known(const char *fs)
{
	return reader_of(fs) != NULL;
}

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
	int r = 0;

	if (!u64_add(offset, size, &end) || end > volume->size ||
	    !u64_add(volume->start, offset, &from))
		return -ERANGE;
	piece = aligned_alloc(ALIGN, PIECE);
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
	return 0;
}

/* What is always used, and where the way around is longer. */
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

	if (content->whole[0])
		return 0;
	if (r == -ENOMEM || r == -ECANCELED)
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
	content_reader *read = reader_of(fs);
	int r;

	*content = (struct content){ 0 };
	if (read && content_size(volume, fs) > volume->size)
		r = content_doubt(content,
				  _("it is larger than the partition or disk in which it lies"));
	else if (read)
		r = read_and_check(volume, read, content);
	else
		r = content_doubt(content, fs[0] ? _("what such a file system uses is not known")
						 : _("no file system was recognised"));
	if (r < 0 || content->whole[0])
		range_list_done(&content->free);
	content->used_bytes = volume->size - range_list_total(&content->free) * volume->sector_size;
	return r;
}

void content_done(struct content *content)
{
	range_list_done(&content->free);
}
