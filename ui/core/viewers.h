/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several terminals at one copy, in the deck's process: one of them steers, and that is the one the
 * deck is drawn on. The others look on: each is drawn by its client (client.h, view.h) from what
 * this process sends, so that curses has one screen here. Nobody waits for them: one that takes
 * nothing misses frames.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ui/core/draw.h"
#include "ui/core/title.h"

#define VIEWERS_MAX    8
#define FRAME_SIDE_MAX 1000 /* rows, and columns; what is beyond is not sent */

/* A packet of a frame, behind a WIRE_FRAME: this, and `count` rows that have changed, each a
 * uint32_t, its number, and `cols` times struct draw_glyph. */
struct frame_head {
	uint32_t rows, cols;
	uint32_t cursor_row, cursor_col;
	uint32_t bell;
	uint32_t count;
	struct title title;
};

struct viewer {
	int fd; /* connection to its client; -1: a free place */
	pid_t pid;
	bool told;  /* that it looks on */
	bool stale; /* it does not have the newest head yet */
	bool rung;  /* it has not heard the newest bell yet */
};

struct viewers {
	struct viewer each[VIEWERS_MAX];
	size_t count;
	pid_t asked; /* to steer; 0: nobody */
	struct frame_head head;
	struct draw_glyph *glyphs; /* as drawn last */
	uint8_t *roles;            /* for struct draw */
	uint8_t *stale;            /* for each row: bits of those that do not have it yet */
};

void viewers_init(struct viewers *viewers);
/* Adds a terminal that looks on. False: there is no place, and fd stays the caller's. */
bool viewers_add(struct viewers *viewers, int fd, pid_t pid);
/* It is told that it looks on, and gets all of the frame. */
void viewers_again(struct viewers *viewers, struct viewer *viewer);
/* Its place is free again; the caller has its fd. */
int viewers_remove(struct viewers *viewers, struct viewer *viewer);
/* One of them is asked to steer, if none was, or that has answered, or is gone. */
void viewers_ask(struct viewers *viewers);

/* For struct draw, before a frame is drawn; NULL: nobody looks on, or there is no memory. */
uint8_t *viewers_roles(struct viewers *viewers, const struct term *term);
void viewers_bell(struct viewers *viewers);
/* The frame has been drawn, and is sent. */
void viewers_frame(struct viewers *viewers, const struct draw *draw, const struct title *title);
/* All of them end, with that exit code and what is left to say. */
void viewers_end(struct viewers *viewers, int code, const char *text);

/* What to wait for, of each place. */
void viewers_poll(const struct viewers *viewers, struct pollfd fds[static VIEWERS_MAX]);
/* Sends what one of them does not have yet, as far as it takes it. */
void viewers_send(struct viewers *viewers, struct viewer *viewer);
