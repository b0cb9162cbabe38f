/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The certificate: where the destination is not what the source was. */
#include <inttypes.h>

#include "base/i18n.h"
#include "report/html.h"

#define COLUMNS "5" /* of the table */

/* A line of its own below the area that it is about. */
static void put_digests(FILE *out, const struct job_mismatch *mismatch)
{
	html_markup(out, "<tr>");
	html_element(out, "td colspan=" COLUMNS " class=mono",
		     _("digest of LBA %" PRIu64 " +%" PRIu64 ": read %s, found %s"),
		     mismatch->region_lba, mismatch->region_sectors, mismatch->expected,
		     mismatch->found);
	html_markup(out, "</tr>\n");
}

static void put_byte(FILE *out, const struct job_mismatch *mismatch)
{
	html_markup(out, "<tr>");
	html_element(out, "td colspan=" COLUMNS " class=mono",
		     _("first at byte %u of it: source %02x, destination %02x"), mismatch->byte,
		     mismatch->at_source, mismatch->at_destination);
	html_markup(out, "</tr>\n");
}

static void put_difference(FILE *out, const struct job_mismatch *mismatch)
{
	html_markup(out, "<tr>");
	html_element(out, "td class=n", "%" PRIu64, mismatch->lba);
	html_element(out, "td class=n", mismatch->somewhere ? _("in %" PRIu64) : "%" PRIu64,
		     mismatch->sectors);
	html_element(out, "td class=n", "%" PRIu64, mismatch->destination_lba);
	if (mismatch->partition)
		html_element(out, "td class=n", "%u", mismatch->partition);
	else
		html_element(out, "td class=n", "-");
	html_element(out, "td", "%s", job_mismatch_words(mismatch->kind));
	html_markup(out, "</tr>\n");
	if (mismatch->has_byte)
		put_byte(out, mismatch);
	if (mismatch->has_digests)
		put_digests(out, mismatch);
}

void html_put_differences(FILE *out, const struct report *report)
{
	const struct job_proof *proof = &report->job.proof;
	unsigned long more = (unsigned long)(proof->areas - proof->shown);

	if (proof->areas == 0)
		return;
	html_section(out, "long", _("Differences"));
	html_markup(out, "<table class=\"grid\">\n<thead><tr>");
	html_element(out, "th class=n", "%s", _("LBA"));
	html_element(out, "th class=n", "%s", _("Sectors"));
	html_element(out, "th class=n", "%s", _("on the destination"));
	html_element(out, "th class=n", "%s", _("Partition"));
	html_element(out, "th", "%s", _("What was found"));
	html_markup(out, "</tr></thead>\n");
	for (size_t i = 0; i < proof->shown; i++)
		put_difference(out, &proof->mismatches[i]);
	html_markup(out, "</table>\n");
	if (proof->areas > proof->shown)
		html_element(out, "p class=legend", P_("and %lu more", "and %lu more", more), more);
	html_section_end(out);
}
