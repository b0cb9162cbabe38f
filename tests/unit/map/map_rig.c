/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "map_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "plan/options.h"

char map_dir[64], map_path[128];

void map_rig_make_dir(void)
{
	strcpy(map_dir, "/var/tmp/clonedeck-map-XXXXXX");
	if (!mkdtemp(map_dir))
		abort();
	snprintf(map_path, sizeof(map_path), "%s/map", map_dir);
}

void map_rig_remove_dir(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", map_dir);
	if (system(command))
		abort();
}

struct plan *map_rig_plan(const struct extent *extents, size_t count)
{
	struct endpoint a = {
		.kind = ENDPOINT_PARTITION,
		.node = "/dev/sda2",
		.disk_node = "/dev/sda",
		.sg = "/dev/sg0",
		.identity = { .model = "Odd  \xc3\xbc % = # name",
			      .serial = "S 1",
			      .wwn = "0x5000",
			      .volume = "LVM-a b",
			      .size = 1ULL << 50,
			      .logical_sector_size = 512,
			      .nsid = 3,
			      .diskseq = 7 },
		.devno = 2050,
		.partition = 2,
		.start = 1 << 20,
		.size = 1ULL << 46,
		.logical_sector_size = 512,
		.physical_sector_size = 4096,
		.exists = true,
	};
	struct endpoint b = { .kind = ENDPOINT_IMAGE, .node = "/srv/a b.img" };
	struct plan_options options = { .chunk = 65536,
					.retries = 5,
					.rate = 123456789,
					.on_error = ON_ERROR_MAP,
					.on_write_error = ON_ERROR_MAP,
					.fill = FILL_LEAVE,
					.retry_passes = 1,
					.slow_limit = 2,
					.max_bad_areas = 3,
					.max_read_errors = 4,
					.max_error_rate = 5000000000,
					.max_no_read = 6,
					.checksums = 1U << CHECKSUM_SHA256 | 1U << CHECKSUM_BLAKE2B,
					.source_backend = BACKEND_THREADS };
	struct plan *plan = NULL;
	struct error error = { 0 };

	ck_assert_msg(plan_from_extents(&a, &b, extents, count, NULL, &options, &plan, &error) == 0,
		      "%s", error.sentence);
	return plan;
}

void map_rig_save(const struct map *map, char state)
{
	struct error error = { 0 };

	ck_assert_msg(
		map_save(map, map_path, &(struct map_state){ 0x1234, state, 2 }, NULL, &error) == 0,
		"%s", error.sentence);
}
