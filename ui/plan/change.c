/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user changes of a plan: its preset, its table, its identifiers, and a check that is
 * lifted. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "plan/preset.h"

#include "ui/plan/screen.h"
#include "ui/core/app_shrink.h"
#include "ui/core/screen.h"
#include "ui/widgets/popup.h"

void plan_screen_anew(struct plan_screen *screen, struct app *app, bool chosen)
{
	screen->anew = chosen && app_plan(app, NULL);
	/* Choosing marked this screen as not reached, and the plan that it showed is gone. */
	app_go(app, SCREEN_PLAN);
}

/* ---- presets ---- */

const char *plan_screen_offer(struct app *app, char *buffer, size_t size)
{
	struct session_choice choice = session_choice(app_session(app));
	const struct health *health = NULL;
	int64_t sectors;
	bool asking;

	if (choice.plan && choice.source && !choice.resumes && plan_screen_startable(app) &&
	    choice.plan->source.kind != ENDPOINT_IMAGE &&
	    choice.plan->options.preset == PRESET_HEALTHY)
		health = session_health(app_session(app), choice.source, &asking);
	switch (health ? health_judge(health, &sectors) : HEALTH_STATE_UNKNOWN) {
	case HEALTH_STATE_FAILING:
		snprintf(buffer, size, _("%s says that it is failing"), choice.source->name);
		return buffer;
	case HEALTH_STATE_WEAK:
		snprintf(buffer, size,
			 P_("%s has %u weak sector", "%s has %u weak sectors", (unsigned)sectors),
			 choice.source->name, (unsigned)sectors);
		return buffer;
	default:
		return NULL;
	}
}

/* What the user has chosen on 2 Ranges is not changed. */
static bool choose_used(struct app *app, enum preset preset)
{
	const struct choice *choice = app_choice(app);
	struct used_modes modes = { 0 }, first;

	memset(first.of, USED_FIRST, sizeof(first.of));
	if (preset_used_first(preset)) {
		if (memcmp(&choice->used, &modes, sizeof(modes)) != 0 ||
		    !session_used(app_session(app), &choice->source))
			return true;
		modes = first;
	} else if (memcmp(&choice->used, &first, sizeof(first)) != 0) {
		return true;
	}
	return app_choose_used(app, &modes);
}

void plan_screen_preset_read(struct plan_screen *screen, struct app *app)
{
	bool letters = screen->letters;
	struct plan_options options;

	screen->waits = false;
	if (!plan_screen_startable(app) || !choose_used(app, screen->preset))
		return;
	options = app_choice(app)->options;
	preset_apply(&options, screen->preset, 0);
	plan_screen_anew(screen, app, app_choose_options(app, &options));
	/* The user who pressed p may press it again. */
	screen->letters = letters;
	gate_set_typing(&screen->gate, !letters);
}

void plan_screen_preset(struct plan_screen *screen, struct app *app)
{
	const struct endpoint *source = &app_choice(app)->source;

	/* A file system that hangs: then all is copied in the order of the disk. */
	if (screen->waits) {
		plan_screen_preset_read(screen, app);
		return;
	}
	screen->preset = (app_choice(app)->options.preset + 1) % PRESETS;
	screen->waits = preset_used_first(screen->preset) &&
			!session_used(app_session(app), source) &&
			session_read_used(app_session(app), source, NULL) == 0;
	if (screen->waits)
		app_say(app, _("What the source uses is read first; again plans without it."));
	else
		plan_screen_preset_read(screen, app);
}

/* ---- the table ---- */

/* The next one: as it is; made to fit, with the offered partition grown; only made to fit. */
bool plan_screen_fit_table(struct app *app)
{
	struct plan_options options = app_choice(app)->options;
	const struct fitted *offer = session_choice(app_session(app)).offer;

	if (options.table == TABLE_KEEP) {
		options.table = TABLE_FIT;
		options.grow = offer->grown;
	} else if (options.grow) {
		options.grow = GROW_NO;
	} else {
		options.table = TABLE_KEEP;
	}
	memset(options.places, 0, sizeof(options.places));
	return app_choose_options(app, &options) && app_plan(app, NULL);
}

/* ---- what is too large is shrunk ---- */

static const char *image_typed(void *user, struct app *app, const char *text)
{
	struct plan_screen *screen = user;
	struct error error = { 0 };

	if (!text)
		return NULL;
	if (!*text)
		return _("Type the path of a file, or press Esc.");
	if (app_shrink_via(app, text, &error))
		return NULL;
	return text_copy(screen->complaint, sizeof(screen->complaint), error.sentence);
}

void plan_screen_shrink(struct plan_screen *screen, struct app *app)
{
	const struct session_choice choice = session_choice(app_session(app));
	const struct layout_shrink *shrink = choice.shrink;
	char text[768];

	if (!shrink)
		return;
	snprintf(text, sizeof(text),
		 _("Partition %u (%s) has to be shrunk to %s for this disk. That is done in an "
		   "image, not on the source: what is used is copied into it, shrunk there, and "
		   "copied from it. Path of a new file, with room for what is used:"),
		 shrink->number, shrink->fs,
		 UNITS_SHORT(shrink->bytes, UNITS_SI, choice.plan->sector_size));
	popup_prompt(app, _("Shrink in an image"), text, "", image_typed, screen);
}

/* ---- the identifiers ---- */

static void ids_chosen(void *user, struct app *app, int choice)
{
	struct plan_screen *screen = user;
	struct plan_options options = app_choice(app)->options;

	if (choice < 0 || (enum identities_choice)choice == options.identities)
		return;
	options.identities = (enum identities_choice)choice;
	plan_screen_anew(screen, app, app_choose_options(app, &options));
}

void plan_screen_ids(struct plan_screen *screen, struct app *app)
{
	/* In the order of enum identities_choice. */
	const struct popup_choice choices[] = {
		{ 'k', _("keep them: the copy replaces its source") },
		{ 'n', _("new IDs for the copy") },
		{ 'r', _("new IDs, and changed in the copy's files, too") },
	};
	CLEANUP(free)
	char *text = plan_ids_everything(&app_choice(app)->options, &screen->shared);

	if (text)
		popup_ask(app, _("IDs of both disks"), text, choices, 3, ids_chosen, screen);
}

/* ---- checks ---- */

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
	const struct verdict *verdict = gate_refusals(&screen->gate).to_lift;
	char text[sizeof(verdict->sentence) + 512];

	if (!verdict)
		return;
	snprintf(text, sizeof(text),
		 _("%s\n\nTo go on all the same, type the name of this check: %s. It is lifted for "
		   "this plan only, and the report says so."),
		 verdict->sentence, verdict->rule);
	popup_prompt(app, _("Lift a check"), text, "", rule_typed, screen);
}
