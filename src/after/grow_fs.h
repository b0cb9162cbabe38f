/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file system in a partition that has grown is made as large by its own tool. */
#ifndef CLONEDECK_AFTER_GROW_FS_H
#define CLONEDECK_AFTER_GROW_FS_H

#include "base/log.h"
#include "plan/plan.h"

/*
 * Of the copy that was made by this plan, on the disk that its destination still is: checked,
 * grown, checked again, with what the tools say in the log. Nobody else may have the disk open.
 * ret->fs and ret->node are set in any case, the node to "" where the partition has none.
 */
void grow_fs(const struct plan *plan, const char *fs, struct log *log, struct grown_fs *ret);
/* The partition of the destination that has grown, as Linux calls it. */
const char *grow_fs_node(const struct plan *plan, char *buffer, size_t size);
/* What to type to do so; "" not known for this file system. */
const char *grow_fs_by_hand(const char *fs, const char *node, char *buffer, size_t size);

#endif
