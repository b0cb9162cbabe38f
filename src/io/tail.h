/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tail of a destination file, its last 64 KiB or less. If another program cuts off
 * the file in the moment between a look at its size and a write up to its end, that
 * write would make it as long as before, with a hole where something was copied, and
 * nothing would ever show it. So the tail is written through a mapping, which never
 * makes a file longer: one that was cut off stays too short (io_is_shortened()).
 */
#ifndef CLONEDECK_IO_TAIL_H
#define CLONEDECK_IO_TAIL_H

#include "io/io.h"

/* Where in bytes [from, to) of the request the tail begins; `to` if they do not reach it, or do not
 * go to a file. */
uint32_t tail_begin(const struct io_end *end, const struct io_request *request, uint32_t from,
		    uint32_t to);
/* Writes bytes [from, to) of the request, all in the tail, to the device and adds them to
 * request->done. 0 or negative errno; -EBADFD: the file was cut off. */
int tail_write(const struct io_end *end, struct io_request *request, uint32_t from, uint32_t to);

#endif
