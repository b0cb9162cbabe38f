/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "copy/held_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct held_memory {
	struct range_list areas; /* sectors */
	uint32_t sector;         /* bytes */
	uint8_t *data;           /* of all areas, one behind the other */
	bool *there;             /* of each of their sectors: was it read? */
	bool preferred;
	atomic_ullong given;
};

int held_memory_new(const struct stages *stages, uint32_t sector_size, struct held_memory **ret)
{
	struct held_memory *memory;
	uint64_t sectors;
	int r = 0;

	*ret = NULL;
	if (stages->count < 2)
		return 0;
	memory = calloc(1, sizeof(*memory));
	if (!memory)
		return -ENOMEM;
	memory->sector = sector_size;
	for (unsigned s = 1; r == 0 && s < stages->count; s++)
		r = range_list_add_all(&memory->areas, &stages->domain[s]);
	sectors = range_list_total(&memory->areas);
	memory->there = calloc(sectors + 1, sizeof(*memory->there));
	/* The kernel gives pages only as they are filled. */
	memory->data = calloc(sectors + 1, sector_size);
	if (r < 0 || !memory->there || !memory->data) {
		held_memory_destroy(memory);
		return -ENOMEM;
	}
	*ret = memory;
	return 0;
}

void held_memory_destroy(struct held_memory *memory)
{
	if (!memory)
		return;
	range_list_done(&memory->areas);
	free(memory->there);
	free(memory->data);
	free(memory);
}

const struct range_list *held_memory_areas(const struct held_memory *memory)
{
	return &memory->areas;
}

/* Where in memory a sector of the source is. */
static bool find(const struct held_memory *memory, uint64_t sector, uint64_t *ret)
{
	uint64_t before = 0;

	for (size_t i = 0; i < memory->areas.count; i++) {
		const struct range *area = &memory->areas.items[i];

		if (sector >= area->start && sector - area->start < area->count) {
			*ret = before + (sector - area->start);
			return true;
		}
		before += area->count;
	}
	return false;
}

void held_memory_put(struct held_memory *memory, uint64_t offset, uint32_t length, const void *data)
{
	const uint8_t *from = data;
	uint32_t size = memory->sector;
	uint64_t at;

	for (uint32_t n = 0; n < length / size; n++) {
		if (!find(memory, offset / size + n, &at))
			continue;
		memcpy(memory->data + at * size, from + (size_t)n * size, size);
		memory->there[at] = true;
	}
}

bool held_memory_get(struct held_memory *memory, struct io_request *request)
{
	uint32_t size = memory->sector, count = request->length / size;
	uint64_t first = request->offset / size, at;

	for (uint32_t n = 0; n < count; n++)
		if (!find(memory, first + n, &at) || !memory->there[at])
			return false;
	for (uint32_t n = 0; n < count; n++)
		if (find(memory, first + n, &at))
			memcpy((uint8_t *)request->buffer + (size_t)n * size,
			       memory->data + at * size, size);
	request->result = 0;
	request->done = request->length;
	request->submitted = request->completed = clock_monotonic();
	atomic_fetch_add(&memory->given, request->length);
	return true;
}

bool held_memory_next(const struct held_memory *memory, uint64_t sector, struct range *ret,
		      const void **retdata)
{
	uint64_t before = 0;

	for (size_t i = 0; i < memory->areas.count; i++) {
		const struct range *area = &memory->areas.items[i];
		uint64_t at = sector > area->start ? sector - area->start : 0, end;

		while (at < area->count && !memory->there[before + at])
			at++;
		for (end = at; end < area->count && memory->there[before + end];)
			end++;
		if (at < area->count) {
			*ret = (struct range){ area->start + at, end - at };
			*retdata = memory->data + (before + at) * memory->sector;
			return true;
		}
		before += area->count;
	}
	return false;
}

void held_memory_prefer(struct held_memory *memory)
{
	memory->preferred = true;
}

bool held_memory_is_preferred(const struct held_memory *memory)
{
	return memory->preferred;
}

uint64_t held_memory_given(const struct held_memory *memory)
{
	return atomic_load(&memory->given);
}
