/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Was a SCSI disk reset, or did it lose its power for a moment? Then its write cache is empty, and
 * the next flush succeeds all the same. The block layer sends the command that was answered so once
 * more and tells nobody who waits for it; but the kernel sends an event. It does so for SCSI, SAS
 * and USB disks, not for those of libata and NVMe.
 * Source: drivers/scsi/scsi_error.c, scsi_report_sense().
 *
 * One thread at a time.
 */
#pragma once

#include <stdbool.h>

struct guard_place;
struct resets;

/* Listens from now on, for all disks of the place. NULL: the kernel would not tell of any. */
struct resets *resets_new(const struct guard_place *place);
void resets_destroy(struct resets *resets); /* NULL is fine */
/* How often they were reset so far; NULL: 0. `wait`: a moment for the event of a command that was
 * answered just now. */
unsigned resets_count(struct resets *resets, bool wait);
