/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The popup as the app keeps it; private to popup.c and the app. */
#ifndef CLONEDECK_UI_POPUP_PRIVATE_H
#define CLONEDECK_UI_POPUP_PRIVATE_H

#include "ui/core/draw.h"
#include "ui/widgets/field.h"
#include "ui/widgets/popup.h"

enum popup_kind { POPUP_NONE, POPUP_ASK, POPUP_PROMPT, POPUP_TEXT };

struct popup {
	enum popup_kind kind;
	char *title; /* owned */
	char *text;  /* owned */
	struct popup_choice choices[POPUP_CHOICES_MAX];
	char labels[POPUP_CHOICES_MAX][128];
	int count;
	struct field field;
	char complaint[512];
	int top, lines, rows; /* of a text: first line shown, how many there are, how many fit */
	popup_chosen_fn *chosen;
	popup_typed_fn *typed;
	void *user;
};

void popup_done(struct popup *popup);
void popup_draw(struct popup *popup, struct draw *draw, struct rect screen);
/* A question where there is but one line for it. */
void popup_draw_line(struct popup *popup, struct draw *draw, struct rect area);
/* Takes every key while one is open. */
void popup_key(struct app *app, int key);

#endif
