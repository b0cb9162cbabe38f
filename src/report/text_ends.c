/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as text: the two ends and what goes from one to the other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/text_private.h"

static void put_name(struct page *page, const char *label, const struct endpoint *endpoint)
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

/* Appends ", text" while there is room. */
static void join(char *list, size_t size, const char *text)
{
	size_t length = strlen(list);

	if (text[0])
		snprintf(list + length, size - length, "%s%s", length ? ", " : "", text);
}

static void put_identity(struct page *page, const struct endpoint *endpoint,
			 const struct report_disk *disk)
{
	const struct identity *identity = &endpoint->identity;
	char list[512] = "", item[128], bytes[UNITS_TEXT_MAX];

	snprintf(item, sizeof(item), "%s B", units_print_count(endpoint->size, bytes));
	join(list, sizeof(list), endpoint->exists ? item : "");
	snprintf(item, sizeof(item), _("firmware %s"), identity->firmware);
	join(list, sizeof(list), identity->firmware[0] ? item : "");
	snprintf(item, sizeof(item), "WWN %s", identity->wwn);
	join(list, sizeof(list), identity->wwn[0] ? item : "");
	join(list, sizeof(list), disk->transport);
	if (list[0])
		page_field(page, "", "%s", list);
}

static void put_nodes(struct page *page, const struct endpoint *endpoint,
		      const struct report_disk *disk)
{
	const char *const nodes[] = { endpoint->sg, disk->bsg,  disk->nvme_generic, endpoint->raw,
				      disk->hctl,   disk->path, disk->by_id };
	char list[768] = "", item[64];

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		join(list, sizeof(list), nodes[i]);
	if (endpoint->logical_sector_size) {
		snprintf(item, sizeof(item), _("sectors of %u B (physical %u)"),
			 endpoint->logical_sector_size, endpoint->physical_sector_size);
		join(list, sizeof(list), item);
	}
	if (list[0])
		page_field(page, "", "%s", list);
}

void text_put_end(struct page *page, const char *label, const struct endpoint *endpoint,
		  const struct report_disk *disk, bool full)
{
	put_name(page, label, endpoint);
	if (endpoint->kind != ENDPOINT_IMAGE || full)
		put_identity(page, endpoint, disk);
	if (full)
		put_nodes(page, endpoint, disk);
}

static void put_health(struct page *page, const char *when, const struct health *health)
{
	char list[1024];

	if (health_is_known(health))
		page_item(page, "%s: %s", when, health_print(health, list, sizeof(list)));
	else if (health->why[0]) /* an image beside a disk was not asked */
		page_item(page, _("%s: unknown. %s"), when, health->why);
}

void text_put_health(struct page *page, const struct report *report)
{
	const struct {
		const char *when;
		const struct health *health;
	} lines[] = {
		{ _("source before"), &report->source.before },
		{ _("source after"), &report->source.after },
		{ _("destination before"), &report->destination.before },
		{ _("destination after"), &report->destination.after },
	};
	const size_t count = sizeof(lines) / sizeof(lines[0]);
	const char *why = "";
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		known = known || health_is_known(lines[i].health);
		why = why[0] ? why : lines[i].health->why;
	}
	/* Nothing was asked: images, practice disks. */
	if (!known && !why[0])
		return;
	fprintf(page->out, "\n %s\n", _("HEALTH (SMART)"));
	if (!known)
		page_item(page, _("unknown. %s"), why);
	for (size_t i = 0; known && i < count; i++)
		put_health(page, lines[i].when, lines[i].health);
}

void text_put_extents(struct page *page, const struct plan *plan)
{
	char bytes[UNITS_TEXT_MAX];

	if (plan->extent_count < 2)
		return;
	for (size_t i = 0; i < plan->extent_count; i++) {
		const struct extent *extent = &plan->extents[i];

		units_print_count(extent->sectors * plan->sector_size, bytes);
		page_field(page, "", _("LBA %" PRIu64 "-%" PRIu64 " -> LBA %" PRIu64 ", %s B"),
			   extent->source_lba, extent->source_lba + extent->sectors - 1,
			   extent->destination_lba, bytes);
	}
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
