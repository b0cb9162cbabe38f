/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mouse: a click on a tab or on a key of the footer is that key, one on a row of a list goes
 * there, the wheel scrolls. Nothing is started or erased by it alone. */
#include "ui/core/app_private.h"

#define WHEEL_ROWS 3

void app_mouse_start(struct app *app)
{
	app->mouse.count = 0;
	app->mouse.list = (struct rect){ 0 };
}

void app_mouse_add(struct app *app, int row, int from, int to, enum command command)
{
	if (app->mouse.count < (int)(sizeof(app->mouse.hits) / sizeof(*app->mouse.hits)))
		app->mouse.hits[app->mouse.count++] = (struct hit){ row, from, to, command };
}

static void step(struct app *app, int rows)
{
	for (; rows > 0; rows--)
		app_command(app, COMMAND_DOWN);
	for (; rows < 0; rows++)
		app_command(app, COMMAND_UP);
}

static void click(struct app *app, int row, int col)
{
	struct rect list = app->mouse.list;

	for (int i = 0; i < app->mouse.count; i++) {
		const struct hit *hit = &app->mouse.hits[i];

		if (hit->row == row && col >= hit->from && col < hit->to) {
			app_command(app, hit->command);
			return;
		}
	}
	if (row >= list.row && row < list.row + list.rows && col >= list.col &&
	    col < list.col + list.cols)
		step(app, row - app->mouse.at);
}

bool app_mouse_key(struct app *app, int key)
{
	if (key < SPECIAL_CLICK || key > SPECIAL_WHEEL_DOWN)
		return false;
	/* A question is answered by its keys. */
	if (app->popup.kind != POPUP_NONE) {
		if (key != SPECIAL_CLICK)
			popup_key(app, key == SPECIAL_WHEEL_UP ? SPECIAL_UP : SPECIAL_DOWN);
	} else if (key == SPECIAL_CLICK) {
		click(app, app->term->click_row, app->term->click_col);
	} else {
		step(app, key == SPECIAL_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	}
	return true;
}
