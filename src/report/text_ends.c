/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: the two ends and what goes from one to the other. */
#include <inttypes.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/text_parts.h"

void text_put_endpoint(struct page *page, const char *label, const struct endpoint *endpoint)
{
	const struct identity *identity = &endpoint->identity;

	if (endpoint->kind == ENDPOINT_IMAGE)
		page_field(page, label, _("image %s"), endpoint->node);
	else if (identity->serial[0])
		page_field(page, label, _("%s  %s  S/N %s"), endpoint->node, identity->model,
			   identity->serial);
	else
		page_field(page, label, _("%s  %s  no serial"), endpoint->node, identity->model);
}

void text_put_ranges(struct page *page, const struct plan *plan)
{
	char bytes[UNITS_TEXT_MAX];
	const struct extent *extent = plan->extents;

	units_print_count(plan_bytes(plan), bytes);
	if (plan->extent_count == 1)
		page_field(page, _("range"),
			   _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"),
			   extent->source_lba, extent->source_lba + extent->sectors - 1,
			   extent->destination_lba, bytes);
	else
		page_field(page, _("ranges"),
			   P_("%zu range, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			      ", %s B in all",
			      "%zu ranges, the first at LBA %" PRIu64 " -> LBA %" PRIu64
			      ", %s B in all",
			      plan->extent_count),
			   plan->extent_count, plan->extent_count ? extent->source_lba : 0,
			   plan->extent_count ? extent->destination_lba : 0, bytes);
}
