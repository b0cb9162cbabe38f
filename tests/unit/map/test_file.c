/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Map files: saved, loaded, and used together with ddrescue's own tools. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "map/map.h"
#include "map_rig.h"

static struct plan *plan, *loaded_plan;
static struct map *map, *loaded;
static struct error error;

static void tear_down(void)
{
	map_destroy(loaded);
	map_destroy(map);
	plan_destroy(loaded_plan);
	plan_destroy(plan);
	map_rig_remove_dir();
}

static void whole_map(uint64_t sectors)
{
	plan = map_rig_plan(&(struct extent){ 0, 0, sectors }, 1);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
}

static const struct map_state here = { 0, '?', 1 };

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[1024];

	text_vprint(command, sizeof(command), format);

	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool have(const char *tool)
{
	return run("command -v %s >/dev/null", tool) == 0;
}

static void same_blocks(void)
{
	static const enum map_status all[] = { MAP_NON_TRIED, MAP_NON_TRIMMED, MAP_NON_SCRAPED,
					       MAP_BAD, MAP_FINISHED };

	for (size_t s = 0; s < 5; s++) {
		struct map_block x, y;
		uint64_t pos = 0;

		ck_assert_uint_eq(map_areas(map, all[s]), map_areas(loaded, all[s]));
		while (map_next(map, pos, all[s], &x)) {
			ck_assert(map_next(loaded, pos, all[s], &y));
			ck_assert_uint_eq(x.start, y.start);
			ck_assert_uint_eq(x.size, y.size);
			pos = x.start + x.size;
		}
	}
}

/* As a file, with its plan. */
static void comes_back(void)
{
	char a[9], b[9];

	map_rig_save(map, '?');
	ck_assert_msg(map_load(map_path, &loaded, &loaded_plan, &error) == 0, "%s", error.sentence);
	same_blocks();
	ck_assert_str_eq(plan_id(plan, a), plan_id(loaded_plan, b));
}

UNIT_CASE(.setup = map_rig_make_dir, .teardown = tear_down, .timeout = 60);

TEST(everything_comes_back)
{
	struct extent extents[] = { { 10, 110, 90 }, { 200, 300, 50 }, { 1000, 1100, 1 } };

	plan = map_rig_plan(extents, 3);
	plan->source_time_differs = true;
	text_copy(plan->source_writer, sizeof(plan->source_writer), "mounted at /mnt/a b");
	text_copy(plan->domain, sizeof(plan->domain), "/srv/used\xff blocks.map");
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 20 * 512, 60 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 230 * 512, 512, MAP_BAD), 0);
	ck_assert_int_eq(map_set(map, 231 * 512, 512, MAP_NON_SCRAPED), 0);
	ck_assert_int_eq(map_set(map, 1000 * 512, 512, MAP_NON_TRIMMED), 0);
	comes_back();
	ck_assert_str_eq(loaded_plan->source.identity.model, plan->source.identity.model);
	ck_assert(loaded_plan->source_time_differs);
	ck_assert_str_eq(loaded_plan->source_writer, plan->source_writer);
	ck_assert_str_eq(loaded_plan->domain, plan->domain);
	ck_assert_str_eq(loaded_plan->source.node, "/dev/sda2");
	ck_assert_str_eq(loaded_plan->destinations[0].node, "/srv/a b.img");
	ck_assert_uint_eq(loaded_plan->source.identity.diskseq, 7);
	ck_assert_uint_eq(loaded_plan->source.identity.nsid, 3);
	ck_assert_uint_eq(loaded_plan->source.devno, 2050);
	ck_assert(loaded_plan->source.exists && !loaded_plan->destinations[0].exists);
	ck_assert_uint_eq(loaded_plan->extent_count, 3);
	ck_assert_mem_eq(loaded_plan->extents, plan->extents, sizeof(extents));
	ck_assert_mem_eq(&loaded_plan->options, &plan->options, sizeof(plan->options));

	/* A map that was loaded saves the same file again. */
	char first[160];

	snprintf(first, sizeof(first), "%s.first", map_path);
	ck_assert_int_eq(rename(map_path, first), 0);
	map_rig_save(loaded, '?');
	ck_assert_int_eq(run("cmp %s %s", first, map_path), 0);
	map_destroy(loaded);

	/* Both results are optional to the caller. */
	ck_assert_int_eq(map_load(map_path, &loaded, NULL, NULL), 0);
}

/* Of several lines, in both lists, and not in the domain. */
TEST(free_places_come_back)
{
	struct extent all = { 0, 0, 1 << 20 };
	struct plan *plain = map_rig_plan(&all, 1);
	struct free_places places = { 0 };
	struct map_block block;

	for (uint64_t i = 0; i < 200; i++) {
		ck_assert_int_eq(range_list_add(&places.later, (struct range){ i * 64, 3 }), 0);
		ck_assert_int_eq(
			range_list_add(&places.left_out, (struct range){ i * 64 + 32, i % 9 + 1 }),
			0);
	}
	ck_assert_int_eq(plan_from_extents(&plain->source, &plain->destinations[0], &all, 1,
					   &places, &plain->options, &plan, NULL),
			 0);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 32 * 512, 512, MAP_FINISHED), -ERANGE);
	ck_assert_uint_eq(map_bytes(map, MAP_NON_TRIED), plan_bytes(plan));
	map_set_cleared(map, 4711);
	comes_back();
	ck_assert(map_at(loaded, 32 * 512, &block));
	ck_assert_uint_eq(block.start, 33 * 512);
	ck_assert_uint_eq(map_held(loaded)->cleared, 4711);
	ck_assert(range_list_equal(&places.later, plan_later(loaded_plan)));
	ck_assert(range_list_equal(&places.left_out, plan_left_out(loaded_plan)));
	free_places_done(&places);
	plan_destroy(plain);
}

/* The name of a file may be any bytes. */
TEST(an_odd_name_comes_back)
{
	struct extent extents[] = { { 10, 110, 90 } };
	char *node;

	plan = map_rig_plan(extents, 1);
	node = plan->destinations[0].node;
	/* The longest there can be, with every byte in it. */
	for (size_t i = 1; i + 1 < sizeof(plan->destinations[0].node); i++)
		node[i] = (char)(i % 255 + 1 == '/' ? '.' : i % 255 + 1);
	node[sizeof(plan->destinations[0].node) - 2] = ' ';
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	comes_back();
	ck_assert_str_eq(loaded_plan->destinations[0].node, node);
}

/* The kernel counts what is attached from one again. */
TEST(sequence_numbers_end_with_the_boot)
{
	static const char *const boots[] = { "s/ boot=.*/ boot=another/", "/ boot=/d" };

	whole_map(4096);
	for (size_t i = 0; i < 2; i++) {
		map_rig_save(map, '?');
		ck_assert_int_eq(run("grep -q '^# clonedeck boot=' %s", map_path), 0);
		ck_assert_int_eq(run("sed -i '%s' %s", boots[i], map_path), 0);
		ck_assert_int_eq(map_load(map_path, &loaded, &loaded_plan, NULL), 0);
		ck_assert_uint_eq(loaded_plan->source.identity.diskseq, 0);
		ck_assert_str_eq(loaded_plan->source.identity.serial, "S 1");
		ck_assert_str_eq(loaded_plan->source.identity.volume, "LVM-a b");
		map_destroy(loaded);
		plan_destroy(loaded_plan);
		loaded = NULL;
		loaded_plan = NULL;
	}
}

TEST(ddrescuelog_reads_ours)
{
	if (!have("ddrescuelog"))
		return;
	whole_map(4096);
	ck_assert_int_eq(map_set(map, 0, 2048 * 512, MAP_FINISHED), 0);
	ck_assert_int_eq(map_set(map, 2048 * 512, 512, MAP_BAD), 0);
	map_rig_save(map, '?');
	ck_assert_int_eq(run("ddrescuelog -t %s > %s/out", map_path, map_dir), 0);
	ck_assert_int_eq(run("grep -q 'current pos: *4660 B' %s/out", map_dir), 0);
	ck_assert_int_eq(run("grep -q 'rescued: *1048 kB' %s/out", map_dir), 0);
	ck_assert_int_eq(run("grep -q 'bad-sector: *512 B, *in *1 area' %s/out", map_dir), 0);
	ck_assert_int_eq(run("ddrescuelog -D %s", map_path), 1);
	/* The list of bad sectors, as fsck tools want it. */
	ck_assert_int_eq(run("ddrescuelog -l- %s | grep -qx 2048", map_path), 0);
	ck_assert_int_eq(map_set(map, 0, 4096 * 512, MAP_FINISHED), 0);
	map_rig_save(map, '+');
	ck_assert_int_eq(run("ddrescuelog -D %s", map_path), 0);
	ck_assert_int_eq(run("ddrescuelog -t %s | grep -q 'current status: finished'", map_path),
			 0);
}

TEST(holes_between_extents_are_filled_for_others)
{
	struct extent extents[] = { { 10, 10, 10 }, { 30, 30, 10 } };

	plan = map_rig_plan(extents, 2);
	ck_assert_int_eq(map_new(plan, &map, NULL), 0);
	ck_assert_int_eq(map_set(map, 10 * 512, 10 * 512, MAP_FINISHED), 0);
	map_rig_save(map, '?');
	if (have("ddrescuelog"))
		ck_assert_int_eq(run("ddrescuelog -t %s >/dev/null", map_path), 0);
	ck_assert_int_eq(map_load(map_path, &loaded, NULL, NULL), 0);
	same_blocks();
}

TEST(ddrescue_goes_on_from_ours_and_we_from_its)
{
	struct plan *none = (struct plan *)map_dir;

	if (!have("ddrescue"))
		return;
	whole_map(4096);
	ck_assert_int_eq(map_set(map, 0, 1000 * 512, MAP_FINISHED), 0);
	map_rig_save(map, '?');
	ck_assert_int_eq(run("head -c 2097152 /dev/urandom > %s/in; rm -f %s/out; "
			     "ddrescue -q %s/in %s/out %s",
			     map_dir, map_dir, map_dir, map_dir, map_path),
			 0);
	/* It copied what ours called to do, and nothing else. */
	ck_assert_int_eq(run("cmp -i 512000 %s/in %s/out", map_dir, map_dir), 0);
	ck_assert_int_eq(run("cmp -s -n 512000 %s/in %s/out", map_dir, map_dir), 1);
	ck_assert_msg(map_load(map_path, &loaded, &none, &error) == 0, "%s", error.sentence);
	ck_assert_ptr_null(none);
	ck_assert_uint_eq(map_bytes(loaded, MAP_FINISHED), 4096 * 512);
	ck_assert_int_eq(map_take_finished(map, loaded, 512), 0);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), 4096 * 512);
}

/* Time of processor of this thread, ns. */
static uint64_t thread_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

TEST(a_hundred_thousand_areas_are_quick)
{
	uint64_t start, saved;

	whole_map(1 << 20);
	for (uint64_t i = 0; i < 100000; i++)
		ck_assert_int_eq(map_set(map, i * 4096, 512, i % 3 ? MAP_FINISHED : MAP_BAD), 0);
	ck_assert_uint_eq(map_areas(map, MAP_BAD), 33334);
	start = thread_cpu();
	map_rig_save(map, '?');
	saved = thread_cpu() - start;
	start = thread_cpu();
	ck_assert_int_eq(map_load(map_path, &loaded, NULL, NULL), 0);
	printf("# saved in %.3f s, loaded in %.3f s\n", (double)saved / NSEC_PER_SEC,
	       (double)(thread_cpu() - start) / NSEC_PER_SEC);
	same_blocks();
	/* Of the processor; the goal is 0.2 s, and under a sanitizer all takes longer. */
	ck_assert_uint_lt(saved, 2 * NSEC_PER_SEC);
}

TEST(saving_never_follows_or_replaces_what_is_no_file)
{
	char beside[160], victim[160];
	struct stat st;

	whole_map(100);
	snprintf(beside, sizeof(beside), "%s.new", map_path);
	snprintf(victim, sizeof(victim), "%s/victim", map_dir);
	ck_assert_int_eq(run("echo precious > %s; ln -s %s %s", victim, victim, beside), 0);
	map_rig_save(map, '?');
	ck_assert_int_eq(run("grep -qx precious %s", victim), 0);
	ck_assert_int_eq(run("grep -qx precious %s", beside), 0);
	ck_assert_int_eq(stat(map_path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);

	unlink(map_path);
	ck_assert_int_eq(mkfifo(map_path, 0600), 0);
	ck_assert_int_eq(map_save(map, map_path, &here, NULL, &error), -EEXIST);
	ck_assert_ptr_nonnull(strstr(error.sentence, map_path));
	ck_assert_int_eq(lstat(map_path, &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
	ck_assert_int_eq(map_save(map, "/nonexistent/map", &here, NULL, &error), -ENOENT);
}

TEST(a_full_disk_leaves_the_old_file)
{
	struct rlimit limit = { 2000, 2000 };

	whole_map(100000);
	ck_assert_int_eq(map_set(map, 0, 512, MAP_FINISHED), 0);
	map_rig_save(map, '?');
	for (uint64_t i = 2; i < 1000; i += 2)
		ck_assert_int_eq(map_set(map, i * 512, 512, MAP_BAD), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_lt(map_save(map, map_path, &here, NULL, &error), 0);
	ck_assert_ptr_nonnull(strstr(error.sentence, map_path));
	ck_assert_int_eq(map_load(map_path, &loaded, NULL, NULL), 0);
	ck_assert_uint_eq(map_bytes(loaded, MAP_FINISHED), 512);
	ck_assert_uint_eq(map_areas(loaded, MAP_BAD), 0);
	ck_assert_int_ne(run("ls %s | grep -q new", map_dir), 0);
}
