/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/buffers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/i18n.h"
#include "base/range.h"

/* Linux 5.14; the C library's headers may be older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define HUGE_PAGE  (2U << 20)
#define SMALL_PAGE 4096U

struct io_buffers {
	char *arena;
	size_t arena_size;
	size_t stride; /* from one slot to the next */
	uint32_t size;
	unsigned count, taken;
};

/* mmap() aligns to small pages only: map one huge page more and give back both ends. */
static char *map_aligned(size_t size)
{
	size_t room = size + HUGE_PAGE;
	char *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		return NULL;

	size_t head = (HUGE_PAGE - ((uintptr_t)start & (HUGE_PAGE - 1))) & (HUGE_PAGE - 1);
	size_t tail = room - head - size;

	if (head)
		munmap(start, head);
	if (tail)
		munmap(start + head + size, tail);
	return start + head;
}

/* Take the page faults here, not in the first round of the copy; the kernel may populate all pages
 * at once. */
static void touch(char *arena, size_t size)
{
	if (madvise(arena, size, MADV_POPULATE_WRITE) == 0)
		return;
	for (size_t at = 0; at < size; at += SMALL_PAGE)
		((volatile char *)arena)[at] = 0;
}

static int no_arena(unsigned count, uint32_t size, struct error *reterr)
{
	return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -ENOMEM, "buffers", "",
			 _("There is not enough memory for %u buffers of %" PRIu32 " bytes."),
			 count, size);
}

int io_buffers_new(unsigned count, uint32_t size, struct io_buffers **ret, struct error *reterr)
{
	uint64_t stride, bytes;

	if (!count || !size || size % 512)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "buffers", "",
				 _("%u buffers of %" PRIu32 " bytes cannot be made."), count, size);
	if (!u64_align_up(size, SMALL_PAGE, &stride) || !u64_mul(stride, count, &bytes) ||
	    !u64_align_up(bytes, HUGE_PAGE, &bytes) || bytes > SIZE_MAX - HUGE_PAGE)
		return no_arena(count, size, reterr);

	char *arena = map_aligned(bytes);

	if (!arena)
		return no_arena(count, size, reterr);

	struct io_buffers *buffers = malloc(sizeof(*buffers));

	if (!buffers) {
		munmap(arena, bytes);
		return error_nomem(reterr);
	}
	/* Without huge pages, small ones work as well, but slower. */
	madvise(arena, bytes, MADV_HUGEPAGE);
	touch(arena, bytes);

	buffers->arena = arena;
	buffers->arena_size = bytes;
	buffers->stride = stride;
	buffers->size = size;
	buffers->count = count;
	buffers->taken = 0;
	*ret = buffers;
	return 0;
}

void io_buffers_destroy(struct io_buffers *buffers)
{
	if (!buffers)
		return;
	munmap(buffers->arena, buffers->arena_size);
	free(buffers);
}

void *io_buffers_get(struct io_buffers *buffers)
{
	return buffers->taken < buffers->count ? buffers->arena + buffers->stride * buffers->taken++
					       : NULL;
}

uint32_t io_buffers_size(const struct io_buffers *buffers)
{
	return buffers->size;
}

void *io_buffers_arena(const struct io_buffers *buffers, size_t *retsize)
{
	*retsize = buffers->arena_size;
	return buffers->arena;
}
