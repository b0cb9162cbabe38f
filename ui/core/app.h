/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The app: one loop over terminal, signals, session and clock, the stack of
 * screens, and what they share: the session and the choice made so far.
 *
 * Who does what: screens read and change the choice through the functions
 * here, draw, and answer commands. The app carries out what is the same
 * everywhere (tabs, help, units, quitting, the stop question), follows the
 * session through its states (starting -> Run, job ended -> Report) and owns
 * header, message line and footer.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/range.h"
#include "base/units.h"
#include "job/snapshot.h"
#include "discover/endpoint.h"
#include "plan/plan.h"
#include "session/run.h"

#include "ui/core/keys.h"
#include "ui/core/term.h"

/* What the technician has chosen so far. Change it through app_choose_*(). */
struct choice {
	struct endpoint source; /* kind ENDPOINT_NONE: not yet */
	struct endpoint destination;
	bool everything;          /* the whole source; `ranges` is empty then */
	struct range_list ranges; /* logical sectors of the source */
	bool at_set;              /* else each range goes to the LBA it has on the source */
	uint64_t at;              /* destination LBA of the first range */
	/* What each partition's file system uses is copied first, or alone. */
	struct used_modes used;
	struct plan_options options;
};

struct app;

/* ---- what screens see ---- */
struct session *app_session(struct app *app);
const struct term *app_term(const struct app *app);
const struct choice *app_choice(const struct app *app);
/* The disk that the chosen end lies on, in the present list; NULL: none, or it is gone. */
const struct disk *app_source_disk(struct app *app);
const struct disk *app_destination_disk(struct app *app);
/* The same, but of an image the disk that it holds; NULL: not known. */
const struct disk *app_source_contents(struct app *app);
enum units_scale app_units(const struct app *app);
const char *app_practice_dir(const struct app *app); /* NULL: the disks are the machine's */
const char *app_folder(const struct app *app);       /* of options; NULL: none */
bool app_simple(const struct app *app);              /* lines instead of panes */
enum screen_id app_current(const struct app *app);   /* the step, also while help is shown */
bool app_reached(const struct app *app, enum screen_id screen);
/* The screen is entered again, behind its help. */
bool app_helped(const struct app *app);
/* The newest snapshot of the job, taken once per refresh or event; NULL without a job. */
const struct job_snapshot *app_job(const struct app *app);
/* A copy is being started, runs, is being finished, or disks are compared: the choice stays as it
 * is. */
bool app_copying(const struct app *app);

/* ---- choosing ---- */
/* Each forgets what followed from the old choice: the plan, and with another source the ranges.
 * Refused with a message while a copy runs. NULL takes the choice back. */
bool app_choose_source(struct app *app, const struct endpoint *endpoint);
bool app_choose_destination(struct app *app, const struct endpoint *endpoint);
bool app_choose_everything(struct app *app);
/* Copies the list. */
bool app_choose_ranges(struct app *app, const struct range_list *ranges);
bool app_choose_at(struct app *app, const uint64_t *lba);
bool app_choose_used(struct app *app, const struct used_modes *modes);
/* Of some partition, what is used is copied first or alone. */
bool app_wants_used(const struct app *app);
bool app_choose_options(struct app *app, const struct plan_options *options);
/* A file system that is shrunk in an image (app_shrink.h): what is waited for. */
struct app_shrink {
	enum shrink_step {
		SHRINK_NO,
		SHRINK_NEW_IMAGE,  /* the path that was typed is looked at */
		SHRINK_USED,       /* what the source uses is read */
		SHRINK_COPIES,     /* the copy into the image is planned, or runs */
		SHRINK_IMAGE,      /* the image is looked at */
		SHRINK_USED_AGAIN, /* what it uses is read */
		SHRINK_COPIES_AGAIN,
	} step;
	struct layout_shrink what;
	struct endpoint image;
	struct endpoint destination; /* of the second copy */
	struct used_modes used;      /* likewise */
};
/* For app_shrink.c. */
struct app_shrink *app_shrink(struct app *app);

/* Plans what was chosen, and shows the plan when it has been checked. Until then, other keys and
 * clicks are not taken; Esc, or to go to another screen, gives it up. False: the reason is on the
 * message line (and in reterr). */
bool app_plan(struct app *app, struct error *reterr);
/* Shows the layout editor, for the plan that there is, or for one that is made first. */
void app_edit_layout(struct app *app);
/* Back to where it was asked for; where there is no layout, it is said why. */
void app_end_layout(struct app *app);
/* Why there is no layout to edit, as far as that is known before it is planned; or NULL. */
const char *app_no_layout(struct app *app);
/* Plans what a map file says is missing of an earlier copy. Of the bad areas only `areas` (logical
 * sectors of the source) are read again; empty: as the plan in the map says. Copies the list. */
bool app_resume(struct app *app, const char *map_path, const struct range_list *areas);

/* Confirms the plan with what was typed, and starts to copy. False: the reason is on the message
 * line. When it fails later, while the disks are opened, a popup says why, and the plan stays. */
bool app_start(struct app *app, const char *typed);

/* Writes nothing. After a copy it reads the destination back once more; of any other plan it
 * compares both ends. Shows Run, and then Report. */
void app_verify(struct app *app);
/* The result of comparing both ends of a plan; its parts are borrowed. False: none were compared.
 */
bool app_compared(const struct app *app, struct report *ret);

/* The disk that is measured on 6 Bench; kind ENDPOINT_NONE: none yet. */
const struct endpoint *app_bench_disk(const struct app *app);
/* Copies it, and shows 6 Bench. */
void app_choose_bench(struct app *app, const struct endpoint *endpoint);

/* ---- going ---- */
/* Shows a screen and marks it as reached. */
void app_go(struct app *app, enum screen_id screen);
/* Screens from this one on count as not reached any more. */
void app_forget(struct app *app, enum screen_id from);
/* What stands on top of the screen. */
struct popup *app_popup(struct app *app);
/* Draw again before the next wait (done by itself after keys, ticks and session news). */
void app_redraw(struct app *app);
/* Something on 6 Bench changes by itself, or does no more. */
void app_moves(struct app *app, bool moves);
/* count: copies that run besides this deck's own. */
void app_other_jobs(struct app *app, size_t count);
/* Gives the terminal to the deck of that process, 0: to a new one; why not is said. A copy of this
 * one goes on; without one it ends. */
void app_switch(struct app *app, pid_t deck);
/* Which disk is waited for, and what can be done. Nothing when none is. */
void app_show_waiting(struct app *app);

/* ---- saying ---- */
enum message_level { MESSAGE_INFO, MESSAGE_WARN, MESSAGE_ERROR };
/* The message line, written once: stays until the next one. */
void app_message(struct app *app, enum message_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, as most of it is: MESSAGE_INFO. */
#define app_say(app, ...) app_message((app), MESSAGE_INFO, __VA_ARGS__)
/* The same as app_message(), for what is soon no longer true: it goes with the next key, or after a
 * minute. */
void app_hint(struct app *app, enum message_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* News of the copy. It never opens a popup, since a failing disk would open one after the other;
 * the log keeps all of it. */
void app_notice(struct app *app, enum message_level level, const char *text);
/* What was said last. */
const char *app_said(const struct app *app);
void app_error(struct app *app, const struct error *error);
void app_nomem(struct app *app);
/* What came of something that was begun: `said`, or the error. */
void app_begun(struct app *app, int result, const struct error *error, const char *said);
void app_bell(struct app *app);
