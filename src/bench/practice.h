/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two practice disks for measurements that write: loop devices over files made for them, the first
 * full of data that is not zero. Nothing else is ever written to. The files have no names, and the
 * kernel lets go of them with the last descriptor, so that nothing stays behind, not even after a
 * crash.
 */
#ifndef CLONEDECK_BENCH_PRACTICE_H
#define CLONEDECK_BENCH_PRACTICE_H

#include <limits.h>
#include <stdint.h>

#include "base/error.h"
#include "bench/kind.h"

struct practice {
	char folder[PATH_MAX]; /* made for them; "": none */
	uint64_t size;         /* bytes of each */
	struct practice_disk {
		char node[32];
		int file, loop; /* -1: none */
	} disks[2];
};

/* As large as the options say; beneath their folder, or TMPDIR, or /var/tmp. It may take seconds;
 * bench_stops() ends it. In any case practice_done() is to be called. */
int practice_make(struct bench_run *run, struct practice *ret, struct error *reterr);
void practice_done(struct practice *practice);

#endif
