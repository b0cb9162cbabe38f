/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "damaged.h"

#include <check.h>
#include <errno.h>

const struct plan_options damaged_options = { .chunk = 256 * KIB,
					      .on_error = ON_ERROR_MAP,
					      .retries = 3 };

void damaged_new(struct rig *rig, int way, uint64_t size, const struct plan_options *options)
{
	static const struct io_backend *const backends[] = { &io_uring_backend,
							     &io_threads_backend };

	rig_new(rig, size, 512);
	rig_plan(rig, NULL, 0, NULL, options);
	rig_faults(rig, backends[way & 1], backends[way >> 1 & 1]);
	rig->setup.map_path = rig->map_path;
}

void damaged_fail_reads(struct rig *rig, uint64_t lba, uint64_t sectors, unsigned times, int code)
{
	rig_fault(rig, .kind = FAULT_FAIL, .on = FAULT_READS, .start = lba * 512,
		  .length = sectors * 512, .times = times, .code = code);
}

void damaged_fail(struct rig *rig, const struct range *bad, size_t count)
{
	for (size_t i = 0; i < count; i++)
		damaged_fail_reads(rig, bad[i].start, bad[i].count, 0, -EIO);
}

uint64_t damaged_failed_reads(const struct rig *rig)
{
	return fault_script_counts(rig->source_script).faults;
}

const struct job_pass *damaged_pass(const struct job_snapshot *s, enum pass_kind kind)
{
	for (unsigned i = 0; i < s->pass_count; i++)
		if (s->passes[i].kind == kind)
			return &s->passes[i];
	return NULL;
}

void damaged_check(struct rig *rig, const struct range *bad, size_t count)
{
	struct map *map = rig_load_map(rig);
	uint64_t sectors = 0;

	for (size_t i = 0; i < count; i++) {
		struct map_block block;

		ck_assert(map_next(map, bad[i].start * 512, MAP_BAD, &block));
		ck_assert_uint_eq(block.start, bad[i].start * 512);
		ck_assert_uint_eq(block.size, bad[i].count * 512);
		sectors += bad[i].count;
	}
	ck_assert_uint_eq(map_bytes(map, MAP_BAD), sectors * 512);
	ck_assert_uint_eq(map_bytes(map, MAP_FINISHED) + sectors * 512, rig->size);
	ck_assert_uint_eq(rig_check(rig, map), rig->size - sectors * 512);
}
