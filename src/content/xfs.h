/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Was all that stands in the journal of an XFS carried out? */
#pragma once

#include "content/content.h"

/* start, size: bytes of the volume. 1: yes; 0: perhaps not; negative errno. */
int xfs_log_is_clean(const struct volume *volume, uint64_t start, uint64_t size);
