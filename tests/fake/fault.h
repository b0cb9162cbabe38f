/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A backend that wraps any other and lets it fail by script.
 *
 *	struct fault_script *script = fault_script_new();
 *	struct fault_backend bad;
 *
 *	fault_backend_init(&bad, &io_uring_backend, script);
 *	fault_script_add(script, &(struct fault_rule){ .kind = FAULT_FAIL, .on = FAULT_READS,
 *			.start = 1 << 20, .length = 512, .times = 2, .code = -EIO });
 *	setup.source_backend = &bad.backend;
 *	…
 *	fault_script_destroy(script);	after the job is destroyed
 *
 * The wrapper finds its inner backend and its script through the table itself:
 * struct fault_backend starts with the io_backend, and every handle points back
 * to it. It keeps the traits of what it wraps but IO_CAN_SHARE (a wrapped end
 * has a queue of its own). No globals; one script may serve several backends
 * and any number of lanes, and may be changed while they run.
 */
#pragma once

#include <stdint.h>

#include "io/io.h"

enum fault_kind {
	FAULT_FAIL,      /* result = code, nothing is passed on; done = `after` bytes, which are;
			  * held back for delay_ns where the inner backend is asynchronous */
	FAULT_DELAY,     /* the result is held back for delay_ns (slept out where the inner
			  * backend is synchronous); cancel ends the wait with -ECANCELED */
	FAULT_DISAPPEAR, /* from the first match on everything fails with -ENODEV */
	FAULT_FLUSH,     /* flush fails with code; range and direction do not matter */
	FAULT_BUSY,      /* submit answers IO_BUSY while other requests are in flight */
	FAULT_REORDER,   /* held back until a later request completed (asynchronous ones only) */
	FAULT_CORRUPT,   /* succeeds, but one byte in the range is not the right one */
	FAULT_WRAP,      /* goes to its address modulo `wrap`, as on a disk of false size */
	FAULT_LOSE,      /* succeeds, but nothing is done */
};

enum fault_direction { FAULT_BOTH, FAULT_READS, FAULT_WRITES };

/* A rule matches a request that overlaps its range; the first rule in the order of adding wins. */
struct fault_rule {
	enum fault_kind kind;
	enum fault_direction on;
	uint64_t start;     /* bytes of the node */
	uint64_t length;    /* 0: up to the end */
	unsigned skip;      /* matches that pass unharmed before the rule starts to work */
	unsigned times;     /* matches that it then works on; 0: always */
	int code;           /* negative errno, FAULT_FAIL and FAULT_FLUSH; 0: -EIO */
	uint32_t after;     /* FAULT_FAIL: bytes of the request that succeed before the failure */
	struct sense sense; /* FAULT_FAIL: given to the request */
	uint64_t delay_ns;  /* FAULT_DELAY, FAULT_FAIL */
	uint64_t wrap;      /* FAULT_WRAP: bytes; no request may lie across a multiple of it */
};

struct fault_script;

#define FAULT_SMALL 4096

/* What reached the inner backend, and what the rules did. */
struct fault_counts {
	uint64_t reads, writes, flushes; /* requests completed by the inner backend */
	uint64_t bytes_read, bytes_written;
	uint64_t first_written, end_written; /* lowest byte, and behind the highest one */
	uint64_t faults;                     /* times a rule worked */
	unsigned in_flight, most_in_flight;  /* over all handles */
	/* Of reads of up to FAULT_SMALL bytes, asynchronous ones: how many were in flight at once,
	 * and how often one went out beside another. */
	unsigned most_small, small_beside;
};

struct fault_backend {
	struct io_backend backend; /* hand out the address of this one; must stay first */
	const struct io_backend *inner;
	struct fault_script *script;
};

struct fault_script *fault_script_new(void); /* NULL: no memory */
/* After the last handle was closed. NULL is fine. */
void fault_script_destroy(struct fault_script *script);
/* Returns the number of the rule, from 0; -ENOSPC after 32. */
int fault_script_add(struct fault_script *script, const struct fault_rule *rule);
/* Matches that this rule has worked on. */
unsigned fault_script_hits(struct fault_script *script, int rule);
/* After so many more faults everything fails with -EIO, which counts as none. */
void fault_script_die(struct fault_script *script, uint64_t faults);
void fault_script_clear(struct fault_script *script); /* all rules, and the disappearance */
struct fault_counts fault_script_counts(struct fault_script *script);

/* Fills *ret; it, `inner` and `script` must outlive all handles. */
void fault_backend_init(struct fault_backend *ret, const struct io_backend *inner,
			struct fault_script *script);
