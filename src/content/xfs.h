/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is there nothing in the journal of an XFS that was not carried out? */
#pragma once

#include "content/content.h"

/* start, size: bytes of the volume. 1: nothing; 0: there may be; negative errno. */
int xfs_log_is_clean(const struct volume *volume, uint64_t start, uint64_t size);
