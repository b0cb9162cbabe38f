/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks with bad sectors: exactly those are missing in the end, and no disk is read too often. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "rig.h"

static struct rig rig;

static const struct io_backend *const backends[] = { &io_uring_backend, &io_threads_backend };

static void prepare(int way, uint64_t size, const struct plan_options *options)
{
	rig_new(&rig, size, 512);
	rig_plan(&rig, NULL, 0, NULL, options);
	rig_faults(&rig, backends[way & 1], backends[way >> 1 & 1]);
	rig.setup.map_path = rig.map_path;
}

static void fail_reads(uint64_t lba, uint64_t sectors, unsigned times, int code)
{
	rig_add(&rig, &(struct fault_rule){ .kind = FAULT_FAIL,
					    .on = FAULT_READS,
					    .start = lba * 512,
					    .length = sectors * 512,
					    .times = times,
					    .code = code });
}

static uint64_t failed_reads(void)
{
	return fault_script_counts(rig.source_script).faults;
}

static const struct job_pass *pass_of(const struct job_snapshot *s, enum pass_kind kind)
{
	for (unsigned i = 0; i < s->pass_count; i++)
		if (s->passes[i].kind == kind)
			return &s->passes[i];
	return NULL;
}

static void check_blocks(const struct range *bad, size_t count)
{
	struct map *map = rig_load_map(&rig);
	uint64_t sectors = 0;

	for (size_t i = 0; i < count; i++) {
		struct map_block block;

		ck_assert(map_next(map, bad[i].start * 512, MAP_BAD, &block));
		ck_assert_uint_eq(block.start, bad[i].start * 512);
		ck_assert_uint_eq(block.size, bad[i].count * 512);
		sectors += bad[i].count;
	}
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), sectors * 512);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED) + sectors * 512, rig.size);
	ck_assert_uint_eq(rig_check(&rig, map), rig.size - sectors * 512);
	map_destroy(map);
}

static const struct plan_options surviving = { .chunk = 256 * KIB,
					       .on_error = ON_ERROR_MAP,
					       .retries = 3 };

/* A bad sector costs one failed read of its chunk and one of its own, as with ddrescue. */
START_TEST(few_bad_sectors)
{
	static const struct range bad[] = { { 0, 1 }, { 5003, 1 }, { 8000, 3 }, { 16383, 1 } };
	struct job_snapshot s;

	prepare(_i, 8 * MIB, &surviving);
	for (size_t i = 0; i < 4; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	s = rig_run(&rig);
	ck_assert_msg(s.result == JOB_RESULT_PARTIAL, "%d %s", s.result, s.error.sentence);
	ck_assert_uint_eq(s.bad_areas, 4);
	ck_assert_uint_eq(s.bad_shown, 4);
	ck_assert_uint_eq(s.bad[2].lba, 8000);
	ck_assert_uint_eq(s.bad[2].sectors, 3);
	ck_assert_int_eq(s.bad[2].code, -EIO);
	ck_assert(s.flushed);
	ck_assert_uint_le(failed_reads(), 4 + 6);
	ck_assert_uint_eq(s.rescue.read_errors, failed_reads());
	ck_assert(s.rescue.trouble);
	ck_assert_uint_eq(s.rescue.bad_areas, 4);
	ck_assert_uint_eq(s.rescue.bad_sector, 6 * 512);
	ck_assert_uint_eq(s.rescue.rescued, s.total - 6 * 512);
	ck_assert_uint_eq(s.rescue.non_tried + s.rescue.non_trimmed + s.rescue.non_scraped, 0);
	ck_assert_uint_eq(s.retries, 0);
	ck_assert_ptr_nonnull(pass_of(&s, PASS_TRIM));
	ck_assert_ptr_nonnull(pass_of(&s, PASS_FILL));
	ck_assert_uint_eq(pass_of(&s, PASS_FILL)->done, 6 * 512);
	check_blocks(bad, 4);
	rig_done(&rig);
}
END_TEST

/* Where nothing fails, nothing of all this happens. */
START_TEST(a_healthy_disk_has_two_passes)
{
	struct job_snapshot s;

	prepare(_i, 8 * MIB, &surviving);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.pass_count, 2);
	ck_assert_uint_eq(s.passes[0].rounds, 1);
	ck_assert(!s.rescue.trouble);
	rig_check_complete(&rig);
	rig_done(&rig);
}
END_TEST

/* A zone of dead chunks: most of them are left out at first, and read once in the end. */
START_TEST(a_dead_zone)
{
	static const struct range bad[] = { { 8192, 8192 } };
	struct plan_options options = surviving;
	struct job_snapshot s;

	options.chunk = 64 * KIB;
	/* Less in flight than the zone is long. */
	options.queue_depth = 2;
	options.lanes = 1;
	prepare(_i, 16 * MIB, &options);
	fail_reads(8192, 8192, 0, -EIO);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_ge(s.passes[0].rounds, 3);
	/* Each chunk once, each sector once. */
	ck_assert_uint_le(failed_reads(), 8192 + 64);
	check_blocks(bad, 1);
	rig_done(&rig);
}
END_TEST

/* It is known to be bad as soon as it has failed: nothing is left to be trimmed. */
START_TEST(a_sector_that_is_a_chunk_of_its_own)
{
	static const struct range bad[] = { { 8 * MIB / 512, 1 } };

	prepare(0, 8 * MIB + 512, &surviving);
	fail_reads(bad[0].start, 1, 0, -EIO);
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(failed_reads(), 1);
	check_blocks(bad, 1);
	rig_done(&rig);
}
END_TEST

/*
 * Behind a failure small chunks, behind good ground large ones again: two bad sectors of one large
 * chunk make two small ones fail, but only one large one.
 */
START_TEST(large_chunks_come_back)
{
	const uint64_t near = 8 * MIB / 512, far = 30 * MIB / 512;
	const struct range bad[] = {
		{ 100, 1 }, { near + 1, 1 }, { near + 201, 1 }, { far + 1, 1 }, { far + 201, 1 },
	};
	struct plan_options options = surviving;

	options.chunk = 128 * KIB;
	options.lanes = 1;
	prepare(_i, 32 * MIB, &options);
	for (size_t i = 0; i < 5; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(failed_reads(), 1 + 2 + 1 + 5);
	check_blocks(bad, 5);
	rig_done(&rig);
}
END_TEST

/* The kernel joins neighbours that wait together; a good sector would fail with the bad one. */
START_TEST(no_two_neighbours_are_under_way)
{
	static const struct range bad[] = { { 5003, 1 }, { 8000, 3 }, { 8064, 1 }, { 12289, 126 } };
	struct plan_options options = surviving;
	struct fault_counts counts;

	options.chunk = 64 * KIB;
	options.retry_passes = 2;
	prepare(0, 8 * MIB, &options);
	rig.setup.source.rotational = _i ? YES : NO;
	for (size_t i = 0; i < 4; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	/* Whoever comes from the other side has time to come near. */
	for (uint64_t lba = 4992; lba < 4992 + 128; lba += 32)
		rig_add(&rig, &(struct fault_rule){ .kind = FAULT_DELAY,
						    .on = FAULT_READS,
						    .start = lba * 512,
						    .length = 512,
						    .delay_ns = 500 * MS });
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	counts = fault_script_counts(rig.source_script);
	if (_i)
		ck_assert_uint_eq(counts.most_small, 2);
	else
		ck_assert_uint_ge(counts.most_small, 3);
	ck_assert_uint_eq(counts.small_beside, 0);
	check_blocks(bad, 4);
	rig_done(&rig);
}
END_TEST

static uint32_t random_sectors(struct range *bad, size_t count, uint64_t sectors)
{
	uint64_t at = (uint64_t)(rand() % 200);
	uint32_t total = 0;

	for (size_t i = 0; i < count; i++) {
		bad[i].start = at;
		bad[i].count = 1 + (uint64_t)(rand() % (i % 4 ? 3 : 90));
		total += (uint32_t)bad[i].count;
		at += bad[i].count + 1 + (uint64_t)rand() % (sectors / count - 100);
	}
	return total;
}

/* Stopped at any moment, in any pass, and resumed: the same sectors are missing. */
START_TEST(stopped_and_resumed_at_random)
{
	struct plan_options options = surviving;
	struct range bad[24];
	struct map *map = NULL;
	struct job_snapshot s;
	int stops = 0;

	rig_seed();
	options.chunk = 64 * KIB;
	prepare(_i, 4 * MIB, &options);
	/* One sector of the destination for eight of the source, every second time. */
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	random_sectors(bad, 24, 4 * MIB / 512);
	for (size_t i = 0; i < 24; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	do {
		rig.setup.resume = map;
		rig_start(&rig);
		/* The longer it takes, the later: a slow machine has to get on, too. */
		usleep((useconds_t)(rand() % (150000 + 5000 * stops)));
		job_stop(rig.job);
		s = rig_wait(&rig);
		map_destroy(map);
		map = rig_load_map(&rig);
		rig_check(&rig, map);
		ck_assert_int_lt(stops++, 500);
	} while (s.result == JOB_RESULT_STOPPED);
	ck_assert_msg(s.result == JOB_RESULT_PARTIAL, "%d %s", s.result, s.error.sentence);
	check_blocks(bad, 24);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

START_TEST(random_patterns)
{
	struct plan_options options = surviving;
	struct range bad[30];
	struct job_snapshot s;
	uint32_t sectors;

	rig_seed();
	options.chunk = 64 * KIB;
	prepare(_i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	sectors = random_sectors(bad, 30, 8 * MIB / 512);
	for (size_t i = 0; i < 30; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_le(failed_reads(), sectors + 8 * MIB / (64 * KIB));
	check_blocks(bad, 30);
	rig_done(&rig);
}
END_TEST

/* What comes back in a retry is written, and its neighbours in a larger sector of the destination
 * stay. */
START_TEST(retry_passes_bring_sectors_back)
{
	static const struct range bad[] = { { 5001, 1 }, { 5006, 1 } };
	struct plan_options options = surviving;
	struct job_snapshot s;

	options.retry_passes = 3;
	prepare(_i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	fail_reads(5001, 1, 0, -EIO);
	fail_reads(5006, 1, 0, -EIO);
	/* Chunk, its own, one retry. */
	fail_reads(5003, 1, 2, -EIO);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_ptr_nonnull(pass_of(&s, PASS_RETRY));
	ck_assert_uint_eq(pass_of(&s, PASS_RETRY)->rounds, 3);
	check_blocks(bad, 2);
	rig_done(&rig);
}
END_TEST

/* Chosen areas are read again, also those whose edges lie within them; all others are left. */
START_TEST(only_chosen_areas_are_retried)
{
	static const struct range bad[] = { { 5001, 1 }, { 6000, 4 }, { 7000, 1 } };
	static const struct range left[] = { { 5001, 1 }, { 6003, 1 } };
	static struct range items[] = { { 6000, 3 }, { 6990, 100 } };
	const struct range_list chosen = { items, 2, 2 };
	struct plan_options options = surviving;
	struct job_snapshot s;
	struct map *map;

	prepare(_i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	for (size_t i = 0; i < 3; i++)
		fail_reads(bad[i].start, bad[i].count, 0, -EIO);
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	check_blocks(bad, 3);
	map = rig_load_map(&rig);
	rig_heal(&rig);
	rig.plan->options.retry_passes = 2;
	rig.setup.resume = map;
	rig.setup.retry = &chosen;

	uint64_t reads = fault_script_counts(rig.source_script).reads;

	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(fault_script_counts(rig.source_script).reads - reads, 4);
	/* The second round finds nothing left. */
	ck_assert_uint_eq(pass_of(&s, PASS_RETRY)->rounds, 1);
	check_blocks(left, 2);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

/* The line of the map that tells where its program is, in ddrescue's numbers. */
START_TEST(the_map_tells_the_pass)
{
	char line[128] = "", letter = 0;
	unsigned pass = 0;
	FILE *file;

	prepare(0, 8 * MIB,
		&(struct plan_options){
			.chunk = 64 * KIB, .on_error = ON_ERROR_MAP, .retry_passes = 1000 });
	rig.setup.map_interval = 10 * MS;
	/* So many that a thousand rounds take longer than any save. */
	fail_reads(5003, 200, 0, -EIO);
	rig_start(&rig);
	for (int i = 0; i < 100000 && !(letter == '-' && pass > 1); i++) {
		usleep(1000);
		file = fopen(rig.map_path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (line[0] != '#')
				break;
		if (file)
			fclose(file);
		letter = '?';
		if (sscanf(line, "%*x %c %u", &letter, &pass) != 2)
			pass = 0;
	}
	ck_assert_msg(letter == '-' && pass > 1, "%s", line);
	job_stop(rig.job);
	rig_wait(&rig);
	rig_done(&rig);
}
END_TEST

/* In this run, and in one that goes on from bad sectors. */
START_TEST(all_came_back)
{
	struct plan_options options = surviving;
	struct job_snapshot s;
	struct map *map = NULL;

	options.retry_passes = _i ? 0 : 1;
	prepare(0, 8 * MIB, &options);
	fail_reads(5003, 1, _i ? 0 : 2, -EIO);
	s = rig_run(&rig);
	if (_i) {
		ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
		map = rig_load_map(&rig);
		rig_heal(&rig);
		rig.plan->options.retry_passes = 1;
		rig.setup.resume = map;
		s = rig_run(&rig);
	}
	ck_assert_msg(s.result == JOB_RESULT_COMPLETE, "%d %s", s.result, s.error.sentence);
	ck_assert_uint_eq(s.bad_shown, 0);
	ck_assert_ptr_null(pass_of(&s, PASS_FILL));
	rig_check_complete(&rig);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

START_TEST(what_bad_sectors_are_filled_with)
{
	struct plan_options options = surviving;
	_Alignas(4096) char found[4096];

	options.fill = (enum fill)_i;
	prepare(0, 8 * MIB, &options);
	fail_reads(5003, 1, 0, -EIO);
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	ck_assert_int_eq(pread(rig.destination, found, 4096, 5000 * 512), 4096);
	memmove(found, found + 3 * 512, 512);
	if (_i == FILL_ZERO)
		ck_assert_int_eq(found[0] | found[511], 0);
	else if (_i == FILL_MARK)
		ck_assert_ptr_nonnull(strstr(found, "LBA 5003 of"));
	else
		ck_assert_int_ne(found[0], 0);
	rig_done(&rig);
}
END_TEST

/* Other programs' maps: what they call bad is not read again, what they left is finished. */
START_TEST(all_letters_of_a_map_count)
{
	static const struct range bad[] = { { 5003, 1 }, { 6000, 4 } };
	struct job_snapshot s;
	struct map *map;

	prepare(_i, 8 * MIB, &surviving);
	fail_reads(5003, 1, 0, -EIO);
	fail_reads(6000, 4, 0, -EIO);
	ck_assert_int_eq(rig_run(&rig).result, JOB_RESULT_PARTIAL);
	map = rig_load_map(&rig);
	ck_assert_int_eq(map_set(map, 5000 * 512, 3 * 512, MAP_NON_TRIMMED), 0);
	ck_assert_int_eq(map_set(map, 6001 * 512, 512, MAP_NON_SCRAPED), 0);
	ck_assert_int_eq(map_set(map, 9000 * 512, 512, MAP_NON_TRIED), 0);
	rig.setup.resume = map;

	uint64_t failed = failed_reads();

	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(failed_reads() - failed, 1);
	ck_assert_uint_eq(s.bad_areas, 2);
	ck_assert_int_eq(s.bad[0].code, 0);
	check_blocks(bad, 2);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

/* A failed write is no bad sector of the source, and no silent hole. */
START_TEST(refused_writes_are_recorded)
{
	struct plan_options options = surviving;
	struct job_snapshot s;
	struct map *map;

	options.on_write_error = ON_ERROR_MAP;
	options.retries = 1;
	prepare(_i, 8 * MIB, &options);
	rig_add(&rig, &(struct fault_rule){ .kind = FAULT_FAIL,
					    .on = FAULT_WRITES,
					    .start = 5003 * 512,
					    .length = 512 });
	fail_reads(5008, 1, 0, -EIO);
	s = rig_run(&rig);
	ck_assert_msg(s.result == JOB_RESULT_PARTIAL, "%d %s", s.result, s.error.sentence);
	ck_assert_uint_gt(s.refused_bytes, 0);
	ck_assert_uint_eq(s.bad_areas, 1);
	ck_assert(s.bad[0].write);
	ck_assert_uint_eq(s.bad[0].lba, 5003);
	ck_assert_uint_eq(s.bad[0].sectors, 1);
	ck_assert(!s.bad[1].write);
	map = rig_load_map(&rig);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED), rig.size - 1024);
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), 512);
	rig_check(&rig, map);
	rig_heal(&rig);
	rig.setup.resume = map;
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.refused_bytes, 0);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

START_TEST(slow_reads_are_left_behind)
{
	struct plan_options options = surviving;
	struct job_snapshot s;

	options.slow_limit = 1;
	options.chunk = 64 * KIB;
	options.queue_depth = 1;
	options.lanes = 1;
	prepare(_i, 8 * MIB, &options);
	rig_add(&rig, &(struct fault_rule){ .kind = FAULT_DELAY,
					    .on = FAULT_READS,
					    .start = MIB,
					    .length = 64 * KIB,
					    .times = 1,
					    .delay_ns = 1200 * MS });
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	/* What is behind the slow place came in a second sweep. */
	ck_assert_uint_eq(s.passes[0].rounds, 2);
	rig_check_complete(&rig);
	rig_done(&rig);
}
END_TEST

static const struct plan_options limits[] = {
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_bad_areas = 2 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_read_errors = 5 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_error_rate = 1000 },
	{ .chunk = 65536, .on_error = ON_ERROR_MAP, .max_no_read = 1 },
};

START_TEST(too_much_trouble_stops_the_copy)
{
	struct job_snapshot s;
	struct map *map;

	prepare(0, 8 * MIB, &limits[_i]);
	for (uint64_t i = 0; i < 8; i++)
		fail_reads(i * 2048 + 100, 5, 0, -EIO);
	/* The rates want time to be measured. */
	if (limits[_i].max_error_rate || limits[_i].max_no_read) {
		rig_heal(&rig);
		fail_reads(8000, 40, 400, -EIO);
		rig_add(&rig, &(struct fault_rule){ .kind = FAULT_DELAY,
						    .on = FAULT_READS,
						    .start = 4 * MIB,
						    .delay_ns = 3000 * MS });
	}
	s = rig_run(&rig);
	ck_assert_msg(s.result == JOB_RESULT_STOPPED, "%d %s", s.result, s.error.sentence);
	ck_assert_uint_gt(strlen(s.error.sentence), 20);
	ck_assert(s.map_safe);
	map = rig_load_map(&rig);
	rig_check(&rig, map);
	rig_heal(&rig);
	rig.plan->options = surviving;
	rig.setup.resume = map;
	ck_assert_int_ne(rig_run(&rig).result, JOB_RESULT_STOPPED);
	map_destroy(map);
	rig_done(&rig);
}
END_TEST

/* A hiccup of the way to the disk is no damage. */
START_TEST(a_timeout_is_tried_again_at_once)
{
	struct job_snapshot s;

	prepare(_i, 8 * MIB, &surviving);
	fail_reads(5003, 1, 2, -ETIMEDOUT);
	s = rig_run(&rig);
	ck_assert_int_eq(s.result, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.retries, 2);
	ck_assert_ptr_null(pass_of(&s, PASS_TRIM));
	rig_check_complete(&rig);
	rig_done(&rig);
}
END_TEST

Suite *unit_suite(void)
{
	Suite *suite = suite_create("rescue");
	TCase *tc = tcase_create("rescue");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, few_bad_sectors, 0, 4);
	tcase_add_loop_test(tc, a_healthy_disk_has_two_passes, 0, 2);
	tcase_add_loop_test(tc, a_dead_zone, 0, 4);
	tcase_add_test(tc, a_sector_that_is_a_chunk_of_its_own);
	tcase_add_loop_test(tc, large_chunks_come_back, 0, 2);
	tcase_add_loop_test(tc, no_two_neighbours_are_under_way, 0, 2);
	tcase_add_loop_test(tc, stopped_and_resumed_at_random, 3, 6);
	tcase_add_loop_test(tc, random_patterns, 2, 6);
	tcase_add_loop_test(tc, retry_passes_bring_sectors_back, 2, 6);
	tcase_add_loop_test(tc, only_chosen_areas_are_retried, 2, 6);
	tcase_add_test(tc, the_map_tells_the_pass);
	tcase_add_loop_test(tc, all_came_back, 0, 2);
	tcase_add_loop_test(tc, what_bad_sectors_are_filled_with, 0, 3);
	tcase_add_loop_test(tc, all_letters_of_a_map_count, 0, 4);
	tcase_add_loop_test(tc, refused_writes_are_recorded, 0, 4);
	tcase_add_loop_test(tc, slow_reads_are_left_behind, 0, 2);
	tcase_add_loop_test(tc, too_much_trouble_stops_the_copy, 0, 4);
	tcase_add_loop_test(tc, a_timeout_is_tried_again_at_once, 0, 4);
	suite_add_tcase(suite, tc);
	return suite;
}
