/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways out of a refusal on screen 3: less is copied, or the check is lifted by its name. */
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/widgets/popup.h"
#include "ui/plan/screen.h"

void plan_screen_fit(struct plan_screen *screen, struct app *app)
{
	struct range range = { 0, gate_fits(&screen->gate) };
	const struct range_list ranges = { .items = &range, .count = 1 };

	if (!range.count || !app_choose_ranges(app, &ranges))
		return;
	screen->anew = app_plan(app, NULL);
	/* Choosing marked this screen as not reached, and the plan that it showed is gone. */
	app_go(app, SCREEN_PLAN);
}

static const char *typed(void *user, struct app *app, const char *text)
{
	struct plan_screen *screen = user;
	struct error error = { 0 };

	if (!text)
		return NULL;
	if (session_allow(app_session(app), text, &error) < 0)
		return text_copy(screen->complaint, sizeof(screen->complaint), error.sentence);
	app_message(app, MESSAGE_WARN, _("The check %s is lifted for this plan."), text);
	return NULL;
}

/* The name has to be typed: a check must not be lifted by a single key. */
void plan_screen_allow(struct plan_screen *screen, struct app *app)
{
	const struct verdict *verdict = gate_to_lift(&screen->gate);
	char text[sizeof(verdict->sentence) + 512];

	if (!verdict)
		return;
	snprintf(text, sizeof(text),
		 _("%s\n\nTo go on all the same, type the name of this check: %s. It is lifted for "
		   "this plan only, and the report says so."),
		 verdict->sentence, verdict->rule);
	popup_prompt(app, _("Lift a check"), text, "", typed, screen);
}
