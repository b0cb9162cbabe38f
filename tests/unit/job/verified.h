/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small disk to be copied and verified. */
#pragma once

#include "rig.h"

#define VERIFIED_SIZE    (4 * MIB)
#define VERIFIED_SECTORS (VERIFIED_SIZE / 512)

void verified_new(struct rig *rig);
/* All of it, by threads. */
void verified_plan(struct rig *rig, enum verify_choice verify, bool rewrite);
