/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Can a device still be trusted to bring everything it reported as written to the
 * medium? A reset loses its volatile cache; deferred sense data revokes the success
 * of an earlier write; a failed flush is not repaired by the next one. The device
 * reports this once, with whichever command comes next, so all its handles share
 * what one of them learns. After that, no request and no flush succeeds any more.
 *
 * A flush succeeds only after every command that was in flight when the device
 * confirmed it has been answered: any of them may bring the bad news.
 *
 * Any thread. Counts are requests, not bytes.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct sg_trust;

/* With one user. */
int sg_trust_new(struct sg_trust **ret, struct error *reterr);
struct sg_trust *sg_trust_ref(struct sg_trust *trust);
/* Frees it with the last user. NULL is fine. */
void sg_trust_unref(struct sg_trust *trust);

/* A command is sent. Returns its generation, which identifies the flush that must wait for it, for
 * sg_trust_answered(): to be called when the answer was judged, or is given up. */
unsigned sg_trust_sent(struct sg_trust *trust);
void sg_trust_answered(struct sg_trust *trust, unsigned generation);

/* A write request begins; ends, successfully or not. */
void sg_trust_write_begins(struct sg_trust *trust);
void sg_trust_write_ends(struct sg_trust *trust);

/* The device was reset. True: something written may be lost. `own`: writes begun that the device is
 * known not to have accepted. */
bool sg_trust_reset(struct sg_trust *trust, const struct sense *sense, unsigned own);
/* What was written may be lost, or is on another medium. Keeps the first reason. */
void sg_trust_lose(struct sg_trust *trust, int code, const struct sense *sense);
/* 0, or the reason for which trust was lost, with *ret. */
int sg_trust_lost(struct sg_trust *trust, struct sense *ret);

/* Around a flush, by one thread at a time. end() gets the device's answer, waits for the commands
 * in flight, and returns 0 if the flush can be believed; otherwise the code and *retsense for which
 * trust was lost, or -ETIMEDOUT if an answer never came. */
void sg_trust_flush_begin(struct sg_trust *trust);
int sg_trust_flush_end(struct sg_trust *trust, int code, struct sense *retsense);
