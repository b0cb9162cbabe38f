/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tools that are run on a copy: how they end, and what they may touch. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "after/after.h"
#include "after/resize_fs.h"
#include "base/clock.h"

static int run(const char *command, unsigned seconds, char said[static 64])
{
	const char *const argv[] = { "sh", "-c", command, NULL };

	return after_tool(argv, seconds, NULL, said, 64);
}

UNIT_CASE(.timeout = 60);

TEST(a_tool_ends_as_it_ends)
{
	char said[64];

	ck_assert_int_eq(run("echo first; echo last >&2", 60, said), 0);
	ck_assert_str_eq(said, "last");
	ck_assert_int_eq(run("printf 'no end of\\033 line'; exit 3", 60, said), 3);
	ck_assert_str_eq(said, "no end of? line");
	ck_assert_int_eq(run("kill -9 $$", 60, said), -EINTR);
}

TEST(a_missing_tool_is_missing)
{
	const char *const argv[] = { "clonedeck-no-such-tool", NULL };
	char said[64];

	ck_assert_int_eq(after_tool(argv, 60, NULL, said, sizeof(said)), -ENOENT);
}

TEST(a_tool_that_hangs_is_ended)
{
	uint64_t begun = clock_monotonic();
	char said[64];

	ck_assert_int_eq(run("exec sleep 600", 1, said), -ETIMEDOUT);
	ck_assert_int_eq(run("exec >&- 2>&-; sleep 600", 1, said), -ETIMEDOUT);
	ck_assert_uint_lt(clock_monotonic() - begun, 300 * NSEC_PER_SEC);
}

TEST(endless_output_ends_in_time)
{
	char said[64];

	ck_assert_int_eq(run("exec yes", 1, said), -ETIMEDOUT);
}

TEST(a_tool_gets_a_partition_or_nothing)
{
	const struct partition partitions[] = {
		{ .number = 1, .start = 8, .sectors = 8 },
		{ .number = 2, .start = 90, .sectors = 20 },
		{ .number = 3, .start = UINT64_MAX / 2, .sectors = 1 },
		{ .number = 4, .start = 16, .sectors = 0 }
	};
	struct after_disk disk = {
		.size = 100 * 512, .sector_size = 512, .partitions = partitions, .count = 4
	};
	uint64_t start, length;

	ck_assert(after_range(&disk, 1, &start, &length));
	ck_assert_uint_eq(start, 8 * 512);
	ck_assert_uint_eq(length, 8 * 512);
	ck_assert(!after_range(&disk, 2, &start, &length));
	ck_assert(!after_range(&disk, 3, &start, &length));
	ck_assert(!after_range(&disk, 4, &start, &length));
	disk.count = 0;
	ck_assert(!after_range(&disk, 1, &start, &length));
	ck_assert(!after_range(&disk, 0, &start, &length));
	disk.table = 90 * 512;
	ck_assert(after_range(&disk, 0, &start, &length));
	ck_assert_uint_eq(start, 0);
	ck_assert_uint_eq(length, 90 * 512);
}

/* They stand in commands to paste. */
TEST(a_partition_is_called_as_linux_calls_it)
{
	struct plan plan = { .destinations[0] = { .kind = ENDPOINT_DISK, .node = "/dev/sdb" } };
	char node[80];

	ck_assert_str_eq(grow_fs_node(&plan, 2, node, sizeof(node)), "/dev/sdb2");
	strcpy(plan.destinations[0].node, "/dev/nvme0n1");
	ck_assert_str_eq(grow_fs_node(&plan, 2, node, sizeof(node)), "/dev/nvme0n1p2");
	strcpy(plan.destinations[0].node, "/srv/my disk.img");
	plan.destinations[0].kind = ENDPOINT_IMAGE;
	ck_assert_str_eq(grow_fs_node(&plan, 2, node, sizeof(node)), "PARTITION");
}

TEST(steps_beyond_the_last_are_told)
{
	struct after_steps steps = { 0 };

	for (int i = 0; i < AFTER_STEPS_MAX; i++)
		ck_assert_ptr_nonnull(after_add(&steps, 1, "%d", i));
	ck_assert(!steps.more);
	ck_assert_ptr_null(after_add(&steps, 1, "one more"));
	ck_assert(steps.more);
}
