/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A destination that takes everything, and then holds something else. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"
#include "rig.h"

/*
 * The rig's destination is `inner`, but after each good flush `spoil` is called
 * with its descriptor, until it has so many times told that it changed something.
 * One liar at a time.
 */
void lie_after_flush(struct rig *rig, const struct io_backend *inner,
		     bool (*spoil)(int fd, uint64_t lba), uint64_t lba, int times);

/* The rig's destination is that of threads, but it is so large: what is written behind that lands
 * at its beginning, and is read from there. */
void lie_about_size(struct rig *rig, uint64_t bytes);
/* Or: what is written to sector `from` lands on `to` as well, but for the first `skip` times. */
void lie_about_a_write(struct rig *rig, uint64_t from, uint64_t to, int skip);

/* Does something to the 512 bytes of that sector, and of those behind it up to the end of its
 * 4 KiB, in place. */
void spoil_bytes(int fd, uint64_t lba, void (*how)(unsigned char *sector));
/* One bit of byte 77. */
bool bit_flip(int fd, uint64_t lba);
