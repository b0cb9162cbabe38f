/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file system that is too large for the destination: what is used goes into an image, is shrunk
 * there, and the destination is copied from that. Two copies, one after the other: each has its
 * plan, which is confirmed, and its report.
 */
#include "ui/core/app_shrink.h"

#include <string.h>

#include "base/i18n.h"
#include "ui/core/app.h"

bool app_shrink_via(struct app *app, const char *path, struct error *reterr)
{
	const struct layout_shrink *what = session_choice(app_session(app)).shrink;

	if (!what || session_find(app_session(app), path, true, reterr) < 0)
		return false;
	*app_shrink(app) = (struct app_shrink){ .step = SHRINK_NEW_IMAGE,
						.what = *what,
						.destination = app_choice(app)->destination,
						.used = app_choice(app)->used };
	return true;
}

/* Any other choice ends it: this one is made for it. */
static bool choose(struct app *app, const struct app_shrink *shrink,
		   const struct endpoint *destination, const struct used_modes *modes)
{
	bool chosen = app_choose_destination(app, destination) && app_choose_used(app, modes);

	*app_shrink(app) = *shrink;
	return chosen;
}

static void give_up(struct app *app)
{
	*app_shrink(app) = (struct app_shrink){ 0 };
}

/* Once what the source uses is known. */
static void plan_step(struct app *app)
{
	bool first = app_shrink(app)->step == SHRINK_USED;
	struct plan_options options = app_choice(app)->options;

	if (app_wants_used(app) && !session_used(app_session(app), &app_choice(app)->source)) {
		if (session_read_used(app_session(app), &app_choice(app)->source, NULL) < 0)
			give_up(app);
		return;
	}
	options.table = first ? TABLE_KEEP : TABLE_FIT;
	app_shrink(app)->step = first ? SHRINK_COPIES : SHRINK_COPIES_AGAIN;
	if (app_choose_options(app, &options) && app_plan(app, NULL))
		app_go(app, SCREEN_PLAN);
	else
		give_up(app);
}

/* Also when it goes on from its map. */
void app_plan_shrink(struct app *app)
{
	const struct plan *plan = session_choice(app_session(app)).plan;

	if (app_shrink(app)->step == SHRINK_COPIES &&
	    strcmp(plan->destinations[0].node, app_shrink(app)->image.node) == 0)
		session_shrink_after(app_session(app), &app_shrink(app)->what);
}

const char *app_step(struct app *app)
{
	return app_shrink(app)->step == SHRINK_COPIES
		       ? _("Step 1 of 2: what is used goes into the image.")
	       : app_shrink(app)->step == SHRINK_COPIES_AGAIN
		       ? _("Step 2 of 2: the copy from the image, which may be removed then.")
		       : NULL;
}

static void image_found(struct app *app, const struct endpoint *image)
{
	struct app_shrink shrink = *app_shrink(app);
	struct used_modes modes = shrink.used;
	bool first = shrink.step == SHRINK_NEW_IMAGE;

	if (first && (image->kind != ENDPOINT_IMAGE || image->exists)) {
		give_up(app);
		app_message(app, MESSAGE_ERROR, _("%s is there already: name a new file."),
			    image->node);
		return;
	}
	if (first)
		memset(modes.of, USED_ONLY, sizeof(modes.of));
	else if (!app_choose_source(app, image))
		return;
	shrink.step = first ? SHRINK_USED : SHRINK_USED_AGAIN;
	shrink.image = *image;
	if (choose(app, &shrink, first ? image : &shrink.destination, &modes))
		plan_step(app);
}

void app_follow_shrink(struct app *app, unsigned changes)
{
	enum shrink_step step = app_shrink(app)->step;
	struct endpoint image;
	struct error error = { 0 };

	if ((changes & SESSION_CHANGE_FOUND) &&
	    (step == SHRINK_NEW_IMAGE || step == SHRINK_IMAGE)) {
		if (session_found(app_session(app), &image, &error) == 0) {
			image_found(app, &image);
		} else {
			give_up(app);
			app_error(app, &error);
		}
	} else if ((changes & SESSION_CHANGE_USED) &&
		   (step == SHRINK_USED || step == SHRINK_USED_AGAIN)) {
		error = *session_error(app_session(app), SESSION_TASK_USED);
		if (session_used(app_session(app), &app_choice(app)->source)) {
			plan_step(app);
		} else {
			give_up(app);
			app_error(app, &error);
		}
	}
}

bool app_shrink_ended(struct app *app, const struct report *report)
{
	const char *image = app_shrink(app)->image.node;
	struct error error = { 0 };

	if (app_shrink(app)->step != SHRINK_COPIES || report_end_code(report) != EXIT_COMPLETE ||
	    strcmp(report->plan->destinations[0].node, image) != 0)
		return false;
	app_shrink(app)->step = SHRINK_IMAGE;
	if (session_find(app_session(app), image, false, &error) < 0) {
		give_up(app);
		return false;
	}
	app_say(app, _("Partition %u is shrunk in the image. Its copy is planned next."),
		app_shrink(app)->what.number);
	return true;
}
