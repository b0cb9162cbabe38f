/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a failure means to whoever has the disk on the bench. Pure. */
#ifndef CLONEDECK_UI_EXPLAIN_H
#define CLONEDECK_UI_EXPLAIN_H

#include <stdbool.h>

#include "base/error.h"

/* A sentence, translated, static. code: negative errno, for where there is no sense. write: the
 * destination was written, else the source was read. */
const char *explain_failure(const struct sense *sense, int code, bool write);

#endif
