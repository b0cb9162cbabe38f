/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disk with bad sectors to be copied, and what is left of it in the end. */
#pragma once

#include "rig.h"

/* Goes on at a bad sector. */
extern const struct plan_options damaged_options;

/* All of a disk of `size` bytes; the two lowest bits of `way` choose the backends of its ends. */
void damaged_new(struct rig *rig, int way, uint64_t size, const struct plan_options *options);
/* times 0: for ever. */
void damaged_fail_reads(struct rig *rig, uint64_t lba, uint64_t sectors, unsigned times, int code);
/* All of these, for ever. */
void damaged_fail(struct rig *rig, const struct range *bad, size_t count);
/* So many have failed, as the disk itself counted them. */
uint64_t damaged_failed_reads(const struct rig *rig);
/* NULL where the copy had none. */
const struct job_pass *damaged_pass(const struct job_snapshot *s, enum pass_kind kind);
/* Just these sectors are bad, as the map says; all others have come over. */
void damaged_check(struct rig *rig, const struct range *bad, size_t count);
