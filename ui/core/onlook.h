/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A terminal that looks on at a copy: what the deck has drawn on another one, in this terminal's
 * own colours and characters, or a part of it where this one is smaller. In the process that stands
 * in for the deck here; lookers.h is the other side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/core/lookers.h"

/* What has come so far. */
struct onlook_picture {
	struct look_head head; /* rows 0: nothing yet */
	struct draw_glyph *glyphs;
};

/* Takes a packet of lookers.h. False: it makes no sense; the picture is as it was, or emptied. */
bool onlook_take(struct onlook_picture *picture, const void *data, size_t size);
void onlook_picture_done(struct onlook_picture *picture);

struct onlook {
	struct term *term;
	struct onlook_picture picture;
	int top, left; /* of the picture: what stands in the corner of the screen */
	bool dirty;
};

/* The terminal is this process's standard input and output. 0 or negative errno. */
int onlook_start(const struct term_facts *facts, struct onlook *ret, struct error *reterr);
/* Gives the terminal back, or, where `lost`, only forgets it. */
void onlook_stop(struct onlook *onlook, bool lost);

enum onlook_wish { ONLOOK_NOTHING, ONLOOK_STEER, ONLOOK_LEAVE, ONLOOK_STOP };
/* Takes the keys that wait, and a new size. */
enum onlook_wish onlook_keys(struct onlook *onlook);
/* Draws if there is something new, and the terminal takes it. */
void onlook_draw(struct onlook *onlook);
