/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading many disks at once, each in a thread of its own, with one deadline
 * for all: a disk that answers slowly or hangs in the kernel delays nobody.
 * A thread that is still stuck when the caller goes away keeps its part of the
 * memory alive and releases it whenever the kernel lets it go. The threads have
 * descriptors of their own, so that nothing of the program's stays open with them.
 */
#ifndef CLONEDECK_DISCOVER_PROBE_H
#define CLONEDECK_DISCOVER_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/table.h"
#include "scsi/sg_only.h"

struct probe;

struct probe_request {
	char node[64];
	dev_t devno; /* another device under this name is not read */
	uint64_t diskseq;
	uint64_t size;
	uint32_t sector_size;
	bool sg_only;       /* the disk has no block node: its size is asked for, nothing else */
	bool as_before;     /* its table is known: only whether it is there, and held */
	bool try_exclusive; /* find out whether somebody holds the disk (root only) */
	struct range *known, *bad; /* as in struct table_source; malloc'd */
	size_t known_count, bad_count;
};

/* What a request owns. */
void probe_request_done(struct probe_request *request);

struct probe_result {
	int error; /* of opening or reading, negative errno */
	bool opened;
	bool exclusive_refused;
	struct table table;
	struct sg_only_size size;
};

/* Starts reading; takes over what the requests own, even on failure. -ENOMEM, or -EAGAIN if no
 * thread could be started. */
int probe_start(struct probe_request *requests, size_t count, struct probe **ret);
/* Waits until all have answered or the time (monotonic ns) has come. */
void probe_wait(struct probe *probe, uint64_t deadline);
/* Once each, after probe_wait(): moves the answer out; false for a disk that has not answered. */
bool probe_take(struct probe *probe, size_t index, struct probe_result *ret);
/* Is this device still to answer? 0 for the sequence number: unknown. */
bool probe_waits_for(struct probe *probe, dev_t devno, uint64_t diskseq);
/* Have all answered? Then it is to be released. */
bool probe_is_done(struct probe *probe);
/* Tells what still runs to stop at the next answer. */
void probe_stop(struct probe *probe);
/* Stops what still runs and lets go of it. NULL is fine. */
void probe_release(struct probe *probe);

#endif
