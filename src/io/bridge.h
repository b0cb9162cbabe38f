/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cache behind a USB bridge. The kernel flushes the cache of a SCSI disk only if
 * its caching mode page reports one. Most bridges have no such page ("Assuming drive
 * cache: write through"), and then fsync() of the node flushes nothing, whatever the
 * disk still holds.
 * Source: drivers/scsi/sd.c, sd_read_cache_type().
 */
#pragma once

#include "base/error.h"
#include "io/io.h"
#include "scsi/driver.h"

/*
 * Sends the flush to the disk itself, through the end's descriptor, after fsync(). Does nothing for
 * other ends. Fails only if something may be lost: the disk says so, was reset since the last
 * write, or is gone or replaced. If it does not know the command or does not answer, the kernel's
 * assumption stands. Any thread.
 */
int bridge_flush(const struct sg_driver *driver, const struct io_end *end, struct error *reterr);
