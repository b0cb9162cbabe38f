/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file system that is too large for the destination: what is used goes into an image, is shrunk
 * there, and the destination is copied from that. Two copies, one after the other: each has its
 * plan, which is confirmed, and its report.
 */
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/core/app_private.h"

bool app_shrink_via(struct app *app, const char *path, struct error *reterr)
{
	const struct layout_shrink *what = session_choice(app->session).shrink;

	if (!what || session_find(app->session, path, true, reterr) < 0)
		return false;
	app->shrink = (struct app_shrink){ .step = SHRINK_NEW_IMAGE,
					   .what = *what,
					   .destination = app->choice.destination,
					   .used = app->choice.used };
	return true;
}

/* Any other choice ends it: this one is made for it. */
static bool choose(struct app *app, const struct app_shrink *shrink,
		   const struct endpoint *destination, const struct used_modes *modes)
{
	bool chosen = app_choose_destination(app, destination) && app_choose_used(app, modes);

	app->shrink = *shrink;
	return chosen;
}

static void give_up(struct app *app)
{
	app->shrink = (struct app_shrink){ 0 };
}

/* Once what the source uses is known. */
static void plan_step(struct app *app)
{
	static const struct used_modes whole;
	bool first = app->shrink.step == SHRINK_USED;
	bool used = memcmp(&app->choice.used, &whole, sizeof(whole)) != 0;

	if (used && !session_used(app->session, &app->choice.source)) {
		if (session_read_used(app->session, &app->choice.source, NULL) < 0)
			give_up(app);
		return;
	}
	app->choice.options.table = first ? TABLE_KEEP : TABLE_FIT;
	app->shrink.step = first ? SHRINK_COPIES : SHRINK_COPIES_AGAIN;
	if (app_plan(app, NULL))
		app_go(app, SCREEN_PLAN);
	else
		give_up(app);
}

/* Also when it goes on from its map. */
void app_plan_shrink(struct app *app)
{
	const struct plan *plan = session_choice(app->session).plan;

	if (app->shrink.step == SHRINK_COPIES &&
	    strcmp(plan->destinations[0].node, app->shrink.image.node) == 0)
		session_shrink_after(app->session, &app->shrink.what);
}

const char *app_step(const struct app *app)
{
	return app->shrink.step == SHRINK_COPIES
		       ? _("Step 1 of 2: what is used goes into the image.")
	       : app->shrink.step == SHRINK_COPIES_AGAIN
		       ? _("Step 2 of 2: the copy from the image, which may be removed then.")
		       : NULL;
}

static void image_found(struct app *app, const struct endpoint *image)
{
	struct app_shrink shrink = app->shrink;
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
	enum shrink_step step = app->shrink.step;
	struct endpoint image;
	struct error error = { 0 };

	if ((changes & SESSION_CHANGE_FOUND) &&
	    (step == SHRINK_NEW_IMAGE || step == SHRINK_IMAGE)) {
		if (session_found(app->session, &image, &error) == 0) {
			image_found(app, &image);
		} else {
			give_up(app);
			app_error(app, &error);
		}
	} else if ((changes & SESSION_CHANGE_USED) &&
		   (step == SHRINK_USED || step == SHRINK_USED_AGAIN)) {
		error = *session_error(app->session, SESSION_TASK_USED);
		if (session_used(app->session, &app->choice.source)) {
			plan_step(app);
		} else {
			give_up(app);
			app_error(app, &error);
		}
	}
}

bool app_shrink_ended(struct app *app, const struct report *report)
{
	const char *image = app->shrink.image.node;
	struct error error = { 0 };

	if (app->shrink.step != SHRINK_COPIES || report_end_code(report) != EXIT_COMPLETE ||
	    strcmp(report->plan->destinations[0].node, image) != 0 || app->leaving)
		return false;
	app->shrink.step = SHRINK_IMAGE;
	if (session_find(app->session, image, false, &error) < 0) {
		give_up(app);
		return false;
	}
	app_say(app, _("Partition %u is shrunk in the image. Its copy is planned next."),
		app->shrink.what.number);
	return true;
}
