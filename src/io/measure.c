/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells a driver that works in the caller's context from one that queues: in
 * the first case the reading thread computes for as long as a read takes, in
 * the second it sleeps. Processor time against elapsed time says which, also
 * where there is no io_uring to try.
 */
#include "io/measure.h"

#include <fcntl.h>

#include "base/clock.h"
#include "io/buffers.h"
#include "io/sync.h"

#define READS      4
#define READ_SIZE  (1U << 20)
#define TIME_LIMIT (200 * NSEC_PER_MSEC)
/* Of the elapsed time; queueing drivers were seen below a tenth, zram above nine tenths. */
#define CPU_SHARE_PERCENT 60

static bool readable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

/* Adds the times of one read; false when it failed. */
static bool read_once(const struct io_end *end, void *buffer, uint64_t offset, uint64_t *cpu,
		      uint64_t *elapsed)
{
	struct io_request request = {
		.direction = IO_READ, .offset = offset, .length = READ_SIZE, .buffer = buffer
	};
	uint64_t cpu_start = clock_thread_cpu();
	uint64_t start = clock_monotonic();
	int r = sync_transfer(end->fd, &request, 0, READ_SIZE, io_sector_size(end));

	*elapsed += clock_monotonic() - start;
	*cpu += clock_thread_cpu() - cpu_start;
	return r == 0;
}

enum tristate io_measure_synchronous(const struct io_end *end)
{
	struct io_buffers *buffers;
	uint64_t cpu = 0, elapsed = 0;
	unsigned good = 0;

	if (!end->direct || end->size < READ_SIZE || !readable(end->fd) ||
	    io_buffers_new(1, READ_SIZE, &buffers, NULL) < 0)
		return UNKNOWN;

	void *buffer = io_buffers_get(buffers);
	uint64_t offset = 0;

	while (good < READS && elapsed < TIME_LIMIT && end->size - offset >= READ_SIZE) {
		if (!read_once(end, buffer, offset, &cpu, &elapsed))
			break;
		good++;
		offset += READ_SIZE;
	}
	io_buffers_destroy(buffers);
	if (!good)
		return UNKNOWN;
	return cpu * 100 > elapsed * CPU_SHARE_PERCENT ? YES : NO;
}
