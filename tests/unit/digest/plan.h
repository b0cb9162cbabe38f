/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans for the tests of digests. */
#pragma once

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/plan.h"

static inline struct plan *test_plan(const struct extent *extents, size_t count, uint64_t sectors)
{
	struct endpoint source = {
		.kind = ENDPOINT_DISK,
		.node = "/dev/sda",
		.disk_node = "/dev/sda",
		.identity = { .serial = "A", .size = sectors * 512, .logical_sector_size = 512 },
		.size = sectors * 512,
		.logical_sector_size = 512,
		.physical_sector_size = 512,
		.exists = true,
	};
	struct endpoint destination = source;
	struct plan *plan = NULL;

	snprintf(destination.node, sizeof(destination.node), "/dev/sdb");
	snprintf(destination.disk_node, sizeof(destination.disk_node), "/dev/sdb");
	snprintf(destination.identity.serial, sizeof(destination.identity.serial), "B");
	ck_assert_int_eq(
		plan_from_extents(&source, &destination, extents, count, NULL, NULL, &plan, NULL),
		0);
	return plan;
}

static inline uint32_t test_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

static inline void test_noise(unsigned char *data, size_t length, uint64_t seed)
{
	for (size_t i = 0; i < length; i++)
		data[i] = (unsigned char)test_random(&seed);
}
