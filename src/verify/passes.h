/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes that read back, compare and look again do (struct pass, in job/pass.h). */
#ifndef CLONEDECK_VERIFY_PASSES_H
#define CLONEDECK_VERIFY_PASSES_H

#include "copy/copy.h"

/* Reads the destination back; checksums_prepare(): all of it, in order. */
extern const struct slot_ops verify_ops;
int verify_prepare(struct job *job, unsigned round);
int checksums_prepare(struct job *job, unsigned round);

/* Reads both ends. */
extern const struct slot_ops compare_ops;
int compare_prepare(struct job *job, unsigned round);

/* The final look. */
extern const struct slot_ops look_ops;
int look_flush_prepare(struct job *job, unsigned round);
int look_prepare(struct job *job, unsigned round);
void look_end(struct job *job);

/* Reads some of the source, before the copy and after it. */
extern const struct slot_ops recheck_ops;
int baseline_prepare(struct job *job, unsigned round);
int recheck_prepare(struct job *job, unsigned round);

#endif
