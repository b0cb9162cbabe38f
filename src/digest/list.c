/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "digest/checksum.h"

#define LIST_FILE_MAX (256LL << 20)
#define LIST_LINE_MAX 4096

struct parser {
	const char *path;
	char *bytes;
	size_t length;
	unsigned long line;
	bool has_schema, has_end;
	size_t lines_read, capacity;
	int (*plan_line)(void *user, const char *line, const char **retwhy);
	void *user;
	struct digest_list *list;
	struct error *reterr;
};

static int refuse(struct parser *parser, const char *why)
{
	return error_set(parser->reterr, ERROR_CLASS_USAGE, -EINVAL, "load", parser->path,
			 _("The list of digests %s cannot be used: line %lu: %s."), parser->path,
			 parser->line, why);
}

static int parse_size(struct parser *parser, const char *p, uint64_t most, uint64_t *ret)
{
	if (*ret || !text_take_number(&p, '\0', ret) || *ret == 0 || *ret > most)
		return refuse(parser, _("the value cannot be right"));
	return 0;
}

static int add_line(struct parser *parser, const struct digest_line *line)
{
	struct digest_list *list = parser->list;

	if (array_reserve(list->lines, parser->capacity, list->count + 1) < 0)
		return error_nomem(parser->reterr);
	list->lines[list->count++] = *line;
	return 0;
}

/* Ascending, each within the region line above it. */
static int add_left_out(struct parser *parser, struct range r)
{
	struct digest_list *list = parser->list;
	const struct digest_line *region = list->count ? &list->lines[list->count - 1] : NULL;
	uint64_t free_from = 0;
	int code;

	if (list->left_out.count > 0) {
		struct range last = list->left_out.items[list->left_out.count - 1];

		free_from = last.start + last.count;
	}
	if (!region || r.start < free_from ||
	    !range_contains((struct range){ region->lba, region->sectors }, r))
		return refuse(parser, _("this is not a part of the region before it"));
	code = range_list_add(&list->left_out, r);
	return code == -ENOMEM ? error_nomem(parser->reterr) : code;
}

static int parse_region(struct parser *parser, const char *p)
{
	const struct digest_list *list = parser->list;
	struct digest_line line;
	uint64_t before = 0, end;

	if (!list->sector_size || !list->region)
		return refuse(parser, _("the sizes of sector and region must come before it"));
	if (!text_take_number(&p, ' ', &line.lba) || !text_take_number(&p, ' ', &line.sectors) ||
	    line.sectors == 0 || !u64_add(line.lba, line.sectors, &end))
		return refuse(parser, _("this is not an LBA, a number of sectors and a digest"));
	parser->lines_read++;
	if (!strcmp(p, "-"))
		return add_left_out(parser, (struct range){ line.lba, line.sectors });
	if (!digest_take(&p, ' ', &line.digest) || !digest_take(&p, '\0', &line.weighted))
		return refuse(parser, _("this is not an LBA, a number of sectors and a digest"));
	if (list->count > 0)
		before = list->lines[list->count - 1].lba + list->lines[list->count - 1].sectors;
	if (line.lba < before)
		return refuse(parser, _("the region overlaps the one before it"));
	return add_line(parser, &line);
}

/* at: of this line in the file. */
static int parse_end(struct parser *parser, const char *p, size_t at)
{
	struct digest digest;
	uint64_t lines;

	if (!text_take_number(&p, ' ', &lines) || !digest_parse(p, &digest))
		return refuse(parser, _("the value cannot be right"));
	if (lines != parser->lines_read || !digest_equal(digest, digest_bytes(parser->bytes, at)))
		return error_set(parser->reterr, ERROR_CLASS_USAGE, -EINVAL, "load", parser->path,
				 _("The list of digests %s was changed or damaged since it was "
				   "written: it does not fit the sum in its last line."),
				 parser->path);
	parser->has_end = true;
	return 0;
}

static int parse_comment(struct parser *parser, const char *line)
{
	const char *why = NULL;
	int r = parser->plan_line(parser->user, line, &why);

	if (r == -ENOMEM)
		return error_nomem(parser->reterr);
	return r < 0 ? refuse(parser, why ? why : error_phrase(r)) : 0;
}

static int parse_line(struct parser *parser, const char *line, size_t at)
{
	uint64_t sector = parser->list->sector_size;
	const char *value;
	int r;

	if (parser->has_end)
		return refuse(parser, _("nothing may follow the last line"));
	if (!parser->has_schema) {
		parser->has_schema = !strcmp(line, DIGEST_LIST_SCHEMA);
		return parser->has_schema
			       ? 0
			       : refuse(parser, _("this is not a list of digests of clonedeck"));
	}
	if (line[0] == '#')
		return parse_comment(parser, line);
	if ((value = text_after(line, "sector "))) {
		r = parse_size(parser, value, UINT32_MAX, &sector);
		parser->list->sector_size = (uint32_t)sector;
		return r;
	}
	if ((value = text_after(line, "region ")))
		return parse_size(parser, value, UINT64_MAX, &parser->list->region);
	if ((value = text_after(line, "end ")))
		return parse_end(parser, value, at);
	return parse_region(parser, line);
}

static int parse(struct parser *parser)
{
	size_t at = 0;

	while (at < parser->length) {
		char *line = parser->bytes + at;
		char *end = memchr(line, '\n', parser->length - at);
		int r;

		parser->line++;
		if (!end)
			return refuse(parser, _("the file ends in the middle of a line"));
		if (memchr(line, '\0', (size_t)(end - line)) || end - line >= LIST_LINE_MAX)
			return refuse(parser, _("this is not a line of such a file"));
		*end = '\0';
		r = parse_line(parser, line, at);
		*end = '\n'; /* the sum in the last line is of the bytes as they were */
		if (r < 0)
			return r;
		at = (size_t)(end - parser->bytes) + 1;
	}
	if (!parser->has_end) {
		parser->line++;
		return refuse(parser, _("the end is missing: the file was cut off"));
	}
	return 0;
}

static int read_file(struct parser *parser)
{
	CLEANUP(close) int fd = file_open_untrusted(parser->path, LIST_FILE_MAX);
	struct stat st = { 0 };

	if (fd == -EINVAL)
		return error_set(parser->reterr, ERROR_CLASS_USAGE, fd, "open", parser->path,
				 _("%s is no list of digests: it is not a regular file."),
				 parser->path);
	if (fd == -EFBIG)
		return error_set(parser->reterr, ERROR_CLASS_USAGE, fd, "open", parser->path,
				 _("%s is no list of digests: it is larger than 256 MiB."),
				 parser->path);
	if (fd < 0)
		return error_set(parser->reterr, ERROR_CLASS_ENVIRONMENT, fd, "open", parser->path,
				 _("The list of digests %s cannot be opened: %s."), parser->path,
				 error_phrase(fd));
	fstat(fd, &st);
	parser->bytes = malloc((size_t)st.st_size + 1);
	if (!parser->bytes)
		return error_nomem(parser->reterr);
	while (parser->length < (size_t)st.st_size) {
		ssize_t n = read(fd, parser->bytes + parser->length,
				 (size_t)st.st_size - parser->length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int r = -errno;

			return error_set(parser->reterr, ERROR_CLASS_ENVIRONMENT, r, "read",
					 parser->path,
					 _("Reading the list of digests %s failed: %s."),
					 parser->path, error_phrase(r));
		}
		if (n == 0)
			break;
		parser->length += (size_t)n;
	}
	return 0;
}

int digest_list_load(const char *path,
		     int (*plan_line)(void *user, const char *line, const char **retwhy),
		     void *user, struct digest_list *ret, struct error *reterr)
{
	struct digest_list list = { 0 };
	struct parser parser = {
		.path = path,
		.plan_line = plan_line,
		.user = user,
		.list = &list,
		.reterr = reterr,
	};
	int r = read_file(&parser);

	if (r == 0)
		r = parse(&parser);
	free(parser.bytes);
	if (r < 0)
		digest_list_done(&list);
	else
		*ret = list;
	return r;
}

void digest_list_done(struct digest_list *list)
{
	free(list->lines);
	range_list_done(&list->left_out);
	*list = (struct digest_list){ 0 };
}

static bool fill_all(const struct digest_list *list, const struct plan *plan,
		     struct digests *digests)
{
	if (list->count != digests_count(digests))
		return false;
	for (size_t i = 0; i < list->count; i++) {
		const struct digest_line *line = &list->lines[i];
		struct range sectors = { line->lba, line->sectors };
		struct digest_region region = digests_region(digests, i);

		if (region.source / plan->sector_size != line->lba ||
		    region.length / plan->sector_size != line->sectors)
			return false;
		digests_set(digests, i,
			    (struct digest_sum){
				    line->digest, line->weighted,
				    line->sectors - range_list_common(&list->left_out, sectors) });
	}
	return true;
}

int digests_fill(const struct digest_list *list, const struct plan *plan, const char *name,
		 struct digests **ret, struct error *reterr)
{
	struct digests *digests = NULL;
	int r = list->sector_size == plan->sector_size
			? digests_new_sized(plan, list->region, &digests)
			: -EINVAL;

	if (r == -ENOMEM)
		return error_nomem(reterr);
	if (r == 0 && fill_all(list, plan, digests)) {
		*ret = digests;
		return 0;
	}
	digests_destroy(digests);
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EINVAL, "load", name,
		_("The list of digests %s cannot be used: its regions are not those of its plan."),
		name);
}

/* ---- writing ---- */

struct contents {
	const struct digests *digests;
	const struct range_list *left_out;
	const char *plan_lines;
	uint32_t sector;
	struct checksum *sum; /* of all that is put */
};

static void put(FILE *file, const struct contents *c, const char *text)
{
	checksum_add(c->sum, text, strlen(text));
	/* Whether it all went out is asked of the file when it is closed. */
	(void)fputs(text, file);
}

__attribute__((format(printf, 3, 4))) static void put_line(FILE *file, const struct contents *c,
							   const char *format, ...)
{
	char line[256];

	text_vprint(line, sizeof(line), format);
	put(file, c, line);
}

/* The parts of [from, to) that were left out, from *next on. */
static size_t put_left_out(FILE *file, const struct contents *c, uint64_t from, uint64_t to,
			   size_t *next)
{
	const struct range_list *left_out = c->left_out;
	size_t lines = 0;

	for (; *next < left_out->count; ++*next) {
		struct range r = left_out->items[*next], part;

		if (r.start >= to)
			break;
		if (range_intersect(r, (struct range){ from, to - from }, &part)) {
			put_line(file, c, "%" PRIu64 " %" PRIu64 " -\n", part.start, part.count);
			lines++;
		}
		/* It goes on in the next region. */
		if (r.start + r.count > to)
			break;
	}
	return lines;
}

static size_t put_regions(FILE *file, const struct contents *c)
{
	size_t lines = 0, next = 0;

	for (size_t i = 0; i < digests_count(c->digests); i++) {
		char digest[DIGEST_TEXT_MAX], weighted[DIGEST_TEXT_MAX];
		struct digest_sum sum = digests_sum(c->digests, i);
		uint64_t lba, count;
		struct digest_region region = digests_region(c->digests, i);

		lba = region.source / c->sector;
		count = region.length / c->sector;
		put_line(file, c, "%" PRIu64 " %" PRIu64 " %s %s\n", lba, count,
			 digest_print(sum.digest, digest), digest_print(sum.weighted, weighted));
		lines += 1 + put_left_out(file, c, lba, lba + count, &next);
	}
	return lines;
}

static size_t put_body(FILE *file, const struct contents *c)
{
	put_line(file, c, "%s\n", DIGEST_LIST_SCHEMA);
	put(file, c,
	    "# Digests of a source as it was read. To check the copy with it:\n"
	    "#   " PACKAGE_NAME " verify REPORT -d DESTINATION\n");
	put(file, c, c->plan_lines);
	put_line(file, c, "sector %" PRIu32 "\nregion %" PRIu64 "\n", c->sector,
		 digests_region_size(c->digests));
	put(file, c,
	    "# LBA SECTORS DIGEST WEIGHTED: the sum over its sectors, modulo 2^128, of the "
	    "XXH3-128, with\n"
	    "# the LBA as the seed, of the sector's XXH3-128 (16 bytes, canonical form); and the "
	    "sum of\n"
	    "# the same times the number of sectors from there to the end of the region.\n"
	    "# LBA SECTORS -: these were not read and are in no digest.\n");
	return put_regions(file, c);
}

/* The last line speaks of all before it. */
static void fill(FILE *file, const void *user)
{
	const struct contents *c = user;
	char hex[CHECKSUM_HEX_MAX];
	size_t lines = put_body(file, c);

	fprintf(file, "end %zu %s\n", lines, checksum_take(c->sum, hex));
}

int digest_list_save(const struct digests *digests, uint32_t sector_size, const char *plan_lines,
		     const struct range_list *left_out, const char *path,
		     struct file_timeout *timeout, struct error *reterr)
{
	struct contents contents = { digests, left_out, plan_lines, sector_size, NULL };
	int r = checksum_new(CHECKSUM_XXH3, &contents.sum, reterr);

	if (r < 0)
		return r;
	r = file_replace(timeout, path, fill, &contents);
	checksum_destroy(contents.sum);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The list of digests could not be saved as %s: %s."), path,
				 file_phrase(r));
	return 0;
}
