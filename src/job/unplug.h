/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Disks that are unplugged. While a disk is being unplugged, reads and writes
 * fail with the same EIO as on a bad sector, and for a moment, before the
 * kernel removes the disk, nothing tells the two apart. So after a failed
 * request the caller asks whether the disk is still there, and what was found bad in the
 * last few seconds before a source disappeared counts as non-tried.
 *
 * By the coordinator's thread, except unplug_found().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "job/events.h"
#include "io/io.h"

struct map;

#define UNPLUG_DOUBTS 512

/* Bytes of the source that were recently found bad. */
struct unplug_doubt {
	uint64_t time, start, length;
};

struct unplug_end {
	const struct io_end *end;
	uint64_t answers;      /* completed requests */
	uint64_t silent_since; /* since when none has completed although some are in flight */
	bool told;
};

struct unplug {
	/* Constant. */
	bool (*present)(void *user, bool destination); /* NULL: nobody knows, it is there */
	void *user;
	struct events *events;

	struct unplug_end ends[JOB_ENDS_MAX];
	struct unplug_doubt doubt[UNPLUG_DOUBTS]; /* a ring */
	uint64_t doubts;                          /* so far */
	uint64_t since;                           /* monotonic ns; 0: the source is there */
};

/* Any thread: is this end no longer attached? Then *ret says so. */
bool unplug_found(const struct unplug *unplug, unsigned end, struct error *ret);
/* Now and then: a disk that hangs reports nothing, so this tells people which one it is. answers:
 * requests of this end that have completed so far. */
void unplug_watch(struct unplug *unplug, unsigned end, uint64_t answers, uint64_t in_flight,
		  uint64_t now);
/* Remembers sectors that were just found bad. */
void unplug_doubt(struct unplug *unplug, uint64_t start, uint64_t length);
/* The source is gone: sectors that failed just before that count as non-tried again. With the lock
 * of the map. True: the map has changed. */
bool unplug_take_back(struct unplug *unplug, struct map *map);
