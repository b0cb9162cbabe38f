/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Map files, ours or ddrescue's: nothing that is read is trusted, and there is a complete one at
 * any moment while it is written. */
#include "map/map.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "base/range.h"
#include "base/text.h"
#include "map/map_plan.h"
#include "map/map_private.h"

#define MAP_FILE_MAX (256LL << 20)
#define MAP_LINE_MAX 4096

DEFINE_CLEANUP(reader, struct map_plan_reader *, map_plan_reader_destroy)

struct parser {
	FILE *file;
	const char *path;
	unsigned long line;
	bool has_state;
	struct map *blocks;
	struct map_plan_reader *plan;
	struct error *reterr;
};

static int refuse(struct parser *parser, const char *why)
{
	return error_set(parser->reterr, ERROR_CLASS_USAGE, -EINVAL, "load", parser->path,
			 _("The map file %s cannot be used: line %lu: %s."), parser->path,
			 parser->line, why);
}

/*
 * Reads one line, without its LF or CR LF. 1: there is one; 0: end of file. A
 * comment may be longer than the buffer (ddrescue records its command line in
 * one) and is cut; any other line that long is invalid.
 */
static int read_line(struct parser *parser, char line[static MAP_LINE_MAX])
{
	size_t n = 0;
	bool cut = false, nul = false;
	int c;

	while ((c = getc_unlocked(parser->file)) != EOF && c != '\n') {
		nul |= c == '\0';
		if (n + 1 < MAP_LINE_MAX)
			line[n++] = (char)c;
		else
			cut = true;
	}
	if (c == EOF && ferror(parser->file))
		return -EIO;
	if (c == EOF && n == 0)
		return 0;
	parser->line++;
	if (nul)
		return refuse(parser, _("this is not a text file"));
	if (n > 0 && line[n - 1] == '\r')
		n--;
	line[n] = '\0';
	if (cut && (line[0] != '#' || text_after(line, MAP_COMMENT_PREFIX)))
		return refuse(parser, _("the line is too long"));
	return 1;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* ddrescue uses signed 64 bits, so larger numbers are refused. */
static bool take_number(const char **p, uint64_t *ret)
{
	char *end;

	*p = skip_blanks(*p);
	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, 0);
	if (errno || *ret > INT64_MAX || (*end && *end != ' ' && *end != '\t'))
		return false;
	*p = end;
	return true;
}

static bool take_letter(const char **p, const char *letters, char *ret)
{
	*p = skip_blanks(*p);
	if (!**p || !strchr(letters, **p))
		return false;
	*ret = *(*p)++;
	return true;
}

static bool at_end(const char *p)
{
	p = skip_blanks(p);
	return *p == '\0' || *p == '#';
}

static int parse_state(struct parser *parser, const char *p)
{
	uint64_t pos, pass;
	char state;

	/* Old versions have no pass. */
	if (!take_number(&p, &pos) || !take_letter(&p, "?*/-FG+", &state) ||
	    (!at_end(p) && (!take_number(&p, &pass) || !at_end(p))))
		return refuse(parser,
			      _("the line with the current position and status is bad or missing"));
	parser->has_state = true;
	return 0;
}

static int parse_block(struct parser *parser, const char *p)
{
	struct map *map = parser->blocks;
	uint64_t start, size, end, expected = 0;
	char status;

	if (!take_number(&p, &start) || !take_number(&p, &size) || size == 0 ||
	    !take_letter(&p, "?*/-+", &status) || !at_end(p))
		return refuse(parser, _("this is not a position, a size and a status"));
	if (!u64_add(start, size, &end) || end > INT64_MAX)
		return refuse(parser, _("the block ends beyond what can be addressed"));
	if (map->count > 0)
		expected = map_block(map, map->count - 1)->start +
			   map_block(map, map->count - 1)->size;
	if (map->count > 0 && start < expected)
		return refuse(parser, _("the block overlaps the one before it"));
	if (map->count > 0 && start > expected)
		return refuse(parser, _("there is a hole before this block"));
	if (map_append(map, start, size, (enum map_status)status) < 0)
		return error_nomem(parser->reterr);
	return 0;
}

static int parse_line(struct parser *parser, const char *line)
{
	const char *why = NULL;

	if (line[0] == '#') {
		int r = map_plan_read_line(parser->plan, line, &why);

		if (r == -ENOMEM)
			return error_nomem(parser->reterr);
		return r < 0 ? refuse(parser, why) : 0;
	}
	if (at_end(line))
		return 0;
	return parser->has_state ? parse_block(parser, line) : parse_state(parser, line);
}

static int parse(struct parser *parser)
{
	char line[MAP_LINE_MAX];
	int r;

	while ((r = read_line(parser, line)) > 0) {
		r = parse_line(parser, line);
		if (r < 0)
			return r;
	}
	if (r == -EIO)
		return error_set(parser->reterr, ERROR_CLASS_ENVIRONMENT, r, "read", parser->path,
				 _("Reading the map file %s failed: %s."), parser->path,
				 error_phrase(r));
	if (r == 0 && !parser->has_state)
		return error_set(parser->reterr, ERROR_CLASS_USAGE, -EINVAL, "load", parser->path,
				 parser->line ? _("The map file %s cannot be used: it ends before "
						  "its first block. It was cut off, or is no map.")
					      : _("The map file %s cannot be used: it is empty."),
				 parser->path);
	return r;
}

/* NULL with *retcode and *reterr filled. */
static FILE *open_file(const char *path, int *retcode, struct error *reterr)
{
	CLEANUP(close) int fd = file_open_untrusted(path, MAP_FILE_MAX);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (file)
		cleanup_steal_fd(&fd);
	else if (fd == -EINVAL)
		*retcode = error_set(reterr, ERROR_CLASS_USAGE, fd, "open", path,
				     _("%s is no map file: it is not a regular file."), path);
	else if (fd == -EFBIG)
		*retcode = error_set(reterr, ERROR_CLASS_USAGE, fd, "open", path,
				     _("%s is no map file: it is larger than 256 MiB."), path);
	else if (fd < 0)
		*retcode = error_set(reterr, ERROR_CLASS_ENVIRONMENT, fd, "open", path,
				     _("The map file %s cannot be opened: %s."), path,
				     error_phrase(fd));
	else
		*retcode = error_nomem(reterr);
	return file;
}

/* Takes the blocks of the file that are in the plan's extents. What the file leaves out is
 * non-tried. */
static int cut_to_plan(const struct map *blocks, const struct plan *plan, struct map *map)
{
	struct plan_walk walk = { 0 };
	struct extent part;
	size_t b = 0;

	while (plan_walk(plan, &walk, &part)) {
		uint64_t pos = part.source_lba * plan->sector_size;
		uint64_t end = pos + part.sectors * plan->sector_size;

		while (pos < end) {
			while (b < blocks->count &&
			       map_block(blocks, b)->start + map_block(blocks, b)->size <= pos)
				b++;

			const struct map_block *block =
				b < blocks->count ? map_block(blocks, b) : NULL;
			enum map_status status = MAP_NON_TRIED;
			uint64_t to = end;

			if (block && block->start > pos) {
				to = block->start < end ? block->start : end;
			} else if (block) {
				status = block->status;
				if (block->start + block->size < end)
					to = block->start + block->size;
			}
			if (map_append(map, pos, to - pos, status) < 0)
				return -ENOMEM;
			pos = to;
		}
	}
	return 0;
}

static int finish_ours(struct parser *parser, struct map **ret, struct plan **retplan)
{
	CLEANUP(map) struct map *map = map_alloc();
	int r;

	if (!map)
		return error_nomem(parser->reterr);
	r = map_plan_finish(parser->plan, parser->path, &map->plan, parser->reterr);
	if (r < 0)
		return r;
	if (!map_held_fits(&parser->blocks->held, map->plan))
		return error_set(parser->reterr, ERROR_CLASS_USAGE, -EINVAL, "load", parser->path,
				 _("The map file %s cannot be used: areas that it calls wiped are "
				   "not in its plan; the file was changed or damaged."),
				 parser->path);
	if (cut_to_plan(parser->blocks, map->plan, map) < 0 ||
	    map_take_held(map, parser->blocks) < 0 ||
	    (retplan && plan_copy(map->plan, retplan) < 0))
		return error_nomem(parser->reterr);
	*ret = cleanup_steal(map);
	return 0;
}

int map_load(const char *path, struct map **ret, struct plan **retplan, struct error *reterr)
{
	CLEANUP(fclose) FILE *file = NULL;
	CLEANUP(map) struct map *blocks = map_alloc();
	CLEANUP(reader)
	struct map_plan_reader *reader = blocks ? map_plan_reader_new(&blocks->held) : NULL;
	struct parser parser = { .path = path, .blocks = blocks, .plan = reader, .reterr = reterr };
	int r = 0;

	if (!blocks || !reader)
		return error_nomem(reterr);
	file = open_file(path, &r, reterr);
	if (!file)
		return r;
	parser.file = file;
	r = parse(&parser);
	if (r < 0)
		return r;
	if (map_plan_present(reader))
		return finish_ours(&parser, ret, retplan);
	if (blocks->count == 0)
		return refuse(&parser, _("the file holds no block"));
	map_held_done(&blocks->held);
	if (retplan)
		*retplan = NULL;
	*ret = cleanup_steal(blocks);
	return 0;
}

/* ---- writing ---- */

/* fprintf() is ten times slower, which matters with 100,000 areas. */
static char *put_hex(char *p, uint64_t value)
{
	static const char digits[] = "0123456789ABCDEF";
	int shift = 60;

	*p++ = '0';
	*p++ = 'x';
	while (shift > 28 && (value >> shift & 15) == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*p++ = digits[value >> shift & 15];
	return p;
}

static void print_block(FILE *file, const struct map_block *block)
{
	char line[64], *p = put_hex(line, block->start);

	*p++ = ' ';
	*p++ = ' ';
	p = put_hex(p, block->size);
	*p++ = ' ';
	*p++ = ' ';
	*p++ = (char)block->status;
	*p++ = '\n';
	*p = '\0';
	fputs(line, file);
}

/*
 * ddrescue refuses files with holes between blocks. The space between two
 * extents is written as non-tried, which is true; the comments have the
 * extents, and say how to keep ddrescue within them.
 */
static void print_map(const struct map *map, FILE *file, const struct map_state *state)
{
	uint64_t end = map->count ? map_block(map, 0)->start : 0;
	char line[32], *p = put_hex(line, state->pos);

	fputs("# Mapfile. Created by " PACKAGE_NAME " " PACKAGE_VERSION "\n", file);
	if (map->plan)
		map_plan_print(map->plan, NULL, file);
	map_held_print(&map->held, file);
	if (map->plan && map->plan->extent_count > 1)
		fputs("# Blocks outside the extents are '?' and not to be copied: give other "
		      "tools\n# only the extents (ddrescue: --input-position and --size).\n",
		      file);
	if (map->plan && plan_left_out(map->plan))
		fputs("# Free places that are left out are '?' and not to be copied, too.\n", file);
	*p = '\0';
	fputs("# current_pos  current_status  current_pass\n", file);
	fprintf(file, "%s     %c               %u\n#      pos        size  status\n", line,
		state->status, state->pass);
	for (size_t i = 0; i < map->count; i++) {
		const struct map_block *block = map_block(map, i);

		if (block->start > end) {
			struct map_block gap = { end, block->start - end, MAP_NON_TRIED };

			print_block(file, &gap);
		}
		print_block(file, block);
		end = block->start + block->size;
	}
}

struct contents {
	const struct map *map;
	const struct map_state *state;
};

static void fill(FILE *file, const void *user)
{
	const struct contents *contents = user;

	print_map(contents->map, file, contents->state);
}

int map_save(const struct map *map, const char *path, const struct map_state *state,
	     struct file_timeout *timeout, struct error *reterr)
{
	const struct contents contents = { map, state };
	int r = file_replace(timeout, path, fill, &contents);

	if (r == -EEXIST)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The map file %s could not be saved: something that is not a "
				   "regular file has this name. Choose another place for it."),
				 path);
	if (r == -EXDEV)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The map file %s could not be saved: its disk is not mounted "
				   "any more. The copy goes on; until that disk is mounted there "
				   "again, or another place is chosen, the map is only in memory."),
				 path);
	if (r < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				 _("The map file %s could not be saved: %s. The copy goes on; "
				   "choose another place for the map, or it cannot be resumed."),
				 path, file_phrase(r));
	return 0;
}
