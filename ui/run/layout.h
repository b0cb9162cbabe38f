/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things go on screen 4. Pure; see ui/core/layout.h for the rules. */
#ifndef CLONEDECK_UI_LAYOUT_RUN_H
#define CLONEDECK_UI_LAYOUT_RUN_H

#include "ui/core/layout.h"

struct layout_run {
	struct rect head;  /* ends and state, bar, figures */
	struct rect alarm; /* tall: blank unless somebody should see to something */
	struct rect graph; /* boxes, with their frames */
	struct rect latency;
	struct rect cpu;
	struct rect queues;
	struct rect map;    /* with its heading */
	struct rect status; /* errors and slow reads in words */
	struct rect events; /* tall: with its heading */
};

void layout_run(struct rect body, struct layout_run *ret);

#endif
