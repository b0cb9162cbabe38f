/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user changes of a plan: its table, and a check that is lifted. */
#include <stdio.h>

#include "base/i18n.h"
#include "base/text.h"

#include "ui/plan/screen.h"
#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

/* As it is; with the last partition grown, where it can; only made to fit. */
bool plan_screen_fit_table(struct app *app)
{
	struct plan_options options = app_choice(app)->options;
	const struct fitted *offer = session_choice(app_session(app)).offer;

	if (options.table == TABLE_KEEP) {
		options.table = TABLE_FIT;
		options.grow = offer->grown ? GROW_LAST : GROW_NO;
	} else if (options.grow) {
		options.grow = GROW_NO;
	} else {
		options.table = TABLE_KEEP;
	}
	return app_choose_options(app, &options) && app_plan(app, NULL);
}

static const char *rule_typed(void *user, struct app *app, const char *text)
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
	popup_prompt(app, _("Lift a check"), text, "", rule_typed, screen);
}
