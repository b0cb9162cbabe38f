/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where things go on screen 5. Pure; see ui/core/layout.h for the rules. */
#ifndef CLONEDECK_UI_LAYOUT_REPORT_H
#define CLONEDECK_UI_LAYOUT_REPORT_H

#include "ui/core/layout.h"

struct layout_report {
	struct rect text;
	struct rect graph; /* wide: box, throughput over the disk */
	struct rect map;   /* tall: with its legend */
};

void layout_report(struct rect body, struct layout_report *ret);

#endif
