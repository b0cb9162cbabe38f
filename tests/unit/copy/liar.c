/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "liar.h"

#include <check.h>
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
