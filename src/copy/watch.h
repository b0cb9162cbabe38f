/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a slot waits for, so that requests that hang can be found: while the kernel
 * tries to reach a disk, it keeps a request for half a minute or longer without a
 * word. The lane writes it without a look at the clock; hang.h reads it.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCH_BUSY  1u
#define WATCH_HANGS 2u
#define WATCH_ONE   4u

/* Written by the lane, except WATCH_HANGS in `turn`; read by anyone. */
struct watch {
	atomic_uint turn;                  /* WATCH_… flags, and above them a request count */
	atomic_ullong offset, tag, number; /* of the request in this lane */
	atomic_bool at_destination;
	/* For hang.c alone. */
	unsigned seen;
	uint64_t since; /* monotonic ns: when it first saw this request */
};

/* In the lane's thread: a request is sent. */
static inline void watch_begin(struct watch *watch, uint64_t number, uint64_t offset, uint64_t tag,
			       bool at_destination)
{
	unsigned turn = atomic_load_explicit(&watch->turn, memory_order_relaxed);

	atomic_store_explicit(&watch->number, number, memory_order_relaxed);
	atomic_store_explicit(&watch->offset, offset, memory_order_relaxed);
	atomic_store_explicit(&watch->tag, tag, memory_order_relaxed);
	atomic_store_explicit(&watch->at_destination, at_destination, memory_order_relaxed);
	atomic_store_explicit(&watch->turn, (turn + WATCH_ONE) | WATCH_BUSY, memory_order_release);
}

/* It has completed. True: it was counted as hanging. */
static inline bool watch_end(struct watch *watch)
{
	return atomic_fetch_and(&watch->turn, ~(WATCH_BUSY | WATCH_HANGS)) & WATCH_HANGS;
}
