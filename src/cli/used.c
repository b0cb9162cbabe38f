/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --used; and of a plan: what each partition of the source uses, what of it is copied, and why all
 * of it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"
#include "cli/cli.h"
#include "report/json.h"
#include "report/page.h"
#include "session/choose.h"

bool used_parse(const char *value, struct used_modes *ret)
{
	enum used_mode mode = strncmp(value, "only", 4) == 0 ? USED_ONLY : USED_FIRST;
	const char *next = value + strlen(used_mode_name(mode));

	if (strncmp(value, used_mode_name(mode), strlen(used_mode_name(mode))) != 0)
		return false;
	if (*next == '\0') {
		memset(ret->of, mode, sizeof(ret->of));
		return true;
	}
	if (*next != '@')
		return false;
	do {
		char *end;
		unsigned long number = strtoul(++next, &end, 10);

		if (end == next || *next < '0' || *next > '9' || number == 0 ||
		    number >= USED_NUMBERS)
			return false;
		ret->of[number] = (unsigned char)mode;
		next = end;
	} while (*next == ',');
	return *next == '\0';
}

static bool any_wanted(const struct session_choice *choice)
{
	for (size_t i = 0; choice->used && i < choice->used->count; i++)
		if (used_is_chosen(choice->plan, &choice->used->parts[i]) &&
		    used_mode_of(choice->modes, choice->used->parts[i].number) != USED_WHOLE)
			return true;
	return false;
}

static void put_part(const struct session_choice *choice, const struct used_part *part,
		     struct page *page)
{
	uint32_t sector = choice->plan->sector_size;
	char used[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX], name[64];
	enum used_mode mode = used_mode_of(choice->modes, part->number);

	if (part->number)
		snprintf(name, sizeof(name), _("partition %u"), part->number);
	else
		snprintf(name, sizeof(name), "%s", _("all of it"));
	units_print_long(part->used_bytes, UNITS_SI, sector, used);
	units_print_long(part->sectors * sector, UNITS_SI, sector, all);
	if (mode == USED_WHOLE)
		page_item(page, _("%s: %s, copied whole, as asked"), name, all);
	else if (part->whole[0])
		page_item(page, _("%s: %s, copied whole: %s"), name, all, part->whole);
	else if (mode == USED_FIRST)
		page_item(page, _("%s: %s used of %s; that is copied first"), name, used, all);
	else
		page_item(page, _("%s: %s used of %s; only that is copied"), name, used, all);
}

void used_print_text(const struct session_choice *choice, struct page *page)
{
	if (!any_wanted(choice))
		return;
	fprintf(page->out, "\n %s\n", _("WHAT IS USED"));
	for (size_t i = 0; i < choice->used->count; i++)
		if (used_is_chosen(choice->plan, &choice->used->parts[i]))
			put_part(choice, &choice->used->parts[i], page);
}

json_object *used_print_json(const struct session_choice *choice)
{
	json_object *array;

	if (!any_wanted(choice))
		return NULL;
	array = json_object_new_array();
	for (size_t i = 0; i < choice->used->count; i++) {
		const struct used_part *part = &choice->used->parts[i];
		json_object *object;
		bool known = !part->whole[0];

		if (!used_is_chosen(choice->plan, part))
			continue;
		object = json_object_new_object();
		json_add_number(object, "number", part->number);
		json_object_object_add(object, "fs", report_json_text(part->fs));
		json_add_text(object, "copy",
			      used_mode_name(known ? used_mode_of(choice->modes, part->number)
						   : USED_WHOLE));
		json_add_number(object, "bytes", part->sectors * choice->plan->sector_size);
		json_add_known(object, "used_bytes", known, part->used_bytes);
		json_object_object_add(object, "why_whole", report_json_text(part->whole));
		json_object_array_add(array, object);
	}
	return array;
}
