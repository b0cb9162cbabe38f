/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The name of a plan: a digest of what it does. Left out is what changes while
 * the plan stays the same: node names of disks that have a better identity,
 * device numbers, inodes and sizes of files that the copy itself makes.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "plan/plan.h"

/* Each field seeds the next, so that no two sequences of fields look alike. */
static uint64_t mix_number(uint64_t digest, uint64_t value)
{
	uint64_t bytes = htole64(value);

	return XXH3_64bits_withSeed(&bytes, sizeof(bytes), digest);
}

static uint64_t mix_text(uint64_t digest, const char *text)
{
	return XXH3_64bits_withSeed(text, strlen(text) + 1, digest);
}

static uint64_t mix_endpoint(uint64_t digest, const struct endpoint *endpoint, bool source)
{
	const struct identity *identity = &endpoint->identity;
	bool image = endpoint->kind == ENDPOINT_IMAGE;

	digest = mix_number(digest, (uint64_t)endpoint->kind);
	digest = mix_text(digest, identity->model);
	digest = mix_text(digest, identity->serial);
	digest = mix_text(digest, identity->wwn);
	if (identity->nsid)
		digest = mix_number(digest, identity->nsid);
	if (image)
		digest = mix_text(digest, endpoint->node);
	else if (!identity->serial[0] && !identity->wwn[0])
		digest = mix_text(digest, endpoint->gone[0] ? endpoint->gone : endpoint->disk_node);
	if (!image)
		digest = mix_number(digest, identity->size);
	if (source || !image)
		digest = mix_number(digest, endpoint->size);
	digest = mix_number(digest, endpoint->start);
	return mix_number(digest, endpoint->logical_sector_size);
}

const char *plan_id(const struct plan *plan, char buffer[static 9])
{
	uint64_t digest = mix_endpoint(0, &plan->source, true);

	for (size_t i = 0; i < plan->destination_count; i++)
		digest = mix_endpoint(digest, &plan->destinations[i], false);
	digest = mix_number(digest, plan->sector_size);
	for (size_t i = 0; i < plan->extent_count; i++) {
		digest = mix_number(digest, plan->extents[i].source_lba);
		digest = mix_number(digest, plan->extents[i].destination_lba);
		digest = mix_number(digest, plan->extents[i].sectors);
	}
	if (plan->free_places)
		digest = mix_number(mix_number(digest, plan->free_places->digest),
				    plan_left_out(plan) ? (uint64_t)plan->options.free : 0);
	for (size_t i = 0; i < plan->fitted.count; i++)
		digest = XXH3_64bits_withSeed(plan->fitted.units[i].bytes, FITTED_UNIT,
					      mix_number(digest, plan->fitted.units[i].at));
	snprintf(buffer, 9, "%08x", (unsigned)(digest >> 32 ^ (digest & UINT32_MAX)));
	return buffer;
}
