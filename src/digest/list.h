/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of digests of a copy, a file beside its report: with it the clone
 * can be checked years later, when the source is long gone. Text:
 *
 *   clonedeck.digests/1
 *   # clonedeck KEY=VALUE        the plan, as in a map file
 *   sector BYTES
 *   region BYTES
 *   LBA SECTORS DIGEST WEIGHTED  of the source; one a region, ascending
 *   LBA SECTORS -                within the region before: was not read, is not in its digest
 *   end LINES DIGEST             number of the lines above it that begin with an LBA, and the
 *                                XXH3-128 of everything before this line
 *
 * Lines that begin with # and are not the plan's are comments. What is loaded
 * is as hostile as any file; that lines and plan fit each other is digests_fill()'s to check.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/range.h"
#include "digest/digests.h"

#define DIGEST_LIST_SCHEMA "clonedeck.digests/1"

/* plan_lines: complete lines, each with its line end. left_out: sectors of the source that are in
 * no digest. Written as file_replace() does. */
int digest_list_save(const struct digests *digests, uint32_t sector_size, const char *plan_lines,
		     const struct range_list *left_out, const char *path,
		     struct file_timeout *timeout, struct error *reterr);

struct digest_line {
	uint64_t lba, sectors;
	struct digest digest, weighted; /* as in struct digest_sum */
};

struct digest_list {
	uint32_t sector_size;
	uint64_t region; /* bytes */
	struct digest_line *lines;
	size_t count;
	struct range_list left_out; /* sectors */
};

/*
 * plan_line gets every comment line, without its line end; a negative return
 * refuses the file with *retwhy, a translated phrase. -EINVAL with the number of
 * the line for anything that digest_list_save() would not write; -EFBIG over 256 MiB.
 * *ret is done by digest_list_done() only after success.
 */
int digest_list_load(const char *path,
		     int (*plan_line)(void *user, const char *line, const char **retwhy),
		     void *user, struct digest_list *ret, struct error *reterr);
void digest_list_done(struct digest_list *list);

/* The table of the list's plan, filled. -EINVAL with a sentence when the lines are not exactly
 * the plan's regions. name: of the file, for the error. */
int digests_fill(const struct digest_list *list, const struct plan *plan, const char *name,
		 struct digests **ret, struct error *reterr);
