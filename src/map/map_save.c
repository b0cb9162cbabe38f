/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a map file, in a way that there is a complete one at any moment. */
#include "map/map.h"

#include <errno.h>
#include <stdio.h>

#include "base/i18n.h"
#include "map/map_plan.h"
#include "map/map_private.h"

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
	int r = file_replace(timeout, path, 0600, fill, &contents);

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
