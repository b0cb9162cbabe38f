/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to a request that failed: it is tried again, then searched for
 * the sectors at fault with smaller and smaller requests, while the other
 * slots of the lane go on at full speed. Every function is a step: it leaves
 * the slot in one of the lane's queues, or freed.
 */
#ifndef CLONEDECK_COPY_RETRY_H
#define CLONEDECK_COPY_RETRY_H

#include "copy/lane.h"

void retry_read_failed(struct lane *lane, struct slot *slot);
void retry_write_failed(struct lane *lane, struct slot *slot);
/* A request of the search came back, good or bad. */
void retry_read_searched(struct lane *lane, struct slot *slot);
void retry_write_searched(struct lane *lane, struct slot *slot);
/* The copy stops: keeps what the slot knows and goes no further. */
void retry_give_up(struct lane *lane, struct slot *slot);

bool slot_is_bad(const struct slot *slot, uint32_t sector);

#endif
