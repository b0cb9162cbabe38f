/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "io_test.h"

static struct io_end end;
static struct io_handle handle = { .backend = &io_null_backend, .end = &end };

static void setup(void)
{
	end = test_end(-1, 1 << 30, true);
	end.name = "/dev/sdq";
}

UNIT_CASE(.setup = setup);

TEST(read_error_says_where_and_why)
{
	struct io_request request = { .direction = IO_READ,
				      .offset = 1 << 20,
				      .length = 8192,
				      .done = 4096,
				      .result = -EIO };
	struct error error = { 0 };

	ck_assert_int_eq(io_explain(&handle, &request, &error), -EIO);
	ck_assert_int_eq(error.class, ERROR_CLASS_SOURCE);
	ck_assert_str_eq(error.operation, "read");
	ck_assert_str_eq(error.device, "/dev/sdq");
	ck_assert(error.has_lba);
	ck_assert_uint_eq(error.lba, 2056);
	ck_assert_uint_eq(error.sectors, 8);
	ck_assert_str_eq(error.sentence,
			 "Reading /dev/sdq failed at LBA 2056: medium or transport error "
			 "(8 sectors of 512 bytes).");
}

TEST(write_error_counts_in_the_device_s_sectors)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = 40960, .length = 4096, .result = -ENODEV
	};
	struct error error = { 0 };

	end.logical_sector_size = 4096;
	ck_assert_int_eq(io_explain(&handle, &request, &error), -ENODEV);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
	ck_assert_uint_eq(error.lba, 10);
	ck_assert_uint_eq(error.sectors, 1);
	ck_assert_str_eq(error.sentence,
			 "Writing /dev/sdq failed at LBA 10: device is gone (1 sector of 4096 "
			 "bytes).");
}

TEST(sense_is_kept_and_shown)
{
	struct io_request request = {
		.direction = IO_READ,
		.length = 512,
		.result = -EIO,
		.sense = { .known = true,
			   .key = 3,
			   .asc = 0x11,
			   .ascq = 0,
			   .has_lba = true,
			   .lba = 7 },
	};
	struct error error = { 0 };

	io_explain(&handle, &request, &error);
	ck_assert(error.sense.known);
	ck_assert_uint_eq(error.sense.lba, 7);
	ck_assert_ptr_nonnull(
		strstr(error.sentence, "medium error: unrecovered read error (3/11/00)"));
	ck_assert_int_eq(io_explain(&handle, &request, NULL), -EIO);
}

TEST(full_file_system_names_the_image)
{
	struct io_request request = {
		.direction = IO_WRITE, .offset = 5120, .length = 512, .result = -ENOSPC
	};
	struct error error = { 0 };

	end.name = "/srv/a.img";
	end.regular_file = true;
	end.logical_sector_size = 0; /* an image takes any */
	ck_assert_int_eq(io_explain(&handle, &request, &error), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(error.sentence, "file system that holds /srv/a.img"));
	ck_assert_uint_eq(error.lba, 10);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
}

TEST(full_thin_disk_is_no_bad_sector)
{
	struct io_request request = {
		.direction = IO_WRITE,
		.offset = 5120,
		.length = 512,
		.result = -ENOSPC,
		.sense = { .known = true, .key = 7, .asc = 0x27, .ascq = 7 },
	};
	struct error error = { 0 };

	ck_assert_int_eq(io_explain(&handle, &request, &error), -ENOSPC);
	ck_assert_ptr_nonnull(strstr(error.sentence, "no room left behind /dev/sdq for LBA 10"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "(7/27/07)"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "thinly provisioned"));
	ck_assert_ptr_nonnull(strstr(error.sentence, "or it has become smaller"));
	ck_assert(error.sense.known);
	ck_assert_int_eq(error.class, ERROR_CLASS_DESTINATION);
}
