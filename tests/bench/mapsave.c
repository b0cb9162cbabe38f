/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long saving a map takes, as a copy does it: printed into memory, written by
 * another thread, synced, renamed, and its directory synced.
 *
 *	mapsave FILE AREAS ROUNDS
 *
 * Prints the seconds of each round, of a map of a 20 TB disk with so many bad
 * areas. FILE must not be there yet, and is gone afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "map/map.h"

#define SIZE   (20000000000000ULL / SECTOR * SECTOR)
#define SECTOR 4096

static int fail(const struct error *error)
{
	fprintf(stderr, "mapsave: %s\n", error->sentence);
	exit(EXIT_ENVIRONMENT);
}

static struct map *make_map(uint64_t areas)
{
	const struct endpoint end = {
		.kind = ENDPOINT_DISK,
		.node = "/dev/sdx",
		.size = SIZE,
		.logical_sector_size = SECTOR,
		.physical_sector_size = SECTOR,
		.exists = true,
		.identity = { .size = SIZE, .logical_sector_size = SECTOR },
	};
	struct endpoint other = end;
	const struct plan_options options = { 0 };
	uint64_t step = SIZE / areas / SECTOR * SECTOR;
	struct error error = { 0 };
	struct plan *plan = NULL;
	struct map *map = NULL;

	snprintf(other.node, sizeof(other.node), "/dev/sdy");
	if (plan_new(&end, &other, NULL, NULL, NULL, &options, &plan, &error) < 0 ||
	    map_new(plan, &map, &error) < 0)
		fail(&error);
	if (map_set(map, 0, SIZE, MAP_FINISHED) < 0)
		fail(&error);
	for (uint64_t i = 0; i < areas; i++)
		if (map_set(map, i * step, SECTOR, MAP_BAD) < 0)
			fail(&error);
	plan_destroy(plan);
	return map;
}

static double save(const struct map *map, const char *path)
{
	const struct map_state state = { .status = MAP_NON_TRIED, .pass = 1 };
	struct file_timeout timeout = { .ns = TIMEOUT_AT_END };
	struct error error = { 0 };
	uint64_t start = clock_monotonic();

	if (map_save(map, path, &state, &timeout, &error) < 0)
		fail(&error);
	start = clock_monotonic() - start;
	file_timeout_done(&timeout);
	return (double)start / NSEC_PER_SEC;
}

int main(int argc, char **argv)
{
	uint64_t areas = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
	struct map *map;

	if (areas == 0 || areas > SIZE / SECTOR / 2 || access(argv[1], F_OK) == 0)
		return EXIT_USAGE;
	map = make_map(areas);
	for (int rounds = atoi(argv[3]); rounds > 0; rounds--)
		printf("%.4f\n", save(map, argv[1]));
	unlink(argv[1]);
	map_destroy(map);
	return EXIT_SUCCESS;
}
