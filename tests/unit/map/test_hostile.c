/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Map files that are damaged, foreign or hostile: none is believed, none does harm. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map/map.h"
#include "map_rig.h"

static void put(const char *text, size_t length)
{
	int fd = open(map_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, length), (ssize_t)length);
	close(fd);
}

static const struct {
	const char *text;
	int lines; /* line that the error names, 0: none */
} refused[] = {
	{ "", 0 },
	{ "\n\n\n", 0 },
	{ "# only comments\n", 0 },
	{ "0x0 0x200 +\n", 1 }, /* no status line */
	{ "0x0 ? 1\n", 1 },     /* no blocks */
	{ "0x0 X 1\n0x0 0x200 +\n", 1 },
	{ "0x0\n0x0 0x200 +\n", 1 },
	{ "0x0 ? 1 7\n0x0 0x200 +\n", 1 },
	{ "-1 ? 1\n0x0 0x200 +\n", 1 },
	{ "0 ?\n0x0 0x200\n", 2 },
	{ "0 ?\n0x0 0x200 x\n", 2 },
	{ "0 ?\n0x0 0x200 + junk\n", 2 },
	{ "0 ?\n0x0 0x200 ++\n", 2 },
	{ "0 ?\n0x0 0 +\n", 2 },
	{ "0 ?\n-0x200 0x200 +\n", 2 },
	{ "0 ?\n0x0 -0x200 +\n", 2 },
	{ "0 ?\n0x0 0x200k +\n", 2 },
	{ "0 ?\n0x 0x200 +\n", 2 },
	{ "0 ?\n08 0x200 +\n", 2 },
	{ "0 ?\n0x10000000000000000 0x200 +\n", 2 },
	{ "0 ?\n0x8000000000000000 0x200 +\n", 2 },
	{ "0 ?\n0x7FFFFFFFFFFFFFFF 0x200 +\n", 2 },
	{ "0 ?\n0x200 0x7FFFFFFFFFFFFFFF +\n", 2 },
	{ "0 ?\n0 18446744073709551616 +\n", 2 },
	{ "0 ?\n0 0x200 +\n0x100 0x200 -\n", 3 }, /* overlapping */
	{ "0 ?\n0 0x200 +\n0 0x200 -\n", 3 },
	{ "0 ?\n0x200 0x200 +\n0 0x200 -\n", 3 }, /* reversed */
	{ "0 ?\n0 0x200 +\n0x400 0x200 -\n", 3 }, /* a hole */
	{ "0 ?\n0 0x200 +\n0x200 0x2", 3 },       /* truncated */
	{ "0 ?\n0 0x200 +\n0x200", 3 },
	{ "0 ?\n0 0x200 +\n# clonedeck nonsense\n", 3 },
	{ "# clonedeck schema=clonedeck.map/2\n0 ?\n0 0x200 +\n", 1 },
	{ "# clonedeck schema=clonedeck.map/1\n0 ?\n0 0x200 +\n", 0 },
	{ "# clonedeck unknown=1\n0 ?\n0 0x200 +\n", 1 },
	{ "# clonedeck source.node=a\n# clonedeck source.node=b\n", 2 },
	{ "# clonedeck source.node=%\n", 1 },
	{ "# clonedeck source.node=%0\n", 1 },
	{ "# clonedeck source.node=%00\n", 1 },
	{ "# clonedeck source.node=%zz\n", 1 },
	{ "# clonedeck source.size=12x\n", 1 },
	{ "# clonedeck source.size=-1\n", 1 },
	{ "# clonedeck source.size=18446744073709551616\n", 1 },
	{ "# clonedeck source.logical_sector_size=4294967808\n", 1 },
	{ "# clonedeck source.exists=2\n", 1 },
	{ "# clonedeck source.kind=none\n", 1 },
	{ "# clonedeck source.kind=1\n", 1 },
	{ "# clonedeck option.on_error=maybe\n", 1 },
	{ "# clonedeck option.digest=crc32\n", 1 },
	{ "# clonedeck option.source_backend=none\n", 1 },
	{ "# clonedeck extent=1,2\n", 1 },
	{ "# clonedeck extent=1,2,3,4\n", 1 },
	{ "# clonedeck plan=123\n", 1 },
	{ "# clonedeck left_out=\n", 1 },
	{ "# clonedeck left_out=1\n", 1 },
	{ "# clonedeck left_out=1+\n", 1 },
	{ "# clonedeck left_out=1+2,\n", 1 },
	{ "# clonedeck left_out=1+0\n", 1 },
	{ "# clonedeck left_out=-1+2\n", 1 },
	{ "# clonedeck left_out=0x1+2\n", 1 },
	{ "# clonedeck left_out=1+2,0+2\n", 1 }, /* not apart */
	{ "# clonedeck left_out=1+2;3+4\n", 1 },
	{ "# clonedeck left_out=1+ffffffffffffffff\n", 1 },
	{ "# clonedeck left_out=1+10000000000000000\n", 1 },
	{ "# clonedeck later=1+2\n# clonedeck later=ffffffffffffffff+1\n", 2 },
	{ "# clonedeck cleared=x\n", 1 },
};

UNIT_CASE(.setup = map_rig_make_dir, .teardown = map_rig_remove_dir, .timeout = 60);

TEST_ROWS(bad_files_are_refused_with_their_line, ARRAY_SIZE(refused))
{
	struct map *map = NULL;
	struct plan *plan = NULL;
	struct error error = { 0 };
	char line[32];
	int r;

	put(refused[_i].text, strlen(refused[_i].text));
	r = map_load(map_path, &map, &plan, &error);
	ck_assert_msg(r == -EINVAL, "taken: %s", refused[_i].text);
	ck_assert_ptr_null(map);
	ck_assert_ptr_null(plan);
	ck_assert_int_eq(error.code, -EINVAL);
	if (!refused[_i].lines)
		return;
	snprintf(line, sizeof(line), "line %d:", refused[_i].lines);
	ck_assert_msg(strstr(error.sentence, line) != NULL, "%s: %s", refused[_i].text,
		      error.sentence);
}

static const char *const taken[] = {
	"0 ?\n0 0x200 +\n",
	"0x0 ? 1\r\n0x0  0x200  +\r\n0x200 0x200 -\r\n",
	"# x\n\n  0\t?\t1\n\n\t0\t512\t+\n",
	"0 + 3 # done\n0 01000 + # octal\n",
	"0x1000 ?\n0x1000 0x200 +",
	"0 F\n0 0x200 ?\n0x200 0x7FFFFFFFFFFFFDFF *\n",
};

TEST_ROWS(odd_files_are_taken, ARRAY_SIZE(taken))
{
	CLEANUP(map) struct map *map = NULL;
	struct plan *plan = (struct plan *)map_dir;
	struct error error = { 0 };

	put(taken[_i], strlen(taken[_i]));
	ck_assert_msg(map_load(map_path, &map, &plan, &error) == 0, "%s: %s", taken[_i],
		      error.sentence);
	ck_assert_ptr_null(plan);
}

TEST(long_comments_of_others_are_passed_over)
{
	static char text[40000];
	struct map *map;
	struct error error = { 0 };

	memset(text, 'x', sizeof(text));
	text[0] = '#';
	strcpy(text + 30000, "\n0 ?\n0 0x200 +\n");
	put(text, strlen(text));
	ck_assert_int_eq(map_load(map_path, &map, NULL, NULL), 0);
	map_destroy(map);

	memcpy(text, "# clonedeck source.node=", 24);
	put(text, strlen(text));
	ck_assert_int_eq(map_load(map_path, &map, NULL, &error), -EINVAL);
	memcpy(text, "0                       ", 24);
	put(text, strlen(text));
	ck_assert_int_eq(map_load(map_path, &map, NULL, &error), -EINVAL);
	put("0 ?\n0 0x2\0"
	    "00 +\n",
	    15);
	ck_assert_int_eq(map_load(map_path, &map, NULL, &error), -EINVAL);
}

TEST(what_is_no_map_file_is_refused)
{
	struct map *map;
	struct error error = { 0 };

	ck_assert_int_eq(map_load("/nonexistent/map", &map, NULL, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/nonexistent/map"));
	ck_assert_int_eq(map_load(map_dir, &map, NULL, &error), -EINVAL);
	ck_assert_int_eq(map_load("/dev/zero", &map, NULL, &error), -EINVAL);
	ck_assert_int_eq(mkfifo(map_path, 0600), 0);
	ck_assert_int_eq(map_load(map_path, &map, NULL, &error), -EINVAL); /* and does not hang */
	unlink(map_path);
	put("0 ?\n0 0x200 +\n", 14);
	ck_assert_int_eq(truncate(map_path, 1LL << 30), 0);
	ck_assert_int_eq(map_load(map_path, &map, NULL, &error), -EFBIG);
}

/* Every line of a good file changed in turn: never a crash, never another plan. */
TEST(a_damaged_plan_is_never_believed)
{
	struct extent extents[] = { { 10, 110, 90 }, { 200, 300, 50 } };
	struct plan *plan = map_rig_plan(extents, 2), *loaded;
	struct map *map;
	static char text[16384], changed[16384];
	size_t length;
	int refusals = 0;
	char want[9], got[9];

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	map_rig_save(map, '?');
	map_destroy(map);

	FILE *file = fopen(map_path, "r");

	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	plan_id(plan, want);
	for (size_t i = 0; i < length; i += 3) {
		memcpy(changed, text, length);
		changed[i] = changed[i] == '7' ? '3' : '7';
		put(changed, length);
		if (map_load(map_path, &map, &loaded, NULL) < 0) {
			refusals++;
			continue;
		}
		if (loaded)
			ck_assert_str_eq(plan_id(loaded, got), want);
		plan_destroy(loaded);
		map_destroy(map);
	}
	ck_assert_int_gt(refusals, 100);
	/* Cut off anywhere: refused, or not less to do than before. */
	for (size_t i = 0; i < length; i += 7) {
		put(text, i);
		if (map_load(map_path, &map, &loaded, NULL) < 0)
			continue;
		ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
		plan_destroy(loaded);
		map_destroy(map);
	}
	plan_destroy(plan);
}
