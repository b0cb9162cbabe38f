/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sg_rig.h"

#include <check.h>

struct sg_script disk;
struct sg_backend backend;
struct io_end end;
struct io_handle *handle;
uint8_t buffers[16][LENGTH];

void sg_rig_set_up(void)
{
	sg_script_init(&disk, 8192, BLOCK);
	sg_backend_init(&backend, &disk.driver, SG_DATA_DIRECT);
	end = (struct io_end){
		.fd = -1,
		.name = "/dev/sdx",
		.sg = "/dev/sg9",
		.sg_fd = 3,
		.size = disk.blocks * BLOCK,
		.logical_sector_size = BLOCK,
		.writable = true,
	};
	handle = NULL;
}

void sg_rig_tear_down(void)
{
	io_close(handle);
	ck_assert_uint_eq(disk.opened, 0);
	sg_script_done(&disk);
}

void open_it(void)
{
	struct io_setup setup = { .depth = 16 };
	struct error error = { 0 };

	ck_assert_msg(io_open(&backend.io, &end, &setup, &handle, &error) == 0, "%s",
		      error.sentence);
}

struct io_request ask(enum io_direction direction, uint64_t lba, unsigned buffer)
{
	return (struct io_request){ .direction = direction,
				    .offset = lba * BLOCK,
				    .length = LENGTH,
				    .buffer = buffers[buffer] };
}

int run(struct io_request *request)
{
	struct io_request *done[4];
	enum io_answer answer = handle->backend->submit(handle, request);

	ck_assert_int_ne(answer, IO_BUSY);
	if (answer == IO_DONE)
		return request->result;
	for (int i = 0; i < 100; i++) {
		int n = handle->backend->reap(handle, 1, 4, 100000000, done);

		ck_assert_int_ge(n, 0);
		if (n == 1) {
			ck_assert_ptr_eq(done[0], request);
			return request->result;
		}
	}
	ck_abort_msg("the request never came back");
}
