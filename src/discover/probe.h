/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading many disks at once, each in a worker (base/worker.h), with one deadline
 * for all: a disk that answers slowly or hangs in the kernel delays nobody. Which
 * disks have not answered is remembered, so that they are not read again until they
 * have.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/table.h"
#include "scsi/sg_only.h"

struct probe_request {
	char node[64];
	dev_t devno; /* another device under this name is not read */
	uint64_t diskseq;
	uint64_t size; /* 0: it is only opened and closed, so that the kernel looks for a medium */
	uint32_t sector_size;
	bool sg_only;        /* the disk has no block node: its size is asked for, nothing else */
	bool as_before;      /* its table is known: only whether it is there, and held */
	bool try_exclusive;  /* find out whether somebody holds the disk (root only) */
	struct range *known; /* as in struct table_source; malloc'd */
	size_t known_count;
	struct range_list bad;
};

/* What a request owns. */
void probe_request_done(struct probe_request *request);

struct probe_result {
	bool answered; /* in time; nothing else is set otherwise */
	int error;     /* of opening or reading, negative errno */
	bool opened;
	bool exclusive_refused;
	struct table table; /* the caller's */
	struct sg_only_size size;
};

/* Disks that have not answered. */
#define PENDING_MAX 1024
struct pending {
	struct probe *probes[PENDING_MAX];
	size_t count;
};

/*
 * Reads all of them until a time (monotonic ns). `results` has as many members; those
 * that did not answer are told to stop at the next answer and are added to `pending`.
 * Takes over what the requests own, even on failure. -ENOMEM, or -EAGAIN if no thread
 * could be started; then nothing has to be released.
 */
int probe_disks(struct probe_request *requests, size_t count, uint64_t deadline,
		struct pending *pending, struct probe_result *results);

/* Waits for all of them, until a time (monotonic ns). */
void pending_wait(struct pending *pending, uint64_t deadline);
/* Is this device still to answer? By its number, and by which of those that had it. */
bool pending_has(const struct pending *pending, dev_t devno, uint64_t diskseq);
void pending_done(struct pending *pending);
