/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dialog for the options of a copy, drawn over screen 3. */
#ifndef CLONEDECK_UI_FORM_OPTIONS_H
#define CLONEDECK_UI_FORM_OPTIONS_H

#include "ui/core/draw.h"
#include "ui/plan/options.h"

void form_options_draw(const struct options_form *form, const char *complaint, struct draw *draw,
		       struct rect body);

#endif
