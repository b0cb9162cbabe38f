/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate: which two disks, and how they were. */
#include <inttypes.h>

#include "base/i18n.h"
#include "base/units.h"
#include "report/html.h"

static void put_known(FILE *out, const char *label, const char *text)
{
	html_row(out, label, "%s", text[0] ? text : _("unknown"));
}

static void put_size(FILE *out, const struct endpoint *endpoint)
{
	char size[UNITS_TEXT_MAX], bytes[UNITS_TEXT_MAX];

	if (endpoint->exists)
		html_row(out, _("Size"), "%s (%s B)",
			 units_print_long(endpoint->size, UNITS_SI, 512, size),
			 units_print_count(endpoint->size, bytes));
	if (endpoint->logical_sector_size && endpoint->kind != ENDPOINT_IMAGE)
		html_row(out, _("Sectors"), _("%u B logical, %u B physical"),
			 endpoint->logical_sector_size, endpoint->physical_sector_size);
}

static void put_nodes(FILE *out, const struct endpoint *endpoint, const struct report_disk *disk)
{
	const char *const more[] = { endpoint->sg, disk->bsg, disk->nvme_generic, endpoint->raw,
				     disk->hctl };

	html_markup(out, "<tr>");
	html_element(out, "th", "%s", _("Node"));
	html_element(out, "td", "%s", endpoint->node);
	html_markup(out, "</tr>\n");
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		if (more[i][0])
			html_row(out, "", "%s", more[i]);
	if (disk->path[0])
		html_row(out, _("Attached"), "%s%s%s", disk->transport,
			 disk->transport[0] ? ", " : "", disk->path);
	else if (disk->transport[0])
		html_row(out, _("Attached"), "%s", disk->transport);
}

static void put_disk(FILE *out, const char *title, const struct endpoint *endpoint,
		     const struct report_disk *disk)
{
	const struct identity *identity = &endpoint->identity;

	html_markup(out, "<div>\n");
	html_element(out, "h2", "%s", title);
	html_markup(out, "\n<table class=\"mono\">\n");
	if (endpoint->kind == ENDPOINT_IMAGE) {
		html_row(out, _("Image file"), "%s", endpoint->node);
		put_size(out, endpoint);
	} else {
		put_known(out, _("Model"), identity->model);
		put_known(out, _("Serial no."), identity->serial);
		put_known(out, _("WWN"), identity->wwn);
		put_known(out, _("Firmware"), identity->firmware);
		if (endpoint->partition)
			html_row(out, _("Partition"), "%u", endpoint->partition);
		put_size(out, endpoint);
		put_nodes(out, endpoint, disk);
	}
	html_markup(out, "</table>\n</div>\n");
}

void html_put_disks(FILE *out, const struct report *report)
{
	html_markup(out, "<section class=\"pair\">\n");
	put_disk(out, _("Source"), &report->plan->source, &report->source);
	put_disk(out, _("Destination"), &report->plan->destination, &report->destination);
	html_section_end(out);
}

/* ---- health ---- */

static void put_verdict(FILE *out, const struct health *health)
{
	const char *word = _("unknown");

	if (health_is_known(health) && health->passed != UNKNOWN)
		word = health->passed == YES ? _("passed") : _("FAILING");
	html_element(out, "td class=n", "%s", word);
}

static void put_value(FILE *out, const struct health *health, enum health_field field)
{
	if (!health_is_known(health) || health->values[field] == HEALTH_UNKNOWN)
		html_element(out, "td class=n", "-");
	else
		html_element(out, "td class=n", "%" PRId64 "%s", health->values[field],
			     health_field_unit(field));
}

static void put_columns(FILE *out)
{
	html_markup(out, "<table class=\"grid\">\n<thead><tr><th></th>");
	html_element(out, "th class=n", "%s", _("source before"));
	html_element(out, "th class=n", "%s", _("source after"));
	html_element(out, "th class=n", "%s", _("destination before"));
	html_element(out, "th class=n", "%s", _("destination after"));
	html_markup(out, "</tr></thead>\n<tr>");
	html_element(out, "th", "%s", _("the disk's own verdict"));
}

void html_put_health(FILE *out, const struct report *report)
{
	const struct health *columns[] = { &report->source.before, &report->source.after,
					   &report->destination.before,
					   &report->destination.after };
	const size_t count = sizeof(columns) / sizeof(columns[0]);
	bool any = false;

	for (size_t i = 0; i < count; i++)
		any = any || health_is_known(columns[i]);
	html_section(out, "health", _("Health of the disks (SMART)"));
	if (!any) {
		const char *why = columns[0]->why[0] ? columns[0]->why : columns[2]->why;

		html_element(out, "p style=\"margin:0\"", "%s %s", _("Unknown."), why);
		html_section_end(out);
		return;
	}
	put_columns(out);
	for (size_t i = 0; i < count; i++)
		put_verdict(out, columns[i]);
	html_markup(out, "</tr>\n");
	for (int field = 0; field < HEALTH_FIELDS; field++) {
		bool known = false;

		for (size_t i = 0; i < count; i++)
			known = known || (health_is_known(columns[i]) &&
					  columns[i]->values[field] != HEALTH_UNKNOWN);
		if (!known)
			continue;
		html_markup(out, "<tr>");
		html_element(out, "th", "%s", health_field_label((enum health_field)field));
		for (size_t i = 0; i < count; i++)
			put_value(out, columns[i], (enum health_field)field);
		html_markup(out, "</tr>\n");
	}
	html_markup(out, "</table>\n");
	html_section_end(out);
}
