/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map/saved_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/text.h"
#include "digest/digest.h"
#include "map/recorded_copy.h"

#define HEADER    "# clonedeck tables "
#define LINE_SIZE 160 /* of a line */
#define STAGES    (1U + HELD_KEYS)
/* Areas are cut where sectors could not be read. */
#define AREAS_MAX 65536U
#define FILE_MAX  (HELD_BYTES_MAX + (off_t)LINE_SIZE * (AREAS_MAX + HELD_AREAS_MAX + 2))

struct line_area {
	struct range sectors;
	struct digest digest;
};

struct reader {
	FILE *file;
	const struct plan *plan;
	struct range_list extents;        /* of the plan */
	struct range_list stages[STAGES]; /* of the file */
	unsigned stage_count;
	struct range_list held; /* of all stages */
	struct line_area *areas;
	size_t area_count;
};

void saved_tables_path(const char *map_path, char path[static PATH_MAX])
{
	map_name_beside(map_path, ".tables", path);
}

/* ---- writing ---- */

struct contents {
	const struct saved_tables *tables;
	const struct plan *plan;
};

static size_t bytes_of(const struct contents *contents, const struct saved_area *area)
{
	return (size_t)(area->sectors.count * contents->plan->sector_size);
}

static void fill(FILE *file, const void *user)
{
	const struct contents *contents = user;
	const struct saved_tables *tables = contents->tables;
	char digest[DIGEST_TEXT_MAX];

	fprintf(file, HEADER "%s %" PRIu32 "\n", PLAN_ID(contents->plan),
		contents->plan->sector_size);
	for (unsigned s = 0; s < tables->stage_count; s++)
		for (size_t i = 0; i < tables->stages[s].count; i++)
			fprintf(file, "stage %u %" PRIu64 " %" PRIu64 "\n", s,
				tables->stages[s].items[i].start, tables->stages[s].items[i].count);
	for (size_t i = 0; i < tables->area_count; i++) {
		const struct saved_area *area = &tables->areas[i];

		fprintf(file, "data %" PRIu64 " %" PRIu64 " %s\n", area->sectors.start,
			area->sectors.count,
			digest_print(digest_bytes(area->data, bytes_of(contents, area)), digest));
	}
	fputs("end\n", file);
	for (size_t i = 0; i < tables->area_count; i++) {
		size_t bytes = bytes_of(contents, &tables->areas[i]);

		/* The stream remembers the error. */
		if (fwrite(tables->areas[i].data, 1, bytes, file) < bytes)
			return;
	}
}

int saved_tables_save(const struct saved_tables *tables, const struct plan *plan, const char *path,
		      struct file_timeout *timeout, struct error *reterr)
{
	const struct contents contents = { tables, plan };
	int r = file_replace(timeout, path, fill, &contents);

	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The tables of the source could not be saved in %s: %s. They "
				   "are in memory only: if the source is lost, a stop loses them."),
				 path, file_phrase(r));
	return 0;
}

/* ---- reading ---- */

/* Without its line break. False: the end of the file, or a line that is too long. */
static bool read_line(FILE *file, char line[static LINE_SIZE])
{
	size_t length;

	if (!fgets(line, LINE_SIZE, file))
		return false;
	length = strlen(line);
	if (length == 0 || line[length - 1] != '\n')
		return false;
	line[length - 1] = '\0';
	return true;
}

static int read_stage(struct reader *reader, const char *line)
{
	struct range range;
	uint64_t stage;

	if (!text_take_number(&line, ' ', &stage) || !map_take_range(&line, ' ', '\0', &range) ||
	    stage >= STAGES || stage > reader->stage_count || reader->area_count ||
	    reader->held.count >= HELD_AREAS_MAX ||
	    range.count > HELD_BYTES_MAX / reader->plan->sector_size ||
	    range_list_overlaps(&reader->held, range) ||
	    !range_list_contains(&reader->extents, range))
		return -EINVAL;
	if (stage == reader->stage_count)
		reader->stage_count++;
	if (range_list_add(&reader->held, range) < 0 ||
	    range_list_add(&reader->stages[stage], range) < 0)
		return -ENOMEM;
	return range_list_total(&reader->held) > HELD_BYTES_MAX / reader->plan->sector_size
		       ? -EINVAL
		       : 0;
}

static int read_area(struct reader *reader, const char *line)
{
	const struct line_area *last =
		reader->area_count ? &reader->areas[reader->area_count - 1] : NULL;
	struct line_area area;

	if (!map_take_range(&line, ' ', ' ', &area.sectors) || !digest_parse(line, &area.digest) ||
	    reader->area_count >= AREAS_MAX || !range_list_contains(&reader->held, area.sectors) ||
	    (last && area.sectors.start < last->sectors.start + last->sectors.count))
		return -EINVAL;
	return array_append(reader->areas, reader->area_count, area);
}

static int read_head(struct reader *reader)
{
	char text[LINE_SIZE], expected[LINE_SIZE];
	int r = 0;

	snprintf(expected, sizeof(expected), HEADER "%s %" PRIu32, PLAN_ID(reader->plan),
		 reader->plan->sector_size);
	if (!read_line(reader->file, text) || strcmp(text, expected) != 0)
		return -EINVAL;
	while (r == 0) {
		const char *line;

		if (!read_line(reader->file, text))
			return -EINVAL;
		if (strcmp(text, "end") == 0)
			return reader->stage_count ? 0 : -EINVAL;
		if ((line = text_after(text, "stage ")))
			r = read_stage(reader, line);
		else if ((line = text_after(text, "data ")))
			r = read_area(reader, line);
		else
			r = -EINVAL;
	}
	return r;
}

static size_t largest(const struct reader *reader)
{
	uint64_t most = 0;

	for (size_t i = 0; i < reader->area_count; i++)
		if (reader->areas[i].sectors.count > most)
			most = reader->areas[i].sectors.count;
	/* They lie in the held areas, of which the size is limited. */
	return (size_t)(most * reader->plan->sector_size);
}

static int read_data(struct reader *reader,
		     void (*take)(void *user, uint64_t offset, uint32_t length, const void *data),
		     void *user)
{
	uint32_t sector = reader->plan->sector_size;
	CLEANUP(free) char *data = malloc(largest(reader) + 1);

	if (!data)
		return -ENOMEM;
	for (size_t i = 0; i < reader->area_count; i++) {
		const struct line_area *area = &reader->areas[i];
		size_t length = (size_t)(area->sectors.count * sector);

		if (fread(data, 1, length, reader->file) != length)
			return -EINVAL;
		if (digest_equal(digest_bytes(data, length), area->digest))
			take(user, area->sectors.start * sector, (uint32_t)length, data);
	}
	return 0;
}

/* The last stage is the key that comes last; what has only one key has no other stage either. */
static int give_held(const struct reader *reader, struct held *ret)
{
	unsigned count = reader->stage_count;
	int r = range_list_copy(&reader->held, &ret->areas);

	if (r == 0)
		r = range_list_copy(&reader->stages[count - 1], &ret->key[HELD_KEYS - 1]);
	if (r == 0 && count > 2)
		r = range_list_copy(&reader->stages[count - 2], &ret->key[0]);
	if (r < 0)
		held_done(ret);
	return r;
}

static int read_all(struct reader *reader,
		    void (*take)(void *user, uint64_t offset, uint32_t length, const void *data),
		    void *user, struct held *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reader->plan->extent_count; i++)
		r = range_list_add(&reader->extents,
				   (struct range){ reader->plan->extents[i].source_lba,
						   reader->plan->extents[i].sectors });
	if (r == 0)
		r = read_head(reader);
	if (r == 0 && take)
		r = read_data(reader, take, user);
	return r == 0 && ret ? give_held(reader, ret) : r;
}

int saved_tables_load(const char *path, const struct plan *plan,
		      void (*take)(void *user, uint64_t offset, uint32_t length, const void *data),
		      void *user, struct held *ret, struct error *reterr)
{
	struct reader reader = { .plan = plan };
	int fd = file_open_untrusted(path, FILE_MAX);
	int r = fd == -EFBIG ? -EINVAL : fd;

	if (ret)
		*ret = (struct held){ 0 };
	reader.file = fd < 0 ? NULL : fdopen(fd, "r");
	if (reader.file) {
		r = read_all(&reader, take, user, ret);
		fclose(reader.file);
	} else if (fd >= 0) {
		r = -errno;
		close(fd);
	}
	range_list_done(&reader.extents);
	range_list_done(&reader.held);
	for (unsigned s = 0; s < STAGES; s++)
		range_list_done(&reader.stages[s]);
	free(reader.areas);
	if (r == -EINVAL)
		return error_set(
			reterr, ERROR_CLASS_USAGE, r, "load", path,
			_("The tables of the source in %s are damaged, or of another copy."), path);
	return r < 0 ? error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "load", path,
				 _("The tables of the source in %s cannot be read: %s."), path,
				 error_phrase(r))
		     : 0;
}
