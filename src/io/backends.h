/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backends and the choice among them, by what was asked for and what kernel and
 * device support. No disk is read for that.
 */
#pragma once

#include "base/error.h"
#include "io/io.h"
#include "plan/options.h"

struct io_choice {
	const struct io_backend *source;
	const struct io_backend *destination;
	uint32_t chunk;        /* bytes of one request */
	uint32_t widest;       /* the same if no other request is in flight; at least chunk */
	uint32_t source_depth; /* requests in flight over all lanes */
	uint32_t destination_depth;
	uint32_t lanes;
	uint32_t buffers_per_lane;
	bool source_synchronous; /* the driver works in the submitter's context */
	bool destination_synchronous;
	bool take_turns;  /* one spindle: fill all buffers, then write them all */
	char reason[256]; /* in words, for the plan screen and the report */
};

/* Without a source, the destination stands for it: `source` is the same.
 * options: accepted by plan_options_check(). -EINVAL, -EOPNOTSUPP, -E2BIG, -ERANGE (too much
 * memory), or the error of a backend's probe. */
int io_backends_choose(const struct io_end *source, const struct io_end *destination,
		       const struct plan_options *options, struct io_choice *ret,
		       struct error *reterr);

/* choice->widest, for the backends that it now names. */
uint32_t io_backends_widest(const struct io_choice *choice, const struct io_end *source,
			    const struct io_end *destination, const struct plan_options *options);

/* NULL for BACKEND_AUTO. */
const struct io_backend *io_backend_by_choice(enum backend_choice choice);
