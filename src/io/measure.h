/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A few reads that tell how a device is driven. */
#ifndef CLONEDECK_IO_MEASURE_H
#define CLONEDECK_IO_MEASURE_H

#include "io/io.h"

/*
 * Does the driver do its work in the caller's context, as memory disks do?
 * UNKNOWN where it could not be read. At most four direct reads of 1 MiB from
 * the start, one after the other, none after 200 ms; no writes.
 */
enum tristate io_measure_synchronous(const struct io_end *end);

#endif
