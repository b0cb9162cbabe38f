/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan in the comments of a map file, which is as untrusted as any file. */
#include "map/map_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "map/map_held.h"
#include "map/map_lists.h"

/* Every field of an endpoint that identifies it or decides what is copied. Numbers have the width
 * of their member; an optional one that is missing is 0 or empty. */
enum field_type {
	FIELD_NUMBER,
	FIELD_NUMBER_IF_ANY,
	FIELD_TEXT, /* that a disk has told of itself: sanitised */
	FIELD_TEXT_IF_ANY,
	FIELD_PATH, /* of a file, whose name may be any bytes */
	FIELD_KIND,
};

struct field {
	const char *key;
	size_t offset, size;
	enum field_type type;
};

#define FIELD(key, member, type)                                                                   \
	{                                                                                          \
		key, offsetof(struct endpoint, member), sizeof(((struct endpoint *)0)->member),    \
			type                                                                       \
	}
#define TEXT(key, member)   FIELD(key, member, FIELD_TEXT)
#define NUMBER(key, member) FIELD(key, member, FIELD_NUMBER)

static const struct field fields[] = {
	FIELD("kind", kind, FIELD_KIND),
	FIELD("node", node, FIELD_PATH),
	TEXT("disk_node", disk_node),
	TEXT("sg", sg),
	TEXT("raw", raw),
	TEXT("model", identity.model),
	TEXT("serial", identity.serial),
	TEXT("wwn", identity.wwn),
	TEXT("firmware", identity.firmware),
	FIELD("volume", identity.volume, FIELD_TEXT_IF_ANY),
	NUMBER("disk_size", identity.size),
	NUMBER("disk_sector_size", identity.logical_sector_size),
	FIELD("nsid", identity.nsid, FIELD_NUMBER_IF_ANY),
	NUMBER("diskseq", identity.diskseq),
	NUMBER("disk_devno", identity.devno),
	NUMBER("inode", identity.inode),
	FIELD("born", identity.born, FIELD_NUMBER_IF_ANY),
	FIELD("modified", identity.modified, FIELD_NUMBER_IF_ANY),
	NUMBER("devno", devno),
	NUMBER("partition", partition),
	NUMBER("start", start),
	NUMBER("size", size),
	NUMBER("logical_sector_size", logical_sector_size),
	NUMBER("physical_sector_size", physical_sector_size),
	NUMBER("exists", exists),
};

#define FIELDS    ARRAY_SIZE(fields)
#define VALUE_MAX 2048 /* the longest text, with every byte encoded */

struct map_plan_reader {
	bool schema;
	struct endpoint ends[2]; /* source, destination */
	uint64_t seen[2];        /* bit per field */
	struct plan_options options;
	uint64_t sector_size, extents_told, extents_read;
	bool has_id, masked;
	char id[9];
	char boot[CLOCK_BOOT_MAX];
	char source_writer[PLAN_WRITER_MAX];
	uint64_t source_time_differs;
	char domain[PLAN_PATH_MAX];
	struct fitted fitted;
	struct extent *extents;
	size_t capacity;
	struct free_places places;
	struct map_held *held;
};

static const char *const kind_names[] = {
	[ENDPOINT_DISK] = "disk",
	[ENDPOINT_PARTITION] = "partition",
	[ENDPOINT_IMAGE] = "image",
};

#define KINDS ARRAY_SIZE(kind_names)

static const char *const end_names[2] = { "source", "destination" };

static void print_text(FILE *file, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p > ' ' && *p < 0x7f && *p != '%')
			putc(*p, file);
		else
			fprintf(file, "%%%02X", *p);
}

static void print_end(const struct endpoint *endpoint, const char *name, FILE *file)
{
	struct endpoint copy = *endpoint;
	const struct endpoint *end = &copy;

	/* It may come back. */
	if (endpoint->gone[0])
		memcpy(copy.disk_node, endpoint->gone, sizeof(copy.disk_node));
	for (size_t i = 0; i < FIELDS; i++) {
		const struct field *field = &fields[i];

		const char *member = (const char *)end + field->offset;

		if ((field->type == FIELD_NUMBER_IF_ANY && member_get(member, field->size) == 0) ||
		    (field->type == FIELD_TEXT_IF_ANY && !member[0]))
			continue;
		fprintf(file, MAP_COMMENT_PREFIX "%s.%s=", name, field->key);
		if (field->type == FIELD_TEXT || field->type == FIELD_TEXT_IF_ANY ||
		    field->type == FIELD_PATH)
			print_text(file, member);
		else if (field->type == FIELD_KIND)
			fputs(end->kind > ENDPOINT_NONE && end->kind < KINDS ? kind_names[end->kind]
									     : "none",
			      file);
		else
			fprintf(file, "%" PRIu64, member_get(member, field->size));
		putc('\n', file);
	}
}

static void print_options(const struct plan_options *options, FILE *file)
{
	char key[PLAN_OPTION_TEXT_MAX], value[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++)
		fprintf(file, MAP_COMMENT_PREFIX "option.%s=%s\n", plan_option_key(i, key),
			plan_option_print(options, i, value));
}

void map_plan_print(const struct plan *plan, const char *masked_id, FILE *file)
{
	char boot[CLOCK_BOOT_MAX];

	fputs(MAP_COMMENT_PREFIX "schema=" MAP_SCHEMA "\n", file);
	fprintf(file, MAP_COMMENT_PREFIX "plan=%s\n", masked_id ? masked_id : PLAN_ID(plan));
	if (masked_id)
		fputs(MAP_MASKED_LINE "\n", file);
	clock_boot_id(boot);
	if (boot[0] != '-' && !masked_id)
		fprintf(file, MAP_COMMENT_PREFIX "boot=%s\n", boot);
	print_end(&plan->source, end_names[0], file);
	print_end(&plan->destinations[0], end_names[1], file);
	print_options(&plan->options, file);
	if (plan->source_writer[0]) {
		fputs(MAP_COMMENT_PREFIX "source_writer=", file);
		print_text(file, plan->source_writer);
		putc('\n', file);
	}
	if (plan->source_time_differs)
		fputs(MAP_COMMENT_PREFIX "source_time_differs=1\n", file);
	if (plan->domain[0]) {
		fputs(MAP_COMMENT_PREFIX "domain=", file);
		print_text(file, plan->domain);
		putc('\n', file);
	}
	fprintf(file, MAP_COMMENT_PREFIX "sector_size=%" PRIu32 "\n", plan->sector_size);
	fprintf(file, MAP_COMMENT_PREFIX "extents=%zu\n", plan->extent_count);
	fputs("# extent=SOURCE_LBA,DESTINATION_LBA,SECTORS\n", file);
	for (size_t i = 0; i < plan->extent_count; i++)
		fprintf(file, MAP_COMMENT_PREFIX "extent=%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			plan->extents[i].source_lba, plan->extents[i].destination_lba,
			plan->extents[i].sectors);
	map_places_print(plan->free_places, file);
	map_fitted_print(&plan->fitted, file);
}

struct map_plan_reader *map_plan_reader_new(struct map_held *held)
{
	struct map_plan_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->held = held;
	return reader;
}

void map_plan_reader_destroy(struct map_plan_reader *reader)
{
	if (!reader)
		return;
	free(reader->extents);
	free_places_done(&reader->places);
	fitted_done(&reader->fitted);
	free(reader);
}

static bool whole_number(const char *value, uint64_t most, uint64_t *ret)
{
	return text_take_number(&value, '\0', ret) && *ret <= most;
}

/* Decodes and sanitises. False: a broken code, a NUL, or a text that does not fit or that we would
 * never have written. */
static bool decode_text(const char *value, char *to, size_t size)
{
	char plain[VALUE_MAX];

	if (!text_decode(plain, sizeof(plain), value) || strlen(plain) >= size)
		return false;
	text_sanitise(to, size, plain, sizeof(plain));
	return true;
}

static bool read_kind(struct endpoint *end, const char *value)
{
	for (size_t i = ENDPOINT_DISK; i < KINDS; i++) {
		if (strcmp(value, kind_names[i]) != 0)
			continue;
		end->kind = (enum endpoint_kind)i;
		return true;
	}
	return false;
}

static bool read_value(struct endpoint *end, const struct field *field, const char *value)
{
	uint64_t number;

	switch (field->type) {
	case FIELD_TEXT:
	case FIELD_TEXT_IF_ANY:
		return decode_text(value, (char *)end + field->offset, field->size);
	case FIELD_PATH:
		return text_decode((char *)end + field->offset, field->size, value);
	case FIELD_KIND:
		return read_kind(end, value);
	case FIELD_NUMBER:
	case FIELD_NUMBER_IF_ANY:
		return whole_number(value, UINT64_MAX, &number) &&
		       member_put((char *)end + field->offset, field->size, number);
	}
	return false;
}

static int read_end_field(struct map_plan_reader *reader, int which, const char *key,
			  const char *value)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (strcmp(key, fields[i].key) != 0)
			continue;
		if (reader->seen[which] & (1ULL << i))
			return -EEXIST;
		reader->seen[which] |= 1ULL << i;
		return read_value(&reader->ends[which], &fields[i], value) ? 0 : -EINVAL;
	}
	return -ENOENT;
}

static int read_option(struct plan_options *options, const char *key, const char *value)
{
	int option = plan_option_find(key);

	return option < 0 ? option : plan_option_set(options, (enum plan_option)option, value);
}

/* Order and limits are checked by plan_from_extents(). */
static int read_extent(struct map_plan_reader *reader, const char *value)
{
	struct extent extent;

	if (!text_take_number(&value, ',', &extent.source_lba) ||
	    !text_take_number(&value, ',', &extent.destination_lba) ||
	    !text_take_number(&value, '\0', &extent.sectors))
		return -EINVAL;
	if (array_reserve(reader->extents, reader->capacity, reader->extents_read + 1) < 0)
		return -ENOMEM;
	reader->extents[reader->extents_read++] = extent;
	return 0;
}

static int read_pair(struct map_plan_reader *reader, const char *key, const char *value)
{
	const char *rest;
	int r;

	if (!strcmp(key, "plan")) {
		if (reader->has_id || strlen(value) != 8)
			return -EINVAL;
		memcpy(reader->id, value, 9);
		reader->has_id = true;
		return 0;
	}
	if (!strcmp(key, "boot"))
		return decode_text(value, reader->boot, sizeof(reader->boot)) ? 0 : -EINVAL;
	if (!strcmp(key, "domain"))
		return text_decode(reader->domain, sizeof(reader->domain), value) ? 0 : -EINVAL;
	if (!strcmp(key, "source_writer"))
		return decode_text(value, reader->source_writer, sizeof(reader->source_writer))
			       ? 0
			       : -EINVAL;
	if (!strcmp(key, "source_time_differs"))
		return whole_number(value, 1, &reader->source_time_differs) ? 0 : -EINVAL;
	for (int which = 0; which < 2; which++)
		if ((rest = text_after(key, end_names[which])) && *rest == '.')
			return read_end_field(reader, which, rest + 1, value);
	if ((rest = text_after(key, "option.")))
		return read_option(&reader->options, rest, value);
	if (!strcmp(key, "sector_size"))
		return whole_number(value, UINT32_MAX, &reader->sector_size) ? 0 : -EINVAL;
	if (!strcmp(key, "extents"))
		return whole_number(value, SIZE_MAX, &reader->extents_told) ? 0 : -EINVAL;
	if (!strcmp(key, "extent"))
		return read_extent(reader, value);
	if (!strcmp(key, "later"))
		return map_places_read(&reader->places.later, value);
	if (!strcmp(key, "left_out"))
		return map_places_read(&reader->places.left_out, value);
	r = map_fitted_read(&reader->fitted, key, value);
	return r == -ENOENT && reader->held ? map_held_read(reader->held, key, value) : r;
}

int map_plan_read_line(struct map_plan_reader *reader, const char *line, const char **retwhy)
{
	char key[64];
	const char *value;
	size_t n;

	line = text_after(line, MAP_COMMENT_PREFIX);
	if (!line)
		return 0;
	value = strchr(line, '=');
	n = value ? (size_t)(value - line) : 0;
	if (!value || n >= sizeof(key)) {
		*retwhy = _("not a key and a value");
		return -EINVAL;
	}
	memcpy(key, line, n);
	key[n] = '\0';
	value++;

	if (!strcmp(key, "schema")) {
		if (strcmp(value, MAP_SCHEMA) != 0) {
			*retwhy = _("the plan is of another version of clonedeck");
			return -EINVAL;
		}
		reader->schema = true;
		return 0;
	}

	int r = read_pair(reader, key, value);

	if (r == 0 || r == -ENOMEM)
		return r;
	*retwhy = r == -ENOENT   ? _("this key is not known")
		  : r == -EEXIST ? _("this key was there before")
				 : _("the value cannot be right");
	return -EINVAL;
}

bool map_plan_present(const struct map_plan_reader *reader)
{
	return reader->schema;
}

void map_plan_expect_masked(struct map_plan_reader *reader)
{
	reader->masked = true;
}

const char *map_plan_recorded_id(const struct map_plan_reader *reader)
{
	return reader->id;
}

static bool sane_end(const struct endpoint *end, uint64_t seen)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (!(seen & 1ULL << i) && fields[i].type != FIELD_NUMBER_IF_ANY &&
		    fields[i].type != FIELD_TEXT_IF_ANY)
			return false;
	return end->kind != ENDPOINT_NONE && end->node[0] == '/';
}

/* Disk sequence numbers are valid only until the next boot. */
static void forget_numbers_of_another_boot(struct map_plan_reader *reader)
{
	char boot[CLOCK_BOOT_MAX];

	clock_boot_id(boot);
	if (boot[0] != '-' && strcmp(reader->boot, boot) == 0)
		return;
	for (int which = 0; which < 2; which++)
		reader->ends[which].identity.diskseq = 0;
}

int map_plan_finish(struct map_plan_reader *reader, const char *name, struct plan **ret,
		    struct error *reterr)
{
	struct plan *plan = NULL;
	struct error why = { 0 };
	int r;

	if (!sane_end(&reader->ends[0], reader->seen[0]) ||
	    !sane_end(&reader->ends[1], reader->seen[1]) || !reader->has_id ||
	    reader->extents_read == 0 || reader->extents_read != reader->extents_told)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "load", name,
				 _("The map file %s cannot be used: the plan in its comments is "
				   "not complete. Start the copy again with clone."),
				 name);

	forget_numbers_of_another_boot(reader);
	r = plan_from_extents(&reader->ends[0], &reader->ends[1], reader->extents,
			      reader->extents_read, &reader->places, &reader->options, &plan, &why);
	if (r == 0)
		plan_take_fitted(plan, &reader->fitted);
	if (r == -ENOMEM)
		return error_nomem(reterr);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "load", name,
				 _("The map file %s cannot be used: its plan is not possible (%s)"),
				 name, why.sentence);
	/* The id covers everything that decides which bytes go where, so it detects a damaged or
	 * edited plan. */
	if (plan->sector_size != reader->sector_size ||
	    (!reader->masked && strcmp(PLAN_ID(plan), reader->id) != 0)) {
		plan_destroy(plan);
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "load", name,
				 _("The map file %s cannot be used: its plan does not fit its "
				   "number; the file was changed or damaged."),
				 name);
	}
	plan->source_time_differs = reader->source_time_differs;
	text_copy(plan->source_writer, sizeof(plan->source_writer), reader->source_writer);
	text_copy(plan->domain, sizeof(plan->domain), reader->domain);
	*ret = plan;
	return 0;
}
