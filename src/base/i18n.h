/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Translation marks. Sentences are translated where they are made; tables of
 * constant text are marked with N_() and translated where they are shown.
 */
#ifndef CLONEDECK_BASE_I18N_H
#define CLONEDECK_BASE_I18N_H

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

#endif
