/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things go on screen 3. Pure; see ui/core/layout.h for the rules. */
#ifndef CLONEDECK_UI_LAYOUT_PLAN_H
#define CLONEDECK_UI_LAYOUT_PLAN_H

#include "ui/core/layout.h"

struct layout_plan {
	struct rect ends;     /* SOURCE, DEST, COPY, OPTIONS */
	struct rect picture;  /* before, touched, after, scale, legend; empty without a disk */
	struct rect heading;  /* of the checks */
	struct rect list;     /* checks, and what follows them */
	struct rect start;    /* what to do, and the field */
	struct rect files;    /* wide: box with the paths */
	struct rect estimate; /* wide and tall: box below it */
	struct rect lost;     /* tall: what will be lost, with its heading */
};

/* checks: lines that the checks take; lost: lines of the list of lost partitions with heading. */
void layout_plan(struct rect body, bool picture, int checks, int lost, struct layout_plan *ret);

#endif
