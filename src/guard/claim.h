/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A claim: one endpoint, opened once, proven to be the one that was chosen and
 * held to the end. The destination's claim holds O_EXCL on its node and
 * flock(LOCK_EX) on the whole-disk node (systemd.io/BLOCK_DEVICE_LOCKING);
 * the source's is O_RDONLY with flock(LOCK_SH), unless both ends are on one
 * disk. The file of a loop device is locked like it. The descriptors of a claim are the only ones
 * the copy ever uses.
 *
 * One thread at a time (but for claim_present() and claim_look()); claim_check() may be called
 * from another one than claim_open(), as long as nobody closes the claim
 * meanwhile.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "discover/endpoint.h"
#include "plan/plan.h"

struct claim;

enum claim_role { CLAIM_SOURCE, CLAIM_DESTINATION };

/*
 * Opens and checks. A destination image is created (O_CREAT|O_EXCL, never below
 * /dev) or, when it existed at the choice, opened without O_CREAT and compared
 * by device and inode. Refuses (-EBUSY, class REFUSED) what is held, (-ESTALE,
 * class REFUSED) what is no longer the chosen one. Nothing is written. Waits up
 * to three seconds for a lock that udev or a partitioning tool holds for a moment.
 */
int claim_open(const struct endpoint *endpoint, enum claim_role role, const struct plan *plan,
	       struct claim **ret, struct error *reterr);
/* Reads the identity again from the open descriptor and compares. */
int claim_check(struct claim *claim, struct error *reterr);
/*
 * Is the device still attached, or was it unplugged, or given up by the kernel?
 * For an image file or a stacked device: are the devices below it? Asks only
 * the kernel, never the device. Any thread, concurrently.
 */
bool claim_present(const struct claim *claim);
/* A request has failed: has a medium been taken out, or another one put in? Asks the device; what
 * is found, claim_present() says. Any thread, concurrently. */
void claim_look(const struct claim *claim);
/* The kernel's number of the medium, where that can be taken out while the device stays; 0: it
 * cannot, or has no number. */
uint64_t claim_medium(const struct claim *claim);
/* How often a disk below the claimed end was reset, or lost its power for a moment, since it was
 * claimed, as far as the kernel tells (guard/resets.h). `wait`: a moment for what it has to tell
 * right now. One thread at a time, which may be another one than that of the other functions. */
unsigned claim_resets(const struct claim *claim, bool wait);
/* Releases locks; asks the kernel to read a whole disk's table again when
 * `reread` is set (BLKRRPART; a failure is reported, the claim is closed all the
 * same). NULL is fine. */
int claim_close(struct claim *claim, bool reread, struct error *reterr);
/* Closes a claim through which nothing was written; an image that it created is
 * removed again. NULL is fine. */
void claim_discard(struct claim *claim);

/* Open file description shared by all lanes; owned by the claim. O_DIRECT is set
 * when the device or file system takes it. Of a disk without a block node that of its sg node. */
int claim_fd(const struct claim *claim);
bool claim_is_direct(const struct claim *claim);
/* The disk's sg node, proven to lead to the same device; -1 unless the plan chose sg for
 * this end. The block node stays claimed beside it: sg itself asks no one. */
int claim_sg_fd(const struct claim *claim);
/* When the file of an image was last written to, in ns since 1970; 0: unknown, or a device. */
uint64_t claim_modified(const struct claim *claim);
/* The claimed endpoint; a file created here with its own device and inode. */
const struct endpoint *claim_endpoint(const struct claim *claim);
