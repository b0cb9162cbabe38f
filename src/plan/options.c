/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plan/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

#define WORDS_MAX 8

/* `size` bytes of struct plan_options. */
struct option {
	const char *name;
	size_t offset, size;
	uint64_t most;
	const char *zero;
	/* By value; for a switch, the word for false first. */
	const char *words[WORDS_MAX];
	const char *hidden; /* one more word, which is printed but never taken */
	enum plan_option_type type;
	bool inverted; /* a switch that is on where the member is false */
};

#define MEMBER(text, kind, member)                                                                 \
	.name = (text), .type = (kind), .offset = offsetof(struct plan_options, member),           \
	.size = sizeof(((struct plan_options *)0)->member)
/* A copy to nowhere that ends with success must not be one word away. */
#define BACKENDS                                                                                   \
	.words = { "auto", "uring", "threads", "sg", "buffered", "image" }, .hidden = "null"
#define DAYS(n) ((n)*86400ULL)

static const struct option table[PLAN_OPTIONS] = {
	[PLAN_OPTION_CHUNK] = { MEMBER("chunk", PLAN_BYTES, chunk), UINT32_MAX, "auto" },
	[PLAN_OPTION_QUEUE_DEPTH] = { MEMBER("queue-depth", PLAN_NUMBER, queue_depth),
				      PLAN_DEPTH_MAX, "auto" },
	[PLAN_OPTION_LANES] = { MEMBER("lanes", PLAN_NUMBER, lanes), PLAN_LANES_MAX, "auto" },
	[PLAN_OPTION_SOURCE_BACKEND] = { MEMBER("source-backend", PLAN_WORD, source_backend),
					 BACKENDS },
	[PLAN_OPTION_DESTINATION_BACKEND] = { MEMBER("destination-backend", PLAN_WORD,
						     destination_backend),
					      BACKENDS },
	[PLAN_OPTION_SG_IO] = { MEMBER("sg-io", PLAN_WORD, sg_data),
				.words = { "direct", "mmap", "indirect" } },
	[PLAN_OPTION_SG_FUA] = { MEMBER("sg-fua", PLAN_SWITCH, sg_fua), .words = { "off", "on" } },
	[PLAN_OPTION_SG_DPO] = { MEMBER("sg-dpo", PLAN_SWITCH, sg_dpo), .words = { "off", "on" } },
	[PLAN_OPTION_RATE] = { MEMBER("rate", PLAN_BYTES, rate), INT64_MAX, "none" },
	[PLAN_OPTION_ON_ERROR] = { MEMBER("on-error", PLAN_WORD, on_error),
				   .words = { "stop", "map" } },
	[PLAN_OPTION_RETRIES] = { MEMBER("retries", PLAN_NUMBER, retries), 1000 },
	[PLAN_OPTION_ON_WRITE_ERROR] = { MEMBER("on-write-error", PLAN_WORD, on_write_error),
					 .words = { "stop", "map" } },
	[PLAN_OPTION_FILL] = { MEMBER("fill", PLAN_WORD, fill),
			       .words = { "zero", "mark", "leave" } },
	[PLAN_OPTION_RETRY_PASSES] = { MEMBER("retry-passes", PLAN_NUMBER, retry_passes), 1000 },
	[PLAN_OPTION_SLOW_LIMIT] = { MEMBER("slow-limit", PLAN_NUMBER, slow_limit), DAYS(1),
				     "none" },
	[PLAN_OPTION_MAX_BAD_AREAS] = { MEMBER("max-bad-areas", PLAN_NUMBER, max_bad_areas),
					UINT32_MAX, "none" },
	[PLAN_OPTION_MAX_READ_ERRORS] = { MEMBER("max-read-errors", PLAN_NUMBER, max_read_errors),
					  UINT32_MAX, "none" },
	[PLAN_OPTION_MAX_ERROR_RATE] = { MEMBER("max-error-rate", PLAN_BYTES, max_error_rate),
					 INT64_MAX, "none" },
	[PLAN_OPTION_MAX_NO_READ] = { MEMBER("max-no-read", PLAN_NUMBER, max_no_read), DAYS(7),
				      "none" },
	[PLAN_OPTION_ARM_LAST] = { MEMBER("arm-last", PLAN_SWITCH, arm_at_once),
				   .words = { "on", "off" }, .inverted = true },
	[PLAN_OPTION_PROBE] = { MEMBER("probe", PLAN_WORD, probe),
				.words = { "auto", "yes", "no" } },
	[PLAN_OPTION_VERIFY] = { MEMBER("verify", PLAN_WORD, verify),
				 .words = { "digest", "rolling", "after", "compare", "off" } },
	[PLAN_OPTION_IDENTITIES] = { MEMBER("identities", PLAN_WORD, identities),
				     .words = { "keep", "new", "new,rewrite" } },
	[PLAN_OPTION_REWRITE] = { MEMBER("rewrite", PLAN_SWITCH, rewrite), .words = { "0", "1" } },
	[PLAN_OPTION_DIGEST] = { MEMBER("digest", PLAN_CHECKSUMS, checksums) },
	[PLAN_OPTION_FREE] = { MEMBER("free", PLAN_WORD, free),
			       .words = { "zero", "discard", "leave" } },
	[PLAN_OPTION_TABLE] = { MEMBER("table", PLAN_WORD, table),
				.words = { "keep", "fit", "gpt" } },
	[PLAN_OPTION_GROW] = { MEMBER("grow", PLAN_PARTITION, grow), GROW_LARGEST, "none" },
	[PLAN_OPTION_LAYOUT] = { MEMBER("layout", PLAN_PLACES, places), 0, "none" },
	[PLAN_OPTION_GROW_FS] = { MEMBER("grow-fs", PLAN_SWITCH, grow_fs),
				  .words = { "off", "on" } },
	[PLAN_OPTION_PRESET] = { MEMBER("preset", PLAN_WORD, preset),
				 .words = { "healthy", "failing", "forensic" } },
};

/* Sets of them are bits of an unsigned. */
_Static_assert(PLAN_OPTIONS <= 32, "every option has a bit");

const char *plan_option_name(enum plan_option option)
{
	return table[option].name;
}

const char *plan_option_key(enum plan_option option, char buffer[static PLAN_OPTION_TEXT_MAX])
{
	text_copy(buffer, PLAN_OPTION_TEXT_MAX, table[option].name);
	for (char *p = buffer; *p; p++)
		if (*p == '-')
			*p = '_';
	return buffer;
}

int plan_option_find(const char *name)
{
	char key[PLAN_OPTION_TEXT_MAX];

	for (enum plan_option i = 0; i < PLAN_OPTIONS; i++)
		if (strcmp(name, table[i].name) == 0 || strcmp(name, plan_option_key(i, key)) == 0)
			return (int)i;
	return -ENOENT;
}

enum plan_option_type plan_option_type(enum plan_option option)
{
	return table[option].type;
}

const char *plan_option_zero(enum plan_option option)
{
	return table[option].zero;
}

const char *const *plan_option_words(enum plan_option option)
{
	return table[option].words;
}

/* For places: is there any? */
static uint64_t get(const struct plan_options *options, const struct option *option)
{
	if (option->type == PLAN_PLACES)
		return options->places[0].number != 0;
	return member_get((const char *)options + option->offset, option->size);
}

static void put(struct plan_options *options, const struct option *option, uint64_t value)
{
	member_put((char *)options + option->offset, option->size, value);
}

uint64_t plan_option_value(const struct plan_options *options, enum plan_option option)
{
	uint64_t value = get(options, &table[option]);

	return table[option].inverted ? !value : value;
}

void plan_option_put(struct plan_options *options, enum plan_option option, uint64_t value)
{
	put(options, &table[option], table[option].inverted ? !value : value);
}

static int parse_number(const char *value, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*value || strlen(value) > 15)
		return -EINVAL;
	for (; *value; value++) {
		if (*value < '0' || *value > '9')
			return -EINVAL;
		n = n * 10 + (uint64_t)(*value - '0');
	}
	*ret = n;
	return 0;
}

static int parse(const struct option *option, const char *value, uint64_t *ret)
{
	unsigned set = 0;
	int r = -EINVAL, word;

	switch (option->type) {
	case PLAN_WORD:
	case PLAN_SWITCH:
		word = text_find(value, option->words);
		*ret = (uint64_t)word;
		return word < 0 ? -EINVAL : 0;
	case PLAN_CHECKSUMS:
		r = checksums_parse(value, &set);
		*ret = set;
		return r;
	case PLAN_PARTITION:
		if (!strcmp(value, "none") || !strcmp(value, "last")) {
			*ret = value[0] == 'l' ? GROW_LAST : GROW_NO;
			return 0;
		}
		r = parse_number(value, ret);
		return r == 0 && *ret > 0 && *ret < option->most ? 0 : -EINVAL;
	case PLAN_NUMBER:
		r = parse_number(value, ret);
		break;
	case PLAN_BYTES:
		r = units_parse_size(value, 0, NULL, ret);
		break;
	case PLAN_PLACES:
		break;
	}
	return r == 0 && *ret <= option->most ? 0 : -EINVAL;
}

/* "3:900G@1M": the number, and at least one of size and start. */
static int parse_place(const char *text, size_t length, struct plan_place *ret)
{
	char item[64], *size, *start;

	if (length >= sizeof(item))
		return -EINVAL;
	memcpy(item, text, length);
	item[length] = '\0';
	*ret = (struct plan_place){ 0 };
	start = strchr(item, '@');
	if (start)
		*start++ = '\0';
	size = strchr(item, ':');
	if (size)
		*size++ = '\0';
	if ((!size && !start) || parse_number(item, &ret->number) < 0 || !ret->number ||
	    ret->number > UINT16_MAX)
		return -EINVAL;
	if (size && (units_parse_size(size, 0, NULL, &ret->size) < 0 || !ret->size))
		return -EINVAL;
	if (start && (units_parse_size(start, 0, NULL, &ret->start) < 0 || !ret->start))
		return -EINVAL;
	return 0;
}

static int parse_places(struct plan_options *options, const char *text)
{
	struct plan_options found = { 0 };
	size_t count = 0;

	for (const char *end; strcmp(text, "none") != 0; text = end + 1) {
		struct plan_place place;

		end = strchrnul(text, ',');
		if (count == PLAN_PLACES_MAX ||
		    parse_place(text, (size_t)(end - text), &place) < 0 ||
		    plan_place_find(&found, place.number))
			return -EINVAL;
		found.places[count++] = place;
		if (!*end)
			break;
	}
	memcpy(options->places, found.places, sizeof(found.places));
	return 0;
}

static size_t print_bytes(char mark, uint64_t bytes, char *to, size_t room)
{
	bool whole = bytes % (1U << 20) == 0;

	return bytes ? (size_t)snprintf(to, room, "%c%" PRIu64 "%s", mark,
					whole ? bytes >> 20 : bytes, whole ? "M" : "")
		     : 0;
}

static const char *print_places(const struct plan_options *options,
				char buffer[static PLAN_OPTION_TEXT_MAX])
{
	const size_t size = PLAN_OPTION_TEXT_MAX;
	size_t n = 0;

	for (size_t i = 0; i < PLAN_PLACES_MAX && options->places[i].number; i++) {
		const struct plan_place *place = &options->places[i];

		n += (size_t)snprintf(buffer + n, size - n, "%s%" PRIu64, n ? "," : "",
				      place->number);
		n += print_bytes(':', place->size, buffer + n, size - n);
		n += print_bytes('@', place->start, buffer + n, size - n);
	}
	return n ? buffer : "none";
}

const struct plan_place *plan_place_find(const struct plan_options *options, uint64_t number)
{
	for (size_t i = 0; i < PLAN_PLACES_MAX && options->places[i].number; i++)
		if (options->places[i].number == number)
			return &options->places[i];
	return NULL;
}

int plan_option_set(struct plan_options *options, enum plan_option option, const char *value)
{
	uint64_t parsed = 0;

	if (option == PLAN_OPTION_LAYOUT)
		return parse_places(options, value);
	if (parse(&table[option], value, &parsed) < 0)
		return -EINVAL;
	put(options, &table[option], parsed);
	return 0;
}

const char *plan_option_print(const struct plan_options *options, enum plan_option option,
			      char buffer[static PLAN_OPTION_TEXT_MAX])
{
	uint64_t value = get(options, &table[option]);
	const char *word;

	switch (table[option].type) {
	case PLAN_WORD:
	case PLAN_SWITCH:
		word = table[option].words[value];
		return word ? word : table[option].hidden;
	case PLAN_CHECKSUMS:
		return checksums_print((unsigned)value, buffer);
	case PLAN_PARTITION:
		if (value == GROW_NO || value == GROW_LAST)
			return value ? "last" : "none";
		break;
	case PLAN_PLACES:
		return print_places(options, buffer);
	case PLAN_NUMBER:
	case PLAN_BYTES:
		break;
	}
	snprintf(buffer, PLAN_OPTION_TEXT_MAX, "%" PRIu64, value);
	return buffer;
}

const char *plan_option_values(enum plan_option option, char *buffer, size_t size)
{
	switch (table[option].type) {
	case PLAN_WORD:
	case PLAN_SWITCH:
		return text_choice(buffer, size, table[option].words);
	case PLAN_CHECKSUMS:
		return text_copy(buffer, size,
				 _("sha256, sha512, blake2b, sha1, md5 or xxh3, or several of them "
				   "with commas between"));
	case PLAN_PARTITION:
		return text_copy(buffer, size, _("none, last, or the number of a partition"));
	case PLAN_BYTES:
		return text_copy(buffer, size, _("a size, such as 64K or 1MB"));
	case PLAN_PLACES:
		return text_copy(buffer, size,
				 _("none, or partitions with a size or a start or both, such as "
				   "3:900G,4:1G@930G"));
	case PLAN_NUMBER:
		break;
	}
	snprintf(buffer, size, _("a whole number from 0 to %" PRIu64), table[option].most);
	return buffer;
}

void plan_options_merge(struct plan_options *options, const struct plan_options *from,
			unsigned given)
{
	for (size_t i = 0; i < PLAN_OPTIONS; i++)
		if ((given & 1u << i) && i == PLAN_OPTION_LAYOUT)
			memcpy(options->places, from->places, sizeof(from->places));
		else if (given & 1u << i)
			put(options, &table[i], get(from, &table[i]));
}

static int check_multiple(uint32_t chunk, const struct endpoint *endpoint, struct error *reterr)
{
	uint32_t sector = endpoint->logical_sector_size;

	if (sector == 0 || chunk % sector == 0)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", endpoint->node,
			 _("The chunk of %s bytes is no multiple of the sectors of %s, which have "
			   "%u bytes."),
			 UNITS_COUNT(chunk), endpoint->node, sector);
}

int plan_options_check(const struct plan_options *options, const struct endpoint *source,
		       const struct endpoint *destination, struct error *reterr)
{
	uint32_t chunk = options->chunk;

	if (options->queue_depth > PLAN_DEPTH_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("A queue depth of %u is too much: 1 to %u are possible."),
				 options->queue_depth, PLAN_DEPTH_MAX);
	if (options->lanes > PLAN_LANES_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("%u lanes are too many: 1 to %u are possible."), options->lanes,
				 PLAN_LANES_MAX);
	if (options->grow_fs &&
	    ((!options->grow && !options->places[0].number) || destination->kind != ENDPOINT_DISK))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL, "%s",
				 _("A file system is grown only on a disk and in a partition that "
				   "grows: say which (--grow, --layout), or leave out --grow-fs."));
	if (plan_options_make_table(options) && options->checksums)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL, "%s",
				 _("Checksums are of the source as it is, and a table that fits "
				   "makes the copy differ from it: ask for only one of them."));
	if (options->table == TABLE_GPT && options->identities != IDENTITIES_KEEP)
		return error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL, "%s",
			_("A table that becomes a GPT has new identifiers, and nothing else "
			  "gets any: leave out --identities, or keep the kind of table."));
	if (chunk == 0)
		return 0;
	if (chunk < PLAN_CHUNK_MIN || chunk > PLAN_CHUNK_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("A chunk of %s bytes is not possible: it must have at least 512 "
				   "bytes and at most 8 MiB."),
				 UNITS_COUNT(chunk));

	int error = check_multiple(chunk, source, reterr);

	return error < 0 ? error : check_multiple(chunk, destination, reterr);
}

/* ---- checksums ---- */

static const struct {
	const char *name, *title;
} checksums[CHECKSUM_ALGORITHMS] = {
	[CHECKSUM_SHA256] = { "sha256", "SHA-256" },
	[CHECKSUM_SHA512] = { "sha512", "SHA-512" },
	[CHECKSUM_BLAKE2B] = { "blake2b", "BLAKE2b-512" },
	[CHECKSUM_SHA1] = { "sha1", "SHA-1" },
	[CHECKSUM_MD5] = { "md5", "MD5" },
	[CHECKSUM_XXH3] = { "xxh3", "XXH3-128" },
};

const char *checksum_name(enum checksum_algorithm algorithm)
{
	return checksums[algorithm].name;
}

const char *checksum_title(enum checksum_algorithm algorithm)
{
	return checksums[algorithm].title;
}

static unsigned find_checksum(const char *name, size_t length)
{
	for (unsigned i = 0; i < CHECKSUM_ALGORITHMS; i++)
		if (strlen(checksums[i].name) == length &&
		    !strncmp(checksums[i].name, name, length))
			return 1u << i;
	return 0;
}

int checksums_parse(const char *text, unsigned *ret)
{
	unsigned set = 0;

	if (!strcmp(text, "none")) {
		*ret = 0;
		return 0;
	}
	for (const char *end;; text = end + 1) {
		unsigned one;

		end = strchrnul(text, ',');
		one = find_checksum(text, (size_t)(end - text));
		if (!one || set & one)
			return -EINVAL;
		set |= one;
		if (!*end)
			break;
	}
	*ret = set;
	return 0;
}

const char *checksums_print(unsigned set, char buffer[static CHECKSUMS_TEXT_MAX])
{
	size_t length = 0;

	if (!set)
		snprintf(buffer, CHECKSUMS_TEXT_MAX, "none");
	for (unsigned i = 0; i < CHECKSUM_ALGORITHMS; i++)
		if (set & 1u << i)
			length += (size_t)snprintf(buffer + length, CHECKSUMS_TEXT_MAX - length,
						   "%s%s", length ? "," : "", checksums[i].name);
	return buffer;
}
