/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translation marks. Sentences are translated where they are made; tables of
 * constant text are marked with N_() and translated where they are shown.
 */
#pragma once

#include <stdbool.h>

#include "config.h"

#if ENABLE_NLS
#include <libintl.h>
#define _(text)          gettext(text)
#define P_(one, many, n) ngettext(one, many, n)
#else
#define _(text)          (text)
#define P_(one, many, n) ((n) == 1 ? (one) : (many))
#endif
#define N_(text) (text)

/* Whether a terminal of this kind (TERM) can show the language of the messages. */
bool i18n_fits_terminal(const char *name, bool utf8);
