/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reading speeds at places of a disk say. Bytes per second; 0: unknown. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds to read all of it; 0: unknown. Places are in bytes, ascending; each stands for what is
 * nearer to it than to another known one. */
double profile_whole(const double *rates, const uint64_t *places, size_t count, uint64_t size);
/* Is that place far slower than the known ones on both sides of it? */
bool profile_is_weak(const double *rates, size_t count, size_t at);
