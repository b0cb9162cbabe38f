/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files and single requests for the tests of the backends. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/backends.h"
#include "io/io.h"

#define TEST_ALIGNMENT 4096

/* A file without a name: in the working directory (the build's), or where that one's file system
 * lacks what the test needs (a memory file system without O_DIRECT), in /var/tmp. */
static inline int test_file(uint64_t size, int flags)
{
	static const char *const places[] = { ".", "/var/tmp" };
	int fd = -1;

	for (int i = 0; i < 2 && fd < 0; i++)
		fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0)
		abort();
	return fd;
}

static inline void *test_buffer(size_t size)
{
	return aligned_alloc(TEST_ALIGNMENT,
			     (size + TEST_ALIGNMENT - 1) / TEST_ALIGNMENT * TEST_ALIGNMENT);
}

/* Different for every seed and offset, never zero for long. */
static inline void test_fill(void *data, size_t size, uint32_t seed)
{
	unsigned char *bytes = data;
	uint32_t x = seed * 2654435761U + 1;

	for (size_t i = 0; i < size; i++) {
		x = x * 1664525U + 1013904223U;
		bytes[i] = (unsigned char)(x >> 24);
	}
}

static inline struct io_end test_end(int fd, uint64_t size, bool direct)
{
	return (struct io_end){
		.fd = fd,
		.direct = direct,
		.writable = true,
		.name = "/dev/test",
		.size = size,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.kind = DISK_OTHER,
		.rotational = UNKNOWN,
	};
}

/* Submits one request and waits for it. Returns its result. */
static inline int test_run(struct io_handle *handle, struct io_request *request)
{
	enum io_answer answer = io_submit(handle, request);
	struct io_request *done = NULL;

	if (answer == IO_BUSY)
		return -EBUSY;
	if (answer == IO_QUEUED &&
	    (handle->backend->reap(handle, 1, 1, UINT64_MAX, &done) != 1 || done != request))
		return -EPROTO;
	return request->result;
}

/* Whether the kernel has rings for us. */
static inline bool test_rings_work(void)
{
	struct io_end any = { .direct = true, .name = "probe" };

	return io_uring_backend.probe(&io_uring_backend, &any, NULL) == 0;
}
