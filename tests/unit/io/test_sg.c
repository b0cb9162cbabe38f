/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sg backend against a scripted disk: which commands are sent, how many, and how data goes. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "sg_rig.h"

UNIT_CASE(.setup = sg_rig_set_up, .teardown = sg_rig_tear_down);

TEST(reads_what_is_there)
{
	open_it();
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(request.done, LENGTH);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
	ck_assert_uint_eq(disk.last_op, 0x28);
	ck_assert_uint_ge(request.completed, request.submitted);
	ck_assert_uint_ge(handle->calls, 2); /* sent and received */
}

TEST(writes_where_it_should)
{
	open_it();
	struct io_request request = ask(IO_WRITE, 7, 0);
	uint8_t before = disk.data[7 * BLOCK - 1], after = disk.data[71 * BLOCK];

	memset(buffers[0], 0xa5, LENGTH);
	ck_assert_int_eq(run(&request), 0);
	ck_assert_mem_eq(buffers[0], disk.data + 7 * BLOCK, LENGTH);
	ck_assert_uint_eq(disk.data[7 * BLOCK - 1], before);
	ck_assert_uint_eq(disk.data[71 * BLOCK], after);
}

TEST(a_partition_is_translated_and_never_left)
{
	end.start = 1000 * BLOCK;
	end.size = 100 * BLOCK;
	open_it();
	struct io_request inside = ask(IO_READ, 36, 0), outside = ask(IO_READ, 37, 0);

	ck_assert_int_eq(run(&inside), 0);
	ck_assert_mem_eq(buffers[0], disk.data + 1036 * BLOCK, LENGTH);
	ck_assert_int_eq(run(&outside), -EINVAL);
	ck_assert_uint_eq(disk.reads, 1);
}

TEST(sixteen_commands_are_queued_and_no_more)
{
	struct io_request requests[17], *done[17];

	open_it();
	for (unsigned i = 0; i < 16; i++) {
		requests[i] = ask(IO_READ, i * 64, i);
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	requests[16] = ask(IO_READ, 16 * 64, 0);
	ck_assert_int_eq(handle->backend->submit(handle, &requests[16]), IO_BUSY);
	ck_assert_uint_eq(disk.most_queued, 16);
	ck_assert_int_eq(handle->backend->reap(handle, 16, 17, 1000000000, done), 16);
	/* they came together: one look at the clock for all, when all were there */
	for (unsigned i = 0; i < 16; i++) {
		ck_assert_mem_eq(buffers[i], disk.data + (size_t)i * 64 * BLOCK, LENGTH);
		ck_assert_uint_eq(requests[i].completed, requests[0].completed);
		ck_assert_uint_ge(requests[i].completed, requests[15].submitted);
	}
}

TEST(order_of_completion_does_not_matter)
{
	struct io_request requests[4], *done[4];

	disk.newest_first = true;
	open_it();
	for (unsigned i = 0; i < 4; i++) {
		requests[i] = ask(IO_READ, i * 64, i);
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	ck_assert_int_eq(handle->backend->reap(handle, 4, 4, 1000000000, done), 4);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_mem_eq(buffers[i], disk.data + (size_t)i * 64 * BLOCK, LENGTH);
}

/* As measurements wait: the answer is there only after the driver was waited for. */
TEST(without_a_limit_it_waits_for_the_answer)
{
	struct io_request request, *done[1];

	open_it();
	for (unsigned i = 0; i < 4; i++) {
		request = ask(IO_READ, i * 64, 0);
		ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
		ck_assert_int_eq(handle->backend->reap(handle, 1, 1, UINT64_MAX, done), 1);
		ck_assert_ptr_eq(done[0], &request);
		ck_assert_int_eq(request.result, 0);
	}
}

TEST(full_driver_means_busy)
{
	struct io_request first = ask(IO_READ, 0, 0), second = ask(IO_READ, 64, 1);
	struct io_request *done[4];

	open_it();
	ck_assert_int_eq(handle->backend->submit(handle, &first), IO_QUEUED);
	disk_answers(.times = 1, .send_error = -EDOM);
	ck_assert_int_eq(handle->backend->submit(handle, &second), IO_BUSY);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 4, 1000000000, done), 1);
	ck_assert_ptr_eq(done[0], &first);
	ck_assert_int_eq(run(&second), 0);
}

TEST(beyond_two_tib_needs_sixteen_bytes)
{
	disk.blocks = 1ULL << 34;
	end.size = disk.blocks * BLOCK;
	open_it();
	struct io_request request = ask(IO_READ, (1ULL << 32) - 10, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_op, 0x88);
	request = ask(IO_READ, (1ULL << 32) - 64, 0);
	run(&request);
	ck_assert_uint_eq(disk.last_op, 0x28);
}

/* ZBC-2 wants nothing but READ(16) of them. */
TEST(host_managed_zones_need_sixteen_bytes)
{
	end.host_managed = true;
	open_it();
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_op, 0x88);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
}

TEST(protection_type_two_needs_thirty_two_bytes)
{
	disk.protection = 2;
	open_it();
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_op, 0x7f);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
	/* the expected initial reference tag is the LBA */
	ck_assert_uint_eq(disk.last_cdb[23], 100);
}

TEST(old_bridges_get_ten_bytes)
{
	disk.no_long_lba = true;
	open_it();
	struct io_request request = ask(IO_READ, 100, 0);
	struct error error = { 0 };

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_op, 0x28);
	ck_assert_int_eq(handle->backend->flush(handle, &error), 0);
	ck_assert_uint_eq(disk.synchronized, 1);
	ck_assert_uint_eq(disk.last_op, 0x35);
}

TEST(another_block_size_or_a_smaller_disk_is_refused)
{
	struct io_setup setup = { .depth = 4 };
	struct error error = { 0 };

	end.logical_sector_size = 4096;
	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &handle, &error), -ESTALE);
	ck_assert_int_eq(error.class, ERROR_CLASS_REFUSED);
	end.logical_sector_size = BLOCK;
	end.size += BLOCK;
	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &handle, &error), -ESTALE);
	ck_assert_uint_eq(disk.opened, 0);
}

TEST(no_sg_node_is_explained)
{
	struct error error = { 0 };

	end.sg = "";
	ck_assert_int_eq(backend.io.probe(&backend.io, &end, &error), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.sentence, "modprobe sg"));
	end.sg = "/dev/sg9";
	disk.version = 20134;
	ck_assert_int_eq(backend.io.probe(&backend.io, &end, &error), -EOPNOTSUPP);
}

TEST(the_way_of_the_data_is_told_apart)
{
	struct io_stats stats;

	open_it();
	struct io_request request = ask(IO_READ, 0, 0);

	run(&request);
	disk.allow_direct = false;
	request = ask(IO_READ, 64, 0);
	run(&request);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.direct, 1);
	ck_assert_uint_eq(stats.indirect, 1);
	ck_assert_ptr_nonnull(strstr(stats.advice, "allow_dio"));

	/* nobody asked for direct IO: nothing to advise */
	io_close(handle);
	backend.mode = SG_DATA_INDIRECT;
	open_it();
	request = ask(IO_READ, 0, 0);
	run(&request);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.indirect, 1);
	ck_assert_ptr_null(stats.advice);
}

TEST(memory_in_too_many_pieces_is_copied)
{
	struct io_stats stats;

	open_it();
	disk_answers(.times = 1, .send_error = -EINVAL);
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.indirect, 1);
	ck_assert_ptr_nonnull(strstr(stats.advice, "--chunk"));
	/* And one that the driver may not do otherwise. */
	disk.allow_direct = false;
	request = ask(IO_READ, 100, 0);
	run(&request);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.indirect, 2);
	ck_assert_ptr_nonnull(strstr(stats.advice, "allow_dio"));
}

TEST(a_driver_without_memory_is_asked_for_less)
{
	open_it();
	disk.memory = 9 * BLOCK;
	struct io_request request = ask(IO_WRITE, 100, 0);

	memset(buffers[0], 0x77, LENGTH);
	ck_assert_int_eq(run(&request), 0);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
	ck_assert_uint_eq(disk.writes, LENGTH / (8 * BLOCK));
	/* In the end it has some again. */
	disk.memory = 0;
	disk.reads = 0;
	for (unsigned i = 0; i < 256; i++) {
		request = ask(IO_READ, 100, 1);
		ck_assert_int_eq(run(&request), 0);
	}
	ck_assert_mem_eq(buffers[0], buffers[1], LENGTH);
	disk.reads = 0;
	request = ask(IO_READ, 100, 1);
	run(&request);
	ck_assert_uint_eq(disk.reads, 1);
}

/* As SG_IO on a block node: the answer is there when the call returns. */
static int send_now(const struct sg_driver *driver, int fd, sg_io_hdr_t *header)
{
	return driver->run(driver, fd, header);
}

TEST(the_block_node_does_where_there_is_no_sg_node)
{
	backend = *sg_backend_find_block(false, false);
	backend.driver = &disk.driver;
	disk.driver.send = send_now;
	end.sg = "";
	end.sg_fd = -1;
	end.kind = DISK_DM;
	ck_assert_int_eq(backend.io.probe(&backend.io, &end, NULL), -EOPNOTSUPP);
	end.kind = DISK_SCSI;
	open_it();
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_DONE);
	ck_assert_int_eq(request.result, 0);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);

	/* interrupted, short, not ready, failed: all inside the call */
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 3, .status = 2, .key = 0xb, .asc = 0x44);
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .resid = 10 * BLOCK);
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .status = 8);
	memset(buffers[0], 0x31, LENGTH);
	request = ask(IO_WRITE, 64, 0);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_DONE);
	ck_assert_int_eq(request.result, 0);
	ck_assert_mem_eq(buffers[0], disk.data + 64 * BLOCK, LENGTH);
	ck_assert_uint_gt(request.completed, request.submitted);
	ck_assert_int_eq(handle->backend->flush(handle, NULL), 0);
	disk_answers(.op = 0x28, .lba = 300, .times = 1, .status = 2, .key = 3, .asc = 0x11,
		     .has_info = true, .info = 300);
	request = ask(IO_READ, 290, 0);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_DONE);
	ck_assert_int_eq(request.result, -EIO);
	ck_assert_uint_eq(request.done, 10 * BLOCK);
}

TEST(mapped_buffers_take_one_command_each)
{
	struct io_request requests[9], *done[9];
	struct io_stats stats;

	sg_backend_init(&backend, &disk.driver, SG_DATA_MMAP);
	open_it();
	for (unsigned i = 0; i < 8; i++) {
		requests[i] = ask(IO_READ, (uint64_t)i * 64, i);
		memset(buffers[i], 0, LENGTH);
		ck_assert_int_eq(handle->backend->submit(handle, &requests[i]), IO_QUEUED);
	}
	requests[8] = ask(IO_READ, 0, 8);
	ck_assert_int_eq(handle->backend->submit(handle, &requests[8]), IO_BUSY);
	ck_assert_int_eq(handle->backend->reap(handle, 8, 9, 1000000000, done), 8);
	for (unsigned i = 0; i < 8; i++) {
		ck_assert_int_eq(requests[i].result, 0);
		ck_assert_mem_eq(buffers[i], disk.data + (size_t)i * 64 * BLOCK, LENGTH);
	}
	requests[0] = ask(IO_WRITE, 1000, 0);
	memset(buffers[0], 0x99, LENGTH);
	run(&requests[0]);
	ck_assert_int_eq(requests[0].result, 0);
	ck_assert_mem_eq(buffers[0], disk.data + 1000 * BLOCK, LENGTH);
	handle->backend->stats(handle, &stats);
	ck_assert_uint_eq(stats.mapped, 9);
	ck_assert_uint_eq(stats.direct + stats.indirect, 0);
	ck_assert_ptr_null(stats.advice);
}

TEST(a_short_mapped_read_is_no_more_than_it_says)
{
	sg_backend_init(&backend, &disk.driver, SG_DATA_MMAP);
	open_it();
	disk_answers(.op = 0x28, .lba = 100, .times = 1, .resid = 24 * BLOCK);
	struct io_request request = ask(IO_READ, 100, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.reads, 2);
	ck_assert_mem_eq(buffers[0], disk.data + 100 * BLOCK, LENGTH);
}

TEST(a_small_reserve_buffer_is_explained)
{
	struct io_setup setup = { .depth = 4 };
	struct error error = { 0 };

	sg_backend_init(&backend, &disk.driver, SG_DATA_MMAP);
	disk.reserve_most = 32768;
	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &handle, &error), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(error.sentence, "32 KiB"));
	ck_assert_uint_eq(disk.opened, 0);
}

TEST(fua_and_dpo_are_in_the_command)
{
	backend.fua = backend.dpo = true;
	open_it();
	struct io_request request = ask(IO_WRITE, 0, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_cdb[1], 0x18);
	request = ask(IO_READ, 0, 0);
	run(&request);
	ck_assert_uint_eq(disk.last_cdb[1], 0x10);
	/* what is forced to the medium survives a reset */
	disk_answers(.op = 0x2a, .lba = ANY_LBA, .times = 1, .status = 2, .key = 6, .asc = 0x29);
	request = ask(IO_WRITE, 64, 0);
	ck_assert_int_eq(run(&request), 0);
}

/* Loops: a disk that does not know FUA, and is read as well as it can be; one that does. */
TEST_ROWS(what_is_read_back_is_asked_of_the_medium, 2)
{
	struct io_stats stats;

	disk.no_dpo_fua = _i == 0;
	end.from_medium = true;
	open_it();
	struct io_request request = ask(IO_READ, 0, 0);

	ck_assert_int_eq(run(&request), 0);
	ck_assert_uint_eq(disk.last_cdb[1], _i ? 0x08 : 0);
	request = ask(IO_WRITE, 0, 0);
	run(&request);
	ck_assert_uint_eq(disk.last_cdb[1], 0);
	handle->backend->stats(handle, &stats);
	ck_assert(stats.from_medium == (_i == 1));
}

TEST(a_disk_without_fua_is_refused)
{
	struct io_setup setup = { .depth = 4 };
	struct error error = { 0 };

	backend.fua = true;
	disk.no_dpo_fua = true;
	ck_assert_int_eq(io_open(&backend.io, &end, &setup, &handle, &error), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.sentence, "--sg-fua"));
	ck_assert_uint_eq(disk.opened, 0);
	/* the short form of MODE SENSE says the same */
	disk.no_dpo_fua = false;
	disk.no_long_lba = true;
	open_it();
}

TEST(two_ends_of_a_lane_reap_for_each_other)
{
	static struct sg_script other;
	static struct sg_backend other_backend;
	struct io_setup setup = { .depth = 4 };
	struct io_request read_request = ask(IO_READ, 0, 0), write_request = ask(IO_WRITE, 0, 1);
	struct io_request *done[2];
	struct io_handle *second = NULL;

	sg_script_init(&other, 8192, BLOCK);
	sg_backend_init(&other_backend, &other.driver, SG_DATA_DIRECT);
	open_it();
	setup.peer = handle;
	ck_assert_int_eq(io_open(&other_backend.io, &end, &setup, &second, NULL), 0);
	ck_assert_int_eq(handle->backend->submit(handle, &read_request), IO_QUEUED);
	ck_assert_int_eq(second->backend->submit(second, &write_request), IO_QUEUED);
	ck_assert_int_eq(second->backend->reap(second, 2, 2, 1000000000, done), 2);
	ck_assert_int_eq(read_request.result, 0);
	ck_assert_int_eq(write_request.result, 0);
	io_close(second);
	ck_assert_uint_eq(other.opened, 0);
	sg_script_done(&other);
}

TEST(a_driver_that_works_inside_the_call_is_called_once)
{
	unsigned before;

	disk.inside = true;
	open_it();
	before = disk.ran;
	for (unsigned i = 0; i < 64; i++) {
		struct io_request request = ask(i % 2 ? IO_WRITE : IO_READ, i * 64, i % 16);

		ck_assert_int_eq(handle->backend->submit(handle, &request), IO_DONE);
		ck_assert_int_eq(request.result, 0);
		ck_assert_uint_eq(request.done, LENGTH);
		ck_assert_uint_ge(request.completed, request.submitted);
		ck_assert_mem_eq(buffers[i % 16], disk.data + (size_t)i * 64 * BLOCK, LENGTH);
	}
	ck_assert_uint_ge(disk.ran - before, 48);
	ck_assert_uint_eq(disk.reads + disk.writes, 64);

	/* a disk like others from now on: that is seen before long */
	disk.inside = false;
	for (unsigned i = 0; i < 80; i++) {
		struct io_request request = ask(IO_READ, 0, 0);

		if (i == 70)
			before = disk.ran;
		ck_assert_int_eq(run(&request), 0);
	}
	ck_assert_uint_eq(disk.ran, before);
}

/* Its end is that of any other: what is sent again comes out of the queue. */
TEST(trouble_inside_the_call_is_no_other)
{
	disk.inside = true;
	open_it();
	for (unsigned i = 0; i < 10; i++) {
		struct io_request request = ask(IO_READ, i * 64, 0);

		run(&request);
	}
	unsigned before = disk.ran;
	struct io_request request = ask(IO_READ, 640, 1), *done[1];

	disk_answers(.op = 0x28, .lba = ANY_LBA, .times = 1, .status = 2, .key = 0xb);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	ck_assert_uint_eq(disk.ran, before + 1);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 1000000000, done), 1);
	ck_assert_ptr_eq(done[0], &request);
	ck_assert_int_eq(request.result, 0);
	ck_assert_mem_eq(buffers[1], disk.data + 640 * BLOCK, LENGTH);

	disk_answers(.op = 0x28, .times = 1, .run_error = -EBUSY);
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_QUEUED);
	ck_assert_int_eq(handle->backend->reap(handle, 1, 1, 1000000000, done), 1);
	ck_assert_ptr_eq(done[0], &request);
	ck_assert_int_eq(request.result, 0);

	for (unsigned i = 0; i < 10; i++)
		run(&request);
	disk.gone = true;
	ck_assert_int_eq(handle->backend->submit(handle, &request), IO_DONE);
	ck_assert_int_eq(request.result, -ENODEV);
}
