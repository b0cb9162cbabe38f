/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An end that takes time and nothing else: requests are served one after another
 * at a rate, and not a byte is moved. Reading leaves what is in the buffer, which
 * is the same byte everywhere, so that what is read back is what was written. What
 * the program itself costs at that rate is all that can be seen.
 */
#pragma once

#include "io/io.h"

struct timed_backend {
	struct io_backend backend; /* hand out the address of this one; must stay first */
	uint64_t rate;             /* bytes per second */
};

/* Fills *ret; it must outlive all handles. */
void timed_backend_init(struct timed_backend *ret, uint64_t rate);
