/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Presets: what suits a healthy source, a failing one, and evidence. A preset is a
 * name for values of options, and it stays with them (plan_options.preset): some of
 * what spares a failing source is no option of its own (plan_spares_source()).
 * Whoever gives an option by its name means it: that wins.
 *
 * Plain data, no state; for any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "plan/options.h"

/* "failing": as --preset takes it. */
const char *preset_name(enum preset preset);
/* "Failing", and what it is for and does, in a sentence or two: translated. */
const char *preset_title(enum preset preset);
const char *preset_sentence(enum preset preset);
/* What it does, in a few words for a line: translated. */
const char *preset_summary(enum preset preset);
/* "lanes=1, arm-last=off": the options that their preset sets, as they are; "" none. */
const char *preset_print(const struct plan_options *options, char *buffer, size_t size);

/* Makes it the preset of these options: every option that any preset sets gets the value of this
 * one, or its default. Not those with a bit (1 << enum plan_option) in `given`. */
void preset_apply(struct plan_options *options, enum preset preset, unsigned given);
/* The bits of the options that this preset sets, itself included. */
unsigned preset_sets(enum preset preset);
/* Is what the file systems use copied before the rest, where nobody says otherwise (--used)? */
bool preset_used_first(enum preset preset);
