/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The label, the header and the text that LVM2 writes on each member. */
#include "discover/lvm.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/range.h"
#include "base/text.h"
#include "discover/read_once.h"
#include "discover/table.h"

#define MEMBER       "LVM2_member"
#define SECTOR       ((size_t)512) /* of the numbers in the text, whatever the disk has */
#define LABEL_BYTES  4096u
#define CRC_START    0xf597a6cfU
#define ID_BYTES     32
#define METADATA_MAX (16U << 20)
#define DEPTH_MAX    8

/* ---- the text ---- */

struct segment {
	uint64_t start, extents, stripes, first;
	char type[LVM_NAME_MAX], member[LVM_NAME_MAX];
};

struct parser {
	const char *at, *end;
	char path[DEPTH_MAX][LVM_NAME_MAX];
	size_t depth;
	const char *id; /* of this member */
	uint64_t size;  /* of its partition */
	uint64_t extent_size, first_extent;
	char member[LVM_NAME_MAX]; /* how the text calls this one */
	bool is_member;            /* the section is about it */
	bool visible, pieces, snapshots;
	struct segment segment;
	struct logical_volume volume;
	struct volume_group group;
	struct volumes *ret;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || strchr("+_.-", c);
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && (isspace((unsigned char)*p->at) || *p->at == '#')) {
		bool comment = *p->at == '#';

		while (comment && p->at < p->end && *p->at != '\n')
			p->at++;
		p->at += p->at < p->end;
	}
}

/* The next word ('w'; text "" where it is longer than any that matters) or sign; '\0': the end. */
static char next(struct parser *p, char text[static LVM_NAME_MAX])
{
	size_t length = 0;
	bool quoted;

	skip_blanks(p);
	if (p->at == p->end || !*p->at)
		return '\0';
	quoted = *p->at == '"';
	if (!quoted && !is_word(*p->at))
		return *p->at++;
	p->at += quoted;
	for (; p->at < p->end && *p->at && (quoted ? *p->at != '"' : is_word(*p->at)); p->at++) {
		if (quoted && *p->at == '\\' && p->at + 1 < p->end)
			p->at++;
		if (length < LVM_NAME_MAX)
			text[length++] = *p->at;
	}
	p->at += quoted && p->at < p->end;
	text[length < LVM_NAME_MAX ? length : 0] = '\0';
	return 'w';
}

/* Is this a section of a member or a volume, or a part of one? */
static bool is_in(const struct parser *p, const char *part, size_t depth)
{
	return p->depth == depth && strcmp(p->path[1], part) == 0;
}

static uint64_t number(const char *text)
{
	uint64_t value;

	return text_take_number(&text, '\0', &value) ? value : UINT64_MAX;
}

/* They are printed with dashes in some places and without in others. */
static bool is_same_id(const char *printed, const char *id)
{
	size_t length = 0;

	for (; *printed; printed++)
		if (*printed != '-' && (length == ID_BYTES || *printed != id[length++]))
			return false;
	return length == ID_BYTES;
}

static void take_of_segment(struct segment *segment, const char *key, size_t index,
			    const char *value)
{
	if (strcmp(key, "start_extent") == 0)
		segment->start = number(value);
	else if (strcmp(key, "extent_count") == 0)
		segment->extents = number(value);
	else if (strcmp(key, "stripe_count") == 0)
		segment->stripes = number(value);
	else if (strcmp(key, "type") == 0)
		text_copy(segment->type, sizeof(segment->type), value);
	else if (strcmp(key, "stripes") == 0 && index == 0)
		text_copy(segment->member, sizeof(segment->member), value);
	else if (strcmp(key, "stripes") == 0 && index == 1)
		segment->first = number(value);
}

static void take(struct parser *p, const char *key, size_t index, const char *value)
{
	if (p->depth == 1 && strcmp(key, "id") == 0)
		text_sanitise(p->group.uuid, sizeof(p->group.uuid), value, strlen(value));
	else if (p->depth == 1 && strcmp(key, "extent_size") == 0)
		p->extent_size = number(value);
	else if (is_in(p, "physical_volumes", 3) && strcmp(key, "id") == 0) {
		p->group.members++;
		p->is_member = is_same_id(value, p->id);
		if (p->is_member)
			text_copy(p->member, sizeof(p->member), p->path[2]);
	} else if (is_in(p, "physical_volumes", 3) && p->is_member && strcmp(key, "pe_start") == 0)
		p->first_extent = number(value);
	else if (is_in(p, "logical_volumes", 3) && strcmp(key, "status") == 0)
		p->visible |= strcmp(value, "VISIBLE") == 0;
	else if (is_in(p, "logical_volumes", 4))
		take_of_segment(&p->segment, key, index, value);
}

static void end_segment(struct parser *p)
{
	const struct segment *s = &p->segment;
	struct logical_volume *volume = &p->volume;
	uint64_t unit, gap, offset, length, before, end;

	p->snapshots |= strcmp(s->type, "snapshot") == 0;
	if (strcmp(s->type, "striped") != 0 || s->stripes != 1 || !s->extents || !p->member[0] ||
	    strcmp(s->member, p->member) != 0 || !u64_mul(p->extent_size, SECTOR, &unit) ||
	    !u64_mul(p->first_extent, SECTOR, &gap) || !u64_mul(s->first, unit, &offset) ||
	    !u64_add(offset, gap, &offset) || !u64_mul(s->extents, unit, &length) ||
	    !u64_mul(s->start, unit, &before) || !u64_add(offset, length, &end) || end > p->size ||
	    before != volume->length ||
	    (volume->length && volume->start + volume->length != offset)) {
		p->pieces = true;
		return;
	}
	if (!volume->length)
		volume->start = offset;
	volume->length += length;
}

static void end_volume(struct parser *p)
{
	struct logical_volume *volume = &p->volume;

	if (!p->visible)
		return;
	volume->reachable = !p->pieces && volume->length;
	p->group.reachable &= volume->reachable;
	snprintf(volume->name, sizeof(volume->name), "%s/%s", p->path[0], p->path[2]);
	if (p->ret->count < LVM_VOLUMES_MAX)
		p->ret->items[p->ret->count++] = *volume;
	else
		p->group.reachable = false;
}

static bool begin_section(struct parser *p, const char *name)
{
	/* The group's name becomes an argument of a tool, where it must not be an option. */
	if (p->depth == DEPTH_MAX || !name[0] || name[0] == '-')
		return false;
	for (const char *c = name; *c; c++)
		if (!is_word(*c))
			return false;
	text_copy(p->path[p->depth++], LVM_NAME_MAX, name);
	p->is_member = false;
	if (is_in(p, "logical_volumes", 3)) {
		p->volume = (struct logical_volume){ .partition = p->group.partition };
		p->visible = p->pieces = false;
	}
	if (is_in(p, "logical_volumes", 4))
		p->segment = (struct segment){ 0 };
	return true;
}

static bool end_section(struct parser *p)
{
	if (p->depth == 0)
		return false;
	if (is_in(p, "logical_volumes", 4) && text_after(p->path[3], "segment"))
		end_segment(p);
	if (is_in(p, "logical_volumes", 3))
		end_volume(p);
	if (p->depth == 1)
		text_copy(p->group.name, sizeof(p->group.name), p->path[0]);
	p->depth--;
	return true;
}

static bool parse_value(struct parser *p, const char *key)
{
	char value[LVM_NAME_MAX];
	char sign = next(p, value);
	size_t index = 0;

	if (sign == 'w')
		take(p, key, 0, value);
	if (sign != '[')
		return sign == 'w';
	while ((sign = next(p, value)) == 'w' || sign == ',')
		if (sign == 'w')
			take(p, key, index++, value);
	return sign == ']';
}

static bool parse(struct parser *p)
{
	char name[LVM_NAME_MAX] = "", value[LVM_NAME_MAX];
	char sign;

	while ((sign = next(p, name))) {
		bool good = sign == '}' && end_section(p);

		if (sign == 'w') {
			sign = next(p, value);
			good = sign == '{'   ? begin_section(p, name)
			       : sign == '=' ? parse_value(p, name)
					     : false;
		}
		if (!good)
			return false;
	}
	return p->depth == 0 && p->group.name[0] && p->group.uuid[0] && p->member[0];
}

/* ---- where it lies ---- */

struct member {
	const struct table_source *source;
	struct once *once;
	uint64_t start, size; /* bytes of the partition */
};

/* All of it in sectors. NULL: it cannot be read. */
static uint8_t *read_part(const struct member *member, uint64_t offset, uint64_t length)
{
	CLEANUP(free) uint8_t *bytes = NULL;
	uint64_t unit = member->source->sector_size, end;

	if (!length || offset % unit || length % unit || !u64_add(offset, length, &end) ||
	    end > member->size)
		return NULL;
	bytes = malloc(length);
	if (!bytes || once_read(member->once, member->start + offset, length, bytes) < 0)
		return NULL;
	return cleanup_steal(bytes);
}

/* Its number, and where its metadata lies. */
static bool read_label(const struct member *member, char id[static ID_BYTES + 1],
		       uint64_t *retoffset, uint64_t *retlength)
{
	CLEANUP(free) uint8_t *bytes = read_part(member, 0, LABEL_BYTES);
	const uint8_t *at = bytes;
	uint64_t place;

	for (; bytes && at < bytes + 4 * SECTOR; at += SECTOR)
		if (memcmp(at, "LABELONE", 8) == 0 && memcmp(at + 24, "LVM2 001", 8) == 0)
			break;
	if (!bytes || at == bytes + 4 * SECTOR ||
	    crc32(CRC_START, CRC32_IEEE, at + 20, SECTOR - 20) != bytes_little(at + 16, 4))
		return false;
	place = bytes_little(at + 20, 4);
	if (place < 32 || place > SECTOR - 128)
		return false;
	memcpy(id, at + place, ID_BYTES);
	id[ID_BYTES] = '\0';
	/* Two lists of places, for data and for metadata. A place of zeroes ends each of them. */
	for (place += 40; place + 32 <= SECTOR && bytes_little(at + place, 8); place += 16)
		;
	*retoffset = bytes_little(at + place + 16, 8);
	*retlength = bytes_little(at + place + 24, 8);
	return place + 32 <= SECTOR && *retlength > SECTOR && *retlength <= METADATA_MAX;
}

/* The area is a ring behind its header, which is one sector. */
static char *find_text(const uint8_t *area, uint64_t length, size_t *retlength)
{
	static const char magic[] = " LVM2 x[5A%r0N*>";
	uint64_t offset = bytes_little(area + 40, 8), size = bytes_little(area + 48, 8);
	CLEANUP(free) char *text = NULL;
	uint64_t first;

	if (memcmp(area + 4, magic, 16) != 0 || bytes_little(area + 20, 4) != 1 ||
	    crc32(CRC_START, CRC32_IEEE, area + 4, SECTOR - 4) != bytes_little(area, 4) ||
	    offset < SECTOR || offset >= length || !size || size > length - SECTOR)
		return NULL;
	text = malloc(size);
	if (!text)
		return NULL;
	first = size < length - offset ? size : length - offset;
	memcpy(text, area + offset, first);
	memcpy(text + first, area + SECTOR, size - first);
	if (crc32(CRC_START, CRC32_IEEE, text, size) != bytes_little(area + 56, 4))
		return NULL;
	*retlength = size;
	return cleanup_steal(text);
}

/* A volume that lies in one piece is read like a partition. */
static void look_in(const struct member *member, struct logical_volume *volume)
{
	uint32_t unit = member->source->sector_size;
	struct partition place = { .start = (member->start + volume->start) / unit,
				   .sectors = volume->length / unit };

	if (!volume->length || (member->start + volume->start) % unit || volume->length % unit) {
		volume->reachable = false;
		return;
	}
	table_read_contents(member->source, &place);
	text_copy(volume->fs, sizeof(volume->fs), place.fs);
	text_copy(volume->label, sizeof(volume->label), place.label);
	text_copy(volume->uuid, sizeof(volume->uuid), place.uuid);
}

static void read_group(const struct member *member, unsigned number, struct volumes *ret)
{
	struct parser p = { .ret = ret,
			    .size = member->size,
			    .group = { .partition = number, .reachable = true } };
	size_t before = ret->count, length = 0;
	char id[ID_BYTES + 1];
	uint64_t offset, area_length;
	CLEANUP(free) uint8_t *area = NULL;
	CLEANUP(free) char *text = NULL;

	if (read_label(member, id, &offset, &area_length))
		area = read_part(member, offset, area_length);
	if (area)
		text = find_text(area, area_length, &length);
	p.id = id;
	p.at = text;
	p.end = text ? text + length : NULL;
	if (!text || !parse(&p)) {
		ret->count = before;
		return;
	}
	for (size_t i = before; i < ret->count; i++) {
		ret->items[i].reachable &= !p.snapshots;
		look_in(member, &ret->items[i]);
		p.group.reachable &= ret->items[i].reachable;
	}
	ret->groups[ret->group_count++] = p.group;
}

void lvm_find(const struct table_source *source, const struct partition *partitions, size_t count,
	      struct volumes *ret)
{
	struct once once;

	*ret = (struct volumes){ 0 };
	once_open(&once, source->fd);
	for (size_t i = 0; i < count && ret->group_count < LVM_GROUPS_MAX; i++) {
		const struct partition *p = &partitions[i];
		struct member member = { .source = source, .once = &once };
		uint64_t end;

		if (strcmp(p->fs, MEMBER) == 0 &&
		    u64_mul(p->start, source->sector_size, &member.start) &&
		    u64_mul(p->sectors, source->sector_size, &member.size) &&
		    u64_add(member.start, member.size, &end) && end <= source->size)
			read_group(&member, p->number, ret);
	}
	once_close(&once);
}

const struct volume_group *lvm_group(const struct volumes *volumes, unsigned partition)
{
	for (size_t i = 0; i < volumes->group_count; i++)
		if (volumes->groups[i].partition == partition)
			return &volumes->groups[i];
	return NULL;
}
