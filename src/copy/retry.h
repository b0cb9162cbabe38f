/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to a failed request: it is retried, then searched for the bad
 * sectors with smaller and smaller requests, while the other slots of the lane go
 * on at full speed. Each function is one step and leaves the slot in one of the
 * lane's queues, or free.
 */
#pragma once

#include "copy/lane.h"

void retry_read_failed(struct lane *lane, struct slot *slot);
void retry_write_failed(struct lane *lane, struct slot *slot);
/* A request of the search has completed, well or not. */
void retry_read_searched(struct lane *lane, struct slot *slot);
void retry_write_searched(struct lane *lane, struct slot *slot);
/* The copy stops: ends the search and keeps what it has found. */
void retry_give_up(struct lane *lane, struct slot *slot);

/* Does the error concern one place, so that the rest of the device may be fine? */
bool retry_is_local(int code);
/* Did a read fail because of damage on the disk, not on the way to it? Then an immediate retry
 * would only cost time and wear. */
bool retry_is_damage(const struct slot *slot);
/* Puts the request into the queue again; false: it was tried `retries` times more already. */
bool retry_again(struct lane *lane, struct slot *slot, unsigned retries, struct slot_queue *queue);
/* After a failed read. True: it is retried, or the slot was freed because the device is gone or the
 * copy stops. False: the place is bad for now; slot->code and slot->sense say why. */
bool retry_read_at_once(struct lane *lane, struct slot *slot);
void slot_fail(struct lane *lane, enum failure_kind kind, const struct io_handle *handle,
	       const struct slot *slot);
bool slot_is_bad(const struct slot *slot, uint32_t sector);
/* Bytes of the piece that were refused (before write_length) or could not be read. */
void slot_mark_bad(struct lane *lane, struct slot *slot, uint32_t from, uint32_t length);
/* Everything to be written is on the destination. */
void slot_write_done(struct lane *lane, struct slot *slot);
/* For slot_ops.report(): what was finished, refused, or could not be read. */
bool slot_report_map(struct lane *lane, struct slot *slot);
/* After a read for the proof failed, of either end. True: it is retried. False: slot->code says why
 * it failed; -ECANCELED if that says nothing about this place, because the copy stops or the disk
 * is gone. There is no search: the whole request counts as unread. */
bool retry_read_back(struct lane *lane, struct slot *slot);
