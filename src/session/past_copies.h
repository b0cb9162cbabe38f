/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the log directory tells of earlier copies. Any thread; waits for the disk of that. */
#pragma once

#include <stddef.h>

#include "report/past_copy.h"
#include "session/choose.h"

struct past {
	char directory[512];
	struct past_copy items[SESSION_PAST_MAX];
	size_t count;
};

/* Fills a struct past of which only the directory is set: the newest copies, newest first. */
void past_read(void *past);
/* NULL is fine. */
void past_free(struct past *past);
