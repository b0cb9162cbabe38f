/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/measured_disks.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "io/io.h"

#define NAME      "measured"
#define LINE_SIZE 640
#define KEPT_MAX  500 /* disks; the oldest line goes */

/* The file may come from anywhere, so impossible values are ignored. */
#define REQUEST_MAX (16U << 20) /* bytes */
#define DEPTH_MAX   32U
#define RATE_MAX    1e12 /* bytes per second */

/* The disk, then read, write, request, depth and the boot of the last two, between tabs. */
struct line {
	char text[LINE_SIZE];
};

/* A disk without an identity is known by its diskseq. Identities have no tabs: discovery makes them
 * printable. */
static size_t print_key(const struct identity *disk, const char *boot, char ret[static LINE_SIZE])
{
	int length;

	if (disk->serial[0] || disk->wwn[0])
		length = snprintf(ret, LINE_SIZE, "%" PRIu64 "\t%s\t%s\t%s\t%" PRIu32 "\t",
				  disk->size, disk->model, disk->serial, disk->wwn, disk->nsid);
	else
		length = disk->diskseq ? snprintf(ret, LINE_SIZE, "%" PRIu64 "\t%s\t%" PRIu64 "\t",
						  disk->size, boot, disk->diskseq)
				       : 0;
	return length < LINE_SIZE / 2 + 100 ? (size_t)length : 0;
}

static bool parse(const char *text, const char *boot, struct measured *ret)
{
	char then[CLOCK_BOOT_MAX] = "";
	struct measured found = { 0 };

	if (sscanf(text, "%lf\t%lf\t%" SCNu32 "\t%" SCNu32 "\t%47s", &found.read, &found.write,
		   &found.request, &found.depth, then) != 5)
		return false;
	if (!(found.read >= 0 && found.read <= RATE_MAX && found.write >= 0 &&
	      found.write <= RATE_MAX))
		return false;
	if (strcmp(then, boot) != 0 || found.request > REQUEST_MAX || found.depth > DEPTH_MAX)
		found.request = found.depth = 0;
	*ret = found;
	return true;
}

/* The lines of all disks but this one; of the same, *retfound. */
static size_t load(const char *path, const char *key, size_t length, const char *boot,
		   struct line *lines, struct measured *retfound)
{
	CLEANUP(fclose) FILE *file = fopen(path, "re");
	char text[LINE_SIZE];
	size_t count = 0;

	while (file && fgets(text, sizeof(text), file)) {
		if (strncmp(text, key, length) == 0)
			parse(text + length, boot, retfound);
		else if (lines && count < KEPT_MAX)
			memcpy(lines[count++].text, text, sizeof(text));
	}
	return count;
}

static bool name_file(const char *directory, char path[static PATH_MAX])
{
	return directory && *directory &&
	       snprintf(path, PATH_MAX, "%s/" NAME, directory) < PATH_MAX;
}

bool measured_find(const char *directory, const struct identity *disk, struct measured *ret)
{
	char path[PATH_MAX], boot[CLOCK_BOOT_MAX], key[LINE_SIZE];
	size_t length;

	*ret = (struct measured){ 0 };
	clock_boot_id(boot);
	length = print_key(disk, boot, key);
	if (!length || !name_file(directory, path))
		return false;
	load(path, key, length, boot, NULL, ret);
	return ret->read > 0 || ret->write > 0 || ret->request;
}

void measured_apply(const char *directory, const struct identity *disk, struct io_end *end)
{
	struct measured found;

	measured_find(directory, disk, &found);
	end->best_request = found.request;
	end->best_depth = found.depth;
}

struct kept {
	struct line *lines;
	size_t count;
	struct line own;
};

static void fill(FILE *file, const void *user)
{
	const struct kept *kept = user;

	fputs(kept->own.text, file);
	for (size_t i = 0; i < kept->count; i++)
		fputs(kept->lines[i].text, file);
}

int measured_keep(const char *directory, const struct identity *disk, const struct measured *found,
		  bool sizes)
{
	CLEANUP(free) struct line *lines = calloc(KEPT_MAX, sizeof(*lines));
	struct kept kept = { .lines = lines };
	char path[PATH_MAX], boot[CLOCK_BOOT_MAX], *key = kept.own.text;
	struct measured all = { 0 };
	size_t length;

	clock_boot_id(boot);
	length = print_key(disk, boot, key);
	if (!lines || !length || !name_file(directory, path))
		return lines ? -ENOENT : -ENOMEM;
	if (mkdir(directory, 0700) < 0 && errno != EEXIST)
		return -errno;
	kept.count = load(path, key, length, boot, lines, &all);
	if (kept.count == KEPT_MAX)
		kept.count--;
	all.read = found->read > 0 ? found->read : all.read;
	all.write = found->write > 0 ? found->write : all.write;
	if (sizes) {
		all.request = found->request;
		all.depth = found->depth;
	}
	/* Whole numbers: a point is a comma elsewhere. */
	snprintf(key + length, LINE_SIZE - length, "%.0f\t%.0f\t%" PRIu32 "\t%" PRIu32 "\t%s\n",
		 all.read, all.write, all.request, all.depth, boot);
	return file_replace(NULL, path, fill, &kept);
}
