/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The map: which bytes of the source are copied, to do, or bad. Its file is
 * GNU ddrescue's mapfile (manual, chapter "Mapfile structure"), so ddrescue,
 * ddrescuelog and ddrescueview read ours and we read theirs; what belongs to
 * us alone (identities, sector sizes, the plan) goes into comment lines.
 *
 * Units: bytes of the source's node. Sorted, complete, adjacent equal blocks
 * merged: a healthy copy of any size needs a handful of blocks. One owner
 * thread (or the caller's lock).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "map/map_held.h"
#include "plan/plan.h"

enum map_status {
	MAP_NON_TRIED = '?',
	MAP_NON_TRIMMED = '*',
	MAP_NON_SCRAPED = '/',
	MAP_BAD = '-',
	MAP_FINISHED = '+',
};

struct map_block {
	uint64_t start, size; /* bytes */
	enum map_status status;
};

/* The status line of the file. */
struct map_state {
	uint64_t pos;  /* bytes of the source */
	char status;   /* ddrescue's letter: that of the blocks it works on; '+': finished */
	unsigned pass; /* from 1; copying has five, retrying as many as were asked for */
};

struct map;

/* Everything that the plan copies non-tried; the rest, and with it the free places that are left
 * out, is outside the map's domain. */
int map_new(const struct plan *plan, struct map **ret, struct error *reterr);
void map_destroy(struct map *map);
DEFINE_CLEANUP(map, struct map *, map_destroy)
int map_copy(const struct map *from, struct map **ret, struct error *reterr);

/* Makes room for that many more blocks, so that map_set(), which adds at most two, cannot fail.
 * -ENOMEM. */
int map_reserve(struct map *map, size_t more);
/* Gives back what room there is beyond that for so many more. */
void map_trim(struct map *map, size_t more);
/* -ENOMEM, -ERANGE outside the domain. */
int map_set(struct map *map, uint64_t start, uint64_t size, enum map_status status);
/* The first block of `status` at or after *pos; false when there is none. */
bool map_next(const struct map *map, uint64_t pos, enum map_status status, struct map_block *ret);
/* The first block, of any status, that ends after pos; false when there is none. */
bool map_at(const struct map *map, uint64_t pos, struct map_block *ret);
/* Adds all blocks of this status to a list, counted in units of so many bytes. -ENOMEM. */
int map_list(const struct map *map, enum map_status status, uint32_t unit, struct range_list *ret);
uint64_t map_bytes(const struct map *map, enum map_status status);
size_t map_areas(const struct map *map, enum map_status status);
/* Contiguous areas of non-trimmed, non-scraped and bad: what ddrescue calls bad areas. */
size_t map_damaged_areas(const struct map *map);
/* Counts the edges between these and finished blocks that are at multiples of `unit` bytes, and
 * those that are not. */
void map_edges(const struct map *map, uint32_t unit, size_t *reton, size_t *retoff);
/* Takes over what another map calls finished, within both domains and in whole units of
 * `alignment` bytes, since other programs cut their maps elsewhere. -ENOMEM. */
int map_take_finished(struct map *map, const struct map *from, uint32_t alignment);
/* All that a copy takes over from the map that it resumes, into a new one of this plan, of which it
 * has the domain. unit: bytes of the destination's sectors. -ENOMEM. */
int map_resume(struct map *map, const struct plan *plan, const struct map *from, uint32_t unit);
/* The plan that it was made for, as recorded; NULL: another program's map. */
const struct plan *map_plan(const struct map *map);
/* What is recorded of the held areas; the map's. To be changed as the blocks are. */
const struct map_held *map_held(const struct map *map);
/* These areas are zeros on the medium now, and nothing of them is armed. -ENOMEM. */
int map_set_wiped(struct map *map, const struct range_list *areas);
/* What of [start, end) is finished is to be copied again: it is not empty. -ENOMEM. */
int map_forget(struct map *map, uint64_t start, uint64_t end);
/* The free places that are left out, up to this LBA, are cleared. */
void map_set_cleared(struct map *map, uint64_t lba);
/* What was wiped is about to be written. */
void map_set_arming(struct map *map);
/* The first readings of the source; count 0: none count any more. -ENOMEM. */
int map_set_first(struct map *map, const struct map_reading *first, size_t count);
/* Takes over all of that. -ENOMEM. */
int map_take_held(struct map *map, const struct map *from);
/* One letter per cell over [start, start + size): the worst status in it ('-' before '/',
 * '*', '?' before '+'), '.' for cells outside the domain, and a NUL. */
void map_cells(const struct map *map, uint64_t start, uint64_t size, int cells, char *out);

/* Replaces the file as file_replace() does: the old one stays until the new one is safe. */
int map_save(const struct map *map, const char *path, const struct map_state *state,
	     struct file_timeout *timeout, struct error *reterr);

/*
 * Loads a map file. With ours, *retplan (may be NULL) is the plan rebuilt from
 * its comments, its endpoints as recorded (node names are hints only, identity
 * decides); with a foreign map *retplan is NULL. -EINVAL with the line number
 * for anything that ddrescue would refuse, and for numbers that overflow,
 * overlapping or reversed blocks, and files over 256 MiB.
 */
int map_load(const char *path, struct map **ret, struct plan **retplan, struct error *reterr);
