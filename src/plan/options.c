/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be asked of the copy: chunk, depth and lanes within their bounds. */
#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "plan/plan.h"

static const char *const sg_data_names[] = {
	[SG_DATA_DIRECT] = "direct",
	[SG_DATA_INDIRECT] = "indirect",
	[SG_DATA_MMAP] = "mmap",
};

static const char *const verify_names[] = {
	[VERIFY_DIGEST] = "digest",   [VERIFY_ROLLING] = "rolling", [VERIFY_AFTER] = "after",
	[VERIFY_COMPARE] = "compare", [VERIFY_OFF] = "off",
};

static int find_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return (int)i;
	return -EINVAL;
}

const char *plan_sg_data_name(enum sg_data data)
{
	return sg_data_names[data];
}

int plan_sg_data_parse(const char *name, enum sg_data *ret)
{
	int i = find_name(sg_data_names, sizeof(sg_data_names) / sizeof(sg_data_names[0]), name);

	if (i < 0)
		return i;
	*ret = (enum sg_data)i;
	return 0;
}

const char *plan_verify_name(enum verify_choice verify)
{
	return verify_names[verify];
}

int plan_verify_parse(const char *name, enum verify_choice *ret)
{
	int i = find_name(verify_names, sizeof(verify_names) / sizeof(verify_names[0]), name);

	if (i < 0)
		return i;
	*ret = (enum verify_choice)i;
	return 0;
}

static int check_multiple(uint32_t chunk, const struct endpoint *endpoint, struct error *reterr)
{
	uint32_t sector = endpoint->logical_sector_size;
	char size[UNITS_TEXT_MAX];

	if (sector == 0 || chunk % sector == 0)
		return 0;
	return error_set(
		reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", endpoint->node,
		_("The chunk of %s bytes is no multiple of the sectors of %s, which have %u "
		  "bytes."),
		units_print_count(chunk, size), endpoint->node, sector);
}

int plan_options_check(const struct plan_options *options, const struct endpoint *source,
		       const struct endpoint *destination, struct error *reterr)
{
	uint32_t chunk = options->chunk;
	char size[UNITS_TEXT_MAX];

	if (options->queue_depth > PLAN_DEPTH_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("A queue depth of %u is too much: 1 to %u are possible."),
				 options->queue_depth, PLAN_DEPTH_MAX);
	if (options->lanes > PLAN_LANES_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("%u lanes are too many: 1 to %u are possible."), options->lanes,
				 PLAN_LANES_MAX);
	if (chunk == 0)
		return 0;
	if (chunk < PLAN_CHUNK_MIN || chunk > PLAN_CHUNK_MAX)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", NULL,
				 _("A chunk of %s bytes is not possible: it must have at least 512 "
				   "bytes and at most 8 MiB."),
				 units_print_count(chunk, size));

	int error = check_multiple(chunk, source, reterr);

	return error < 0 ? error : check_multiple(chunk, destination, reterr);
}
