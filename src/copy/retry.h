/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What happens to a request that failed: it is tried again, then searched for
 * the sectors at fault with smaller and smaller requests, while the other
 * slots of the lane go on at full speed. Every function is a step: it leaves
 * the slot in one of the lane's queues, or freed.
 */
#ifndef CLONEDECK_COPY_RETRY_H
#define CLONEDECK_COPY_RETRY_H

#include "copy/core.h"
#include "copy/lane.h"

void retry_read_failed(struct lane *lane, struct slot *slot);
void retry_write_failed(struct lane *lane, struct slot *slot);
/* A request of the search came back, good or bad. */
void retry_read_searched(struct lane *lane, struct slot *slot);
void retry_write_searched(struct lane *lane, struct slot *slot);
/* The copy stops: keeps what the slot knows and goes no further. */
void retry_give_up(struct lane *lane, struct slot *slot);

/* Errors of one place: others of the same device may be fine. */
bool retry_is_local(int code);
/* Of a read that failed: the disk is at fault in this place, not the way to it, and asking at once
 * once more would only cost time and the disk's strength. */
bool retry_is_damage(const struct slot *slot);
/* A read failed. True: it is tried again at once, or it is the end of the slot: the device is gone,
 * or the copy stops. False: this place is bad for now, slot->code and slot->sense say why. */
bool retry_read_at_once(struct lane *lane, struct slot *slot);
void slot_fail(struct lane *lane, enum failure_kind kind, const struct io_handle *handle,
	       const struct slot *slot);
bool slot_is_bad(const struct slot *slot, uint32_t sector);
/* Bytes of the piece: could not be read, or before write_length, were refused. */
void slot_mark_bad(struct lane *lane, struct slot *slot, uint32_t from, uint32_t length);
/* All that was to be written is on the destination. */
void slot_write_done(struct lane *lane, struct slot *slot);
/* For pass.report(): what is finished, refused, or could not be read. */
bool slot_report_map(struct lane *lane, struct slot *slot);
/* Reading either end for the proof failed. True: it is tried once more. False: slot->code says why
 * not, -ECANCELED where it tells nothing of this place: the copy stops, or the disk is gone.
 * Nothing is searched: what there is to report is the request. */
bool retry_read_back(struct lane *lane, struct slot *slot);

#endif
