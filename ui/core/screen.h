/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a screen is to the app: a const table of functions over a state object
 * of its own. The app has the states of all screens from its start to its end; enter and leave say
 * when one is shown.
 *
 * No function here may wait: a key has to be answered within 50 ms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/core/draw.h"
#include "ui/widgets/field.h"
#include "ui/widgets/list.h"
#include "ui/core/keys.h"
#include "ui/core/layout.h"
#include "ui/core/line.h"

struct app;

struct screen_ops {
	enum screen_id id;
	const char *title; /* N_(), one word: the tab */

	/* Of the state that is passed to all others: its bytes, zero at first, what fills it and
	 * what frees what it holds. Both may be NULL. */
	size_t state_size;
	void (*init)(void *state, struct app *app);
	void (*done)(void *state);

	/* Becomes (stops being) the visible one. A screen that is entered looks at the app's
	 * choice again: it may have changed. May be NULL. */
	void (*enter)(void *state, struct app *app);
	void (*leave)(void *state, struct app *app);

	/* Draws everything between header and message line. */
	void (*draw)(void *state, struct app *app, struct draw *draw, struct rect body);

	/* A command from keys.h that the app does not carry out itself. COMMAND_ACCEPT and
	 * COMMAND_BACK come here too: true when done; on false the app goes back by itself for
	 * COMMAND_BACK and ignores the rest. */
	bool (*command)(void *state, struct app *app, enum command command);

	/* What / searches, and whether one of its rows holds the text; without `holds`, only what
	 * does is drawn. `moved`: the cursor stands on what was found. All may be NULL. */
	struct list *(*list)(void *state);
	list_holds_fn *holds;
	void (*moved)(void *state);

	/* NULL when the command can be used now; else why not, translated: it is not in the footer
	 * then, and the sentence becomes the message when the key is pressed. "": the screen
	 * answers the key with more than a sentence. May be NULL. */
	const char *(*unavailable)(void *state, struct app *app, enum command command);

	/* What the command does now, translated, for the footer; NULL, also as the answer: what the
	 * table of keys says. */
	const char *(*word)(void *state, struct app *app, enum command command);

	/* The command that is needed now, and has its place in the footer. May be NULL. */
	enum command (*wanted)(void *state, struct app *app);

	/* A line of its own below the header, for what has to be known first; false: none. NULL:
	 * never. */
	bool (*banner)(void *state, struct app *app, struct line *line, enum role *retrole);

	/* The text field that takes characters now, NULL for none; and what became of a key that
	 * went there. May both be NULL. */
	struct field *(*field)(void *state, struct app *app);
	void (*edited)(void *state, struct app *app, enum field_event event);

	/* What the keys do in that field, for the footer; NULL, also as the answer: the usual. */
	const char *(*field_keys)(void *state);

	/* The session has news (bits of enum session_change); also called while the screen is not
	 * shown, so that no state points into an old disk list. May be NULL. */
	void (*changed)(void *state, struct app *app, unsigned changes);

	/* Once per refresh interval while it is shown; draw follows. NULL: nothing moves here. */
	void (*tick)(void *state, struct app *app);

	/* A line of its own in the place of the newest message. NULL: that one. */
	void (*message)(void *state, struct app *app, char *buffer, size_t size);

	/* Lines for the help page below the keys: N_() strings, NULL behind the last. "NAME  text":
	 * what stands before two blanks is shown strong. */
	const char *const *notes;
};

const struct screen_ops *screen_ops(enum screen_id screen);

extern const struct screen_ops scr_disks;
extern const struct screen_ops scr_ranges;
extern const struct screen_ops scr_plan;
extern const struct screen_ops scr_run;
extern const struct screen_ops scr_report;
extern const struct screen_ops scr_bench;
extern const struct screen_ops scr_jobs;
extern const struct screen_ops scr_help;
extern const struct screen_ops scr_editor;
