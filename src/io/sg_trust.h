/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far a device's word can be trusted: whether what it reported as written is
 * still going to reach the medium. A device that was reset has lost its volatile
 * cache; deferred sense data takes back the success of an earlier write; a
 * flush that failed is not made good by the next one. It says so once, to
 * whichever command comes next, so all handles on one device share what one of
 * them was told. After that no request and no flush on it succeeds any more.
 *
 * A flush succeeds only when every command that was on its way when the device
 * confirmed it has been answered: any of them may bring the bad news.
 *
 * Any thread. Counts are of requests, not bytes.
 */
#ifndef CLONEDECK_IO_SG_TRUST_H
#define CLONEDECK_IO_SG_TRUST_H

#include <stdbool.h>

#include "base/error.h"

struct sg_trust;

/* One user. */
int sg_trust_new(struct sg_trust **ret, struct error *reterr);
struct sg_trust *sg_trust_ref(struct sg_trust *trust);
/* Frees with the last user. NULL is fine. */
void sg_trust_unref(struct sg_trust *trust);

/* A command goes out: which flush will have to wait for it, to be given back to
 * sg_trust_answered() when its answer was judged, or is not awaited any more. */
unsigned sg_trust_sent(struct sg_trust *trust);
void sg_trust_answered(struct sg_trust *trust, unsigned generation);

/* A write request begins; it has ended, well or not. */
void sg_trust_write_begins(struct sg_trust *trust);
void sg_trust_write_ends(struct sg_trust *trust);

/* The device was reset. True when something that was written may be lost by that; `own` writes
 * of those begun are known not to have been taken. */
bool sg_trust_reset(struct sg_trust *trust, const struct sense *sense, unsigned own);
/* What was written may be lost, or is on another medium. The first reason is kept. */
void sg_trust_lose(struct sg_trust *trust, int code, const struct sense *sense);
/* 0, or the negative errno that it was lost for, with *ret. */
int sg_trust_lost(struct sg_trust *trust, struct sense *ret);

/* Around a flush; only one thread is between them. end() takes how the device answered, waits
 * for the commands on their way, and returns 0 when the flush is to be believed; otherwise the
 * code and *retsense that trust was lost for, -ETIMEDOUT when an answer never came. */
void sg_trust_flush_begin(struct sg_trust *trust);
int sg_trust_flush_end(struct sg_trust *trust, int code, struct sense *retsense);

#endif
