/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lane's buffers: one arena, aligned to 2 MiB and advised for huge pages, cut
 * into equal slots. Huge pages matter: with 4 KiB pages a 1 MiB direct request
 * exceeds the segment limit of many queues and is split.
 *
 * One owner thread. The arena is touched once when it is made.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct io_buffers;

/* size: bytes of one buffer, a multiple of 512; every slot is aligned to at least 4 KiB. */
int io_buffers_new(unsigned count, uint32_t size, struct io_buffers **ret, struct error *reterr);
void io_buffers_destroy(struct io_buffers *buffers); /* NULL is fine */

/* Hands out each buffer once, for good; NULL: all are taken. */
void *io_buffers_get(struct io_buffers *buffers);
uint32_t io_buffers_size(const struct io_buffers *buffers);
/* The whole arena, for registration. */
void *io_buffers_arena(const struct io_buffers *buffers, size_t *retsize);
