/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/load.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/sync.h"
#include "rig.h"
#include "unit.h"

#define SIZE (64U << 20)
#define PAST 4096U

/* A disk that remembers where it was read, and fails where a test wants it to. */
static uint64_t places[PAST];
static atomic_uint count;
static uint64_t bad;
static int bad_code;

static int fake_open(const struct io_backend *backend, const struct io_end *end,
		     const struct io_setup *setup, struct io_handle **ret, struct error *reterr)
{
	*ret = malloc(sizeof(**ret));
	**ret = (struct io_handle){ .backend = backend, .end = end };
	return 0;
}

static atomic_uint written, flushed;
static atomic_int processors; /* on which the last reader may run */

static int may_run_on(void)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

static enum io_answer fake_submit(struct io_handle *handle, struct io_request *request)
{
	sync_begin(request);
	processors = may_run_on();
	/* The place stands for its contents. */
	if (request->direction == IO_WRITE)
		written += memcmp(request->buffer, &request->offset, sizeof(uint64_t)) == 0;
	else
		memcpy(request->buffer, &request->offset, sizeof(uint64_t));
	unsigned at = atomic_fetch_add(&count, 1);

	if (at < PAST)
		places[at] = request->offset;
	return sync_end(request, request->offset == bad ? bad_code : 0);
}

static int fake_flush(struct io_handle *handle, struct error *reterr)
{
	flushed++;
	return 0;
}

static const struct io_backend fake = {
	.name = "fake",
	.open = fake_open,
	.submit = fake_submit,
	.reap = sync_reap,
	.flush = fake_flush,
	.close = sync_close,
};

static struct bench_load load;
static struct bench_loaded loaded;

static void set_up(void)
{
	rig_set_up();
	count = 0;
	bad = UINT64_MAX;
	bad_code = 0;
	written = flushed = 0;
	run.end.size = SIZE;
	run.end.logical_sector_size = 512;
	load = (struct bench_load){
		.backend = &fake, .end = &run.end, .request = 4096, .depth = 1, .bytes = 40960
	};
}

UNIT_CASE(.setup = set_up, .teardown = rig_tear_down);

TEST(in_order_and_round_again)
{
	load.start = 8192;
	load.past = 8192 + 6 * 4096;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.bytes, 40960);
	ck_assert_uint_eq(loaded.requests, 10);
	ck_assert_uint_eq(loaded.latency.count, 10);
	/* One more: it got there. */
	ck_assert_uint_eq(count, 11);
	for (unsigned i = 0; i < 11; i++)
		ck_assert_uint_eq(places[i], 8192 + i % 6 * 4096);
	ck_assert_str_eq(loaded.how.engine, "fake");
	ck_assert_uint_eq(loaded.how.request, 4096);
	ck_assert_int_eq(loaded.how.path, BENCH_PATH_UNKNOWN);
}

TEST(one_request_at_a_time_stays_on_one_processor)
{
	int all = may_run_on();

	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_int_eq(processors, 1);
	load.depth = 2;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_int_eq(processors, all);
	ck_assert_int_eq(may_run_on(), all);
}

TEST(what_was_read_is_written_there_again)
{
	ck_assert_int_eq(bench_kept_new(7, 4096, &load.kept, NULL), 0);
	load.start = 8192;
	load.past = 8192 + 7 * 4096;
	load.depth = 2;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.requests, 7);
	ck_assert_uint_eq(written, 0);
	load.write = true;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.requests, 7);
	ck_assert_uint_eq(written, 7);
	ck_assert_uint_eq(flushed, 1);
	/* What cannot be written is the end of it. */
	bad = 8192;
	bad_code = -EIO;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), -EIO);
	bench_kept_destroy(load.kept);
}

TEST(every_pattern_stays_on_the_disk)
{
	load.bytes = 500 * 512;
	load.request = 512;
	for (enum bench_pattern pattern = BENCH_SEQUENTIAL; pattern <= BENCH_SAME; pattern++) {
		count = 0;
		load.pattern = pattern;
		ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
		ck_assert_uint_eq(loaded.requests, 500);
		for (unsigned i = 0; i < count; i++) {
			ck_assert_uint_eq(places[i] % 512, 0);
			ck_assert_uint_le(places[i] + 512, SIZE);
		}
	}
	/* BENCH_SAME was the last */
	ck_assert_uint_eq(places[499], places[0]);
}

TEST(from_end_to_end)
{
	load.pattern = BENCH_ENDS;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	for (unsigned i = 0; i < 10; i++)
		ck_assert(i % 2 ? places[i] > SIZE / 100 * 99 - 4096 : places[i] < SIZE / 50);
}

TEST(random_places_are_the_same_for_a_seed)
{
	uint64_t first;

	load.pattern = BENCH_RANDOM;
	load.seed = 7;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	first = places[3];
	count = 0;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(places[3], first);
	ck_assert_uint_ne(places[3], places[4]);
}

TEST(several_in_flight_read_no_more_than_asked)
{
	load.depth = 4;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.requests, 10);
	ck_assert_uint_eq(loaded.how.depth, 4);
}

TEST(a_bad_place_ends_a_range_with_what_was_read)
{
	bad = 3 * 4096;
	bad_code = -EIO;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.failed, 1);
	ck_assert_uint_eq(loaded.requests, 2);
	ck_assert_uint_eq(loaded.error.lba, 24);
}

TEST(a_disk_that_is_gone_ends_all)
{
	struct error error = { 0 };

	bad = 3 * 4096;
	bad_code = -ENODEV;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, &error), -ENODEV);
	ck_assert_uint_eq(loaded.requests, 2);
	ck_assert_str_ne(error.sentence, "");
}

TEST(stops_when_told)
{
	load.bytes = 0;
	load.ns = 60 * NSEC_PER_SEC;
	stops_after = 5;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), -ECANCELED);
	ck_assert_uint_ge(loaded.requests, 5);
}

TEST(a_disk_smaller_than_a_request)
{
	run.end.size = 2048;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), -EINVAL);
}

/* A driver that has room for two, whatever was asked for; `full`: for none any more. */
static struct io_request *queued[2];
static unsigned queue_length;
static bool full;

static enum io_answer narrow_submit(struct io_handle *handle, struct io_request *request)
{
	if (full || queue_length == 2)
		return IO_BUSY;
	fake_submit(handle, request);
	queued[queue_length++] = request;
	return IO_QUEUED;
}

/* The last first, so that those that are idle change their order. */
static int narrow_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
		       struct io_request **ret)
{
	ck_assert_uint_gt(queue_length, 0);
	*ret = queued[--queue_length];
	full = count == 30;
	return 1;
}

static const struct io_backend narrow = {
	.name = "narrow",
	.traits = IO_ASYNC,
	.open = fake_open,
	.submit = narrow_submit,
	.reap = narrow_reap,
	.close = sync_close,
};

TEST(what_a_driver_has_no_room_for_is_sent_later)
{
	load.backend = &narrow;
	load.depth = 4;
	load.bytes = 20 * 4096;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.requests, 20);
	for (unsigned i = 0; i < 21; i++)
		ck_assert_uint_eq(places[i], i * 4096);
}

TEST(a_driver_that_never_has_room_again_can_be_left)
{
	load.backend = &narrow;
	load.depth = 4;
	load.bytes = 60 * 4096;
	stops_after = 100;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), -ECANCELED);
	ck_assert_uint_eq(loaded.requests, 29);
	ck_assert_uint_eq(queue_length, 0);
}

/* Of a file; in a file system in memory, nothing can be dropped. */
TEST(no_pages_stay_behind)
{
	char path[] = "/var/tmp/clonedeck-load.XXXXXX", kept[256] = { 0 };
	static char megabyte[1U << 20];
	struct statfs fs;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	ck_assert_int_eq(fstatfs(fd, &fs), 0);
	ck_assert_int_eq(write(fd, megabyte, sizeof(megabyte)), sizeof(megabyte));
	ck_assert_int_eq(fsync(fd), 0);
	run.end.fd = fd;
	run.end.regular_file = true;
	run.end.size = sizeof(megabyte);
	load.backend = &io_buffered_backend;
	ck_assert_int_eq(bench_load_run(&run, &load, &loaded, NULL), 0);
	ck_assert_uint_eq(loaded.bytes, 40960);

	void *map = mmap(NULL, sizeof(megabyte), PROT_READ, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(map, MAP_FAILED);
	if (fs.f_type != TMPFS_MAGIC) {
		ck_assert_int_eq(mincore(map, sizeof(megabyte), (unsigned char *)kept), 0);
		for (size_t i = 0; i < sizeof(kept); i++)
			ck_assert_msg(!(kept[i] & 1), "page %zu", i);
	}
	munmap(map, sizeof(megabyte));
	close(fd);
}
