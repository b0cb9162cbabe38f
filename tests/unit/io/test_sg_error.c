/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sg backend against a scripted disk: sense, residuals, retries, resets, the end. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "sg_rig.h"

static void setup(void)
{
	sg_rig_set_up();
	open_it();
}

UNIT_CASE(.setup = setup, .teardown = sg_rig_tear_down);

TEST(medium_error_names_its_block)
{
	struct error error = { 0 };

	disk_answers(.op = 0x28, .lba = 110, .times = 99, .status = 2, .key = 3, .asc = 0x11,
		     .has_info = true, .info = 110);
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), -EIO);
	ck_assert_uint_eq(request.done, 10 * BLOCK);
	ck_assert(request.sense.known && request.sense.has_lba);
	ck_assert_uint_eq(request.sense.lba, 110);
	io_explain(handle, &request, &error);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/sdx"));
}

TEST(a_lying_information_field_is_not_believed)
{
	/* names a block outside of what was asked for */
	disk_answers(.op = 0x28, .lba = 110, .times = 1, .status = 2, .key = 3, .asc = 0x11,
		     .has_info = true, .info = 5000);
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), -EIO);
	ck_assert_uint_eq(request.done, 0);

	/* names a block beyond what it says it transferred */
	disk_answers(.op = 0x28, .lba = 110, .times = 1, .status = 2, .key = 3, .asc = 0x11,
		     .has_info = true, .info = 110, .resid = LENGTH - 4 * BLOCK);
	request = ask(IO_READ, 100, 0);
	run(&request);
	ck_assert_uint_eq(request.done, 4 * BLOCK);
}

TEST(unit_attention_and_reset_are_sent_again)
{
	struct io_stats stats;

	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 3, .status = 2, .key = 6, .asc = 0x29);
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .host_status = 8);
	struct io_request request = ask(IO_WRITE, 64, 0);

	memset(buffers[0], 0x5a, LENGTH);
	ck_assert_int_eq(run(&request), 0);
	ck_assert_mem_eq(buffers[0], disk.data + 64 * BLOCK, LENGTH);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.retried, 4);
}

TEST(retries_end)
{
	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 1000, .status = 2, .key = 0xb,
		     .asc = 0x44);
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), -EIO);
	ck_assert_uint_gt(disk.rules[0].times, 900);
}

/* A minute each: not as often as what is answered at once, and --retries counts them. */
TEST(timeouts_end_sooner)
{
	struct io_stats stats;

	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 1000, .host_status = 3);
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), -ETIMEDOUT);
	ck_assert_uint_eq(disk.rules[0].times, 999);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.retried, 0);
	/* A flush has nobody else to try it again. */
	disk_answers(.op = 0x91, .lba = ANY_LBA, .times = 1000, .host_status = 3);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), -ETIMEDOUT);
	ck_assert_uint_eq(disk.rules[1].times, 997);
}

/* That command never came to the disk, so nothing is lost. */
TEST(a_flush_waits_for_a_driver_without_room)
{
	struct io_request request = ask(IO_WRITE, 64, 0);

	run(&request);
	disk_answers(.op = 0x91, .lba = ANY_LBA, .times = 2, .run_error = -ENOMEM);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
	ck_assert_uint_eq(disk.rules[0].times, 0);
	ck_assert_uint_eq(disk.synchronized, 1);
}

TEST(not_ready_is_waited_for)
{
	struct io_stats stats;

	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 2, .status = 2, .key = 2, .asc = 4,
		     .ascq = 1);
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_ge(request.completed - request.submitted, 300000000);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.waited, 2);
}

TEST(cancel_ends_the_waiting)
{
	struct io_request request = ask(IO_READ, 0, 0), *done[1];

	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 1000, .status = 8);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 1000000, done), 0);
	handle->backend->cancel(handle);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 1000000, done), 1);
	ck_assert_int_eq(request.result, -ECANCELED);
}

TEST(a_short_transfer_is_continued)
{
	disk_answers(.op = 0x28, .lba = 100, .times = 1, .resid = 24 * BLOCK + 100);
	struct io_request request = ask(IO_READ, 100, 0);

	memset(buffers[0], 0, LENGTH);
	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(request.done, LENGTH);
	ck_assert_uint_eq(disk.reads, 2);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
}

/* A single sector of which half came is no bad one. */
TEST(nothing_transferred_is_asked_for_again)
{
	disk_answers(.op = 0x28, .lba = 100, .times = 2, .resid = LENGTH - 100);
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(request.done, LENGTH);
	ck_assert_uint_eq(disk.reads, 3);
}

TEST(nothing_transferred_again_and_again_is_an_error)
{
	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 9, .resid = LENGTH);
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), -EIO);
	ck_assert_uint_eq(request.done, 0);
}

TEST(refusals_have_their_errno)
{
	static const struct {
		uint8_t status, key, asc, ascq;
		uint16_t host;
		int code;
	} cases[] = {
		{ 2, 7, 0x27, 0, 0, -EROFS },     { 2, 7, 0x27, 7, 0, -ENOSPC },
		{ 0x18, 0, 0, 0, 0, -EBADE },     { 0, 0, 0, 0, 1, -ENODEV },
		{ 2, 4, 0x44, 0, 0, -EREMOTEIO }, { 2, 5, 0x20, 0, 0, -EOPNOTSUPP },
		{ 2, 5, 0x21, 0, 0, -EINVAL },    { 2, 2, 0x3a, 0, 0, -ENOMEDIUM },
		{ 2, 0xb, 0x10, 0, 0, -EILSEQ },  { 0, 0, 0, 0, 3, -ETIMEDOUT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		disk.rule_count = 0;
		disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .status = cases[i].status,
			     .key = cases[i].key, .asc = cases[i].asc, .ascq = cases[i].ascq,
			     .host_status = cases[i].host);
		struct io_request request = ask(IO_WRITE, 0, 0);

		ck_assert_int_eq(run(&request), cases[i].code);
		ck_assert_uint_eq(request.done, 0);
	}
}

/* A soft threshold: told instead of the write, which is to be sent again. */
TEST(a_thin_disk_that_fills_up_is_no_failure_yet)
{
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .status = 2, .key = 6, .asc = 0x38,
		     .ascq = 7);
	struct io_request request = ask(IO_WRITE, 0, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(request.done, LENGTH);
	ck_assert_mem_eq(buffers[0], disk.data, LENGTH);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
}

TEST(recovered_errors_are_data_and_counted)
{
	struct io_stats stats;

	end.start = 1024 * BLOCK;
	end.size = 1024 * BLOCK;
	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 1, .status = 2, .key = 1, .asc = 0x17,
		     .has_info = true, .info = 1030);
	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = IO_RECOVERED_KEPT + 1, .status = 2,
		     .key = 1, .asc = 0x18);
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(request.done, LENGTH);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.recovered, 1);
	ck_assert_uint_eq(stats.first[0].lba, 6);
	ck_assert_uint_eq(stats.first[0].sense.asc, 0x17);

	/* without an information field it was somewhere in the request; more than fit are counted
	 */
	for (int i = 0; i < IO_RECOVERED_KEPT + 1; i++) {
		request = ask(IO_READ, 64, 0);
		run(&request);
	}
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.recovered, IO_RECOVERED_KEPT + 2);
	ck_assert_uint_eq(stats.first[1].lba, 64);
	ck_assert_uint_eq(stats.first[IO_RECOVERED_KEPT - 1].sense.asc, 0x18);
}

TEST(flush_failure_is_a_failure)
{
	struct error error = { 0 };

	ck_assert_int_eq(handle->backend->flush(handle, &error), 0);
	disk_answers(.op = 0x91, .lba = ANY_LBA, .times = 99, .status = 2, .key = 4, .asc = 0x44);
	ck_assert_int_eq(handle->backend->flush(handle, &error), -EREMOTEIO);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_ptr_nonnull(strstr(error.sentence, "SYNCHRONIZE CACHE"));
}

TEST(a_vanished_disk_gives_everything_back)
{
	struct io_request requests[4], *done[4];
	int n = 0;

	for (unsigned i = 0; i < 4; i++) {
		requests[i] = ask(IO_READ, i * 64, i);
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	disk.gone = true;
	for (int i = 0; i < 10 && n < 4; i++)
		n += handle->backend->reap(handle, 4, 4, 10000000, done + n);
	ck_assert_int_eq(n, 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_int_eq(requests[i].result, -ENODEV);
	requests[0] = ask(IO_READ, 0, 0);
	ck_assert_int_eq(handle->backend->submit(handle, &requests[0]), IO_DONE);
	ck_assert_int_eq(requests[0].result, -ENODEV);
}
