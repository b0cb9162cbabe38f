/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * XFS (Linux, fs/xfs/libxfs/xfs_format.h): each allocation group has a tree of its free places,
 * by block number. Followed along its leaves, which must be in order and add up to what the
 * group's header counts. Only after a clean unmount (xfs_log.c).
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/range.h"
#include "content/content.h"
#include "content/reader.h"
#include "content/xfs.h"

#define MAGIC           0x58465342U /* "XFSB" */
#define GROUP_MAGIC     0x58414746U /* "XAGF" */
#define LEAF_MAGIC      0x41425442U /* "ABTB" */
#define LEAF_MAGIC_SUM  0x41423342U /* "AB3B", version 5 */
#define NO_BLOCK        UINT32_MAX
#define LEVELS_MAX      9
#define RO_KNOWN        0xfU /* free inodes, reverse mapping, reflinks, inode counts */
#define INCOMPAT_REPAIR 0x10U
#define INCOMPAT_KNOWN                                                                             \
	0xefU /* file types, sparse inodes, UUID, large times and counts, exchange,                \
	       * parents */
#define PIECE_MAX 65536U

struct superblock {
	uint32_t magic, block_size;
	uint64_t blocks, rt_blocks, rt_extents;
	uint8_t uuid[16];
	uint64_t log_start, inodes[3];
	uint32_t rt_extent, group_blocks, groups, rt_bitmap, log_blocks;
	uint16_t version, sector_size, inode_size, per_block;
	uint8_t name[12], logs[4], group_log, rt_log, in_progress, percent;
	uint64_t inode_count, free_inodes, free_blocks, free_rt;
	uint8_t to_features[208 - 160];
	uint32_t compat, ro_compat, incompat, log_incompat, checksum;
} __attribute__((packed));

struct group {
	uint32_t magic, version, number, blocks, roots[3], levels[3];
	uint32_t list[3], free_blocks;
} __attribute__((packed));

struct node {
	uint32_t magic;
	uint16_t level, records;
	uint32_t left, right;
	/* From here on only in version 5: */
	uint64_t place, sequence;
	uint8_t uuid[16];
	uint32_t owner, checksum;
} __attribute__((packed));

struct record {
	uint32_t start, count;
};

#define GROUP_SUM 216
_Static_assert(offsetof(struct superblock, free_blocks) == 144, "as on the disk");
_Static_assert(offsetof(struct superblock, checksum) == 224, "as on the disk");
_Static_assert(offsetof(struct group, free_blocks) == 52, "as on the disk");
_Static_assert(sizeof(struct node) == 56, "as on the disk");

struct xfs {
	const struct volume *volume;
	struct content *content;
	uint64_t block, sector; /* bytes */
	uint64_t blocks;
	uint32_t group_blocks, groups;
	bool sums; /* version 5 */
	unsigned char *piece;
};

/* A sum over the whole piece, as if its own four bytes were 0; stored inverted, little-endian. */
static bool sum_is_right(const unsigned char *piece, size_t size, size_t at)
{
	uint32_t stored, crc = crc32c(~0U, piece, at);

	memcpy(&stored, piece + at, sizeof(stored));
	crc = crc32c(crc, "\0\0\0", 4);
	crc = crc32c(crc, piece + at + 4, size - at - 4);
	return ~crc == le32toh(stored);
}

static const char *gate(const struct xfs *fs, const struct superblock *super)
{
	unsigned version = be16toh(super->version) & 15;

	if (be32toh(super->magic) != MAGIC || (version != 4 && version != 5))
		return _("its superblock makes no sense");
	if (fs->sums && !sum_is_right(fs->piece, fs->sector, offsetof(struct superblock, checksum)))
		return _("the checksum of its superblock is wrong");
	if (super->in_progress || (fs->sums && be32toh(super->incompat) & INCOMPAT_REPAIR))
		return _("it has errors");
	if (fs->sums && (be32toh(super->ro_compat) & ~RO_KNOWN || super->compat ||
			 be32toh(super->incompat) & ~INCOMPAT_KNOWN))
		return _("it has features that are not known");
	if (super->rt_blocks)
		return _("part of it is on another disk");
	if (!super->log_start)
		return _("its journal is on another disk");
	if (fs->sums && super->log_incompat)
		return _("it was not unmounted: its journal holds changes");
	return NULL;
}

/* Sizes that make sense together; everything later relies on them. */
static bool understand(struct xfs *fs, const struct superblock *super)
{
	uint64_t bytes;

	fs->block = be32toh(super->block_size);
	fs->blocks = be64toh(super->blocks);
	fs->group_blocks = be32toh(super->group_blocks);
	fs->groups = be32toh(super->groups);
	return is_power_of_2(fs->block) && fs->block >= 512 && fs->block <= PIECE_MAX &&
	       fs->block >= fs->sector && u64_mul(fs->blocks, fs->block, &bytes) &&
	       bytes <= fs->volume->size && fs->group_blocks >= 64 && fs->groups > 0 &&
	       super->group_log < 32 && fs->group_blocks <= 1ULL << super->group_log &&
	       (fs->blocks + fs->group_blocks - 1) / fs->group_blocks == fs->groups &&
	       be64toh(super->free_blocks) <= fs->blocks;
}

/* The place of the journal: blocks are numbered by group and block of it. */
static bool find_log(const struct xfs *fs, const struct superblock *super, uint64_t *retstart,
		     uint64_t *retsize)
{
	uint64_t start = be64toh(super->log_start), group = start >> super->group_log;
	uint64_t in_group = start & ((1ULL << super->group_log) - 1);

	*retsize = be32toh(super->log_blocks) * fs->block;
	if (group >= fs->groups || in_group >= fs->group_blocks)
		return false;
	*retstart = (group * fs->group_blocks + in_group) * fs->block;
	return *retsize <= fs->volume->size && *retstart <= fs->volume->size - *retsize;
}

static int read_node(const struct xfs *fs, uint32_t group, uint32_t number, unsigned level,
		     uint32_t blocks, struct node *ret)
{
	uint64_t block = (uint64_t)group * fs->group_blocks + number;
	size_t header = fs->sums ? sizeof(*ret) : offsetof(struct node, place);
	/* A leaf has records of a place; another node keys like those, and a number each. */
	size_t size = level == 0 ? sizeof(struct record) : sizeof(struct record) + sizeof(uint32_t);
	int r;

	if (number == 0 || number >= blocks)
		return -EINVAL;
	r = volume_read(fs->volume, block * fs->block, fs->piece, fs->block);
	if (r < 0)
		return r;
	memcpy(ret, fs->piece, sizeof(*ret));
	if (be32toh(ret->magic) != (fs->sums ? LEAF_MAGIC_SUM : LEAF_MAGIC) ||
	    be16toh(ret->level) != level || be16toh(ret->records) == 0 ||
	    be16toh(ret->records) > (fs->block - header) / size)
		/* An empty root: nothing is free. */
		return ret->records || level ? -EINVAL : 0;
	if (fs->sums &&
	    (be64toh(ret->place) != block * (fs->block / 512) || be32toh(ret->owner) != group ||
	     !sum_is_right(fs->piece, fs->block, offsetof(struct node, checksum))))
		return -EINVAL;
	return 0;
}

/* Down to the first leaf. */
static int find_leaf(const struct xfs *fs, uint32_t group, const struct group *header,
		     uint32_t blocks, uint32_t *retnumber)
{
	uint32_t number = be32toh(header->roots[0]), levels = be32toh(header->levels[0]);
	size_t keys = fs->sums ? sizeof(struct node) : offsetof(struct node, place);
	int r = 0;

	if (levels == 0 || levels > LEVELS_MAX)
		return -EINVAL;
	keys += (fs->block - keys) / (sizeof(struct record) + sizeof(uint32_t)) *
		sizeof(struct record);
	for (unsigned level = levels - 1; r == 0 && level > 0; level--) {
		struct node node;

		r = read_node(fs, group, number, level, blocks, &node);
		memcpy(&number, fs->piece + keys, sizeof(number));
		number = be32toh(number);
	}
	*retnumber = number;
	return r;
}

/* The records of the leaf that was just read. *end: of the last place so far. */
static int add_leaf(const struct xfs *fs, uint32_t group, const struct node *leaf, uint32_t blocks,
		    uint64_t *end, uint64_t *total)
{
	const unsigned char *at =
		fs->piece + (fs->sums ? sizeof(*leaf) : offsetof(struct node, place));
	uint64_t first = (uint64_t)group * fs->group_blocks;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < be16toh(leaf->records); i++) {
		struct record record;
		uint64_t start, count;

		memcpy(&record, at + i * sizeof(record), sizeof(record));
		start = be32toh(record.start);
		count = be32toh(record.count);
		if (count == 0 || start < *end || start + count > blocks)
			return -EINVAL;
		*end = start + count;
		*total += count;
		r = content_add_free(fs->volume, fs->content, (first + start) * fs->block,
				     count * fs->block);
	}
	return r;
}

static int add_group(const struct xfs *fs, uint32_t number)
{
	uint64_t first = (uint64_t)number * fs->group_blocks, end = 1, total = 0;
	uint32_t blocks = fs->blocks - first < fs->group_blocks ? (uint32_t)(fs->blocks - first)
								: fs->group_blocks;
	struct group header;
	uint32_t leaf;
	int r = volume_read(fs->volume, first * fs->block + fs->sector, fs->piece, fs->sector);

	if (r < 0)
		return r;
	memcpy(&header, fs->piece, sizeof(header));
	if (be32toh(header.magic) != GROUP_MAGIC || be32toh(header.number) != number ||
	    be32toh(header.blocks) != blocks ||
	    (fs->sums && !sum_is_right(fs->piece, fs->sector, GROUP_SUM)))
		return -EINVAL;
	r = find_leaf(fs, number, &header, blocks, &leaf);
	/* Each leaf has at least a place behind the last one: this ends. */
	while (r == 0 && leaf != NO_BLOCK) {
		struct node node = { 0 };

		r = read_node(fs, number, leaf, 0, blocks, &node);
		if (r == 0 && node.records == 0)
			break;
		if (r == 0)
			r = add_leaf(fs, number, &node, blocks, &end, &total);
		leaf = be32toh(node.right);
	}
	return r == 0 && total != be32toh(header.free_blocks) ? -EINVAL : r;
}

static int walk(struct xfs *fs)
{
	struct superblock super;
	uint64_t log, log_size;
	const char *why;
	int r = volume_read(fs->volume, 0, &super, sizeof(super));

	if (r < 0)
		return r;
	fs->sector = be16toh(super.sector_size);
	fs->sums = (be16toh(super.version) & 15) == 5;
	if (!is_power_of_2(fs->sector) || fs->sector < 512 || fs->sector > 32768)
		return -EINVAL;
	r = volume_read(fs->volume, 0, fs->piece, fs->sector);
	if (r < 0)
		return r;
	memcpy(&super, fs->piece, sizeof(super));
	why = gate(fs, &super);
	if (why)
		return content_doubt(fs->content, why);
	if (!understand(fs, &super) || !find_log(fs, &super, &log, &log_size))
		return -EINVAL;
	r = xfs_log_is_clean(fs->volume, log, log_size);
	if (r <= 0)
		return r < 0 ? r
			     : content_doubt(fs->content,
					     _("it was not unmounted: its journal holds changes"));
	fs->content->used_bytes = (fs->blocks - be64toh(super.free_blocks)) * fs->block;
	for (uint32_t group = 0; r >= 0 && group < fs->groups; group++)
		r = add_group(fs, group);
	return r;
}

int content_xfs(const struct volume *volume, struct content *content)
{
	unsigned char *piece CLEANUP(free) = malloc(PIECE_MAX);
	struct xfs fs = { .volume = volume, .content = content, .piece = piece };

	return piece ? walk(&fs) : -ENOMEM;
}
