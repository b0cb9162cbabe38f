/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rate limit of a job, shared by its lanes without a lock: the time at which
 * the next byte may be sent. At most a tenth of a second of unused time is made up
 * for, so there are no bursts after a pause.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct rate_limit {
	uint64_t rate; /* atomic: bytes per second, 0 none */
	uint64_t next; /* atomic: monotonic ns */
};

void rate_limit_set(struct rate_limit *limit, uint64_t rate, uint64_t now);
uint64_t rate_limit_get(const struct rate_limit *limit);
/* True: the bytes may be sent now. False: try again in *retwait ns. */
bool rate_limit_take(struct rate_limit *limit, uint32_t bytes, uint64_t now, uint64_t *retwait);
