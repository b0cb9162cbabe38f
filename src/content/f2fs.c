/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * F2FS (Linux, include/linux/f2fs_fs.h): the younger of two checkpoints says which of two copies of
 * each block of the segment information table holds, and brings its last changes along. Believed
 * only after a clean unmount: nothing is to be rolled forward then.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "content/reader.h"

#define MAGIC          0xf2f52010U
#define BLOCK          4096
#define SEGMENT_BLOCKS 512
#define SEGMENT_BYTES  ((uint64_t)BLOCK * SEGMENT_BLOCKS)

/* Of the features: all but zoned (0x2), read only (0x4000) and aliases of devices (0x8000). */
#define KNOWN_FEATURES 0x3ffd
#define SUPER_CHECKSUM 0x800
/* Of the flags of a checkpoint. */
#define UNMOUNTED        0x1U
#define COMPACT_SUMMARY  0x4
#define LARGE_NAT_BITMAP 0x400
/* Orphans; errors seen; a check is needed, of quotas, too; checkpoints are off; a resize. */
#define DOUBTFUL_FLAGS 0x781a

struct super {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t sector_shift, sectors_per_block_shift, block_shift, segment_shift;
	uint32_t segments_per_section, sections_per_zone, checksum_offset;
	uint64_t blocks;
	uint32_t sections, segments, segments_ckpt, segments_sit, segments_nat, segments_ssa,
		segments_main;
	uint32_t segment0, cp, sit, nat, ssa, main;
	uint8_t names[1664 - 96]; /* of the volume, of kinds of files */
	uint32_t cp_payload;
	uint8_t versions[512];
	uint32_t features;
	uint8_t encryption[17], devices[8][68], unused[17];
	uint8_t stop_reasons[32], errors[16], reserved[258];
	uint32_t crc;
} __attribute__((packed));

struct checkpoint {
	uint64_t version, user_blocks, valid_blocks;
	uint32_t segments[3], node_segments[8];
	uint16_t node_offsets[8];
	uint32_t data_segments[8];
	uint16_t data_offsets[8];
	uint32_t flags, pack_blocks, start_sum, valid_nodes, valid_inodes, next_nid;
	uint32_t sit_bitmap_bytes, nat_bitmap_bytes, checksum_offset;
	uint64_t elapsed;
	uint8_t alloc_type[16];
	uint8_t bitmaps[];
} __attribute__((packed));

struct sit_entry {
	uint16_t valid_blocks; /* the lowest 10 bits */
	uint8_t map[64];       /* the highest bit is the first block */
	uint64_t changed;
} __attribute__((packed));

#define SIT_PER_BLOCK (BLOCK / sizeof(struct sit_entry))

struct sit_journal {
	uint16_t count;
	struct {
		uint32_t segment;
		struct sit_entry entry;
	} __attribute__((packed)) items[6];
} __attribute__((packed));

_Static_assert(sizeof(struct super) == 3072 && offsetof(struct super, features) == 2180 &&
		       offsetof(struct checkpoint, bitmaps) == 192 &&
		       sizeof(struct sit_entry) == 74,
	       "as on the disk");

struct f2fs {
	const struct volume *volume;
	struct content *content;
	uint32_t cp, cp_payload, sit, sit_blocks, main, segments; /* sit_blocks: of one copy */
	unsigned char *pack; /* the checkpoint in use, with its payload */
	size_t pack_size;
	uint64_t pack_block;
	struct sit_journal journal;
	uint64_t valid_blocks; /* counted */
};

static int read_blocks(const struct f2fs *fs, uint64_t block, void *buffer, size_t blocks)
{
	return volume_read(fs->volume, block * BLOCK, buffer, blocks * BLOCK);
}

/* ---- superblock ---- */

/* The areas follow each other, each of whole segments. */
static bool understand(const struct super *super, struct f2fs *fs)
{
	uint64_t cp = le32toh(super->cp), sit = le32toh(super->sit), nat = le32toh(super->nat);
	uint64_t ssa = le32toh(super->ssa), main = le32toh(super->main);
	uint64_t sit_segments = le32toh(super->segments_sit);
	uint64_t segments = le32toh(super->segments_main);

	if (le32toh(super->magic) != MAGIC || le32toh(super->block_shift) != 12 ||
	    le32toh(super->segment_shift) != 9 || cp == 0 || sit_segments % 2 != 0)
		return false;
	if (cp + le32toh(super->segments_ckpt) * 512ULL != sit || sit + sit_segments * 512 != nat ||
	    nat + le32toh(super->segments_nat) * 512ULL != ssa ||
	    ssa + le32toh(super->segments_ssa) * 512ULL != main ||
	    main + segments * 512 > le64toh(super->blocks) ||
	    le64toh(super->blocks) > fs->volume->size / BLOCK)
		return false;
	fs->cp = (uint32_t)cp;
	fs->sit = (uint32_t)sit;
	fs->main = (uint32_t)main;
	fs->segments = (uint32_t)segments;
	fs->sit_blocks = (uint32_t)(sit_segments / 2 * 512);
	fs->cp_payload = le32toh(super->cp_payload);
	return le32toh(super->segments_ckpt) >= 2 && fs->cp_payload < SEGMENT_BLOCKS - 8 &&
	       segments > 0 && (segments + SIT_PER_BLOCK - 1) / SIT_PER_BLOCK <= fs->sit_blocks;
}

static int check_super(struct f2fs *fs)
{
	struct super super;
	uint32_t features, offset = offsetof(struct super, crc);
	int r = volume_read(fs->volume, 1024, &super, sizeof(super));

	if (r < 0)
		return r;
	if (!understand(&super, fs))
		return content_doubt(fs->content, _("its superblock makes no sense"));
	features = le32toh(super.features);
	if (features & SUPER_CHECKSUM &&
	    (le32toh(super.checksum_offset) != offset ||
	     le32toh(super.crc) != crc32(MAGIC, CRC32_IEEE, &super, offset)))
		return content_doubt(fs->content, _("the checksum of its superblock is wrong"));
	if (super.devices[0][0])
		return content_doubt(fs->content, _("it lies on several devices"));
	if (features & ~KNOWN_FEATURES)
		return content_doubt(fs->content, _("it has features that are not known"));
	if (!bytes_are_zero(super.stop_reasons, sizeof(super.stop_reasons)) ||
	    !bytes_are_zero(super.errors, sizeof(super.errors)))
		return content_doubt(fs->content, _("it notes errors"));
	return 0;
}

/* ---- checkpoint ---- */

static bool crc_is_right(const unsigned char *block)
{
	const struct checkpoint *cp = (const void *)block;
	uint32_t offset = le32toh(cp->checksum_offset), said, crc;

	if (offset < sizeof(*cp) || offset > BLOCK - 4 || offset % 4 != 0)
		return false;
	memcpy(&said, block + offset, sizeof(said));
	crc = crc32(MAGIC, CRC32_IEEE, block, offset);
	crc = crc32(crc, CRC32_IEEE, block + offset + 4, BLOCK - 4 - offset);
	return crc == le32toh(said);
}

/* Its first and its last block are the same in a pack that was written to its end. *retversion 0:
 * not a whole one. */
static int try_pack(const struct f2fs *fs, uint64_t block, unsigned char *pack,
		    uint64_t *retversion)
{
	const struct checkpoint *cp = (const void *)pack;
	unsigned char last[BLOCK];
	int r = read_blocks(fs, block, pack, 1 + fs->cp_payload);

	*retversion = 0;
	if (r < 0 || !crc_is_right(pack))
		return r;

	uint32_t blocks = le32toh(cp->pack_blocks), start = le32toh(cp->start_sum);

	if (blocks > SEGMENT_BLOCKS || blocks < 5 + fs->cp_payload || start >= blocks ||
	    start <= fs->cp_payload)
		return 0;
	r = read_blocks(fs, block + blocks - 1, last, 1);
	if (r == 0 && crc_is_right(last) && memcmp(last, pack, sizeof(cp->version)) == 0)
		*retversion = le64toh(cp->version);
	return r;
}

static int choose_pack(struct f2fs *fs)
{
	CLEANUP(free) unsigned char *other = NULL;
	uint64_t versions[2] = { 0, 0 };
	int r;

	fs->pack_size = (1 + (size_t)fs->cp_payload) * BLOCK;
	fs->pack = malloc(fs->pack_size);
	other = malloc(fs->pack_size);
	if (!fs->pack || !other)
		return -ENOMEM;
	r = try_pack(fs, fs->cp, fs->pack, &versions[0]);
	if (r == 0)
		r = try_pack(fs, (uint64_t)fs->cp + SEGMENT_BLOCKS, other, &versions[1]);
	if (r < 0)
		return r;
	if (versions[0] == 0 && versions[1] == 0)
		return content_doubt(fs->content, _("none of its checkpoints is whole"));
	fs->pack_block = fs->cp;
	if (versions[1] > versions[0]) {
		memcpy(fs->pack, other, fs->pack_size);
		fs->pack_block += SEGMENT_BLOCKS;
	}

	uint32_t flags = le32toh(((struct checkpoint *)fs->pack)->flags);

	if (!(flags & UNMOUNTED))
		return content_doubt(fs->content, _("it was not unmounted"));
	if (flags & DOUBTFUL_FLAGS)
		return content_doubt(fs->content, _("it notes errors or work not finished"));
	return 0;
}

/* Which of the two copies of each block of the table is the valid one, a bit each; the highest bit
 * is of the first block. NULL: not there. */
static const unsigned char *sit_versions(const struct f2fs *fs)
{
	const struct checkpoint *cp = (const void *)fs->pack;
	uint64_t bytes = le32toh(cp->sit_bitmap_bytes), at = sizeof(*cp);

	if (fs->cp_payload > 0)
		at = BLOCK;
	else if (le32toh(cp->flags) & LARGE_NAT_BITMAP)
		at += 4 + (uint64_t)le32toh(cp->nat_bitmap_bytes);
	if (bytes * 8 < fs->sit_blocks || at + bytes > fs->pack_size)
		return NULL;
	return fs->pack + at;
}

/* Behind that of the node table in a compact summary, else at the end of the third one. */
static int read_journal(struct f2fs *fs)
{
	const struct checkpoint *cp = (const void *)fs->pack;
	bool compact = le32toh(cp->flags) & COMPACT_SUMMARY;
	uint64_t start = compact ? le32toh(cp->start_sum) : le32toh(cp->pack_blocks) - 5;
	unsigned char block[BLOCK];
	int r = read_blocks(fs, fs->pack_block + start, block, 1);

	memcpy(&fs->journal, block + (compact ? 507 : 3584), sizeof(fs->journal));
	return r;
}

/* What was made safe by fsync since the checkpoint is a chain of nodes that begins at the next free
 * place of this kind; they carry the checkpoint's version. Its flags say nothing about that. */
static int check_chain(struct f2fs *fs)
{
	const struct checkpoint *cp = (const void *)fs->pack;
	uint32_t segment = le32toh(cp->node_segments[1]), version[2];
	unsigned offset = le16toh(cp->node_offsets[1]);
	int r;

	if (segment >= fs->segments || offset > SEGMENT_BLOCKS)
		return content_doubt(fs->content, _("none of its checkpoints is whole"));
	if (offset == SEGMENT_BLOCKS)
		return 0;
	r = volume_read(fs->volume,
			((uint64_t)fs->main + offset + 1) * BLOCK + segment * SEGMENT_BYTES - 12,
			version, sizeof(version));
	if (r == 0 && le32toh(version[0]) == (uint32_t)le64toh(cp->version))
		return content_doubt(fs->content, _("it was not unmounted"));
	return r;
}

/* ---- segments ---- */

static const struct sit_entry *journalled(const struct f2fs *fs, uint32_t segment)
{
	for (unsigned i = 0; i < le16toh(fs->journal.count); i++)
		if (le32toh(fs->journal.items[i].segment) == segment)
			return &fs->journal.items[i].entry;
	return NULL;
}

static int take_segment(struct f2fs *fs, uint32_t segment, const struct sit_entry *entry)
{
	uint8_t map[sizeof(entry->map)];
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(map); i++) {
		map[i] = 0;
		for (unsigned bit = 0; bit < 8; bit++) {
			unsigned used = entry->map[i] >> (7 - bit) & 1;

			map[i] |= (uint8_t)(used << bit);
			count += used;
		}
	}
	if (count != (le16toh(entry->valid_blocks) & 0x3ff))
		return content_doubt(fs->content, _("its table of segments is damaged"));
	fs->valid_blocks += count;
	return content_add_bitmap(fs->volume, fs->content,
				  (uint64_t)fs->main * BLOCK + segment * SEGMENT_BYTES, BLOCK, map,
				  SEGMENT_BLOCKS);
}

static int read_segments(struct f2fs *fs, const unsigned char *versions)
{
	const struct checkpoint *cp = (const void *)fs->pack;
	struct sit_entry table[SIT_PER_BLOCK];
	const struct sit_entry *entry;
	int r = 0;

	for (uint32_t segment = 0; r == 0 && segment < fs->segments; segment++) {
		uint32_t in_block = segment % SIT_PER_BLOCK, block = segment / SIT_PER_BLOCK;
		unsigned second = versions[block / 8] >> (7 - block % 8) & 1;

		if (in_block == 0)
			r = volume_read(fs->volume,
					(fs->sit + (uint64_t)second * fs->sit_blocks + block) *
						BLOCK,
					table, SIT_PER_BLOCK * sizeof(*table));
		if (r < 0)
			return r;
		entry = journalled(fs, segment);
		r = take_segment(fs, segment, entry ? entry : &table[in_block]);
	}
	if (r == 0 && fs->valid_blocks != le64toh(cp->valid_blocks))
		return content_doubt(fs->content, _("its table of segments is damaged"));
	fs->content->used_bytes = (fs->main + fs->valid_blocks) * BLOCK;
	return r;
}

static int read_table(struct f2fs *fs)
{
	const unsigned char *versions;
	int r = choose_pack(fs);

	if (r < 0)
		return r;
	versions = sit_versions(fs);
	r = check_chain(fs);
	if (r == 0)
		r = read_journal(fs);
	if (r < 0)
		return r;
	if (!versions || le16toh(fs->journal.count) > 6)
		return content_doubt(fs->content, _("none of its checkpoints is whole"));
	return read_segments(fs, versions);
}

int content_f2fs(const struct volume *volume, struct content *content)
{
	struct f2fs fs = { .volume = volume, .content = content };
	int r = check_super(&fs);

	if (r == 0)
		r = read_table(&fs);
	free(fs.pack);
	return r;
}
