/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a map file. What is taken must be sound, and survive being saved. */
#include "replay.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "map/map.h"

static const enum map_status all[] = { MAP_NON_TRIED, MAP_NON_TRIMMED, MAP_NON_SCRAPED, MAP_BAD,
				       MAP_FINISHED };

#define STATUSES (sizeof(all) / sizeof(all[0]))

/* Blocks in order, none empty, none twice, sums as told. */
static void check_blocks(const struct map *map)
{
	for (size_t s = 0; s < STATUSES; s++) {
		uint64_t pos = 0, bytes = 0;
		size_t areas = 0;
		struct map_block block;

		while (map_next(map, pos, all[s], &block)) {
			FUZZ_CHECK(block.size > 0 && block.start >= pos);
			FUZZ_CHECK(block.start + block.size > block.start);
			pos = block.start + block.size;
			bytes += block.size;
			areas++;
		}
		FUZZ_CHECK(bytes == map_bytes(map, all[s]));
		FUZZ_CHECK(areas == map_areas(map, all[s]));
	}
}

static void check_plan(const struct map *map, const struct plan *plan)
{
	uint64_t total = 0;

	for (size_t s = 0; s < STATUSES; s++)
		total += map_bytes(map, all[s]);
	FUZZ_CHECK(total == plan_bytes(plan));
	/* The names of files may hold anything, all else only what can be shown. */
	FUZZ_CHECK(plan->source.node[0] == '/' && plan->destinations[0].node[0] == '/');
	for (const char *c = plan->source.identity.model; *c; c++)
		FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f);
}

static void check_saved(const struct map *map, const struct plan *plan)
{
	char path[64], a[9], b[9];
	struct map *again = NULL;
	struct plan *plan_again = NULL;

	snprintf(path, sizeof(path), "/tmp/clonedeck-fuzz-map-%d", (int)getpid());
	FUZZ_CHECK(map_save(map, path, &(struct map_state){ 0, '?', 1 }, NULL, NULL) == 0);
	FUZZ_CHECK(map_load(path, &again, &plan_again, NULL) == 0);
	unlink(path);
	FUZZ_CHECK(!plan == !plan_again);
	if (plan) {
		FUZZ_CHECK(!strcmp(plan_id(plan, a), plan_id(plan_again, b)));
		FUZZ_CHECK(!strcmp(plan->source.node, plan_again->source.node));
		FUZZ_CHECK(!strcmp(plan->destinations[0].node, plan_again->destinations[0].node));
	}
	for (size_t s = 0; s < STATUSES; s++)
		FUZZ_CHECK(map_bytes(map, all[s]) == map_bytes(again, all[s]));
	map_destroy(again);
	plan_destroy(plan_again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct map *map = NULL;
	struct plan *plan = NULL;
	struct error error = { 0 };
	char path[64];
	int r;

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = map_load(path, &map, &plan, &error);
	close(fd);
	if (r < 0) {
		FUZZ_CHECK(!map && !plan && error.code == r && error.sentence[0]);
		return 0;
	}
	check_blocks(map);
	if (plan)
		check_plan(map, plan);
	check_saved(map, plan);
	map_destroy(map);
	plan_destroy(plan);
	return 0;
}
