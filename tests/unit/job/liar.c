/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "liar.h"

#include <check.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define SECTOR 512U
#define PAGE   4096U

static struct liar {
	struct io_backend backend; /* must stay first */
	const struct io_backend *inner;
	bool (*spoil)(int fd, uint64_t lba);
	uint64_t lba;
	int times;
} liar;

static int lying_flush(struct io_handle *handle, struct error *reterr)
{
	int r = liar.inner->flush(handle, reterr);

	/* The saver's thread alone flushes. */
	if (r == 0 && liar.times > 0 && liar.spoil(handle->end->fd, liar.lba))
		liar.times--;
	return r;
}

void lie_after_flush(struct rig *rig, const struct io_backend *inner,
		     bool (*spoil)(int fd, uint64_t lba), uint64_t lba, int times)
{
	liar = (struct liar){
		.backend = *inner,
		.inner = inner,
		.spoil = spoil,
		.lba = lba,
		.times = times,
	};
	liar.backend.flush = lying_flush;
	rig->setup.destination_backend = &liar.backend;
}

static struct {
	struct io_backend backend; /* must stay first */
	uint64_t size;
	uint64_t from, to;
	atomic_int skip;
} confused;

static void part_of(const struct io_request *whole, uint64_t at, uint32_t length,
		    struct io_request *ret)
{
	*ret = *whole;
	ret->buffer = (char *)whole->buffer + at;
	ret->offset = (whole->offset + at) % confused.size;
	ret->length = length;
}

static enum io_answer take_parts(struct io_handle *handle, struct io_request *request)
{
	uint64_t first = confused.size - request->offset % confused.size;
	struct io_request part;

	if (first > request->length)
		first = request->length;
	part_of(request, 0, (uint32_t)first, &part);
	io_threads_backend.submit(handle, &part);
	if (part.result == 0 && first < request->length) {
		part_of(request, first, request->length - (uint32_t)first, &part);
		io_threads_backend.submit(handle, &part);
	}
	request->result = part.result;
	request->done = part.result ? 0 : request->length;
	request->submitted = part.submitted;
	request->completed = part.completed;
	return IO_DONE;
}

static enum io_answer confused_submit(struct io_handle *handle, struct io_request *request)
{
	enum io_answer answer = take_parts(handle, request);
	uint64_t from = confused.from * SECTOR;
	struct io_request echo = *request;

	if (confused.from == confused.to || request->direction != IO_WRITE || request->result ||
	    from < request->offset || from >= request->offset + request->length ||
	    atomic_fetch_sub(&confused.skip, 1) > 0)
		return answer;
	echo.buffer = (char *)request->buffer + (from - request->offset);
	echo.offset = confused.to * SECTOR;
	echo.length = SECTOR;
	io_threads_backend.submit(handle, &echo);
	return answer;
}

static void confuse(struct rig *rig, uint64_t size, uint64_t from, uint64_t to, int skip)
{
	confused.backend = io_threads_backend;
	confused.backend.submit = confused_submit;
	confused.size = size;
	confused.from = from;
	confused.to = to;
	atomic_store(&confused.skip, skip);
	rig->setup.destination_backend = &confused.backend;
}

void lie_about_size(struct rig *rig, uint64_t bytes)
{
	confuse(rig, bytes, 0, 0, 0);
}

void lie_about_a_write(struct rig *rig, uint64_t from, uint64_t to, int skip)
{
	confuse(rig, UINT64_MAX, from, to, skip);
}

void spoil_bytes(int fd, uint64_t lba, void (*how)(unsigned char *sector))
{
	unsigned char *page = aligned_alloc(PAGE, PAGE);
	off_t at = (off_t)(lba * SECTOR / PAGE * PAGE);

	ck_assert_ptr_nonnull(page);
	ck_assert_int_eq(pread(fd, page, PAGE, at), PAGE);
	how(page + lba * SECTOR % PAGE);
	ck_assert_int_eq(pwrite(fd, page, PAGE, at), PAGE);
	free(page);
}

static void flip(unsigned char *sector)
{
	sector[77] ^= 4;
}

bool bit_flip(int fd, uint64_t lba)
{
	spoil_bytes(fd, lba, flip);
	return true;
}
