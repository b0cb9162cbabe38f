/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sg backend: SCSI READ and WRITE commands queued to a disk through its sg
 * node, past the block layer. What it adds to the interface of io.h: how the
 * data travels, and what the device said.
 *
 * end.sg_fd is the claim's descriptor of the sg node; every lane has a
 * description of its own behind it. Where there is no sg node, because its driver
 * is not loaded, the block node takes the commands, one at a time a lane; so does the sg node where
 * its driver is seen to work inside the call, for half of the system calls. sg knows no partitions:
 * offsets of the end are translated to blocks of the whole disk with end.start, and nothing
 * outside [start, start + size) is ever sent.
 */
#ifndef CLONEDECK_IO_SG_H
#define CLONEDECK_IO_SG_H

#include <stdbool.h>

#include "io/io.h"
#include "io/sg_driver.h"
#include "io/sg_trust.h"

enum sg_mode {
	SG_MODE_DIRECT,   /* asked for; the driver may still copy, and says so */
	SG_MODE_INDIRECT, /* through the driver's own buffer */
	SG_MODE_MMAP,     /* through its buffers, mapped here: one command a descriptor */
};

/* The table that open() is called with; `io` first, so that it is found again. */
struct sg_backend {
	struct io_backend io;
	const struct sg_driver *driver;
	enum sg_mode mode;
	bool block; /* by the block node: the driver answers inside send() */
	bool fua, dpo;
};

/* Fills a backend table over any driver. */
void sg_backend_init(struct sg_backend *backend, const struct sg_driver *driver, enum sg_mode mode);

/* One that is called as sg_block_driver is. */
void sg_backend_init_block(struct sg_backend *backend, const struct sg_driver *driver);

/* The tables over the real driver: one for each way of asking. */
const struct sg_backend *sg_backend_find(enum sg_mode mode, bool fua, bool dpo);
/* For a SCSI disk without an sg node. */
const struct sg_backend *sg_backend_find_block(bool fua, bool dpo);

/* SCSI commands reach this end through an sg node. */
bool sg_has_node(const struct io_end *end);

/* What the handle shares with all others on its device; NULL where it is none of this backend. */
struct sg_trust *sg_trust_of(const struct io_handle *handle);

#endif
