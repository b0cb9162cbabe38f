/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/text_search.h"

#include "base/i18n.h"
#include "base/text.h"

/* False: no row holds it. */
static bool look(const struct find_target *target, int step)
{
	return !target->holds || (target->list->wanted[0] &&
				  list_find(target->list, step, target->holds, target->data));
}

enum find_result find_command(struct find *find, const struct find_target *target,
			      enum command command)
{
	if (!target->list)
		return FIND_NOT_TAKEN;
	if (command == COMMAND_FIND) {
		field_clear(&find->field);
		find->list = target->list;
		find->from = target->list->at;
		find->failed = false;
		return FIND_TAKEN;
	}
	if (!target->list->wanted[0])
		return FIND_NO_TEXT;
	return look(target, command == COMMAND_FIND_NEXT ? 1 : -1) ? FIND_TAKEN : FIND_NOTHING;
}

bool find_is_on(struct find *find, const struct list *shown)
{
	if (find->list != shown)
		find->list = NULL;
	return find->list != NULL;
}

static void want(struct find *find, const struct find_target *target, const char *text, int row)
{
	text_copy(target->list->wanted, sizeof(target->list->wanted), text);
	target->list->found = 0;
	list_go(target->list, row);
	find->failed = text[0] && !look(target, 0);
}

static enum find_result accept(struct find *find, const struct find_target *target)
{
	find->list = NULL;
	/* An empty line repeats the search. */
	if (!find->field.text[0] && target->holds)
		return find_command(find, target, COMMAND_FIND_NEXT);
	return find->failed ? FIND_NOTHING : FIND_TAKEN;
}

enum find_result find_key(struct find *find, const struct find_target *target, int key)
{
	enum command command = keys_lookup(SCREEN_HELP, key);

	if (!find_is_on(find, target->list))
		return FIND_NOT_TAKEN;
	switch (field_key(&find->field, key)) {
	case FIELD_CHANGED:
		want(find, target, find->field.text, target->holds ? find->from : 0);
		break;
	case FIELD_CANCELLED:
		want(find, target, "", find->from);
		find->list = NULL;
		break;
	case FIELD_ACCEPTED:
		return accept(find, target);
	case FIELD_NOT_TAKEN:
		if (command == COMMAND_UP || command == COMMAND_DOWN)
			look(target, command == COMMAND_DOWN ? 1 : -1);
		else if (command == COMMAND_STOP || command == COMMAND_REDRAW)
			return FIND_NOT_TAKEN;
		break;
	default:
		break;
	}
	return FIND_TAKEN;
}

void find_draw(const struct find *find, struct draw *draw, struct rect area)
{
	const char *nothing = find->failed ? _("not found") : "";
	int col = draw_printf(draw, area, 0, 1, ROLE_MESSAGE, "%s ", _("Find"));

	draw_field(draw, area, 0, col, area.cols - col - text_width(nothing) - 2, &find->field,
		   true);
	draw_text(draw, area, 0, area.cols - text_width(nothing) - 1, ROLE_WARN, nothing);
}
