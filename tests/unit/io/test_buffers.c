/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "io/buffers.h"

TEST(slots_are_aligned_and_apart)
{
	static const uint32_t sizes[] = { 512, 4096, 61440, 65536, 1 << 20, 3 << 20 };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		struct io_buffers *buffers = NULL;
		size_t arena_size;
		char *got[5];

		ck_assert_int_eq(io_buffers_new(5, sizes[s], &buffers, NULL), 0);
		char *arena = io_buffers_arena(buffers, &arena_size);

		ck_assert_uint_eq((uintptr_t)arena % (2 << 20), 0);
		ck_assert_uint_eq(arena_size % (2 << 20), 0);
		ck_assert_uint_eq(io_buffers_size(buffers), sizes[s]);
		for (int i = 0; i < 5; i++) {
			got[i] = io_buffers_get(buffers);
			ck_assert_ptr_nonnull(got[i]);
			ck_assert_uint_eq((uintptr_t)got[i] % 4096, 0);
			ck_assert(got[i] >= arena && got[i] + sizes[s] <= arena + arena_size);
			memset(got[i], i + 1, sizes[s]);
		}
		for (int i = 0; i < 5; i++) {
			ck_assert_int_eq(got[i][0], i + 1);
			ck_assert_int_eq(got[i][sizes[s] - 1], i + 1);
		}
		io_buffers_destroy(buffers);
	}
}

TEST(each_is_taken_once)
{
	struct io_buffers *buffers = NULL;

	ck_assert_int_eq(io_buffers_new(2, 4096, &buffers, NULL), 0);
	void *a = io_buffers_get(buffers);
	void *b = io_buffers_get(buffers);

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_ne(a, b);
	ck_assert_ptr_null(io_buffers_get(buffers));
	io_buffers_destroy(buffers);
	io_buffers_destroy(NULL);
}

TEST(impossible_sizes_are_refused)
{
	struct io_buffers *buffers = NULL;
	struct error error = { 0 };

	ck_assert_int_eq(io_buffers_new(0, 4096, &buffers, &error), -EINVAL);
	ck_assert_int_eq(io_buffers_new(1, 0, &buffers, &error), -EINVAL);
	ck_assert_int_eq(io_buffers_new(1, 1000, &buffers, &error), -EINVAL);
	error = (struct error){ 0 };
	ck_assert_int_eq(io_buffers_new(UINT32_MAX, UINT32_MAX & ~511U, &buffers, &error), -ENOMEM);
	ck_assert_int_eq(error.code, -ENOMEM);
	ck_assert(error.sentence[0] != '\0');
	ck_assert_ptr_null(buffers);
}
