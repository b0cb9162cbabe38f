/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bad news of a device against a scripted one: what was reported written, and is not. */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"

#include "sg_rig.h"

#define READ  0x28
#define WRITE 0x2a
#define FLUSH 0x91

static uint8_t *const buffer = buffers[0];

static void set_up(void)
{
	sg_rig_set_up();
	open_it();
}

static struct io_request run_on(struct io_handle *on, enum io_direction direction, uint64_t lba)
{
	struct io_request *done[1], request = ask(direction, lba, 0);

	if (on->backend->submit(on, &request) == IO_DONE)
		return request;
	ck_assert_int_eq(on->backend->reap(on, 1, 1, 10 * NSEC_PER_SEC, done), 1);
	return request;
}

static int transfer(enum io_direction direction, uint64_t lba)
{
	return run_on(handle, direction, lba).result;
}

static int flush(void)
{
	struct error error = { 0 };
	int r = handle->backend->flush(handle, &error);

	if (r < 0)
		ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	return r;
}

static void next(uint8_t op, uint8_t key, uint8_t asc, uint8_t ascq, bool deferred)
{
	disk_answers(.op = op, .lba = ANY_LBA, .times = 1, .status = 2, .key = key, .asc = asc,
		     .ascq = ascq, .deferred = deferred);
}

static void next_reset(uint8_t op)
{
	next(op, 6, 0x29, 0x01, false);
}

UNIT_CASE(.setup = set_up, .teardown = sg_rig_tear_down, .timeout = 20);

TEST(a_deferred_error_takes_back_what_was_written)
{
	struct error error = { 0 };

	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next(WRITE, 3, 0x0c, 0, true);
	struct io_request request = run_on(handle, IO_WRITE, 100);

	ck_assert_int_eq(request.result, -ESTALE);
	ck_assert_uint_eq(request.done, 0);
	ck_assert(request.sense.deferred);
	ck_assert_int_eq(io_explain(handle, &request, &error), -ESTALE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "accepted earlier"));
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);

	/* the next write and the next flush would be good, and prove nothing */
	ck_assert_int_eq(transfer(IO_WRITE, 200), -ESTALE);
	ck_assert_int_eq(flush(), -ESTALE);
	ck_assert_int_eq(flush(), -ESTALE);
	ck_assert_uint_eq(disk.writes, 1);
}

TEST(a_deferred_error_is_believed_beside_good_status)
{
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	disk_answers(.op = WRITE, .lba = ANY_LBA, .times = 1, .key = 4, .asc = 0x44,
		     .deferred = true);
	ck_assert_int_eq(transfer(IO_WRITE, 100), -ESTALE);
	ck_assert_int_eq(flush(), -ESTALE);
}

TEST(a_deferred_error_during_the_flush_fails_it)
{
	struct error error = { 0 };

	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next(FLUSH, 3, 0x0c, 0, true);
	ck_assert_int_eq(handle->backend->flush(handle, &error), -ESTALE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "since the last good flush"));
	ck_assert_int_eq(flush(), -ESTALE);
}

TEST(who_only_reads_has_no_earlier_writes)
{
	end.writable = false;
	next(READ, 3, 0x0c, 0, true);
	memset(buffer, 0, LENGTH);
	ck_assert_int_eq(transfer(IO_READ, 50), 0);
	ck_assert_mem_eq(buffer, disk.data + 50 * BLOCK, LENGTH);
}

TEST(a_command_that_brings_old_news_is_sent_again)
{
	/* recovered, so nothing is lost; but this write was not done */
	next(WRITE, 1, 0x0c, 1, true);
	memset(buffer, 0x77, LENGTH);
	ck_assert_int_eq(transfer(IO_WRITE, 8), 0);
	ck_assert_mem_eq(buffer, disk.data + 8 * BLOCK, LENGTH);
	ck_assert_int_eq(flush(), 0);
}

TEST(check_condition_without_sense_is_no_success)
{
	struct io_stats stats;

	next(READ, 0, 0, 0, false);
	memset(buffer, 0, LENGTH);
	ck_assert_int_eq(transfer(IO_READ, 64), 0);
	ck_assert_mem_eq(buffer, disk.data + 64 * BLOCK, LENGTH);
	next(WRITE, 0, 0, 0, false);
	memset(buffer, 0x3c, LENGTH);
	ck_assert_int_eq(transfer(IO_WRITE, 64), 0);
	ck_assert_mem_eq(buffer, disk.data + 64 * BLOCK, LENGTH);
	next(FLUSH, 0, 0, 0, false);
	ck_assert_int_eq(flush(), 0);
	ck_assert_uint_eq(disk.synchronized, 1);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.retried, 2);

	disk_answers(.op = READ, .lba = ANY_LBA, .times = 1000, .status = 2);
	ck_assert_int_eq(transfer(IO_READ, 64), -EIO);
}

TEST(a_reset_loses_what_was_not_flushed)
{
	struct error error = { 0 };

	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next_reset(WRITE);
	struct io_request request = run_on(handle, IO_WRITE, 100);

	ck_assert_int_eq(request.result, -ESTALE);
	io_explain(handle, &request, &error);
	ck_assert_ptr_nonnull(strstr(error.sentence, "lost power"));
	ck_assert_int_eq(flush(), -ESTALE);
}

TEST(a_reset_after_a_flush_costs_nothing)
{
	/* nothing written yet */
	next_reset(WRITE);
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	ck_assert_int_eq(flush(), 0);
	next_reset(WRITE);
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	ck_assert_int_eq(flush(), 0);
	next_reset(FLUSH);
	ck_assert_int_eq(flush(), 0);
	ck_assert_uint_eq(disk.synchronized, 3);
	/* the connection was lost for a moment, not the power */
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next(WRITE, 6, 0x29, 0x07, false);
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	ck_assert_int_eq(flush(), 0);
}

TEST(a_reset_during_the_flush_fails_it)
{
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next_reset(FLUSH);
	ck_assert_int_eq(flush(), -ESTALE);
	/* an empty cache is flushed without an error */
	ck_assert_int_eq(flush(), -ESTALE);
	ck_assert_int_eq(transfer(IO_WRITE, 0), -ESTALE);
}

/* Two partitions, which have nodes of their own, of one disk and of two; and one node for both. */
TEST_ROWS(a_reader_tells_the_writer_on_the_same_disk_alone, 3)
{
	struct io_end partition = end;
	struct io_setup setup = { .depth = 4, .source = handle };
	struct io_handle *writer = NULL;
	int told = _i == 1 ? 0 : -ESTALE;

	if (_i < 2) {
		partition.name = partition.sg = "/dev/sdz2";
		end.devno = 7;
		partition.devno = 7 + (dev_t)_i;
	}
	ck_assert_int_eq(io_open(&backend.io, &partition, &setup, &writer, NULL), 0);
	ck_assert_int_eq(run_on(writer, IO_WRITE, 0).result, 0);
	next_reset(READ);
	ck_assert_int_eq(transfer(IO_READ, 100), told);
	ck_assert_int_eq(writer->backend->flush(writer, NULL), told);
	io_close(writer);
}

TEST(lanes_tell_each_other)
{
	struct io_setup setup = { .depth = 4, .sibling = handle };
	struct io_handle *other = NULL;

	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &other, NULL), 0);
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next_reset(WRITE);
	ck_assert_int_eq(run_on(other, IO_WRITE, 100).result, -ESTALE);
	io_close(other);
	ck_assert_int_eq(transfer(IO_WRITE, 0), -ESTALE);
	ck_assert_int_eq(flush(), -ESTALE);
}

/* A lane that comes to help in the middle of a copy asks nothing that could be told in their place.
 */
TEST_ROWS(a_new_lane_takes_nobodys_news, 3)
{
	static const struct {
		uint8_t key, asc;
		bool deferred;
	} news[] = { { 3, 0x0c, true }, { 6, 0x29, false }, { 6, 0x28, false } };
	struct io_setup setup = { .depth = 4, .sibling = handle };
	struct io_handle *other = NULL;

	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next(0, news[_i].key, news[_i].asc, 0, news[_i].deferred);
	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &other, NULL), 0);
	ck_assert_int_eq(run_on(other, IO_WRITE, 100).result, -ESTALE);
	io_close(other);
	ck_assert_int_eq(flush(), -ESTALE);
}

TEST_ROWS(another_medium_or_identity_ends_all, 6)
{
	static const struct {
		uint8_t asc, ascq;
		int code;
	} news[] = {
		{ 0x28, 0, -ESTALE },    { 0x2a, 0x09, -ESTALE }, { 0x3f, 0x03, -ESTALE },
		{ 0x3f, 0x05, -ESTALE }, { 0x2a, 0x01, 0 },       { 0x3f, 0x0e, 0 },
	};

	next(READ, 6, news[_i].asc, news[_i].ascq, false);
	ck_assert_int_eq(transfer(IO_READ, 0), news[_i].code);
	ck_assert_int_eq(transfer(IO_READ, 0), news[_i].code);
	ck_assert_int_eq(transfer(IO_WRITE, 0), news[_i].code);
	ck_assert_int_eq(flush(), news[_i].code);
}

TEST(a_failed_flush_is_never_made_good)
{
	ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	next(FLUSH, 4, 0x44, 0, false);
	ck_assert_int_eq(flush(), -EREMOTEIO);
	ck_assert_int_eq(flush(), -EREMOTEIO);
}

TEST(a_short_write_is_continued)
{
	disk_answers(.op = WRITE, .lba = 40, .times = 1, .resid = 5 * BLOCK + 1);
	memset(buffer, 0xd2, LENGTH);
	ck_assert_int_eq(transfer(IO_WRITE, 40), 0);
	ck_assert_mem_eq(buffer, disk.data + 40 * BLOCK, LENGTH);
	ck_assert_uint_eq(disk.writes, 2);
}

TEST(a_driver_full_of_others_is_waited_for)
{
	static const int codes[] = { -EDOM, -EBUSY, -EAGAIN, -ENOMEM };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		disk_answers(.times = 2, .send_error = codes[i]);
		ck_assert_int_eq(transfer(IO_WRITE, 0), 0);
	}
	/* Without memory for all of it, nor for half, it goes in four parts. */
	ck_assert_uint_eq(disk.writes, 7);
}

/* ---- the grace of a flush, with nothing of sg around it ---- */

struct waiting {
	struct sg_trust *trust;
	pthread_t thread;
	int code;
	bool ended; /* atomic */
};

static void *flush_body(void *argument)
{
	struct waiting *waiting = argument;
	struct sense sense = { 0 };

	sg_trust_flush_begin(waiting->trust);
	waiting->code = sg_trust_flush_end(waiting->trust, 0, &sense);
	__atomic_store_n(&waiting->ended, true, __ATOMIC_RELEASE);
	return NULL;
}

static void start_flush(struct waiting *waiting)
{
	waiting->ended = false;
	ck_assert_int_eq(pthread_create(&waiting->thread, NULL, flush_body, waiting), 0);
	clock_sleep_until(clock_monotonic() + 30 * NSEC_PER_MSEC);
	ck_assert(!__atomic_load_n(&waiting->ended, __ATOMIC_ACQUIRE));
}

/* What is sent once the flush waits is not waited for; on a busy machine that takes a while. */
static unsigned sent_after_the_flush(struct sg_trust *trust, unsigned before)
{
	unsigned sent;

	while ((sent = sg_trust_sent(trust)) == before) {
		sg_trust_answered(trust, sent);
		clock_sleep_until(clock_monotonic() + NSEC_PER_MSEC);
	}
	return sent;
}

TEST(a_flush_waits_for_news_on_its_way)
{
	struct waiting waiting = { 0 };
	struct sense sense = { .known = true, .key = 6, .asc = 0x29 };

	ck_assert_int_eq(sg_trust_new(&waiting.trust, NULL), 0);
	unsigned first = sg_trust_sent(waiting.trust);

	start_flush(&waiting);
	unsigned second = sent_after_the_flush(waiting.trust, first);

	sg_trust_answered(waiting.trust, first);
	pthread_join(waiting.thread, NULL);
	ck_assert_int_eq(waiting.code, 0);

	/* the answer tells of a reset from before the flush */
	start_flush(&waiting);
	sg_trust_write_begins(waiting.trust);
	ck_assert(sg_trust_reset(waiting.trust, &sense, 0));
	sg_trust_answered(waiting.trust, second);
	pthread_join(waiting.thread, NULL);
	ck_assert_int_eq(waiting.code, -ESTALE);
	sg_trust_unref(waiting.trust);
}
