/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands on top of a screen until it is answered: a question with a few
 * keys, a line to type, or a text to scroll through. The copy goes on below.
 *
 * One at a time; opening another replaces it, its callback is then not called.
 * All texts are copied. A callback runs after the popup is closed, so it may
 * open the next one.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

#include "ui/core/draw.h"
#include "ui/widgets/field.h"
#include "ui/widgets/list.h"

struct app;

#define POPUP_CHOICES_MAX 6

struct popup_choice {
	int key;           /* keys.h; Esc, h and Backspace always mean "none of them" */
	const char *label; /* translated, "stop now and keep the map" */
};

/* choice: index, -1 for Esc. */
typedef void popup_chosen_fn(void *user, struct app *app, int choice);
/* text: what was typed; NULL for Esc. Return NULL to close, or a sentence (translated, static or
 * living in user) that is shown below the line, which stays open. */
typedef const char *popup_typed_fn(void *user, struct app *app, const char *text);

/* A question, answered by a key or by Up, Down and Enter, which start at "do nothing": Enter alone
 * chooses none. */
void popup_ask(struct app *app, const char *title, const char *text,
	       const struct popup_choice *choices, int count, popup_chosen_fn *chosen, void *user);
/* A question that opens by itself. It is answered by keys alone: the arrows and the Enter of who is
 * still walking through a list must not answer it unread. */
void popup_interrupt(struct app *app, const char *title, const char *text,
		     const struct popup_choice *choices, int count, popup_chosen_fn *chosen,
		     void *user);
/* A line to type. */
void popup_prompt(struct app *app, const char *title, const char *text, const char *initial,
		  popup_typed_fn *typed, void *user);
/* What is wrong with what was typed, below the line that stands open. */
void popup_complain(struct app *app, const char *sentence);
/* A text to scroll through, lines separated by \n; those with a tab are labels and values, all
 * values in one column. Called again with the same title while it is
 * open, it replaces the text and keeps the place (a log that grows). */
void popup_text(struct app *app, const char *title, const char *text);
/* One that opens by itself: only Enter and Esc close it, not the letters of who is typing. */
void popup_notice(struct app *app, const char *title, const char *text);
/* Does one with this title stand open? */
bool popup_is_open(struct app *app, const char *title);
/* The column of the values of such a text, as wide as its labels need it; 0: it has none. */
int popup_value_col(const char *text);
/* Is a line being typed? Then no other popup may open by itself: the next typed letter would answer
 * it unread. */
bool popup_is_typed(struct app *app);
void popup_close(struct app *app);

/* ---- for the app, which keeps it ---- */

enum popup_kind { POPUP_NONE, POPUP_ASK, POPUP_PROMPT, POPUP_TEXT };

struct popup {
	enum popup_kind kind;
	char *title; /* owned */
	char *text;  /* owned */
	struct popup_choice choices[POPUP_CHOICES_MAX];
	char labels[POPUP_CHOICES_MAX][256];
	int count;
	int at;      /* the choice that Enter takes; count: do nothing */
	bool walk;   /* Up and Down walk through the choices */
	bool notice; /* a text that only Enter and Esc close */
	struct field field;
	char complaint[512];
	uint64_t opened;   /* monotonic ns */
	struct list lines; /* of a text */
	int cols;          /* it was drawn with */
	popup_chosen_fn *chosen;
	popup_typed_fn *typed;
	void *user;
};

void popup_done(struct popup *popup);
void popup_draw(struct popup *popup, struct draw *draw, struct rect screen);
/* A question where there is but one line for it. */
void popup_draw_line(struct popup *popup, struct draw *draw, struct rect area);
/* For list_find(): does a line of its text hold that? */
bool popup_holds(void *popup, int row, const char *text);
/* Takes every key while one is open. */
void popup_key(struct app *app, int key);
/* False when it has just opened: the click may be the second one on what was there before. */
bool popup_takes_clicks(const struct popup *popup);
