/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smallest loop that copies through two backends: what the tests of the
 * backends compare disks with, and what the benchmark of the backends times.
 * The real one, with map, errors and pauses, is src/copy.
 */
#pragma once

#include "io/backends.h"
#include "io/io.h"

enum miniloop_mode {
	MINILOOP_COPY,
	MINILOOP_READ,  /* source only */
	MINILOOP_WRITE, /* destination only, whatever the buffers hold */
	MINILOOP_BOTH,  /* reads and writes at once that do not wait for each other */
};

struct miniloop {
	struct io_end source, destination; /* sizes as opened */
	struct io_choice choice;
	enum miniloop_mode mode;
	uint64_t length; /* bytes from the start; need not be a multiple of the chunk */
};

/* Opens path O_DIRECT (or not) and fills in what the kernel says. -errno. */
int miniloop_open(const char *path, bool writable, bool direct, struct io_end *ret);
void miniloop_close(struct io_end *end);

/* 0, or the first failure; *reterr says where. Flushes the destination. */
int miniloop_run(const struct miniloop *loop, struct error *reterr);
