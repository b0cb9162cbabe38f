/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Btrfs on one device (Linux, include/uapi/linux/btrfs_tree.h): every chunk that is allocated on it
 * is used, with all its copies, so that nothing is missing of what was made to be there twice. The
 * superblock carries the chunks in which the chunk tree lies; the tree names all the others.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "content/reader.h"

#define MIB         (1ULL << 20)
#define SUPER_PLACE 65536U
#define SUPER_SIZE  4096
#define NODE_MAX    65536
#define LEVEL_MAX   8
#define NODES_MAX   100000 /* of the chunk tree; one of 16 KiB has the chunks of some 100 GiB */

/* Features: all but zones (1 << 12), the second extent tree (13), the stripe tree (14) and what
 * came after simple quotas (16). Which copies a chunk has, it says itself. */
#define KNOWN_INCOMPAT 0x10fffULL
/* The free space tree and whether it holds, verity, the tree of block groups. */
#define KNOWN_READ_ONLY 0xfULL
#define SUPER_WRITTEN   1ULL /* its only flag, but for work not finished, errors, a seed */

/* Keys of the chunk tree: type and object. */
#define KEY_DEVICE    216
#define KEY_CHUNK     228
#define DEVICE_OBJECT 1
#define CHUNK_OBJECT  256

/* Of the type of a chunk: data, system, metadata; of the profiles those on one device. */
#define CHUNK_KINDS 7ULL
#define RAID0       (1ULL << 3)
#define DUP         (1ULL << 5)

struct key {
	uint64_t object;
	uint8_t type;
	uint64_t offset;
} __attribute__((packed));

struct chunk {
	uint64_t length, owner, stripe_length, type;
	uint32_t io_align, io_width, sector_size;
	uint16_t stripes, sub_stripes;
} __attribute__((packed));

struct stripe {
	uint64_t device, offset;
	uint8_t uuid[16];
} __attribute__((packed));

struct super {
	uint8_t checksum[32], uuid[16];
	uint64_t place, flags;
	uint8_t magic[8];
	uint64_t generation, root, chunk_root, log_root, unused[4], devices;
	uint32_t sector_size, node_size, leaf_size, stripe_size, array_size;
	uint64_t chunk_generation, compat, compat_read_only, incompat;
	uint16_t checksum_type;
	uint8_t root_level, chunk_level, log_level;
	uint64_t device_id, device_bytes, device_used;
	uint8_t unused_2[0x32b - 0xe1], array[2048], rest[SUPER_SIZE - 0xb2b];
} __attribute__((packed));

struct node {
	uint8_t checksum[32], uuid[16];
	uint64_t place, flags;
	uint8_t tree_uuid[16];
	uint64_t generation, owner;
	uint32_t items;
	uint8_t level;
} __attribute__((packed));

struct item {
	struct key key;
	uint32_t offset, size;
} __attribute__((packed));

struct child {
	struct key key;
	uint64_t place, generation;
} __attribute__((packed));

_Static_assert(sizeof(struct super) == SUPER_SIZE && offsetof(struct super, array) == 0x32b &&
		       sizeof(struct chunk) == 48 && sizeof(struct node) == 101,
	       "as on the disk");

/* Where the addresses [logical, +length) lie. */
struct mapping {
	uint64_t logical, length, physical;
};

struct btrfs {
	const struct volume *volume;
	struct content *content;
	uint64_t device, device_bytes;
	uint32_t node_size;
	struct mapping system[2048 / (sizeof(struct key) + sizeof(struct chunk))];
	size_t system_count;
	struct range_list used; /* bytes */
	uint64_t allocated;
	unsigned nodes;
};

static int damaged(const struct btrfs *fs)
{
	return content_doubt(fs->content, _("its tree of chunks is damaged"));
}

/* ---- chunks ---- */

/* Its bytes with its stripes; 0 if it is not one that can be on one device. */
static size_t chunk_size(const struct btrfs *fs, const unsigned char *at, size_t room)
{
	struct chunk chunk;
	struct stripe stripe;
	size_t size = sizeof(chunk);

	if (room < sizeof(chunk))
		return 0;
	memcpy(&chunk, at, sizeof(chunk));

	uint64_t profile = le64toh(chunk.type) & ~CHUNK_KINDS;
	unsigned stripes = le16toh(chunk.stripes);

	if (profile == DUP ? stripes != 2 : (stripes != 1 || (profile != 0 && profile != RAID0)))
		return 0;
	for (unsigned i = 0; i < stripes; i++, size += sizeof(stripe)) {
		uint64_t end;

		if (room - size < sizeof(stripe))
			return 0;
		memcpy(&stripe, at + size, sizeof(stripe));
		if (le64toh(stripe.device) != fs->device || le64toh(stripe.offset) < MIB ||
		    !u64_add(le64toh(stripe.offset), le64toh(chunk.length), &end) ||
		    end > fs->device_bytes)
			return 0;
	}
	return le64toh(chunk.length) > 0 ? size : 0;
}

/* Both of the superblock's own list and of the tree; `at` has chunk_size() bytes. */
static uint64_t stripe_place(const unsigned char *at, unsigned i)
{
	struct stripe stripe;

	memcpy(&stripe, at + sizeof(struct chunk) + i * sizeof(stripe), sizeof(stripe));
	return le64toh(stripe.offset);
}

static int add_chunk(struct btrfs *fs, const unsigned char *at, size_t size)
{
	unsigned stripes = (unsigned)((size - sizeof(struct chunk)) / sizeof(struct stripe));
	struct chunk chunk;
	int r = 0;

	memcpy(&chunk, at, sizeof(chunk));
	for (unsigned i = 0; r == 0 && i < stripes; i++) {
		struct range bytes = { stripe_place(at, i), le64toh(chunk.length) };

		if (range_list_overlaps(&fs->used, bytes))
			return damaged(fs);
		fs->allocated += bytes.count;
		r = range_list_add(&fs->used, bytes);
	}
	return r;
}

static int read_array(struct btrfs *fs, const struct super *super)
{
	size_t end = le32toh(super->array_size), at = 0;
	struct chunk chunk;
	struct key key;

	if (end > sizeof(super->array))
		return damaged(fs);
	while (at < end) {
		if (end - at < sizeof(key))
			return damaged(fs);
		memcpy(&key, super->array + at, sizeof(key));
		at += sizeof(key);

		size_t size = chunk_size(fs, super->array + at, end - at);

		if (size == 0 || key.type != KEY_CHUNK)
			return damaged(fs);
		memcpy(&chunk, super->array + at, sizeof(chunk));
		fs->system[fs->system_count++] =
			(struct mapping){ le64toh(key.offset), le64toh(chunk.length),
					  stripe_place(super->array + at, 0) };
		at += size;
	}
	return 0;
}

/* ---- the tree ---- */

/* *retgood false: it is not what belongs there. */
static int read_node(struct btrfs *fs, uint64_t logical, struct node *node, bool *retgood)
{
	const struct mapping *mapping = NULL;
	uint32_t crc;

	*retgood = false;
	for (size_t i = 0; i < fs->system_count; i++) {
		const struct mapping *m = &fs->system[i];

		if (logical >= m->logical && logical - m->logical < m->length &&
		    m->length - (logical - m->logical) >= fs->node_size)
			mapping = m;
	}
	if (!mapping || fs->nodes++ == NODES_MAX)
		return 0;

	int r = volume_read(fs->volume, mapping->physical + (logical - mapping->logical), node,
			    fs->node_size);

	if (r < 0)
		return r;
	crc = ~crc32c(~0U, node->uuid, fs->node_size - sizeof(node->checksum));
	crc = htole32(crc);
	*retgood =
		memcmp(node->checksum, &crc, sizeof(crc)) == 0 && le64toh(node->place) == logical;
	return 0;
}

static int take_item(struct btrfs *fs, const struct item *item, const unsigned char *data)
{
	uint64_t object = le64toh(item->key.object);
	size_t size = le32toh(item->size);

	if (item->key.type == KEY_DEVICE && object == DEVICE_OBJECT)
		return le64toh(item->key.offset) == fs->device
			       ? 0
			       : content_doubt(fs->content, _("it lies on several devices"));
	if (item->key.type != KEY_CHUNK || object != CHUNK_OBJECT)
		return 0;
	if (size == 0 || chunk_size(fs, data, size) != size)
		return content_doubt(fs->content, _("it has a chunk of a kind that is not known"));
	return add_chunk(fs, data, size);
}

static int take_leaf(struct btrfs *fs, const struct node *node)
{
	const unsigned char *body = (const unsigned char *)(node + 1);
	size_t room = fs->node_size - sizeof(*node);
	uint32_t items = le32toh(node->items);
	int r = 0;

	if (items > room / sizeof(struct item))
		return damaged(fs);
	for (uint32_t i = 0; r == 0 && i < items; i++) {
		const struct item *item = (const struct item *)(const void *)body + i;
		uint32_t offset = le32toh(item->offset), size = le32toh(item->size);

		if (offset > room || size > room - offset)
			return damaged(fs);
		r = take_item(fs, item, body + offset);
	}
	return r;
}

/* Level by level down to 0, whatever the nodes say. */
static int walk(struct btrfs *fs, uint64_t place, unsigned level)
{
	CLEANUP(free) struct node *node = malloc(fs->node_size);
	bool good = false;
	int r = node ? read_node(fs, place, node, &good) : -ENOMEM;

	if (r < 0)
		return r;
	if (!good || node->level != level)
		return damaged(fs);
	if (level == 0)
		return take_leaf(fs, node);

	const struct child *children = (const struct child *)(const void *)(node + 1);
	uint32_t count = le32toh(node->items);

	if (count > (fs->node_size - sizeof(*node)) / sizeof(*children))
		return damaged(fs);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = walk(fs, le64toh(children[i].place), level - 1);
	return r;
}

/* ---- superblock ---- */

static const char *doubt_of(const struct super *super)
{
	uint32_t crc = htole32(~crc32c(~0U, super->uuid, SUPER_SIZE - sizeof(super->checksum)));

	if (memcmp(super->magic, "_BHRfS_M", sizeof(super->magic)) != 0 ||
	    le64toh(super->place) != SUPER_PLACE)
		return _("its superblock makes no sense");
	if (le16toh(super->checksum_type) != 0)
		return _("its checksums are of a kind that is not known");
	if (memcmp(super->checksum, &crc, sizeof(crc)) != 0)
		return _("the checksum of its superblock is wrong");
	if (le64toh(super->devices) != 1)
		return _("it lies on several devices");
	if (le64toh(super->log_root) != 0)
		return _("it was not unmounted");
	if (le64toh(super->incompat) & ~KNOWN_INCOMPAT ||
	    le64toh(super->compat_read_only) & ~KNOWN_READ_ONLY)
		return _("it has features that are not known");
	if (le64toh(super->flags) != SUPER_WRITTEN)
		return _("it notes errors or work not finished");
	return NULL;
}

static bool understand(const struct super *super, struct btrfs *fs)
{
	fs->node_size = le32toh(super->node_size);
	fs->device = le64toh(super->device_id);
	fs->device_bytes = le64toh(super->device_bytes);
	return is_power_of_2(fs->node_size) && fs->node_size >= 4096 && fs->node_size <= NODE_MAX &&
	       super->chunk_level < LEVEL_MAX && fs->device_bytes >= MIB &&
	       fs->device_bytes <= fs->volume->size;
}

/* All but the first MiB, the superblock's copies and the chunks. */
static int free_the_rest(struct btrfs *fs)
{
	static const uint64_t copies[] = { 64 * MIB, 262144 * MIB };
	uint64_t at = MIB;
	int r = 0;

	for (size_t i = 0; r == 0 && i < 2; i++)
		r = range_list_add(&fs->used, (struct range){ copies[i], SUPER_SIZE });
	for (size_t i = 0; r == 0 && i < fs->used.count; i++) {
		const struct range *used = &fs->used.items[i];

		if (used->start > fs->device_bytes)
			break;
		r = content_add_free(fs->volume, fs->content, at, used->start - at);
		at = used->start + used->count;
	}
	if (r == 0 && at < fs->device_bytes)
		r = content_add_free(fs->volume, fs->content, at, fs->device_bytes - at);
	fs->content->used_bytes = MIB + fs->allocated;
	return r;
}

static int read_chunks(struct btrfs *fs, const struct super *super)
{
	int r = read_array(fs, super);

	if (r == 0)
		r = walk(fs, le64toh(super->chunk_root), super->chunk_level);
	if (r < 0)
		return r;
	/* Two counts of the same, made in different places. */
	if (fs->allocated != le64toh(super->device_used))
		return damaged(fs);
	return free_the_rest(fs);
}

int content_btrfs(const struct volume *volume, struct content *content)
{
	struct btrfs fs = { .volume = volume, .content = content };
	struct super super;
	const char *why;
	int r = volume_read(volume, SUPER_PLACE, &super, sizeof(super));

	if (r < 0)
		return r;
	why = doubt_of(&super);
	if (!why && !understand(&super, &fs))
		why = _("its superblock makes no sense");
	if (why)
		return content_doubt(content, why);
	r = read_chunks(&fs, &super);
	range_list_done(&fs.used);
	return r;
}
