/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts: the two ends and what goes from one to the other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "report/facts.h"

/* Appends ", text" while there is room. */
static void join(char *list, size_t size, const char *text)
{
	size_t length = strlen(list);

	if (text[0])
		snprintf(list + length, size - length, "%s%s", length ? ", " : "", text);
}

static void name_end(const struct endpoint *endpoint, char *buffer, size_t size)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->kind == ENDPOINT_IMAGE)
		snprintf(buffer, size, _("image %s"), endpoint->node);
	else if (identity->serial[0])
		snprintf(buffer, size, _("%s  %s  S/N %s"), endpoint->node, identity->model,
			 identity->serial);
	else
		snprintf(buffer, size, _("%s  %s  no serial"), endpoint->node, identity->model);
}

static void list_identity(const struct endpoint *endpoint, const struct report_disk *disk,
			  char *list, size_t size)
{
	const struct identity *identity = &endpoint->identity;
	char item[128], bytes[UNITS_TEXT_MAX];

	snprintf(item, sizeof(item), "%s B", units_print_count(endpoint->size, bytes));
	join(list, size, endpoint->exists ? item : "");
	snprintf(item, sizeof(item), _("firmware %s"), identity->firmware);
	join(list, size, identity->firmware[0] ? item : "");
	snprintf(item, sizeof(item), "WWN %s", identity->wwn);
	join(list, size, identity->wwn[0] ? item : "");
	join(list, size, disk->transport);
}

static void list_nodes(const struct endpoint *endpoint, const struct report_disk *disk, char *list,
		       size_t size)
{
	const char *const nodes[] = { endpoint->sg, disk->bsg,  disk->nvme_generic, endpoint->raw,
				      disk->hctl,   disk->path, disk->by_id };
	char item[64];

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		join(list, size, nodes[i]);
	if (endpoint->logical_sector_size) {
		snprintf(item, sizeof(item), _("sectors of %u B (physical %u)"),
			 endpoint->logical_sector_size, endpoint->physical_sector_size);
		join(list, size, item);
	}
}

static bool end_line(const struct endpoint *endpoint, const struct report_disk *disk, bool full,
		     size_t index, struct fact_line *ret)
{
	switch (index) {
	case 0:
		name_end(endpoint, ret->text, sizeof(ret->text));
		return true;
	case 1:
		if (full || endpoint->kind != ENDPOINT_IMAGE)
			list_identity(endpoint, disk, ret->text, sizeof(ret->text));
		return true;
	case 2:
		if (full)
			list_nodes(endpoint, disk, ret->text, sizeof(ret->text));
		return true;
	default:
		return false;
	}
}

bool report_source_line(const struct report *report, bool full, size_t index, struct fact_line *ret)
{
	return end_line(&report->plan->source, &report->source, full, index, ret);
}

bool report_destination_line(const struct report *report, bool full, size_t index,
			     struct fact_line *ret)
{
	return end_line(&report->plan->destinations[0], &report->destination, full, index, ret);
}

static void name_extent(const struct plan *plan, const struct extent *extent, char *buffer,
			size_t size)
{
	char bytes[UNITS_TEXT_MAX];

	snprintf(buffer, size, _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"),
		 extent->source_lba, extent->source_lba + extent->sectors - 1,
		 extent->destination_lba,
		 units_print_count(extent->sectors * plan->sector_size, bytes));
}

/* A single range in full; of several how many they are, and then each of them. */
bool report_range_line(const struct report *report, bool full, size_t index, struct fact_line *ret)
{
	const struct plan *plan = report->plan;
	size_t count = plan->extent_count;
	char bytes[UNITS_TEXT_MAX];

	if (count == 1 || index > 0) {
		size_t at = count == 1 ? 0 : index - 1;

		if (count == 1 ? index > 0 : !full || at >= count)
			return false;
		name_extent(plan, &plan->extents[at], ret->text, sizeof(ret->text));
		return true;
	}
	ret->label = _("ranges");
	snprintf(ret->text, sizeof(ret->text),
		 P_("%zu range, the first at LBA %" PRIu64 " -> LBA %" PRIu64 ", %s B in all",
		    "%zu ranges, the first at LBA %" PRIu64 " -> LBA %" PRIu64 ", %s B in all",
		    count),
		 count, count ? plan->extents->source_lba : 0,
		 count ? plan->extents->destination_lba : 0,
		 units_print_count(plan_bytes(plan), bytes));
	return true;
}
