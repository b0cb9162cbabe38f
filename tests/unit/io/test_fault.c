/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fault backend does what its script says, over a synchronous and a queueing one. */
#include "unit.h"

#include <errno.h>
#include <poll.h>

#include "base/clock.h"
#include "fake/fault.h"
#include "io_test.h"

#define MIB   (1U << 20)
#define CHUNK 65536U

static struct io_end end;
static struct fault_script *script;
static struct fault_backend fault;
static struct io_handle *handle;
static unsigned char *buffer;

static void setup(void)
{
	end = test_end(test_file(MIB, O_DIRECT), MIB, true);
	script = fault_script_new();
	buffer = test_buffer(MIB);
	test_fill(buffer, MIB, 1);
	ck_assert_int_eq(pwrite(end.fd, buffer, MIB, 0), MIB);
}

static void teardown(void)
{
	io_close(handle);
	handle = NULL;
	fault_script_destroy(script);
	close(end.fd);
	free(buffer);
}

/* 0: threads, 1: io_uring. */
static void wrap(int which)
{
	struct io_setup io_setup = { .depth = 8 };

	fault_backend_init(&fault, which ? &io_uring_backend : &io_threads_backend, script);
	ck_assert_int_eq(fault.backend.probe(&fault.backend, &end, NULL), 0);
	ck_assert_int_eq(io_open(&fault.backend, &end, &io_setup, &handle, NULL), 0);
}

static struct io_request request_at(enum io_direction direction, unsigned chunk)
{
	return (struct io_request){
		.direction = direction,
		.offset = (uint64_t)chunk * CHUNK,
		.length = CHUNK,
		.buffer = buffer + (size_t)chunk * CHUNK,
	};
}

static int run_at(enum io_direction direction, unsigned chunk)
{
	struct io_request request = request_at(direction, chunk);

	return test_run(handle, &request);
}

START_TEST(fails_what_it_says_as_often_as_it_says)
{
	struct fault_rule rule = {
		.on = FAULT_READS,
		.start = 3 * CHUNK + 512,
		.length = 512,
		.times = 2,
		.code = -ENODATA,
		.sense = { .known = true, .key = 3, .asc = 0x11 },
	};
	struct io_request request = request_at(IO_READ, 3);

	wrap(_i);
	ck_assert_int_eq(fault_script_add(script, &rule), 0);
	ck_assert_int_eq(run_at(IO_READ, 2), 0);
	ck_assert_int_eq(run_at(IO_WRITE, 3), 0);
	ck_assert_int_eq(test_run(handle, &request), -ENODATA);
	ck_assert_uint_eq(request.done, 0);
	ck_assert_uint_eq(request.sense.key, 3);
	ck_assert_int_eq(run_at(IO_READ, 3), -ENODATA);
	ck_assert_int_eq(run_at(IO_READ, 3), 0);
	ck_assert_uint_eq(fault_script_hits(script, 0), 2);

	struct fault_counts counts = fault_script_counts(script);

	ck_assert_uint_eq(counts.reads, 2);
	ck_assert_uint_eq(counts.writes, 1);
	ck_assert_uint_eq(counts.first_written, 3 * CHUNK);
	ck_assert_uint_eq(counts.end_written, 4 * CHUNK);
	ck_assert_uint_eq(counts.in_flight, 0);
}
END_TEST

START_TEST(skips_and_fails_for_ever)
{
	struct fault_rule rule = { .on = FAULT_WRITES, .skip = 2 };

	wrap(_i);
	fault_script_add(script, &rule);
	ck_assert_int_eq(run_at(IO_WRITE, 0), 0);
	ck_assert_int_eq(run_at(IO_WRITE, 1), 0);
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq(run_at(IO_WRITE, 2), -EIO);
	fault_script_clear(script);
	ck_assert_int_eq(run_at(IO_WRITE, 2), 0);
}
END_TEST

START_TEST(part_of_a_request_succeeds)
{
	struct fault_rule rule = { .after = 4096 };
	struct io_request request = request_at(IO_READ, 0);
	unsigned char *expected = test_buffer(CHUNK);

	memcpy(expected, buffer, CHUNK);
	memset(buffer, 0, CHUNK);
	wrap(_i);
	fault_script_add(script, &rule);
	ck_assert_int_eq(test_run(handle, &request), -EIO);
	ck_assert_uint_eq(request.done, 4096);
	ck_assert_mem_eq(buffer, expected, 4096);
	ck_assert_int_eq(buffer[4096], 0);
	free(expected);
}
END_TEST

START_TEST(disappears_for_good)
{
	struct fault_rule rule = { .kind = FAULT_DISAPPEAR, .start = 5 * CHUNK, .length = 1 };
	struct error error = { 0 };

	wrap(_i);
	fault_script_add(script, &rule);
	ck_assert_int_eq(run_at(IO_READ, 4), 0);
	ck_assert_int_eq(run_at(IO_READ, 5), -ENODEV);
	ck_assert_int_eq(run_at(IO_READ, 4), -ENODEV);
	ck_assert_int_eq(handle->backend->flush(handle, &error), -ENODEV);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
}
END_TEST

START_TEST(flush_fails_once)
{
	struct fault_rule rule = { .kind = FAULT_FLUSH, .times = 1 };

	wrap(_i);
	fault_script_add(script, &rule);
	ck_assert_int_eq(run_at(IO_WRITE, 0), 0);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), -EIO);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
}
END_TEST

START_TEST(corrupts_one_byte)
{
	struct fault_rule rule = {
		.kind = FAULT_CORRUPT,
		.on = _i & 2 ? FAULT_WRITES : FAULT_READS,
		.start = CHUNK + 77,
		.length = 1,
		.times = 1,
	};
	unsigned char *before = test_buffer(MIB);

	memcpy(before, buffer, MIB);
	wrap(_i & 1);
	fault_script_add(script, &rule);
	ck_assert_int_eq(run_at(IO_WRITE, 1), 0);
	ck_assert_mem_eq(buffer, before, MIB); /* the lane's bytes stay as they were */
	ck_assert_int_eq(run_at(IO_READ, 1), 0);
	ck_assert_int_eq(buffer[CHUNK + 77], before[CHUNK + 77] ^ 0xff);
	buffer[CHUNK + 77] ^= 0xff;
	ck_assert_mem_eq(buffer, before, MIB);
	free(before);
}
END_TEST

START_TEST(delay_holds_the_result_back)
{
	struct fault_rule rule = { .kind = FAULT_DELAY,
				   .times = 1,
				   .delay_ns = 30 * NSEC_PER_MSEC };
	struct io_request request = request_at(IO_READ, 0);
	uint64_t start = clock_monotonic();

	wrap(_i);
	fault_script_add(script, &rule);
	ck_assert_int_eq(test_run(handle, &request), 0);
	ck_assert_uint_ge(clock_monotonic() - start, 30 * NSEC_PER_MSEC);
	ck_assert_uint_ge(request.completed - request.submitted, 29 * NSEC_PER_MSEC);
}
END_TEST

START_TEST(descriptor_tells_of_what_was_held)
{
	struct fault_rule rule = { .kind = FAULT_DELAY,
				   .times = 1,
				   .delay_ns = 30 * NSEC_PER_MSEC };
	struct io_request request = request_at(IO_READ, 0);
	struct io_request *done[1];
	struct pollfd fd = { .events = POLLIN };
	int n = 0;

	wrap(1);
	fault_script_add(script, &rule);
	fd.fd = handle->backend->poll_fd(handle);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	for (int i = 0; i < 10 && n == 0; i++) {
		n = handle->backend->reap(handle, 0, 1, 0, done);
		if (n == 0)
			ck_assert_int_eq(poll(&fd, 1, 5000), 1);
	}
	ck_assert_int_eq(n, 1);
	ck_assert_int_eq(poll(&fd, 1, 0), 0);
}
END_TEST

START_TEST(cancel_ends_a_delay)
{
	struct fault_rule rule = { .kind = FAULT_DELAY, .delay_ns = 3600 * NSEC_PER_SEC };
	struct io_request request = request_at(IO_READ, 0);
	struct io_request *done[1];

	wrap(1);
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 50 * NSEC_PER_MSEC, done), 0);
	handle->backend->cancel(handle);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, NSEC_PER_SEC, done), 1);
	ck_assert_int_eq(request.result, -ECANCELED);
}
END_TEST

START_TEST(close_does_not_wait_for_a_delay)
{
	struct fault_rule rule = { .kind = FAULT_DELAY, .delay_ns = 3600 * NSEC_PER_SEC };
	static struct io_request request; /* closed after this function ends */

	request = request_at(IO_READ, 0);

	wrap(1);
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
}
END_TEST

START_TEST(order_is_turned_round)
{
	struct fault_rule rule = { .kind = FAULT_REORDER, .length = CHUNK, .times = 2 };
	struct io_request requests[3];
	struct io_request *done[3];
	int got = 0;

	wrap(1);
	fault_script_add(script, &rule);
	for (unsigned i = 0; i < 3; i++) {
		requests[i] = request_at(IO_READ, i);
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	while (got < 3)
		got += handle->backend->reap(handle, 1, 3, NSEC_PER_SEC, done + got);
	ck_assert_ptr_ne(done[0], &requests[0]);
	/* alone it comes back, there is nothing to wait for */
	ck_assert_int_eq(run_at(IO_READ, 0), 0);
	ck_assert_uint_eq(fault_script_hits(script, 0), 2);
}
END_TEST

START_TEST(busy_only_beside_others)
{
	struct fault_rule rule = { .kind = FAULT_BUSY, .times = 2 };
	struct io_request a = request_at(IO_READ, 0), b = request_at(IO_READ, 1);
	struct io_request *done[2];

	wrap(1);
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &a), IO_QUEUED);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_BUSY);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_BUSY);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 2, 2, NSEC_PER_SEC, done), 2);
	ck_assert_uint_eq(fault_script_counts(script).most_in_flight, 2);
}
END_TEST

START_TEST(thirty_two_rules)
{
	struct fault_rule rule = { .start = MIB, .length = 1 };

	for (int i = 0; i < 32; i++)
		ck_assert_int_eq(fault_script_add(script, &rule), i);
	ck_assert_int_eq(fault_script_add(script, &rule), -ENOSPC);
}
END_TEST

Suite *unit_suite(void)
{
	struct io_end any = { .direct = true, .name = "probe" };
	bool uring = io_uring_backend.probe(&io_uring_backend, &any, NULL) == 0;
	int kinds = uring ? 2 : 1;
	Suite *suite = suite_create("io/fault");
	TCase *tcase = tcase_create("fault");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, fails_what_it_says_as_often_as_it_says, 0, kinds);
	tcase_add_loop_test(tcase, skips_and_fails_for_ever, 0, kinds);
	tcase_add_loop_test(tcase, part_of_a_request_succeeds, 0, kinds);
	tcase_add_loop_test(tcase, disappears_for_good, 0, kinds);
	tcase_add_loop_test(tcase, flush_fails_once, 0, kinds);
	tcase_add_loop_test(tcase, delay_holds_the_result_back, 0, kinds);
	tcase_add_test(tcase, thirty_two_rules);
	if (uring) {
		tcase_add_loop_test(tcase, corrupts_one_byte, 0, 4);
		tcase_add_test(tcase, descriptor_tells_of_what_was_held);
		tcase_add_test(tcase, cancel_ends_a_delay);
		tcase_add_test(tcase, close_does_not_wait_for_a_delay);
		tcase_add_test(tcase, order_is_turned_round);
		tcase_add_test(tcase, busy_only_beside_others);
	}
	suite_add_tcase(suite, tcase);
	return suite;
}
