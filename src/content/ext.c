/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ext2, ext3 and ext4 (Linux, Documentation/filesystems/ext4): each group has a bitmap of its
 * blocks (of clusters of them, with bigalloc). It is believed only if its descriptor and, where
 * there are such sums, its own agree with it. A group that was never written to has no bitmap yet:
 * its descriptor says so.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/i18n.h"
#include "content/content.h"
#include "content/reader.h"

#define SUPERBLOCK   1024U
#define MAGIC        0xef53
#define STATE_VALID  1
#define DYNAMIC      1 /* revision: with feature flags */
#define BLOCK_UNINIT 2 /* of a group */
#define WINDOW       (256U << 10)

#define COMPAT_JOURNAL       0x4U
#define COMPAT_SPARSE_SUPER2 0x200U
/* Those, xattrs, reserved descriptors, indexed folders, stable inodes, fast commit, orphan file */
#define COMPAT_KNOWN       0x1e3cU
#define INCOMPAT_RECOVER   0x4U
#define INCOMPAT_META_BG   0x10U
#define INCOMPAT_64BIT     0x80U
#define INCOMPAT_CSUM_SEED 0x2000U
/* Those but for RECOVER, file types, extents, flexible groups, xattr inodes, large folders, inline
 * data, encryption, folded case */
#define INCOMPAT_KNOWN    0x3e6d2U
#define RO_SPARSE_SUPER   0x1U
#define RO_GDT_CSUM       0x10U
#define RO_BIGALLOC       0x200U
#define RO_METADATA_CSUM  0x400U
#define RO_ORPHAN_PRESENT 0x10000U
/* Those but for ORPHAN_PRESENT, large and huge files, link counts, inode sizes, quota, read-only,
 * projects, verity */
#define RO_KNOWN 0xb77bU

struct superblock {
	uint32_t inodes, blocks, reserved, free_blocks, free_inodes, first_block;
	uint32_t log_block, log_cluster, blocks_per_group, clusters_per_group, inodes_per_group;
	uint32_t times[2];
	uint16_t mounts, max_mounts, magic, state, errors, minor;
	uint32_t checked[2], os, revision;
	uint16_t users[2];
	uint32_t first_inode;
	uint16_t inode_size, group;
	uint32_t compat, incompat, ro_compat;
	uint8_t uuid[16], names[80];
	uint32_t bitmap_algorithm;
	uint8_t prealloc[2];
	uint16_t reserved_descriptors;
	uint8_t journal_uuid[16];
	uint32_t journal_inode, journal_device, last_orphan, hash_seed[4];
	uint8_t hash_version, journal_backup;
	uint16_t descriptor_size;
	uint32_t mount_options, first_meta_bg, made, journal_blocks[17];
	uint32_t blocks_high, reserved_high, free_blocks_high;
	uint8_t to_errors[0x194 - 0x15c];
	uint32_t error_count;
	uint8_t to_backups[0x24c - 0x198];
	uint32_t backup_groups[2];
	uint8_t to_seed[0x270 - 0x254];
	uint32_t checksum_seed;
	uint8_t to_checksum[0x3fc - 0x274];
	uint32_t checksum;
} __attribute__((packed));

struct descriptor {
	uint32_t block_bitmap, inode_bitmap, inode_table;
	uint16_t free_blocks, free_inodes, folders, flags;
	uint32_t exclude;
	uint16_t block_bitmap_sum, inode_bitmap_sum, unused_inodes, checksum;
	/* From here on only if it is large: */
	uint32_t block_bitmap_high, inode_bitmap_high, inode_table_high;
	uint16_t free_blocks_high, more[3];
	uint32_t exclude_high;
	uint16_t block_bitmap_sum_high, inode_bitmap_sum_high;
	uint32_t end;
} __attribute__((packed));

_Static_assert(sizeof(struct superblock) == 1024, "as on the disk");
_Static_assert(sizeof(struct descriptor) == 64, "as on the disk");

struct ext {
	const struct volume *volume;
	struct content *content;
	struct superblock super;
	uint32_t compat, incompat, ro_compat, seed;
	uint64_t block, cluster; /* bytes */
	uint64_t blocks, first_block, groups, group_blocks, table_blocks;
	size_t descriptor_size;
	/* Bitmaps lie beside each other: what was read around the last one. */
	unsigned char *window;
	uint64_t window_at, window_size;
};

struct group {
	uint64_t number, start, blocks; /* blocks of the file system */
	uint64_t block_bitmap, inode_bitmap, inode_table, free;
	uint32_t sum, sum_mask;
	bool empty; /* has no bitmap */
};

/* Why nothing of it is to be believed; NULL: go on. */
static const char *gate(const struct ext *fs)
{
	const struct superblock *super = &fs->super;

	if (le16toh(super->magic) != MAGIC || le32toh(super->revision) != DYNAMIC)
		return _("its superblock makes no sense");
	if (fs->incompat & INCOMPAT_RECOVER || fs->ro_compat & RO_ORPHAN_PRESENT ||
	    super->last_orphan)
		return _("it was not unmounted: its journal holds changes");
	if (fs->compat & ~COMPAT_KNOWN || fs->incompat & ~INCOMPAT_KNOWN ||
	    fs->ro_compat & ~RO_KNOWN)
		return _("it has features that are not known");
	if (fs->compat & COMPAT_JOURNAL && (!super->journal_inode || super->journal_device))
		return _("its journal is on another disk");
	if (le16toh(super->state) != STATE_VALID)
		return _("it was not unmounted, or has errors");
	if (super->error_count)
		return _("errors were found in it");
	if (fs->ro_compat & RO_METADATA_CSUM &&
	    crc32c(~0U, super, offsetof(struct superblock, checksum)) != le32toh(super->checksum))
		return _("the checksum of its superblock is wrong");
	return NULL;
}

/* Sizes that make sense together; everything later relies on them. */
static bool understand(struct ext *fs)
{
	const struct superblock *super = &fs->super;
	uint32_t log = le32toh(super->log_block), log_cluster = le32toh(super->log_cluster);
	bool wide = fs->incompat & INCOMPAT_64BIT, bigalloc = fs->ro_compat & RO_BIGALLOC;
	uint64_t bytes;

	if (log > 6 || log_cluster < log || log_cluster > log + 16 ||
	    (!bigalloc && log_cluster != log))
		return false;
	fs->block = 1024ULL << log;
	fs->cluster = 1024ULL << log_cluster;
	fs->first_block = le32toh(super->first_block);
	fs->group_blocks = le32toh(super->blocks_per_group);
	fs->blocks =
		le32toh(super->blocks) | (wide ? (uint64_t)le32toh(super->blocks_high) << 32 : 0);
	fs->descriptor_size = wide ? le16toh(super->descriptor_size) : 32;
	if (fs->descriptor_size < (wide ? 64 : 32) || fs->descriptor_size > 1024 ||
	    fs->descriptor_size & (fs->descriptor_size - 1))
		return false;
	if (fs->group_blocks == 0 || fs->group_blocks % (fs->cluster / fs->block) != 0 ||
	    fs->group_blocks / (fs->cluster / fs->block) > fs->block * 8 ||
	    fs->group_blocks / (fs->cluster / fs->block) % 8 != 0 || fs->first_block > 1 ||
	    fs->first_block >= fs->blocks || !u64_mul(fs->blocks, fs->block, &bytes) ||
	    bytes > fs->volume->size)
		return false;
	fs->groups = (fs->blocks - fs->first_block + fs->group_blocks - 1) / fs->group_blocks;
	fs->table_blocks = (fs->groups * fs->descriptor_size + fs->block - 1) / fs->block;
	return true;
}

/* Does the group begin with a copy of the superblock? */
static bool has_super(const struct ext *fs, uint64_t group)
{
	static const unsigned bases[] = { 3, 5, 7 };

	if (group == 0)
		return true;
	if (fs->compat & COMPAT_SPARSE_SUPER2)
		return group == le32toh(fs->super.backup_groups[0]) ||
		       group == le32toh(fs->super.backup_groups[1]);
	if (group == 1 || !(fs->ro_compat & RO_SPARSE_SUPER))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++)
		for (uint64_t power = bases[i]; power <= group; power *= bases[i])
			if (power == group)
				return true;
	return false;
}

/* The block of the table of descriptors that holds the one of this group. */
static uint64_t descriptor_block(const struct ext *fs, uint64_t group)
{
	uint64_t per_block = fs->block / fs->descriptor_size, index = group / per_block;
	uint64_t super = fs->block == 1024 ? 1 : 0, first = index * per_block;

	if (!(fs->incompat & INCOMPAT_META_BG) || index < le32toh(fs->super.first_meta_bg))
		return super + 1 + index;
	if (first == 0)
		return super + 1;
	return fs->first_block + first * fs->group_blocks + has_super(fs, first);
}

static uint16_t crc16(uint16_t crc, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc >> 1 ^ (crc & 1 ? 0xa001 : 0));
	}
	return crc;
}

/* The descriptor's own checksum; true without such sums. */
static bool sum_is_right(const struct ext *fs, uint64_t group, const unsigned char *raw)
{
	size_t at = offsetof(struct descriptor, checksum), size = fs->descriptor_size;
	uint32_t number = htole32((uint32_t)group);
	uint16_t stored, sum;

	memcpy(&stored, raw + at, sizeof(stored));
	if (fs->ro_compat & RO_METADATA_CSUM) {
		uint32_t crc = crc32c(fs->seed, &number, sizeof(number));

		crc = crc32c(crc, raw, at);
		crc = crc32c(crc, "\0", 2);
		sum = (uint16_t)crc32c(crc, raw + at + 2, size - at - 2);
	} else if (fs->ro_compat & RO_GDT_CSUM) {
		sum = crc16(0xffff, fs->super.uuid, sizeof(fs->super.uuid));
		sum = crc16(sum, &number, sizeof(number));
		sum = crc16(sum, raw, at);
		sum = crc16(sum, raw + at + 2, size - at - 2);
	} else {
		return true;
	}
	return sum == le16toh(stored);
}

static void read_group(const struct ext *fs, const unsigned char *raw, struct group *group)
{
	struct descriptor d = { 0 };
	bool wide = fs->descriptor_size >= sizeof(d);

	memcpy(&d, raw, wide ? sizeof(d) : 32);
	group->start = fs->first_block + group->number * fs->group_blocks;
	group->blocks = fs->blocks - group->start;
	if (group->blocks > fs->group_blocks)
		group->blocks = fs->group_blocks;
	group->block_bitmap = le32toh(d.block_bitmap) | (uint64_t)le32toh(d.block_bitmap_high)
								<< 32;
	group->inode_bitmap = le32toh(d.inode_bitmap) | (uint64_t)le32toh(d.inode_bitmap_high)
								<< 32;
	group->inode_table = le32toh(d.inode_table) | (uint64_t)le32toh(d.inode_table_high) << 32;
	group->free = le16toh(d.free_blocks) | (uint64_t)le16toh(d.free_blocks_high) << 16;
	group->sum = le16toh(d.block_bitmap_sum) | (uint32_t)le16toh(d.block_bitmap_sum_high) << 16;
	group->sum_mask = wide ? UINT32_MAX : UINT16_MAX;
	group->empty =
		fs->ro_compat & (RO_METADATA_CSUM | RO_GDT_CSUM) && le16toh(d.flags) & BLOCK_UNINIT;
}

/* The bitmap of a group, as far as it goes with the blocks around it. */
static int find_bitmap(struct ext *fs, uint64_t number, const unsigned char **ret)
{
	uint64_t at, size = WINDOW;
	int r;

	if (number >= fs->blocks)
		return -EINVAL;
	at = number * fs->block;
	if (at < fs->window_at || at + fs->block > fs->window_at + fs->window_size) {
		if (size > fs->volume->size - at)
			size = fs->volume->size - at;
		fs->window_size = 0;
		r = volume_read(fs->volume, at, fs->window, size);
		if (r < 0)
			return r;
		fs->window_at = at;
		fs->window_size = size;
	}
	*ret = fs->window + (at - fs->window_at);
	return 0;
}

static int add_bitmap(struct ext *fs, const struct group *group)
{
	uint64_t ratio = fs->cluster / fs->block, bits = (group->blocks + ratio - 1) / ratio;
	uint64_t free_bits = bits;
	const unsigned char *bitmap;
	int r = find_bitmap(fs, group->block_bitmap, &bitmap);

	if (r < 0)
		return r;
	if (fs->ro_compat & RO_METADATA_CSUM &&
	    (crc32c(fs->seed, bitmap, fs->group_blocks / ratio / 8) ^ group->sum) & group->sum_mask)
		return -EBADMSG;
	for (uint64_t byte = 0; byte < bits / 8; byte++)
		free_bits -= (unsigned)__builtin_popcount(bitmap[byte]);
	if (bits % 8)
		free_bits -=
			(unsigned)__builtin_popcount(bitmap[bits / 8] & ((1U << bits % 8) - 1));
	if (free_bits != group->free)
		return -EBADMSG;
	/* The last cluster may reach beyond the end. */
	if (group->blocks % ratio)
		bits--;
	return content_add_bitmap(fs->volume, fs->content, group->start * fs->block, fs->cluster,
				  bitmap, bits);
}

static uint64_t table_blocks_of(const struct ext *fs)
{
	uint64_t bytes =
		(uint64_t)le32toh(fs->super.inodes_per_group) * le16toh(fs->super.inode_size);

	return (bytes + fs->block - 1) / fs->block;
}

/* Takes these blocks, whole clusters of them, out of a list of free ones. */
static int take(const struct ext *fs, struct range_list *blocks, uint64_t first, uint64_t count)
{
	uint64_t ratio = fs->cluster / fs->block, start = u64_align_down(first, ratio), end;

	if (!u64_add(first, count, &end) || !u64_align_up(end, ratio, &end))
		return -EINVAL;
	return range_list_subtract(blocks, (struct range){ start, end - start });
}

/* Without a bitmap: what the group begins with is used, and its own metadata, which the file system
 * counts as used. The metadata of others is seen to for all of them in the end. */
static int find_free_of_empty(const struct ext *fs, const struct group *group,
			      struct range_list *blocks)
{
	uint64_t head = fs->incompat & INCOMPAT_META_BG ? 2 : 0;
	int r = range_list_add(blocks, (struct range){ group->start, group->blocks });

	if (has_super(fs, group->number))
		head += 1 + fs->table_blocks + le16toh(fs->super.reserved_descriptors);
	if (r == 0)
		r = take(fs, blocks, group->start, head);
	if (r == 0)
		r = take(fs, blocks, group->block_bitmap, 1);
	if (r == 0)
		r = take(fs, blocks, group->inode_bitmap, 1);
	return r == 0 ? take(fs, blocks, group->inode_table, table_blocks_of(fs)) : r;
}

static int add_empty(struct ext *fs, const struct group *group)
{
	struct range_list blocks = { 0 };
	int r = find_free_of_empty(fs, group, &blocks);

	for (size_t i = 0; r == 0 && i < blocks.count; i++)
		r = content_add_free(fs->volume, fs->content, blocks.items[i].start * fs->block,
				     blocks.items[i].count * fs->block);
	range_list_done(&blocks);
	return r;
}

/* These blocks are used, whatever a bitmap says. */
static int keep(struct ext *fs, uint64_t block, uint64_t count)
{
	uint64_t sector = fs->volume->sector_size, end;
	struct range r;

	if (!u64_add(block, count, &end) || block == 0 || end > fs->blocks)
		return -EINVAL;
	r.start = block * fs->block / sector;
	r.count = (end * fs->block + sector - 1) / sector - r.start;
	if (!range_list_overlaps(&fs->content->free, r))
		return 0;
	return range_list_subtract(&fs->content->free, r);
}

static int keep_metadata(struct ext *fs, const struct group *group)
{
	int r = keep(fs, group->block_bitmap, 1);

	if (r == 0)
		r = keep(fs, group->inode_bitmap, 1);
	if (r == 0)
		r = keep(fs, group->inode_table, table_blocks_of(fs));
	return r;
}

/* Calls a function for each group, in order. */
static int each_group(struct ext *fs, unsigned char *table,
		      int (*with)(struct ext *fs, const struct group *group))
{
	uint64_t per_block = fs->block / fs->descriptor_size;
	int r = 0;

	for (uint64_t number = 0; r == 0 && number < fs->groups; number++) {
		const unsigned char *raw = table + number % per_block * fs->descriptor_size;
		struct group group = { .number = number };

		if (number % per_block == 0)
			r = volume_read(fs->volume, descriptor_block(fs, number) * fs->block, table,
					fs->block);
		if (r == 0 && !sum_is_right(fs, number, raw))
			r = -EBADMSG;
		if (r < 0)
			break;
		read_group(fs, raw, &group);
		r = with(fs, &group);
	}
	return r;
}

static int add_group(struct ext *fs, const struct group *group)
{
	return group->empty ? add_empty(fs, group) : add_bitmap(fs, group);
}

static int walk(struct ext *fs)
{
	unsigned char *window CLEANUP(free) = malloc(WINDOW);
	unsigned char *table CLEANUP(free) = malloc(fs->block);
	int r;

	if (!window || !table)
		return -ENOMEM;
	fs->window = window;
	r = each_group(fs, table, add_group);
	return r == 0 ? each_group(fs, table, keep_metadata) : r;
}

int content_ext(const struct volume *volume, struct content *content)
{
	struct ext fs = { .volume = volume, .content = content };
	uint64_t free_blocks;
	const char *why;
	int r = volume_read(volume, SUPERBLOCK, &fs.super, sizeof(fs.super));

	if (r < 0)
		return r;
	fs.compat = le32toh(fs.super.compat);
	fs.incompat = le32toh(fs.super.incompat);
	fs.ro_compat = le32toh(fs.super.ro_compat);
	fs.seed = fs.incompat & INCOMPAT_CSUM_SEED
			  ? le32toh(fs.super.checksum_seed)
			  : crc32c(~0U, fs.super.uuid, sizeof(fs.super.uuid));
	why = gate(&fs);
	if (why)
		return content_doubt(content, why);
	if (!understand(&fs))
		return -EINVAL;
	free_blocks = le32toh(fs.super.free_blocks);
	if (fs.incompat & INCOMPAT_64BIT)
		free_blocks |= (uint64_t)le32toh(fs.super.free_blocks_high) << 32;
	if (free_blocks > fs.blocks)
		return -EINVAL;
	content->used_bytes = (fs.blocks - free_blocks) * fs.block;
	r = walk(&fs);
	return r == -EBADMSG ? content_doubt(content, _("checksums or counts in it are wrong")) : r;
}
