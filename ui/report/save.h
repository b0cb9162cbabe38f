/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialogs of screen 5: where the report is saved, and who signs for it. */
#ifndef CLONEDECK_UI_REPORT_SAVE_H
#define CLONEDECK_UI_REPORT_SAVE_H

#include "ui/core/app.h"

/* What was answered so far; zero-initialise. */
struct report_sign {
	char operator_name[REPORT_PERSON_MAX], ticket[REPORT_PERSON_MAX];
	char saved_as[512]; /* as typed; "" where it was saved before */
};

/* sign lives as long as the app. */
void report_ask_save(struct app *app, struct report_sign *sign);
/* What came of it, of either. */
void report_tell_saved(struct app *app, struct report_sign *sign);
/* Three questions, one after the other; Esc at any of them leaves all as it was. sign lives as long
 * as the app. */
void report_ask_sign(struct app *app, struct report_sign *sign);

#endif
