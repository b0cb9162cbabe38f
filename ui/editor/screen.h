/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout editor from the inside: for its own folder, and for the test of its layout. */
#pragma once

#include "ui/core/layout.h"

struct layout_editor {
	struct rect title;
	struct rect picture; /* source, copy, marks, scale, legend: as many of them as fit */
	struct rect columns; /* heading of the list */
	struct rect list;
	struct rect free;
	struct rect limit; /* of the chosen partition */
};

/* wanted: lines that the list would like. */
void layout_editor(struct rect body, int wanted, struct layout_editor *ret);
