/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A damaged disk on paper: it has no data and takes no time, and only notes what was rescued
 * when its first, second, third... read failed. A disk that dies of so many failed reads would
 * have given that much. Requests complete in the order in which they were sent; each lane has a
 * handle of its own.
 */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "io/io.h"

#define PAPER_SECTOR 512u

struct paper {
	struct io_backend backend; /* hand out the address of this one; must stay first */
	pthread_mutex_t lock;
	uint64_t size;      /* bytes */
	uint8_t *bad, *got; /* of each sector, 0 or 1 */
	uint64_t grows; /* sectors that follow the first bad one and go bad with each failed read */
	uint64_t rescued; /* bytes */
	uint64_t *failed; /* bytes that were rescued by the time of each failed read */
	size_t failures;
	size_t most; /* there is room for so many; further ones are not noted */
};

/* All of it can be read. Ends the test where there is no memory. */
void paper_new(struct paper *paper, uint64_t size, size_t most);
void paper_done(struct paper *paper);
/* Bytes. */
void paper_damage(struct paper *paper, uint64_t start, uint64_t length);
/* True: all of it could be read. It is noted in any case. Any thread. */
bool paper_read(struct paper *paper, uint64_t offset, uint64_t length);
/* Bytes that a disk gives that dies of so many failed reads. */
uint64_t paper_after(const struct paper *paper, size_t failures);
