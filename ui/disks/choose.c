/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source and destination are chosen on screen 1, and taken back. */
#include "ui/disks/screen.h"

#include <string.h>

#include "base/i18n.h"

static bool same_end(const struct endpoint *a, const struct endpoint *b)
{
	return a->kind != ENDPOINT_NONE && a->kind == b->kind && strcmp(a->node, b->node) == 0;
}

/* NULL: an image file. */
static const struct disk *disk_of(struct app *app, const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_IMAGE
		       ? NULL
		       : endpoint_disk(session_disks(app_session(app)), endpoint);
}

/* Asks for the health of a chosen disk, so that it is shown before the copy is planned. */
static void ask_health(struct app *app, const struct endpoint *endpoint)
{
	const struct disk *disk = disk_of(app, endpoint);

	/* A disk that does not answer would block the check-up. */
	if (disk && !disk->silent)
		session_ask_health(app_session(app), disk);
}

static void tell_silent(struct app *app, const struct endpoint *endpoint)
{
	const struct disk *disk = disk_of(app, endpoint);

	if (disk && disk->silent)
		app_message(app, MESSAGE_WARN,
			    _("%s has not answered: check power and cable, r asks again."),
			    disk->node);
}

/* Chooses an endpoint for one end. What is that end already stays it: a key that bounces takes
 * nothing back. */
bool disks_screen_choose(struct disks_state *state, struct app *app,
			 const struct endpoint *endpoint, bool destination)
{
	const struct choice *choice = app_choice(app);
	const struct endpoint *mine = destination ? &choice->destination : &choice->source;
	const struct endpoint *other = destination ? &choice->source : &choice->destination;
	bool (*set)(struct app *, const struct endpoint *) =
		destination ? app_choose_destination : app_choose_source;

	/* One that was attached anew meanwhile would be refused at the start. */
	if (same_end(mine, endpoint) && mine->identity.diskseq == endpoint->identity.diskseq) {
		app_say(app,
			destination ? _("%s is the destination already. Esc takes it back.")
				    : _("%s is the source already. Esc takes it back."),
			endpoint->node);
		return false;
	}
	if (same_end(other, endpoint)) {
		app_message(app, MESSAGE_WARN,
			    destination
				    ? _("%s is the source: it cannot be copied to itself. Esc "
					"takes it back.")
				    : _("%s is the destination: it cannot be its own source. Esc "
					"takes it back."),
			    endpoint->node);
		return false;
	}
	if (!set(app, endpoint))
		return false;
	ask_health(app, endpoint);
	disks_screen_update(state, app);
	tell_silent(app, endpoint);
	return true;
}

/* The end under the cursor, else the one that is usually chosen last. */
bool disks_screen_take_back(struct disks_state *state, struct app *app)
{
	const struct choice *choice = app_choice(app);
	const struct disks_row *row = disks_current(&state->model);
	bool source = choice->source.kind != ENDPOINT_NONE;
	bool destination = choice->destination.kind != ENDPOINT_NONE;

	if (app_copying(app) || (!source && !destination))
		return false;
	if (row && source && destination)
		destination = !disks_is(&choice->source, row);
	if (!(destination ? app_choose_destination : app_choose_source)(app, NULL))
		return true;
	disks_screen_update(state, app);
	return true;
}

void disks_screen_choose_row(struct disks_state *state, struct app *app, bool destination)
{
	const struct disks_row *row = disks_current(&state->model);
	struct endpoint endpoint;
	struct verdict verdict;
	bool refused, compared;

	if (!row)
		return;
	/* Before choosing, which makes the rows again and frees this one. */
	refused = disks_refuse(row, destination, &verdict);
	compared = refused && verdict.means == MEANS_READABLE;
	disks_endpoint(row, &endpoint);
	if (refused && !compared)
		app_message(app, MESSAGE_WARN, "%s", verdict.sentence);
	else if (!disks_screen_choose(state, app, &endpoint, destination))
		return;
	else if (compared && same_end(&app_choice(app)->destination, &endpoint))
		app_message(app, MESSAGE_WARN,
			    _("%s is read-only: it can only be compared, v on 3 Plan."),
			    endpoint.node);
	else if (!destination && app_choice(app)->source.kind != ENDPOINT_NONE &&
		 app_choice(app)->destination.kind == ENDPOINT_NONE)
		disks_next_destination(&state->model);
}
