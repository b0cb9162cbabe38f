/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/bytes.h"
#include "content/ntfs_private.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "content/reader.h"

struct attribute {
	uint32_t type, length;
	uint8_t in_runs, name_length;
	uint16_t name, flags, instance;
	union {
		struct {
			uint32_t size;
			uint16_t value;
		} __attribute__((packed)) resident;
		struct {
			uint64_t first, last; /* clusters of the attribute */
			uint16_t runs;
			uint8_t compression, unused[5];
			uint64_t allocated, size, written;
		} __attribute__((packed)) outside;
	};
} __attribute__((packed));

#define RESIDENT_HEADER 22
#define OUTSIDE_HEADER  64
#define END_OF_LIST     0xffffffffU

int ntfs_damaged(const struct ntfs *fs)
{
	return content_doubt(fs->content, _("its file table is damaged"));
}

bool ntfs_fix(unsigned char *block, size_t size)
{
	uint16_t place, count, guard;

	memcpy(&place, block + 4, 2);
	memcpy(&count, block + 6, 2);
	place = le16toh(place);
	count = le16toh(count);
	if (size < 512 || count != size / 512 + 1 || place < 8 || place + count * 2U > 510)
		return false;
	memcpy(&guard, block + place, 2);
	for (size_t i = 1; i < count; i++) {
		unsigned char *last = block + i * 512 - 2;

		if (memcmp(last, &guard, 2) != 0)
			return false;
		memcpy(last, block + place + i * 2, 2);
	}
	return true;
}

/* ---- attributes ---- */

static bool is_wanted(const struct attribute *a, const unsigned char *at, enum ntfs_type type)
{
	static const unsigned char index_name[] = "$\0I\0003\0000";
	uint32_t name = le16toh(a->name);

	if (le32toh(a->type) != type)
		return false;
	if (type != NTFS_INDEX_ROOT && type != NTFS_INDEX_ALLOCATION)
		return a->name_length == 0;
	return a->name_length == 4 && name + 8 <= le32toh(a->length) &&
	       memcmp(at + name, index_name, 8) == 0;
}

/* Where it begins; NULL: none. */
static const unsigned char *find(const struct ntfs *fs, const unsigned char *record,
				 enum ntfs_type type, struct attribute *ret)
{
	const struct ntfs_record *header = (const void *)record;
	uint32_t at = le16toh(header->attributes), end = le32toh(header->used);

	if (end > fs->record_size)
		end = fs->record_size;
	while (at + RESIDENT_HEADER <= end) {
		uint32_t length;

		memset(ret, 0, sizeof(*ret));
		memcpy(ret, record + at, end - at < sizeof(*ret) ? end - at : sizeof(*ret));
		length = le32toh(ret->length);
		if (le32toh(ret->type) == END_OF_LIST || length < RESIDENT_HEADER ||
		    length > end - at || (ret->in_runs && length < OUTSIDE_HEADER))
			return NULL;
		if (is_wanted(ret, record + at, type))
			return record + at;
		at += length;
	}
	return NULL;
}

bool ntfs_has(const struct ntfs *fs, const unsigned char *record, enum ntfs_type type)
{
	struct attribute a;

	return find(fs, record, type, &a) != NULL;
}

/* One run of the list at `at`; *retsize is what it takes, 0 at the end of the list. */
static bool decode(const struct ntfs *fs, const unsigned char *at, size_t room, uint64_t *cluster,
		   struct ntfs_run *ret, size_t *retsize)
{
	unsigned length = room ? at[0] & 15 : 0, offset = room ? at[0] >> 4 : 0;

	*retsize = 0;
	if (room > 0 && at[0] == 0)
		return true;
	if (length == 0 || length > 8 || offset > 8 || room < 1U + length + offset)
		return false;
	ret->count = bytes_little(at + 1, length);
	ret->hole = offset == 0;
	if (offset > 0) {
		uint64_t step = bytes_little(at + 1 + length, offset);

		/* The places are steps from the last one, forth or back. */
		if (offset < 8 && step >> (offset * 8 - 1))
			step |= ~0ULL << offset * 8;
		*cluster += step;
		if (*cluster >= fs->clusters || ret->count > fs->clusters - *cluster)
			return false;
	}
	ret->cluster = *cluster;
	*retsize = 1U + length + offset;
	return ret->count > 0 && ret->count <= fs->clusters;
}

/* A second record may hold the rest of the list: then ret->size is what these cover. */
static int read_runs(struct ntfs *fs, const struct attribute *a, const unsigned char *at,
		     struct ntfs_attribute *ret)
{
	size_t place = le16toh(a->outside.runs), end = le32toh(a->length), size = 0;
	uint64_t cluster = 0, covered = 0;

	/* Each run takes two bytes at least. */
	if (place < OUTSIDE_HEADER || place > end || a->outside.first != 0)
		return ntfs_damaged(fs);
	ret->runs = calloc((end - place) / 2 + 1, sizeof(*ret->runs));
	if (!ret->runs)
		return -ENOMEM;
	for (;; place += size) {
		struct ntfs_run *run = &ret->runs[ret->run_count];

		if (!decode(fs, at + place, end - place, &cluster, run, &size))
			return ntfs_damaged(fs);
		if (size == 0)
			break;
		ret->run_count++;
		if (!u64_add(covered, run->count, &covered))
			return ntfs_damaged(fs);
	}
	ret->size = le64toh(a->outside.size);
	ret->written = le64toh(a->outside.written);
	if (covered != le64toh(a->outside.last) + 1 ||
	    !u64_mul(covered, fs->cluster_size, &covered))
		return ntfs_damaged(fs);
	if (ret->size > covered)
		ret->size = covered;
	return 0;
}

int ntfs_find(struct ntfs *fs, const unsigned char *record, enum ntfs_type type,
	      struct ntfs_attribute *ret)
{
	struct attribute a;
	const unsigned char *at = find(fs, record, type, &a);

	*ret = (struct ntfs_attribute){ 0 };
	if (!at)
		return 0;
	/* Compressed, encrypted or sparse is nothing that is read here. */
	if (a.flags != 0)
		return ntfs_damaged(fs);
	if (a.in_runs)
		return read_runs(fs, &a, at, ret);
	ret->size = ret->written = le32toh(a.resident.size);
	ret->value = at + le16toh(a.resident.value);
	if (le16toh(a.resident.value) + ret->size > le32toh(a.length))
		return ntfs_damaged(fs);
	return 0;
}

void ntfs_close(struct ntfs_attribute *attribute)
{
	free(attribute->runs);
	attribute->runs = NULL;
}

int ntfs_read(struct ntfs *fs, const struct ntfs_attribute *attribute, uint64_t offset,
	      void *buffer, size_t size)
{
	unsigned char *to = buffer;
	uint64_t at = offset; /* in what is left of the runs */
	int r = 0;

	if (offset > attribute->size || size > attribute->size - offset)
		return ntfs_damaged(fs);
	memset(buffer, 0, size);
	if (offset >= attribute->written)
		return 0;
	if (size > attribute->written - offset)
		size = (size_t)(attribute->written - offset);
	if (attribute->value) {
		memcpy(buffer, attribute->value + offset, size);
		return 0;
	}
	for (size_t i = 0; r == 0 && size > 0 && i < attribute->run_count; i++) {
		uint64_t bytes = attribute->runs[i].count * fs->cluster_size;

		if (at >= bytes) {
			at -= bytes;
			continue;
		}
		size_t now = size < bytes - at ? size : (size_t)(bytes - at);

		r = attribute->runs[i].hole
			    ? ntfs_damaged(fs)
			    : volume_read(fs->volume,
					  attribute->runs[i].cluster * fs->cluster_size + at, to,
					  now);
		to += now;
		size -= now;
		at = 0;
	}
	return r;
}

/* ---- records ---- */

static int check_record(const struct ntfs *fs, unsigned char *record)
{
	const struct ntfs_record *header = (const void *)record;

	if (memcmp(header->magic, "FILE", 4) != 0 || !ntfs_fix(record, fs->record_size))
		return ntfs_damaged(fs);
	return 0;
}

int ntfs_read_record(struct ntfs *fs, uint64_t number, unsigned char *record)
{
	uint64_t offset;
	int r;

	if (!u64_mul(number, fs->record_size, &offset))
		return ntfs_damaged(fs);
	r = ntfs_read(fs, &fs->table, offset, record, fs->record_size);
	return r < 0 ? r : check_record(fs, record);
}

int ntfs_open(struct ntfs *fs, unsigned char *record)
{
	int r = volume_read(fs->volume, fs->mft * fs->cluster_size, record, fs->record_size);

	if (r == 0)
		r = check_record(fs, record);
	if (r < 0)
		return r;
	r = ntfs_find(fs, record, NTFS_DATA, &fs->table);
	if (r == 0 && (fs->table.run_count == 0 || fs->table.runs[0].cluster != fs->mft))
		return ntfs_damaged(fs);
	return r;
}
