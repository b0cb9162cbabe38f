/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fault backend holds back, turns round and is busy as its script says. The tests that use
 * these faults would pass without them; all others fail when a fault does not come.
 */
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

static void wrap(void)
{
	struct io_setup io_setup = { .depth = 8 };

	fault_backend_init(&fault, &io_uring_backend, script);
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

UNIT_CASE(.setup = setup, .teardown = teardown, .possible = test_rings_work);

TEST(descriptor_tells_of_what_was_held)
{
	struct fault_rule rule = { .kind = FAULT_DELAY,
				   .times = 1,
				   .delay_ns = 30 * NSEC_PER_MSEC };
	struct io_request request = request_at(IO_READ, 0);
	struct io_request *done[1];
	struct pollfd fd = { .events = POLLIN };
	int n = 0;

	wrap();
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

TEST(cancel_ends_a_delay)
{
	struct fault_rule rule = { .kind = FAULT_DELAY, .delay_ns = 3600 * NSEC_PER_SEC };
	struct io_request request = request_at(IO_READ, 0);
	struct io_request *done[1];

	wrap();
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 50 * NSEC_PER_MSEC, done), 0);
	handle->backend->cancel(handle);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, NSEC_PER_SEC, done), 1);
	ck_assert_int_eq(request.result, -ECANCELED);
}

TEST(close_does_not_wait_for_a_delay)
{
	struct fault_rule rule = { .kind = FAULT_DELAY, .delay_ns = 3600 * NSEC_PER_SEC };
	static struct io_request request; /* closed after this function ends */

	request = request_at(IO_READ, 0);

	wrap();
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
}

TEST(order_is_turned_round)
{
	struct fault_rule rule = { .kind = FAULT_REORDER, .length = CHUNK, .times = 2 };
	struct io_request requests[3];
	struct io_request *done[3];
	int got = 0;

	wrap();
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

TEST(busy_only_beside_others)
{
	struct fault_rule rule = { .kind = FAULT_BUSY, .times = 2 };
	struct io_request a = request_at(IO_READ, 0), b = request_at(IO_READ, 1);
	struct io_request *done[2];

	wrap();
	fault_script_add(script, &rule);
	ck_assert_int_eq(handle->backend->submit(handle, &a), IO_QUEUED);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_BUSY);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_BUSY);
	ck_assert_int_eq(handle->backend->submit(handle, &b), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 2, 2, NSEC_PER_SEC, done), 2);
	ck_assert_uint_eq(fault_script_counts(script).most_in_flight, 2);
}
