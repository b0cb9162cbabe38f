/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how fast both disks of a plan read, before the start: a few megabytes at the beginning,
 * in the middle and at the end of what is to be copied, bypassing the page cache, in the
 * background. How fast the destination writes cannot be known before it may be written.
 */
#include "session/measure.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "guard/claim.h"

#define PLACES 3
#define PIECE  (1U << 20)
#define PIECES 8                  /* at each place */
#define BUDGET (1 * NSEC_PER_SEC) /* per place: a slow disk is recognised by then */
#define ALIGN  4096

/* Adds the bytes read there and the time that took. An unreadable place does not count. */
static void read_place(struct measurement *task, int fd, void *buffer, uint64_t at, uint64_t end,
		       uint64_t *bytes, uint64_t *ns)
{
	uint64_t begin = clock_monotonic(), now = begin, got = 0;

	while (got < (uint64_t)PIECES * PIECE && at + got < end && now - begin < BUDGET &&
	       !atomic_load(&task->cancel)) {
		uint64_t left = (end - at - got) / ALIGN * ALIGN;
		ssize_t n = left ? pread(fd, buffer, left < PIECE ? left : PIECE, (off_t)(at + got))
				 : 0;

		now = clock_monotonic();
		if (n <= 0)
			break;
		got += (uint64_t)n;
	}
	if (!got)
		return;
	*bytes += got;
	*ns += now - begin;
}

/* 0: unknown */
static double read_rate(struct measurement *task, int fd, struct span span)
{
	void *buffer CLEANUP(free) = aligned_alloc(ALIGN, PIECE);
	uint64_t size = span.end - span.start, bytes = 0, ns = 0;

	for (unsigned i = 0; buffer && i < PLACES; i++) {
		uint64_t at = span.start + size / PLACES * i;

		/* The last place ends where the copy ends. */
		if (i == PLACES - 1 && size > (uint64_t)PIECES * PIECE)
			at = span.end - (uint64_t)PIECES * PIECE;
		read_place(task, fd, buffer, at / ALIGN * ALIGN, span.end, &bytes, &ns);
	}
	return ns ? (double)bytes * (double)NSEC_PER_SEC / (double)ns : 0;
}

static double measure_end(struct measurement *task, const struct endpoint *endpoint,
			  struct span span)
{
	struct claim *claim = NULL;
	double rate = 0;

	if (!endpoint->exists && endpoint->kind == ENDPOINT_IMAGE)
		return 0;
	if (claim_open(endpoint, CLAIM_SOURCE, &task->plan, &claim, &task->error) < 0)
		return 0;
	/* Through the page cache, only memory would be measured. */
	if (claim_is_direct(claim))
		rate = read_rate(task, claim_fd(claim), span);
	claim_discard(claim);
	return rate;
}

void measure_run(void *data)
{
	struct measurement *task = data;

	task->found.source = measure_end(task, &task->plan.source, task->source);
	if (!task->error.code)
		task->found.destination =
			measure_end(task, &task->plan.destinations[0], task->destination);
}

void measure_prepare(struct measurement *task, const struct plan *plan)
{
	const struct extent *first = &plan->extents[0];
	const struct extent *last = &plan->extents[plan->extent_count - 1];

	task->plan = *plan;
	task->plan.extents = NULL;
	task->plan.extent_count = 0;
	task->plan.free_places = NULL;
	/* Whatever the copy will use: here the kernel reads. */
	task->plan.options = PLAN_OPTIONS_DEFAULT;
	task->source = (struct span){ first->source_lba * plan->sector_size,
				      (last->source_lba + last->sectors) * plan->sector_size };
	task->destination =
		(struct span){ first->destination_lba * plan->sector_size,
			       (last->destination_lba + last->sectors) * plan->sector_size };
	task->found = (struct session_measured){ 0 };
	task->error = (struct error){ 0 };
	atomic_store(&task->cancel, false);
}
