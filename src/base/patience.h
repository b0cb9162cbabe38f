/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long somebody waits for the disk that their files lie on. A file is written
 * by a thread of its own (base/worker.h), which is left alone when it takes
 * longer: the answer is -ETIMEDOUT, and so it is at once for every other file of
 * that directory until that one has come to its end. Where there is no memory or
 * no thread for that, the caller's own thread waits.
 *
 * A struct patience is one thread's at a time. NULL in its place waits for ever.
 */
#ifndef CLONEDECK_BASE_PATIENCE_H
#define CLONEDECK_BASE_PATIENCE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/clock.h"

/* The patience for log, map and report, in ns: a healthy disk, however busy, has answered by then.
 * During the copy, and at the end. */
#define PATIENCE_ON_THE_WAY (10 * NSEC_PER_SEC)
#define PATIENCE_AT_THE_END (30 * NSEC_PER_SEC)

/* All but the first two zero at first; these may be changed between two files. */
struct patience {
	uint64_t ns;                /* from the moment on that a file is begun */
	dev_t beneath;              /* of its directory (base/replace.h); 0: none */
	struct worker *hung;        /* NULL: nothing hangs */
	struct patience_file *file; /* that does */
	uint64_t since;             /* monotonic ns: when it was begun */
};

/* Abandons what still hangs. */
void patience_done(struct patience *patience);

/* As file_replace() and file_remove() (base/replace.h). */
int patience_replace(struct patience *patience, const char *path, mode_t mode,
		     void (*fill)(FILE *file, const void *user), const void *user);
int patience_remove(struct patience *patience, const char *path);

/* Like error_phrase(), for the results of these functions. */
const char *patience_phrase(int code);

#endif
