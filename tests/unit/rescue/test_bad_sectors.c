/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Disks with bad sectors: exactly those are missing in the end, and no disk is read too often. */
#include "unit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "job/damaged.h"
#include "job/rig.h"
#include "plan/preset.h"

static struct rig rig;
static struct job_snapshot s; /* of its last run */
static struct plan_options options;

static void setup(void)
{
	options = damaged_options;
}

UNIT_CASE(.setup = setup, .teardown = rig_teardown, .timeout = 60);

/* A bad sector costs one failed read of its chunk and one of its own, as with ddrescue. */
TEST_ROWS(few_bad_sectors, 4)
{
	static const struct range bad[] = { { 0, 1 }, { 5003, 1 }, { 8000, 3 }, { 16383, 1 } };

	damaged_new(&rig, _i, 8 * MIB, &damaged_options);
	damaged_fail(&rig, bad, 4);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.bad_areas, 4);
	ck_assert_uint_eq(s.bad_shown, 4);
	ck_assert_uint_eq(s.bad[2].lba, 8000);
	ck_assert_uint_eq(s.bad[2].sectors, 3);
	ck_assert_int_eq(s.bad[2].code, -EIO);
	ck_assert(s.flushed);
	ck_assert_uint_le(damaged_failed_reads(&rig), 4 + 6);
	ck_assert_uint_eq(s.rescue.read_errors, damaged_failed_reads(&rig));
	ck_assert(s.rescue.trouble);
	ck_assert_uint_eq(s.rescue.bad_areas, 4);
	ck_assert_uint_eq(s.rescue.bad_sector, 6 * 512);
	ck_assert_uint_eq(s.rescue.rescued, s.total - 6 * 512);
	ck_assert_uint_eq(s.rescue.non_tried + s.rescue.non_trimmed + s.rescue.non_scraped, 0);
	ck_assert_uint_eq(s.retries, 0);
	ck_assert_ptr_nonnull(damaged_pass(&s, PASS_TRIM));
	/* Filled as they were found. */
	ck_assert_ptr_null(damaged_pass(&s, PASS_FILL));
	damaged_check(&rig, bad, 4);
}

/* A disk of zeros is no copy, however exact its map. When the cable is in again, all of it is read.
 */
TEST_ROWS(nothing_at_all, 4)
{
	struct map *map;

	damaged_new(&rig, _i, MIB, &damaged_options);
	damaged_fail_reads(&rig, 0, MIB / 512, 0, -EIO);
	s = rig_run_to(&rig, JOB_RESULT_STOPPED);
	ck_assert_int_eq(s.error.class, ERROR_CLASS_SOURCE);
	ck_assert_int_eq(error_exit_code(&s.error), EXIT_STOPPED);
	ck_assert_uint_eq(s.rescue.rescued, 0);
	map = rig_load_map(&rig);
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), MIB);
	rig_heal(&rig);
	rig.setup.resume = map;
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	rig_check_complete(&rig);
}

/* Where nothing fails, nothing of all this happens. */
TEST_ROWS(a_healthy_disk_has_no_others, 2)
{
	damaged_new(&rig, _i, 8 * MIB, &damaged_options);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.pass_count, 3);
	ck_assert_int_eq(s.passes[2].kind, PASS_LOOK);
	ck_assert_uint_eq(s.passes[0].rounds, 1);
	ck_assert(!s.rescue.trouble);
	rig_check_complete(&rig);
}

/*
 * A disk that loses physical sectors of eight logical ones: after its chunk, the two edges of a
 * damaged area are read, and then one logical sector of each physical one.
 */
TEST_ROWS(lost_physical_sectors_are_not_read_eight_times, 8)
{
	static const struct range bad[] = { { 5000, 8 }, { 12000, 16 } };

	options.chunk = 64 * KIB;
	options.lanes = 1;
	damaged_new(&rig, _i, 8 * MIB, &options);
	rig.setup.source.rotational = _i & 4 ? YES : NO;
	damaged_fail(&rig, bad, 2);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 2 + 4 + 3);
	damaged_check(&rig, bad, 2);
	/* Whoever asks for them again gets each. */
	rig.plan->options.retry_passes = 1;
	rig.setup.resume = rig_load_map(&rig);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 2 + 4 + 3 + 24);
}

/* One edge within a physical sector, and each logical one is read; so with a single area, whose
 * edges may lie so by chance. */
TEST_ROWS(lost_logical_sectors_are_read_each, 2)
{
	static const struct range bad[] = { { 5000, 3 }, { 5005, 3 }, { 8003, 1 }, { 12000, 16 } };
	size_t count = _i ? 4 : 2;

	damaged_new(&rig, 0, 8 * MIB, &damaged_options);
	for (size_t i = 0; i < count; i++)
		damaged_fail_reads(&rig, bad[i].start, bad[i].count, 0, -EIO);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	damaged_check(&rig, bad, count);
}

/* A zone of dead chunks: most of them are left out at first, and read once in the end. */
TEST_ROWS(a_dead_zone, 4)
{
	static const struct range bad[] = { { 8192, 8192 } };

	options.chunk = 64 * KIB;
	/* Less in flight than the zone is long. */
	options.queue_depth = 2;
	options.lanes = 1;
	damaged_new(&rig, _i, 16 * MIB, &options);
	damaged_fail_reads(&rig, 8192, 8192, 0, -EIO);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_ge(s.passes[0].rounds, 3);
	/* Each chunk once, each sector once. */
	ck_assert_uint_le(damaged_failed_reads(&rig), 8192 + 64);
	damaged_check(&rig, bad, 1);
}

/*
 * A disk that dies of so many failed reads. By then everything healthy has come over, but for what
 * shares a chunk with a bad sector: the first region costs as many as are in flight and a few more,
 * each further one of that size few, and what was left out beside them one from each side.
 */
TEST_ROWS(what_is_healthy_comes_before_the_disk_dies, 4)
{
	static const uint64_t dead = 3 * MIB;
	struct map *map;

	options.chunk = 64 * KIB;
	options.queue_depth = 4;
	damaged_new(&rig, _i, 96 * MIB, &options);
	for (uint64_t start = 7 * MIB; start < 90 * MIB; start += 15 * MIB)
		damaged_fail_reads(&rig, start / 512, dead / 512, 0, -EIO);
	fault_script_die(rig.source_script, 40);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	map = rig_load_map(&rig);
	ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), 96 * MIB - 6 * dead - MIB / 2);
	rig_check(&rig, map);
}

/* The preset for failing disks has one read in flight from the start; until something fails, each
 * is long enough that the disk hardly waits between them. */
TEST_ROWS(a_failing_disk_is_read_in_long_requests_until_one_fails, 4)
{
	struct fault_counts counts;

	preset_apply(&options, PRESET_FAILING, 0);
	options.chunk = MIB;
	damaged_new(&rig, _i, 16 * MIB, &options);
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	counts = fault_script_counts(rig.source_script);
	/* Synchronous ones are not counted. */
	ck_assert_uint_le(counts.most_in_flight, 1);
	ck_assert_uint_le(counts.reads, 16 * MIB / (256 * KIB));
	rig_check_complete(&rig);
}

/* Bad spots close together are one region: it is left, and its healthy parts come after what is
 * healthy for sure. */
TEST_ROWS(a_dense_zone_is_left, 2)
{
	struct map *map;

	options.chunk = 64 * KIB;
	options.queue_depth = 1;
	options.lanes = 1;
	damaged_new(&rig, _i, 64 * MIB, &options);
	for (uint64_t i = 0; i < 30; i++)
		damaged_fail_reads(&rig, (16 * MIB + i * 192 * KIB) / 512, 1, 0, -EIO);
	fault_script_die(rig.source_script, 10);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	map = rig_load_map(&rig);
	ck_assert_uint_ge(map_bytes(map, MAP_FINISHED), 56 * MIB);
}

/* The disk was away for a while, and every chunk of a part has failed once. None of its sectors is
 * bad, and they are not read one by one. */
TEST_ROWS(a_disk_that_comes_back_is_read_in_large_requests, 4)
{
	options.chunk = 64 * KIB;
	damaged_new(&rig, _i, 32 * MIB, &options);
	rig.setup.source.rotational = YES;
	damaged_fail_reads(&rig, 8 * MIB / 512, 16 * MIB / 512, 256, -EIO);
	rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 256);
	ck_assert_uint_lt(fault_script_counts(rig.source_script).reads, 2000);
	rig_check_complete(&rig);
}

/*
 * A failed request of a MiB with two bad sectors, and spots that are alone in their clusters: what
 * is probably good is not read sector by sector, unless reads of this disk take so long that a
 * failed one costs more than that.
 */
TEST_ROWS(good_ground_is_read_in_large_requests, 2)
{
	struct range bad[30] = { { (8 * MIB + 100 * KIB) / 512, 1 },
				 { (8 * MIB + 900 * KIB) / 512, 1 } };
	uint64_t reads;

	options.chunk = MIB;
	options.queue_depth = 1;
	options.lanes = 1;
	damaged_new(&rig, 0, 64 * MIB, &options);
	rig.setup.source.rotational = YES;
	for (size_t i = 0; i < 30; i++) {
		if (i >= 2)
			bad[i] = (struct range){ ((18 + i) * MIB + 30 * KIB) / 512, 1 };
		damaged_fail_reads(&rig, bad[i].start, 1, 0, -EIO);
	}
	if (_i)
		rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .length = 512, .times = 1,
			  .delay_ns = 1050 * MS);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	reads = fault_script_counts(rig.source_script).reads;
	ck_assert_msg(_i ? reads > 6000 : reads < 4500, "%" PRIu64 " reads", reads);
	/* The delay counts as one more. */
	ck_assert_uint_eq(damaged_failed_reads(&rig), 1 + 28 + 30 + (unsigned)_i);
	damaged_check(&rig, bad, 30);
}

/* It is known to be bad as soon as it has failed: nothing is left to be trimmed. */
TEST(a_sector_that_is_a_chunk_of_its_own)
{
	static const struct range bad[] = { { 8 * MIB / 512, 1 } };

	damaged_new(&rig, 0, 8 * MIB + 512, &damaged_options);
	damaged_fail_reads(&rig, bad[0].start, 1, 0, -EIO);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 1);
	damaged_check(&rig, bad, 1);
}

/*
 * Behind a failure small chunks, behind good ground large ones again: two bad sectors of one large
 * chunk make two small ones fail, but only one large one.
 */
TEST_ROWS(large_chunks_come_back, 2)
{
	const uint64_t near = 8 * MIB / 512, far = 30 * MIB / 512;
	const struct range bad[] = {
		{ 100, 1 }, { near + 1, 1 }, { near + 201, 1 }, { far + 1, 1 }, { far + 201, 1 },
	};

	options.chunk = 128 * KIB;
	options.lanes = 1;
	damaged_new(&rig, _i, 32 * MIB, &options);
	damaged_fail(&rig, bad, 5);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 1 + 2 + 1 + 5);
	damaged_check(&rig, bad, 5);
}

/* The kernel joins neighbours that wait together; a good sector would fail with the bad one. */
TEST_ROWS(no_two_neighbours_are_under_way, 2)
{
	static const struct range bad[] = { { 5003, 1 }, { 8000, 3 }, { 8064, 1 }, { 12289, 126 } };
	struct fault_counts counts;

	options.chunk = 64 * KIB;
	options.retry_passes = 2;
	damaged_new(&rig, 0, 8 * MIB, &options);
	rig.setup.source.rotational = _i ? YES : NO;
	damaged_fail(&rig, bad, 4);
	/* Whoever comes from the other side has time to come near. */
	for (uint64_t lba = 4992; lba < 4992 + 128; lba += 32)
		rig_fault(&rig, .kind = FAULT_DELAY, .on = FAULT_READS, .start = lba * 512,
			  .length = 512, .delay_ns = 500 * MS);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	counts = fault_script_counts(rig.source_script);
	if (_i)
		ck_assert_uint_eq(counts.most_small, 2);
	else
		ck_assert_uint_ge(counts.most_small, 3);
	ck_assert_uint_eq(counts.small_beside, 0);
	damaged_check(&rig, bad, 4);
}

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
TEST_LOOP(stopped_and_resumed_at_random, 3, 6)
{
	struct range bad[24];
	struct map *map = NULL;
	int stops = 0;

	rig_seed();
	options.chunk = 64 * KIB;
	damaged_new(&rig, _i, 4 * MIB, &options);
	/* One sector of the destination for eight of the source, every second time. */
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	random_sectors(bad, 24, 4 * MIB / 512);
	damaged_fail(&rig, bad, 24);
	do {
		rig.setup.resume = map;
		rig_start(&rig);
		/* The longer it takes, the later: a slow machine has to get on, too. */
		usleep((useconds_t)(rand() % (150000 + 5000 * stops)));
		job_stop(rig.job);
		s = rig_wait(&rig);
		map = rig_load_map(&rig);
		rig_check(&rig, map);
		ck_assert_int_lt(stops++, 500);
	} while (s.result == JOB_RESULT_STOPPED);
	ck_assert_msg(s.result == JOB_RESULT_PARTIAL, "%d %s", s.result, s.error.sentence);
	damaged_check(&rig, bad, 24);
}

TEST_LOOP(random_patterns, 2, 6)
{
	struct range bad[30];
	uint32_t sectors;

	rig_seed();
	options.chunk = 64 * KIB;
	damaged_new(&rig, _i, 8 * MIB, &options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	sectors = random_sectors(bad, 30, 8 * MIB / 512);
	damaged_fail(&rig, bad, 30);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_le(damaged_failed_reads(&rig), sectors + 8 * MIB / (64 * KIB));
	damaged_check(&rig, bad, 30);
}

/* Finds the sector filled, and scribbles on it. */
static void check_filled(uint64_t lba)
{
	static const char zero[512];
	_Alignas(4096) char found[4096];
	uint64_t at = lba * 512;
	off_t page = (off_t)(at & ~4095ULL);

	ck_assert_int_eq(pread(rig.destination, found, 4096, page), 4096);
	ck_assert_mem_eq(found + at % 4096, zero, 512);
	memset(found + at % 4096, 0xa5, 512);
	ck_assert_int_eq(pwrite(rig.destination, found, 4096, page), 4096);
}

/* Whoever finds a bad sector fills it; what the destination does not take then is filled later,
 * and so is what a map brings along. */
TEST_ROWS(bad_sectors_are_filled_once_each, 8)
{
	struct map *map = NULL;

	damaged_new(&rig, _i, 8 * MIB, &damaged_options);
	if (_i & 4)
		rig.setup.destination.logical_sector_size = 4096;
	damaged_fail_reads(&rig, 5003, 1, 0, -EIO);
	damaged_fail_reads(&rig, 9003, 3, 0, -EIO);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 9004 * 512, .length = 512,
		  .times = 1);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.refused_bytes, 0);
	/* Where sectors are patched in, it was a good one that came first, and was tried again. */
	ck_assert((damaged_pass(&s, PASS_FILL) == NULL) == ((_i & 4) != 0));
	for (int run = 0; run < 2; run++) {
		check_filled(5003);
		for (uint64_t lba = 9003; lba < 9006; lba++)
			check_filled(lba);
		if (run == 0) {
			map = rig_load_map(&rig);
			rig.setup.resume = map;
			rig_run_to(&rig, JOB_RESULT_PARTIAL);
		}
	}
}

/* Other programs' maps: what they call bad is not read again, what they left is finished. */
TEST_ROWS(all_letters_of_a_map_count, 4)
{
	static const struct range bad[] = { { 5003, 1 }, { 6000, 4 } };
	struct map *map;

	damaged_new(&rig, _i, 8 * MIB, &damaged_options);
	damaged_fail_reads(&rig, 5003, 1, 0, -EIO);
	damaged_fail_reads(&rig, 6000, 4, 0, -EIO);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	map = rig_load_map(&rig);
	ck_assert_int_eq(map_set(map, 5000 * 512, 3 * 512, MAP_NON_TRIMMED), 0);
	ck_assert_int_eq(map_set(map, 6001 * 512, 512, MAP_NON_SCRAPED), 0);
	ck_assert_int_eq(map_set(map, 9000 * 512, 512, MAP_NON_TRIED), 0);
	rig.setup.resume = map;

	uint64_t failed = damaged_failed_reads(&rig);

	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig) - failed, 1);
	ck_assert_uint_eq(s.bad_areas, 2);
	ck_assert_int_eq(s.bad[0].code, 0);
	damaged_check(&rig, bad, 2);
}

/* A failed write is no bad sector of the source, and no silent hole. */
TEST_ROWS(refused_writes_are_recorded, 4)
{
	struct map *map;

	options.on_write_error = ON_ERROR_MAP;
	options.retries = 1;
	damaged_new(&rig, _i, 8 * MIB, &options);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_WRITES, .start = 5003 * 512, .length = 512);
	damaged_fail_reads(&rig, 5008, 1, 0, -EIO);
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
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
	s = rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(s.refused_bytes, 0);
}

/* A hiccup of the way to the disk is no damage. */
TEST_ROWS(a_timeout_is_tried_again_at_once, 4)
{
	damaged_new(&rig, _i, 8 * MIB, &damaged_options);
	damaged_fail_reads(&rig, 5003, 1, 2, -ETIMEDOUT);
	s = rig_run_to(&rig, JOB_RESULT_COMPLETE);
	ck_assert_uint_eq(s.retries, 2);
	ck_assert_ptr_null(damaged_pass(&s, PASS_TRIM));
	rig_check_complete(&rig);
}

/* Half a minute in the kernel, which has tried for all of it: once is enough in each pass. */
TEST(what_is_waited_for_in_vain_is_damage)
{
	static const struct range bad[] = { { 5003, 1 } };

	damaged_new(&rig, 0, 8 * MIB, &damaged_options);
	rig_fault(&rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = bad[0].start * 512,
		  .length = 512, .code = -ETIMEDOUT, .delay_ns = 5500 * MS);
	rig_run_to(&rig, JOB_RESULT_PARTIAL);
	ck_assert_uint_eq(damaged_failed_reads(&rig), 2);
	damaged_check(&rig, bad, 1);
}
