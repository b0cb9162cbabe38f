/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the list of digests. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "digest/list.h"

struct contents {
	const struct digests *digests;
	const struct range_list *left_out;
	const char *plan_lines;
	uint32_t sector;
	struct digest_run *run; /* of all that is put */
};

static void put(FILE *file, const struct contents *c, const char *text)
{
	digest_run_add(c->run, text, strlen(text));
	/* Whether it all went out is asked of the file when it is closed. */
	(void)fputs(text, file);
}

static void put_line(FILE *file, const struct contents *c, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void put_line(FILE *file, const struct contents *c, const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
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
	char digest[DIGEST_TEXT_MAX];
	size_t lines;

	digest_run_restart(c->run);
	lines = put_body(file, c);
	fprintf(file, "end %zu %s\n", lines, digest_print(digest_run_so_far(c->run), digest));
}

int digest_list_save(const struct digests *digests, uint32_t sector_size, const char *plan_lines,
		     const struct range_list *left_out, const char *path,
		     struct file_timeout *timeout, struct error *reterr)
{
	struct contents contents = { digests, left_out, plan_lines, sector_size, digest_run_new() };
	int r = contents.run ? 0 : -ENOMEM;

	if (r == 0)
		r = file_replace(timeout, path, 0600, fill, &contents);
	digest_run_destroy(contents.run);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The list of digests could not be saved as %s: %s."), path,
				 file_phrase(r));
	return 0;
}
