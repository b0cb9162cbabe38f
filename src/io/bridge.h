/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cache behind a USB bridge. The kernel flushes the cache of a SCSI disk
 * only where its caching mode page tells of one; most bridges have no such page
 * ("Assuming drive cache: write through"), and fsync() of the node then asks the
 * disk for nothing, whatever it still holds in its memory.
 * Source: drivers/scsi/sd.c, sd_read_cache_type().
 */
#ifndef CLONEDECK_IO_BRIDGE_H
#define CLONEDECK_IO_BRIDGE_H

#include "base/error.h"
#include "io/io.h"
#include "io/sg_driver.h"

/*
 * Asks the disk itself, by the end's own descriptor, after fsync(). Nothing to do on other ends.
 * Fails only where something may be lost: the disk says so, it began anew since the last write, or
 * it is another one or none any more. One that does not know the command, or does not answer it, is
 * as the kernel takes it to be. Any thread.
 */
int bridge_flush(const struct sg_driver *driver, const struct io_end *end, struct error *reterr);

#endif
