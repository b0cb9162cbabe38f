/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The held areas (plan/held.h), as they were read before anything was written, kept in
 * memory: a source that dies on the way does not take its tables, boot sectors and
 * superblocks with it. A source that reads well is read again for them, so that a
 * change meanwhile is seen (verify/recheck.h); one that has failed is not asked again
 * for what is here.
 *
 * Threads: put() by one lane, while no other reads from it; get() by all lanes in later
 * passes; the rest by the coordinator while no lane runs, unless it says otherwise.
 */
#pragma once

#include "copy/stage.h"
#include "io/io.h"

struct held_memory;

/* NULL in *ret if there are no held areas. At most HELD_BYTES_MAX. -ENOMEM. */
int held_memory_new(const struct stages *stages, uint32_t sector_size, struct held_memory **ret);
void held_memory_destroy(struct held_memory *memory);

/* All areas, in sectors; the memory's. */
const struct range_list *held_memory_areas(const struct held_memory *memory);
/* Bytes of the source, in whole sectors; what lies in no area is left out. */
void held_memory_put(struct held_memory *memory, uint64_t offset, uint32_t length,
		     const void *data);
/* Answers a read of the source, if all that it asks for is here. */
bool held_memory_get(struct held_memory *memory, struct io_request *request);

/* The first run of sectors at or after this one that were read, all in one area; their bytes are
 * the memory's. False: there is none. */
bool held_memory_next(const struct held_memory *memory, uint64_t sector, struct range *ret,
		      const void **retdata);

/* What is here is taken before the source is asked. */
void held_memory_prefer(struct held_memory *memory);
/* Any thread. */
bool held_memory_is_preferred(const struct held_memory *memory);
/* Bytes that get() has given. Any thread. */
uint64_t held_memory_given(const struct held_memory *memory);
