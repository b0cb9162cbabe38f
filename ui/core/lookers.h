/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several terminals at one copy, in the deck's process: one of them steers, and that is the one the
 * deck is drawn on. The others look on: each is drawn by the process that stands in for the deck
 * there (onlook.h), from what this one sends, so that curses has one screen here. Nobody waits for
 * them: one that takes nothing misses frames.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ui/core/draw.h"
#include "ui/core/title.h"

#define LOOKERS_MAX   8
#define LOOK_SIDE_MAX 1000 /* rows, and columns; what is beyond is not sent */

/* A packet of a frame, behind a WIRE_FRAME: this, and `count` rows that have changed, each a
 * uint32_t, its number, and `cols` times struct draw_glyph. */
struct look_head {
	uint32_t rows, cols;
	uint32_t cursor_row, cursor_col;
	uint32_t bell;
	uint32_t count;
	struct title title;
};

struct looker {
	int fd; /* connection to its stand-in; -1: a free place */
	pid_t pid;
	bool told;  /* that it looks on */
	bool stale; /* it does not have the newest head yet */
	bool rung;  /* it has not heard the newest bell yet */
};

struct lookers {
	struct looker each[LOOKERS_MAX];
	size_t count;
	pid_t asked; /* to steer; 0: nobody */
	struct look_head head;
	struct draw_glyph *glyphs; /* as drawn last */
	uint8_t *roles;            /* for struct draw */
	uint8_t *stale;            /* for each row: bits of those that do not have it yet */
};

void lookers_init(struct lookers *lookers);
/* Adds a terminal that looks on. False: there is no place, and fd stays the caller's. */
bool lookers_add(struct lookers *lookers, int fd, pid_t pid);
/* It is told that it looks on, and gets all of the frame. */
void lookers_again(struct lookers *lookers, struct looker *looker);
/* Its place is free again; the caller has its fd. */
int lookers_remove(struct lookers *lookers, struct looker *looker);
/* One of them is asked to steer, if none was, or that has answered, or is gone. */
void lookers_ask(struct lookers *lookers);

/* For struct draw, before a frame is drawn; NULL: nobody looks on, or there is no memory. */
uint8_t *lookers_roles(struct lookers *lookers, const struct term *term);
void lookers_bell(struct lookers *lookers);
/* The frame has been drawn, and is sent. */
void lookers_frame(struct lookers *lookers, const struct draw *draw, const struct title *title);
/* All of them end, with that exit code and what is left to say. */
void lookers_end(struct lookers *lookers, int code, const char *text);

/* What to wait for, of each place. */
void lookers_poll(const struct lookers *lookers, struct pollfd fds[static LOOKERS_MAX]);
/* Sends what one of them does not have yet, as far as it takes it. */
void lookers_send(struct lookers *lookers, struct looker *looker);
