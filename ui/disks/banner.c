/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line below the header of screen 1. */
#include "ui/disks/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"

const struct session_unfinished *disks_screen_unfinished(const struct disks_state *state,
							 struct app *app)
{
	const struct choice *choice = app_choice(app);

	return state->has_unfinished && !app_copying(app) && choice->source.kind == ENDPOINT_NONE &&
			       choice->destination.kind == ENDPOINT_NONE
		       ? &state->unfinished
		       : NULL;
}

enum command disks_screen_wanted(void *data, struct app *app)
{
	const struct session_unfinished *unfinished = disks_screen_unfinished(data, app);

	return unfinished && !unfinished->running[0] ? COMMAND_CONTINUE : COMMAND_NONE;
}

/* The model's head and the serial number's end tell a disk; else its name does. */
static void add_name(const struct endpoint *end, struct line *line)
{
	const char *serial = end->identity.serial;
	size_t length = strlen(serial);
	char model[4 * 10 + 1];

	if (end->kind == ENDPOINT_IMAGE || !length) {
		line_add(line, "%.40s", text_base_name(end->node));
		return;
	}
	text_fit(model, sizeof(model), end->identity.model,
		 text_width(end->identity.model) < 10 ? text_width(end->identity.model) : 10);
	line_add(line, "%s%s..%s", model, model[0] ? " " : "",
		 serial + (length > 6 ? length - 6 : 0));
}

static void text_unfinished(const struct session_unfinished *copy, struct line *line)
{
	const char *key = _("c continues ");
	char when[32];

	if (copy->running[0]) {
		line_add(line, " %s ", copy->running);
		return;
	}
	line_add(line, "%s", _(" UNFINISHED  "));
	if (copy->source.kind == ENDPOINT_NONE) {
		line_add(line, "%.40s", text_base_name(copy->map));
	} else {
		add_name(&copy->source, line);
		line_add(line, " -> ");
		add_name(&copy->destination, line);
	}
	line->limit -= text_width(key) + 2;
	if (copy->total)
		line_piece(line, "%d%%", (int)(copy->finished * 100.0 / copy->total));
	if (copy->at)
		line_piece(line, "%s", clock_print(copy->at, "%d %b %H:%M", when, sizeof(when)));
	line_to(line, line->limit);
	line->limit += text_width(key) + 2;
	line_add(line, "  %s", key);
}

/* A path that is too long keeps its end. */
static void text_practice(const char *dir, struct line *line)
{
	char text[256], shown[512];
	int room, width = text_width(dir);

	if (line->limit < LAYOUT_FULL_COLS - 2) {
		line_add(line, "%s", _(" PRACTICE: only its disks are shown "));
		return;
	}
	snprintf(text, sizeof(text), _(" PRACTICE: only the disks in %s are shown "), "");
	room = line->limit - text_width(text);
	text_fit_tail(shown, sizeof(shown), dir, width < room ? width : room);
	line_add(line, _(" PRACTICE: only the disks in %s are shown "), shown);
}

bool disks_screen_banner(void *data, struct app *app, struct line *line, enum role *retrole)
{
	const struct session_unfinished *unfinished = disks_screen_unfinished(data, app);
	const struct disk_list *disks = session_disks(app_session(app));

	*retrole = ROLE_ALERT;
	if (disks && disks->not_root) {
		line_add(line, "%s",
			 line->limit < LAYOUT_FULL_COLS - 2
				 ? _(" NOT ROOT. Quit, then: sudo clonedeck ")
				 : _(" NOT ROOT: disks can be seen, but not opened. Quit, then: "
				     "sudo clonedeck "));
	} else if (unfinished) {
		text_unfinished(unfinished, line);
	} else if (app_practice_dir(app)) {
		*retrole = ROLE_BANNER;
		text_practice(app_practice_dir(app), line);
	} else {
		return false;
	}
	return true;
}
