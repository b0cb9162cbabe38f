/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the copy can be started from, which identifiers it shares, and what was done to it. */
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"
#include "report/facts.h"

bool report_boots_line(const struct report *report, bool full, size_t index, struct fact_line *ret)
{
	return boot_line(&report->boot, index, ret->text);
}

bool report_entry_line(const struct report *report, bool full, size_t index, struct fact_line *ret)
{
	const struct boot_entry *entry = &report->boot_entries[index];

	if (index >= report->boot_entry_count)
		return false;
	snprintf(ret->text, sizeof(ret->text),
		 _("this machine's boot entry %04X (%s) names a partition of the source: %s"),
		 entry->number, entry->label, entry->part_uuid);
	return true;
}

bool report_after_line(const struct report *report, bool full, size_t index, struct fact_line *ret)
{
	const struct after_step *step = &report->after.items[index];

	if (index >= report->after.count)
		return false;
	if (!step->failed && !step->left)
		text_copy(ret->text, sizeof(ret->text), step->what);
	else
		snprintf(ret->text, sizeof(ret->text),
			 step->failed ? _("NOT DONE: %s. %s") : _("TO DO: %s. %s"), step->what,
			 step->said);
	return true;
}

const char *report_identifiers(const struct report *report, char *buffer, size_t size)
{
	return identifiers_print(&report->identifiers, buffer, size);
}
