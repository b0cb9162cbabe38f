/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Map files: saved and loaded, beside ddrescue's own tools, and in hostile hands. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "copy/map.h"
#include "plan/sums.h"

static char dir[64], path[128];

static void make_dir(void)
{
	strcpy(dir, "/var/tmp/clonedeck-map-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/map", dir);
}

static void remove_dir(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		abort();
}

static struct plan *make_plan(const struct extent *extents, size_t count)
{
	struct endpoint a = {
		.kind = ENDPOINT_PARTITION,
		.node = "/dev/sda2",
		.disk_node = "/dev/sda",
		.sg = "/dev/sg0",
		.identity = { .model = "Odd  \xc3\xbc % = # name",
			      .serial = "S 1",
			      .wwn = "0x5000",
			      .size = 1ULL << 50,
			      .logical_sector_size = 512,
			      .nsid = 3,
			      .diskseq = 7 },
		.devno = 2050,
		.partition = 2,
		.start = 1 << 20,
		.size = 1ULL << 46,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.exists = true,
	};
	struct endpoint b = { .kind = ENDPOINT_IMAGE, .node = "/srv/a b.img" };
	struct plan_options options = { .chunk = 65536,
					.retries = 5,
					.rate = 123456789,
					.on_error = ON_ERROR_MAP,
					.on_write_error = ON_ERROR_MAP,
					.fill = FILL_LEAVE,
					.retry_passes = 1,
					.slow_limit = 2,
					.max_bad_areas = 3,
					.max_read_errors = 4,
					.max_error_rate = 5000000000,
					.max_no_read = 6,
					.sums = 1U << SUM_SHA256 | 1U << SUM_BLAKE2B,
					.source_backend = BACKEND_THREADS };
	struct plan *plan = NULL;
	struct error error = { 0 };

	ck_assert_msg(plan_from_extents(&a, &b, extents, count, &options, &plan, &error) == 0, "%s",
		      error.sentence);
	return plan;
}

static struct map *whole_map(uint64_t sectors, struct plan **retplan)
{
	struct map *map;

	*retplan = make_plan(&(struct extent){ 0, 0, sectors }, 1);
	ck_assert_int_eq(map_new(*retplan, &map, NULL), 0);
	return map;
}

static const struct map_state here = { 0, '?', 1 };

static void save(const struct map *map, char state)
{
	struct error error = { 0 };

	ck_assert_msg(map_save(map, path, &(struct map_state){ 0x1234, state, 2 }, NULL, &error) ==
			      0,
		      "%s", error.sentence);
}

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);

	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool have(const char *tool)
{
	return run("command -v %s >/dev/null", tool) == 0;
}

static void same_blocks(const struct map *a, const struct map *b)
{
	static const enum map_status all[] = { MAP_NON_TRIED, MAP_NON_TRIMMED, MAP_NON_SCRAPED,
					       MAP_BAD, MAP_FINISHED };

	for (size_t s = 0; s < 5; s++) {
		struct map_block x, y;
		uint64_t pos = 0;

		ck_assert_uint_eq(map_areas(a, all[s]), map_areas(b, all[s]));
		while (map_next(a, pos, all[s], &x)) {
			ck_assert(map_next(b, pos, all[s], &y));
			ck_assert_uint_eq(x.start, y.start);
			ck_assert_uint_eq(x.size, y.size);
			pos = x.start + x.size;
		}
	}
}

START_TEST(everything_comes_back)
{
	struct extent extents[] = { { 10, 110, 90 }, { 200, 300, 50 }, { 1000, 1100, 1 } };
	struct plan *plan = make_plan(extents, 3), *loaded_plan = NULL;
	struct map *map, *loaded;
	struct error error = { 0 };
	char a[9], b[9];

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 20 * 512, 60 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 230 * 512, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 231 * 512, 512, MAP_NON_SCRAPED), 0);
	ck_assert_int_eq(map_set(map, 1000 * 512, 512, MAP_NON_TRIMMED), 0);
	save(map, '?');
	ck_assert_msg(map_load(path, &loaded, &loaded_plan, &error) == 0, "%s", error.sentence);
	same_blocks(map, loaded);
	ck_assert_str_eq(plan_id(plan, a), plan_id(loaded_plan, b));
	ck_assert_str_eq(loaded_plan->source.identity.model, plan->source.identity.model);
	ck_assert_str_eq(loaded_plan->source.node, "/dev/sda2");
	ck_assert_str_eq(loaded_plan->destination.node, "/srv/a b.img");
	ck_assert_uint_eq(loaded_plan->source.identity.diskseq, 7);
	ck_assert_uint_eq(loaded_plan->source.identity.nsid, 3);
	ck_assert_uint_eq(loaded_plan->source.devno, 2050);
	ck_assert(loaded_plan->source.exists && !loaded_plan->destination.exists);
	ck_assert_uint_eq(loaded_plan->extent_count, 3);
	ck_assert_mem_eq(loaded_plan->extents, plan->extents, sizeof(extents));
	ck_assert_mem_eq(&loaded_plan->options, &plan->options, sizeof(plan->options));

	/* A map that was loaded saves the same file again. */
	char first[160];

	snprintf(first, sizeof(first), "%s.first", path);
	ck_assert_int_eq(rename(path, first), 0);
	save(loaded, '?');
	ck_assert_int_eq(run("cmp %s %s", first, path), 0);
	map_destroy(loaded);
	plan_destroy(loaded_plan);

	/* Both results are optional to the caller. */
	ck_assert_int_eq(map_load(path, &loaded, NULL, NULL), 0);
	map_destroy(loaded);
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

/* The kernel counts what is attached from one again. */
START_TEST(sequence_numbers_end_with_the_boot)
{
	static const char *const boots[] = { "s/ boot=.*/ boot=another/", "/ boot=/d" };
	struct plan *plan, *loaded;
	struct map *map = whole_map(4096, &plan), *again;

	for (size_t i = 0; i < 2; i++) {
		save(map, '?');
		ck_assert_int_eq(run("grep -q '^# clonedeck boot=' %s", path), 0);
		ck_assert_int_eq(run("sed -i '%s' %s", boots[i], path), 0);
		ck_assert_int_eq(map_load(path, &again, &loaded, NULL), 0);
		ck_assert_uint_eq(loaded->source.identity.diskseq, 0);
		ck_assert_str_eq(loaded->source.identity.serial, "S 1");
		map_destroy(again);
		plan_destroy(loaded);
	}
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

START_TEST(ddrescuelog_reads_ours)
{
	struct plan *plan;
	struct map *map = whole_map(4096, &plan);

	if (!have("ddrescuelog"))
		goto out;
	ck_assert_int_eq(map_set(map, 0, 2048 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 2048 * 512, 512, MAP_BAD), 0);
	save(map, '?');
	ck_assert_int_eq(run("ddrescuelog -t %s > %s/out", path, dir), 0);
	ck_assert_int_eq(run("grep -q 'current pos: *4660 B' %s/out", dir), 0);
	ck_assert_int_eq(run("grep -q 'rescued: *1048 kB' %s/out", dir), 0);
	ck_assert_int_eq(run("grep -q 'bad-sector: *512 B, *in *1 area' %s/out", dir), 0);
	ck_assert_int_eq(run("ddrescuelog -D %s", path), 1);
	/* The list of bad sectors, as fsck tools want it. */
	ck_assert_int_eq(run("ddrescuelog -l- %s | grep -qx 2048", path), 0);
	ck_assert_int_eq(map_set(map, 0, 4096 * 512, MAP_FINISHED), 0);
	save(map, '+');
	ck_assert_int_eq(run("ddrescuelog -D %s", path), 0);
	ck_assert_int_eq(run("ddrescuelog -t %s | grep -q 'current status: finished'", path), 0);
out:
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

START_TEST(holes_between_extents_are_filled_for_others)
{
	struct extent extents[] = { { 10, 10, 10 }, { 30, 30, 10 } };
	struct plan *plan = make_plan(extents, 2);
	struct map *map, *loaded;

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 10 * 512, 10 * 512, MAP_FINISHED), 0);
	save(map, '?');
	if (have("ddrescuelog"))
		ck_assert_int_eq(run("ddrescuelog -t %s >/dev/null", path), 0);
	ck_assert_int_eq(map_load(path, &loaded, NULL, NULL), 0);
	same_blocks(map, loaded);
	map_destroy(loaded);
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

START_TEST(ddrescue_goes_on_from_ours_and_we_from_its)
{
	struct plan *plan, *none = (struct plan *)dir;
	struct map *map = whole_map(4096, &plan), *theirs;
	struct error error = { 0 };

	if (!have("ddrescue"))
		goto out;
	ck_assert_int_eq(map_set(map, 0, 1000 * 512, MAP_FINISHED), 0);
	save(map, '?');
	ck_assert_int_eq(run("head -c 2097152 /dev/urandom > %s/in; rm -f %s/out; "
			     "ddrescue -q %s/in %s/out %s",
			     dir, dir, dir, dir, path),
			 0);
	/* It copied what ours called to do, and nothing else. */
	ck_assert_int_eq(run("cmp -i 512000 %s/in %s/out", dir, dir), 0);
	ck_assert_int_eq(run("cmp -s -n 512000 %s/in %s/out", dir, dir), 1);
	ck_assert_msg(map_load(path, &theirs, &none, &error) == 0, "%s", error.sentence);
	ck_assert_ptr_null(none);
	ck_assert_uint_eq(map_bytes(theirs, MAP_FINISHED), 4096 * 512);
	ck_assert_int_eq(map_take_finished(map, theirs, 512), 0);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 4096 * 512);
	map_destroy(theirs);
out:
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

/* Time of processor of this thread, ns. */
static uint64_t thread_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

START_TEST(a_hundred_thousand_areas_are_quick)
{
	struct plan *plan;
	struct map *map = whole_map(1 << 20, &plan), *loaded;
	uint64_t start, saved;

	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_int_eq(map_set(map, i * 4096, 512, i % 3 ? MAP_FINISHED : MAP_BAD), 0);
	ck_assert_uint_eq(map_areas(map, MAP_BAD), 33334);
	start = thread_cpu();
	save(map, '?');
	saved = thread_cpu() - start;
	start = thread_cpu();
	ck_assert_int_eq(map_load(path, &loaded, NULL, NULL), 0);
	printf("# saved in %.3f s, loaded in %.3f s\n", (double)saved / NSEC_PER_SEC,
	       (double)(thread_cpu() - start) / NSEC_PER_SEC);
	same_blocks(map, loaded);
	/* Of the processor; the goal is 0.2 s, and under a sanitizer all takes longer. */
	ck_assert_uint_lt(saved, 2 * NSEC_PER_SEC);
	map_destroy(loaded);
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

static void put(const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

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
};

START_TEST(bad_files_are_refused_with_their_line)
{
	struct map *map = NULL;
	struct plan *plan = NULL;
	struct error error = { 0 };
	char line[32];
	int r;

	put(refused[_i].text, strlen(refused[_i].text));
	r = map_load(path, &map, &plan, &error);
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
END_TEST

static const char *const taken[] = {
	"0 ?\n0 0x200 +\n",
	"0x0 ? 1\r\n0x0  0x200  +\r\n0x200 0x200 -\r\n",
	"# x\n\n  0\t?\t1\n\n\t0\t512\t+\n",
	"0 + 3 # done\n0 01000 + # octal\n",
	"0x1000 ?\n0x1000 0x200 +",
	"0 F\n0 0x200 ?\n0x200 0x7FFFFFFFFFFFFDFF *\n",
};

START_TEST(odd_files_are_taken)
{
	struct map *map = NULL;
	struct plan *plan = (struct plan *)dir;
	struct error error = { 0 };

	put(taken[_i], strlen(taken[_i]));
	ck_assert_msg(map_load(path, &map, &plan, &error) == 0, "%s: %s", taken[_i],
		      error.sentence);
	ck_assert_ptr_null(plan);
	map_destroy(map);
}
END_TEST

START_TEST(long_comments_of_others_are_passed_over)
{
	static char text[40000];
	struct map *map;
	struct error error = { 0 };

	memset(text, 'x', sizeof(text));
	text[0] = '#';
	strcpy(text + 30000, "\n0 ?\n0 0x200 +\n");
	put(text, strlen(text));
	ck_assert_int_eq(map_load(path, &map, NULL, NULL), 0);
	map_destroy(map);

	memcpy(text, "# clonedeck source.node=", 24);
	put(text, strlen(text));
	ck_assert_int_eq(map_load(path, &map, NULL, &error), -EINVAL);
	memcpy(text, "0                       ", 24);
	put(text, strlen(text));
	ck_assert_int_eq(map_load(path, &map, NULL, &error), -EINVAL);
	put("0 ?\n0 0x2\0"
	    "00 +\n",
	    15);
	ck_assert_int_eq(map_load(path, &map, NULL, &error), -EINVAL);
}
END_TEST

START_TEST(what_is_no_map_file_is_refused)
{
	struct map *map;
	struct error error = { 0 };

	ck_assert_int_eq(map_load("/nonexistent/map", &map, NULL, &error), -ENOENT);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/nonexistent/map"));
	ck_assert_int_eq(map_load(dir, &map, NULL, &error), -EINVAL);
	ck_assert_int_eq(map_load("/dev/zero", &map, NULL, &error), -EINVAL);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(map_load(path, &map, NULL, &error), -EINVAL); /* and does not hang */
	unlink(path);
	put("0 ?\n0 0x200 +\n", 14);
	ck_assert_int_eq(truncate(path, 1LL << 30), 0);
	ck_assert_int_eq(map_load(path, &map, NULL, &error), -EFBIG);
}
END_TEST

/* Every line of a good file changed in turn: never a crash, never another plan. */
START_TEST(a_damaged_plan_is_never_believed)
{
	struct extent extents[] = { { 10, 110, 90 }, { 200, 300, 50 } };
	struct plan *plan = make_plan(extents, 2), *loaded;
	struct map *map;
	static char text[16384], changed[16384];
	size_t length;
	int refusals = 0;
	char want[9], got[9];

	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	save(map, '?');
	map_destroy(map);

	FILE *file = fopen(path, "r");

	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	plan_id(plan, want);
	for (size_t i = 0; i < length; i += 3) {
		memcpy(changed, text, length);
		changed[i] = changed[i] == '7' ? '3' : '7';
		put(changed, length);
		if (map_load(path, &map, &loaded, NULL) < 0) {
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
		if (map_load(path, &map, &loaded, NULL) < 0)
			continue;
		ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 0);
		plan_destroy(loaded);
		map_destroy(map);
	}
	plan_destroy(plan);
}
END_TEST

START_TEST(saving_never_follows_or_replaces_what_is_no_file)
{
	struct plan *plan;
	struct map *map = whole_map(100, &plan);
	char beside[160], victim[160];
	struct error error = { 0 };
	struct stat st;

	snprintf(beside, sizeof(beside), "%s.new", path);
	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ck_assert_int_eq(run("echo precious > %s; ln -s %s %s", victim, victim, beside), 0);
	save(map, '?');
	ck_assert_int_eq(run("grep -qx precious %s", victim), 0);
	ck_assert_int_eq(run("grep -qx precious %s", beside), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);

	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(map_save(map, path, &here, NULL, &error), -EEXIST);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
	ck_assert_int_eq(map_save(map, "/nonexistent/map", &here, NULL, &error), -ENOENT);
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

START_TEST(a_full_disk_leaves_the_old_file)
{
	struct plan *plan;
	struct map *map = whole_map(100000, &plan), *loaded;
	struct error error = { 0 };
	struct rlimit limit = { 2000, 2000 };

	ck_assert_int_eq(map_set(map, 0, 512, MAP_FINISHED), 0);
	save(map, '?');
	for (uint64_t i = 2; i < 1000; i += 2)
		ck_assert_int_eq(map_set(map, i * 512, 512, MAP_BAD), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_lt(map_save(map, path, &here, NULL, &error), 0);
	ck_assert_ptr_nonnull(strstr(error.sentence, path));
	ck_assert_int_eq(map_load(path, &loaded, NULL, NULL), 0);
	ck_assert_uint_eq(map_bytes(loaded, MAP_FINISHED), 512);
	ck_assert_uint_eq(map_areas(loaded, MAP_BAD), 0);
	ck_assert_int_ne(run("ls %s | grep -q new", dir), 0);
	map_destroy(loaded);
	map_destroy(map);
	plan_destroy(plan);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("map_file");
	TCase *tc = tcase_create("map_file");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, make_dir, remove_dir);
	tcase_add_test(tc, everything_comes_back);
	tcase_add_test(tc, sequence_numbers_end_with_the_boot);
	tcase_add_test(tc, ddrescuelog_reads_ours);
	tcase_add_test(tc, holes_between_extents_are_filled_for_others);
	tcase_add_test(tc, ddrescue_goes_on_from_ours_and_we_from_its);
	tcase_add_test(tc, a_hundred_thousand_areas_are_quick);
	tcase_add_loop_test(tc, bad_files_are_refused_with_their_line, 0,
			    (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_loop_test(tc, odd_files_are_taken, 0, (int)(sizeof(taken) / sizeof(taken[0])));
	tcase_add_test(tc, long_comments_of_others_are_passed_over);
	tcase_add_test(tc, what_is_no_map_file_is_refused);
	tcase_add_test(tc, a_damaged_plan_is_never_believed);
	tcase_add_test(tc, saving_never_follows_or_replaces_what_is_no_file);
	tcase_add_test(tc, a_full_disk_leaves_the_old_file);
	suite_add_tcase(suite, tc);
	return suite;
}
