/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A whole disk to copy, with held areas. */
#pragma once

#include "plan/held.h"
#include "rig.h"

#define WHOLE_SIZE   (16 * MIB)
#define WHOLE_SECTOR 512U
#define WHOLE_MARK   (WHOLE_SIZE - 8192) /* of a member */

extern struct rig rig;
extern struct held held;

/* A table with two partitions, over an old disk that had one. `rate`: bytes a second, 0: all. */
void whole_prepare(uint64_t rate);
/* The same, with the table or without, and as a whole a member of something, by WHOLE_MARK. */
void whole_prepare_member(bool table);
void whole_teardown(void);

#define SCRIBBLE '\xa5' /* what the rig puts on a destination */

/* Are all bytes there, as far as the sector they end in, of that value? */
bool whole_is_all(char value, uint64_t offset, uint64_t length);
