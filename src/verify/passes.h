/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lanes do in the passes that read back, compare and look again. */
#pragma once

#include "copy/copy.h"

/* Reads the destination back. */
extern const struct slot_ops verify_ops;
/* Reads both ends. */
extern const struct slot_ops compare_ops;
/* Reads some of the source, before the copy and after it. */
extern const struct slot_ops recheck_ops;
uint32_t recheck_depth(const struct lane *lane);
void recheck_inspect(struct lane *lane, struct slot *slot);
bool recheck_report(struct lane *lane, struct slot *slot);
/* The final look. look_begin() counts the bytes of its marks as work; look_end() judges them. */
extern const struct slot_ops look_ops;
void look_begin(struct verification *v);
void look_end(struct verification *v);
