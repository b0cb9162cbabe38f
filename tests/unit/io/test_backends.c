/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice: names, sizes by kind of device, what was asked for, what is there. */
#include "unit.h"

#include <errno.h>

#include "fake/no_uring.h"
#include "io/backends.h"
#include "io_test.h"

#define MIB (1U << 20)

static struct io_end source, destination;
static struct plan_options options;
static struct io_choice choice;
static struct error error;
static bool uring;

/* There is no descriptor: what a disk is decides, and nothing of it is read. */
static void setup(void)
{
	source = test_end(-1, 64 * MIB, true);
	destination = test_end(-1, 64 * MIB, true);
	source.name = "/dev/from";
	destination.name = "/dev/to";
	options = (struct plan_options){ 0 };
	error = (struct error){ 0 };
	uring = io_uring_backend.probe(&io_uring_backend, &source, NULL) == 0;
}

static int choose(void)
{
	return io_backends_choose(&source, &destination, &options, &choice, &error);
}

UNIT_CASE(.setup = setup);

TEST(choices_have_backends)
{
	ck_assert_ptr_null(io_backend_by_choice(BACKEND_AUTO));
	ck_assert_ptr_eq(io_backend_by_choice(BACKEND_NULL), &io_null_backend);
}

TEST(queueing_disks_share_one_lane)
{
	ck_assert_int_eq(choose(), 0);
	if (!uring)
		return;
	ck_assert_ptr_eq(choice.source, &io_uring_backend);
	ck_assert_ptr_eq(choice.destination, &io_uring_backend);
	ck_assert_uint_eq(choice.lanes, 1);
	ck_assert_uint_eq(choice.chunk, MIB);
	ck_assert_uint_eq(choice.source_depth, 8);
	ck_assert_uint_eq(choice.buffers_per_lane, 8);
	ck_assert(!choice.source_synchronous && !choice.destination_synchronous);
	ck_assert_str_eq(choice.reason,
			 "Both ends use uring. One thread has 8 buffers of 1.00 MiB.");
}

TEST(one_spindle_is_read_and_written_in_turns)
{
	source.rotational = destination.rotational = YES;
	strcpy(source.spindle, "/sys/devices/pci0000:00/0000:00:17.0/ata3");
	strcpy(destination.spindle, "/sys/devices/pci0000:00/0000:00:17.0/ata4");
	ck_assert_int_eq(choose(), 0);
	ck_assert(!choice.take_turns);
	strcpy(destination.spindle, source.spindle);
	ck_assert_int_eq(choose(), 0);
	if (!uring)
		return;
	ck_assert(choice.take_turns);
	ck_assert_uint_eq(choice.lanes, 1);
	ck_assert_uint_eq(choice.buffers_per_lane * choice.chunk, 64 * MIB);
	ck_assert_ptr_nonnull(strstr(choice.reason, "spinning"));
	/* Of a source that is lost, or not needed, nothing is said. */
	ck_assert_int_eq(io_backends_choose(&destination, &destination, &options, &choice, &error),
			 0);
	ck_assert(!choice.take_turns);
	ck_assert_str_eq(choice.reason, "One thread has 8 buffers of 512 KiB.");
	/* Where no heads move nothing is gained. */
	source.rotational = destination.rotational = NO;
	ck_assert_int_eq(choose(), 0);
	ck_assert(!choice.take_turns);
}

TEST(memory_disks_get_threads)
{
	source.kind = destination.kind = DISK_RAM;
	source.max_transfer = 65536; /* no queue, so no limit of it */
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.source, &io_threads_backend);
	ck_assert_ptr_eq(choice.destination, &io_threads_backend);
	ck_assert(choice.source_synchronous && choice.destination_synchronous);
	ck_assert_uint_ge(choice.lanes, 2);
	ck_assert_uint_le(choice.lanes, 8);
	ck_assert_uint_eq(choice.buffers_per_lane, 2); /* one to compare the other with */
	ck_assert_uint_eq(choice.chunk, MIB);
	ck_assert_ptr_nonnull(strstr(choice.reason, "caller's context"));
	options.verify = VERIFY_OFF;
	ck_assert_int_eq(choose(), 0);
	ck_assert_uint_eq(choice.buffers_per_lane, 1);
}

TEST(mixed_ends)
{
	destination.kind = DISK_RAM;
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.destination, &io_threads_backend);
	ck_assert_ptr_eq(choice.source, uring ? &io_uring_backend : &io_threads_backend);
	ck_assert_uint_ge(choice.lanes, 2);
	if (uring)
		ck_assert_uint_ge(choice.buffers_per_lane, 2);
	ck_assert_uint_le((uint64_t)choice.lanes * choice.buffers_per_lane * choice.chunk, 8 * MIB);
}

TEST(kinds_have_their_depth)
{
	static const struct {
		struct io_end end;
		uint32_t depth, chunk;
	} kinds[] = {
		{ { .kind = DISK_SCSI, .rotational = YES }, 4, MIB / 2 },
		{ { .kind = DISK_SCSI, .rotational = NO }, 8, MIB },
		{ { .kind = DISK_SCSI, .rotational = NO, .queue_depth = 1 }, 2, MIB },
		{ { .kind = DISK_SCSI, .rotational = NO, .queue_depth = 32 }, 8, MIB },
		{ { .kind = DISK_NVME, .rotational = NO }, 16, MIB },
		{ { .kind = DISK_SCSI, .transport = "usb", .driver = "usb-storage" }, 2, MIB },
		{ { .kind = DISK_SCSI, .transport = "usb", .driver = "uas" }, 8, MIB / 2 },
		{ { .kind = DISK_SCSI, .transport = "usb", .max_transfer = 240 * 512 }, 2, 65536 },
		{ { .kind = DISK_LOOP, .rotational = YES }, 8, MIB },
		{ { .kind = DISK_OTHER, .rotational = UNKNOWN }, 8, MIB },
		{ { .kind = DISK_SCSI, .max_transfer = 1280 << 10 }, 8, MIB },
		{ { .kind = DISK_SCSI, .max_transfer = 4096 << 10 }, 8, MIB },
		{ { .kind = DISK_SCSI, .max_transfer = 512 }, 8, 4096 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		source = kinds[i].end;
		source.fd = -1;
		source.direct = true;
		source.name = "/dev/kind";
		ck_assert_int_eq(choose(), 0);
		ck_assert_msg(choice.source_depth == kinds[i].depth &&
				      choice.chunk == kinds[i].chunk,
			      "kind %zu: depth %u, chunk %u", i, choice.source_depth, choice.chunk);
		ck_assert_uint_ge(choice.lanes * choice.buffers_per_lane, 2);
		ck_assert_uint_le((uint64_t)choice.lanes * choice.buffers_per_lane * choice.chunk,
				  source.kind == DISK_NVME ? 24 * MIB : 8 * MIB);
	}
}

TEST(larger_sectors_decide)
{
	source.max_transfer = 2048;
	destination.logical_sector_size = 8192;
	ck_assert_int_eq(choose(), 0);
	ck_assert_uint_eq(choice.chunk, 8192);
}

TEST(wishes_are_kept)
{
	options = (struct plan_options){ .chunk = 65536,
					 .queue_depth = 3,
					 .lanes = 2,
					 .source_backend = BACKEND_THREADS,
					 .destination_backend = BACKEND_BUFFERED };
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.source, &io_threads_backend);
	ck_assert_ptr_eq(choice.destination, &io_buffered_backend);
	ck_assert_uint_eq(choice.chunk, 65536);
	ck_assert_uint_eq(choice.source_depth, 3);
	ck_assert_uint_eq(choice.destination_depth, 3);
	ck_assert_uint_eq(choice.lanes, 2);
}

TEST(depth_that_was_asked_for_gets_its_buffers)
{
	options.queue_depth = 32;
	ck_assert_int_eq(choose(), 0);
	ck_assert_uint_eq(choice.source_depth, 32);
	ck_assert_uint_ge(choice.lanes * choice.buffers_per_lane, uring ? 32 : 2);
}

TEST(impossible_wishes_are_refused)
{
	static const struct {
		struct plan_options options;
		int code;
	} wishes[] = {
		{ { .chunk = 1000 }, -EINVAL },
		{ { .chunk = 6144 }, -EINVAL }, /* 12 sectors here, one and a half there */
		{ { .source_backend = BACKEND_IMAGE }, -EOPNOTSUPP },
	};

	destination.logical_sector_size = 4096;
	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		options = wishes[i].options;
		error = (struct error){ 0 };
		choice = (struct io_choice){ 0 };
		ck_assert_int_eq(choose(), wishes[i].code);
		ck_assert_int_eq(error.code, wishes[i].code);
		ck_assert(error.sentence[0] != '\0');
		ck_assert_ptr_null(choice.source);
	}
}

TEST(too_much_memory_is_refused)
{
	options.queue_depth = PLAN_DEPTH_MAX;
	options.chunk = PLAN_CHUNK_MAX;
	if (!uring)
		return;
	ck_assert_int_eq(choose(), -ERANGE);
	ck_assert_ptr_nonnull(strstr(error.sentence, "memory"));
}

TEST(files_are_images)
{
	source.regular_file = true;
	source.direct = false;
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.source, &io_image_backend);
	ck_assert_uint_ge(choice.lanes, 2);
}

TEST(page_cache_where_direct_is_refused)
{
	destination.direct = false;
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.destination, &io_buffered_backend);
	options.destination_backend = BACKEND_THREADS;
	ck_assert_int_eq(choose(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.sentence, "/dev/to"));
}

TEST(threads_where_io_uring_is_off)
{
	ck_assert_int_eq(no_uring(EPERM), 0);
	ck_assert_int_eq(choose(), 0);
	ck_assert_ptr_eq(choice.source, &io_threads_backend);
	ck_assert_ptr_eq(choice.destination, &io_threads_backend);
	ck_assert_uint_ge(choice.lanes, 4);
	options.source_backend = BACKEND_URING;
	ck_assert_int_eq(choose(), -EOPNOTSUPP);
	ck_assert_ptr_nonnull(strstr(error.sentence, "io_uring"));
}
