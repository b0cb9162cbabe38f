/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sg backend: SCSI READ and WRITE commands queued to a disk through its sg node,
 * bypassing the block layer. Beyond the interface of io.h it controls how the data
 * travels, and reports what the device said.
 *
 * end.sg_fd is the claim's descriptor of the sg node; every lane reopens it. If there
 * is no sg node, because the driver is not loaded, the block node gets the commands,
 * one at a time per lane. So does the sg node itself if its driver is seen to complete
 * inside the call, which halves the system calls. sg knows no partitions: end.start
 * turns offsets of the end into blocks of the whole disk, and nothing outside
 * [start, start + size) is ever sent.
 */
#pragma once

#include <stdbool.h>

#include "io/io.h"
#include "plan/options.h"
#include "scsi/driver.h"
#include "scsi/trust.h"

/* The table that open() gets; `io` must stay first. */
struct sg_backend {
	struct io_backend io;
	const struct sg_driver *driver;
	enum sg_data mode; /* SG_DATA_MMAP: one command per descriptor */
	bool block;        /* through the block node: the driver completes inside send() */
	bool fua, dpo;
};

/* Fills a backend table over any driver. */
void sg_backend_init(struct sg_backend *backend, const struct sg_driver *driver, enum sg_data mode);

/* The tables over the real driver, one for each combination. */
const struct sg_backend *sg_backend_find(enum sg_data mode, bool fua, bool dpo);
/* For a SCSI disk without an sg node. */
const struct sg_backend *sg_backend_find_block(bool fua, bool dpo);

/* Has this end an sg node? */
bool sg_has_node(const struct io_end *end);
