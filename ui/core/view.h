/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A terminal that looks on at a copy: what the deck has drawn on another one, in this terminal's
 * own colours and characters, or a part of it where this one is smaller. In the client; viewers.h
 * is the deck's side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/core/viewers.h"

/* What has come so far. */
struct view_picture {
	struct frame_head head; /* rows 0: nothing yet */
	struct draw_glyph *glyphs;
};

/* Takes a packet of viewers.h. False: it makes no sense; the picture is as it was, or emptied. */
bool view_take(struct view_picture *picture, const void *data, size_t size);
void view_picture_done(struct view_picture *picture);

struct view {
	struct term *term;
	struct view_picture picture;
	int top, left; /* of the picture: what stands in the corner of the screen */
	bool dirty;
};

/* The terminal is this process's standard input and output. 0 or negative errno. */
int view_start(const struct term_facts *facts, struct view *ret, struct error *reterr);
/* Gives the terminal back, or, where `lost`, only forgets it. */
void view_stop(struct view *view, bool lost);

enum view_wish { VIEW_NOTHING, VIEW_STEER, VIEW_LEAVE, VIEW_STOP };
/* Takes the keys that wait, and a new size. */
enum view_wish view_keys(struct view *view);
/* Draws if there is something new, and the terminal takes it. */
void view_draw(struct view *view);
