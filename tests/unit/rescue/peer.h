/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In which order GNU ddrescue reads a damaged disk (its manual, "Algorithm"), on paper: clusters of
 * 64 KiB; forwards with skips that double with each failure in a row; backwards and twice more up
 * to the first failure of each area, then the rest, then the edges of what failed, then the rest
 * of that sector by sector.
 */
#pragma once

#include "paper.h"

/* Up to so many failed reads. */
void peer_rescue(struct paper *paper, size_t most);
