/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a resumed copy may change, the options of a rescue and the rate, by the
 * names that the command line and map files have for them: one table for all.
 */
#ifndef CLONEDECK_PLAN_RESCUE_H
#define CLONEDECK_PLAN_RESCUE_H

#include <stddef.h>

#include "base/units.h"
#include "plan/plan.h"

#define RESCUE_OPTIONS 9

/* "retry-passes"; i < RESCUE_OPTIONS. */
const char *rescue_option_name(size_t i);
/* The number of that name; -ENOENT. `separator` stands for '-'. */
int rescue_option_find(const char *name, char separator);
/* -EINVAL: no such value. */
int rescue_option_set(struct plan_options *options, size_t i, const char *value);
/* What set() takes. */
const char *rescue_option_print(const struct plan_options *options, size_t i,
				char buffer[static UNITS_TEXT_MAX]);
/* "stop or map", "a number from 0 to 1000": translated. */
const char *rescue_option_values(size_t i, char *buffer, size_t size);
/* Those with a bit in `given` are taken from `from`. */
void rescue_options_merge(struct plan_options *options, const struct plan_options *from,
			  unsigned given);

#endif
