/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/viewers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

#include "ui/core/wire.h"

void viewers_init(struct viewers *viewers)
{
	*viewers = (struct viewers){ .count = 0 };
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		viewers->each[i].fd = -1;
}

/* Of the row's bits. */
static uint8_t bit_of(const struct viewers *viewers, const struct viewer *viewer)
{
	return (uint8_t)(1u << (viewer - viewers->each));
}

/* It has nothing of the frame. */
static void forget_sent(struct viewers *viewers, struct viewer *viewer)
{
	viewer->stale = true;
	for (uint32_t row = 0; row < viewers->head.rows; row++)
		viewers->stale[row] |= bit_of(viewers, viewer);
}

void viewers_again(struct viewers *viewers, struct viewer *viewer)
{
	if (viewers->asked == viewer->pid)
		viewers->asked = 0;
	viewer->told = false;
	forget_sent(viewers, viewer);
	viewers_send(viewers, viewer);
}

bool viewers_add(struct viewers *viewers, int fd, pid_t pid)
{
	for (size_t i = 0; i < VIEWERS_MAX; i++) {
		if (viewers->each[i].fd >= 0)
			continue;
		viewers->each[i] = (struct viewer){ .fd = fd, .pid = pid };
		viewers->count++;
		viewers_again(viewers, &viewers->each[i]);
		return true;
	}
	return false;
}

static void forget_frame(struct viewers *viewers)
{
	free(viewers->glyphs);
	free(viewers->roles);
	free(viewers->stale);
	viewers->glyphs = NULL;
	viewers->roles = viewers->stale = NULL;
	viewers->head = (struct frame_head){ 0 };
}

int viewers_remove(struct viewers *viewers, struct viewer *viewer)
{
	int fd = viewer->fd;

	if (viewers->asked == viewer->pid)
		viewers->asked = 0;
	viewer->fd = -1;
	if (--viewers->count == 0)
		forget_frame(viewers);
	return fd;
}

static bool is_behind(const struct viewers *viewers, const struct viewer *viewer)
{
	if (!viewer->told || (viewer->stale && viewers->head.rows))
		return true;
	for (uint32_t row = 0; row < viewers->head.rows; row++)
		if (viewers->stale[row] & bit_of(viewers, viewer))
			return true;
	return false;
}

static void ask(struct viewers *viewers, const struct viewer *viewer)
{
	if (wire_send(viewer->fd, (struct wire_note){ .kind = WIRE_STEER }, NULL))
		viewers->asked = viewer->pid;
}

void viewers_ask(struct viewers *viewers)
{
	/* One that is stuck would not answer, but there may be no other. */
	for (int any = 0; any < 2 && !viewers->asked; any++) {
		for (size_t i = 0; i < VIEWERS_MAX && !viewers->asked; i++) {
			struct viewer *viewer = &viewers->each[i];

			if (viewer->fd >= 0 && (any || (!is_behind(viewers, viewer) &&
							!process_is_stopped(viewer->pid))))
				ask(viewers, viewer);
		}
	}
}

/* ---- frames ---- */

static uint32_t side(int length)
{
	return length < 1 ? 1 : length > FRAME_SIDE_MAX ? FRAME_SIDE_MAX : (uint32_t)length;
}

static bool take_size(struct viewers *viewers, uint32_t rows, uint32_t cols, size_t roles)
{
	forget_frame(viewers);
	viewers->glyphs = calloc((size_t)rows * cols, sizeof(*viewers->glyphs));
	viewers->roles = calloc(roles, 1);
	viewers->stale = calloc(rows, 1);
	if (!viewers->glyphs || !viewers->roles || !viewers->stale) {
		forget_frame(viewers);
		return false;
	}
	viewers->head.rows = rows;
	viewers->head.cols = cols;
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		if (viewers->each[i].fd >= 0)
			forget_sent(viewers, &viewers->each[i]);
	return true;
}

uint8_t *viewers_roles(struct viewers *viewers, const struct term *term)
{
	uint32_t rows = side(term->rows), cols = side(term->cols);
	size_t roles = (size_t)term->rows * (size_t)term->cols;

	if (!viewers->count)
		return NULL;
	/* Where the terminal is larger than what is sent, its size may change and this not. */
	if ((rows != viewers->head.rows || cols != viewers->head.cols || rows == FRAME_SIDE_MAX ||
	     cols == FRAME_SIDE_MAX) &&
	    !take_size(viewers, rows, cols, roles))
		return NULL;
	return viewers->roles;
}

void viewers_bell(struct viewers *viewers)
{
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		viewers->each[i].rung = viewers->each[i].stale = true;
}

static void take_head(struct viewers *viewers, const struct draw *draw, const struct title *title)
{
	struct frame_head head = viewers->head;

	head.cursor_row = (uint32_t)draw->cursor_row % head.rows;
	head.cursor_col = (uint32_t)draw->cursor_col % head.cols;
	head.title = *title;
	if (head.cursor_row == viewers->head.cursor_row &&
	    head.cursor_col == viewers->head.cursor_col &&
	    head.title.progress == viewers->head.title.progress &&
	    head.title.percent == viewers->head.title.percent &&
	    !strcmp(head.title.text, viewers->head.title.text))
		return;
	viewers->head = head;
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		viewers->each[i].stale = true;
}

static void take_row(struct viewers *viewers, const struct draw *draw, uint32_t row)
{
	struct draw_glyph *glyphs = viewers->glyphs + (size_t)row * viewers->head.cols;
	bool changed = false;

	for (uint32_t col = 0; col < viewers->head.cols; col++) {
		struct draw_glyph glyph = draw_read(draw, (int)row, (int)col);

		if (memcmp(&glyph, &glyphs[col], sizeof(glyph)) == 0)
			continue;
		glyphs[col] = glyph;
		changed = true;
	}
	if (changed)
		viewers->stale[row] = UINT8_MAX;
}

void viewers_frame(struct viewers *viewers, const struct draw *draw, const struct title *title)
{
	if (!draw->roles)
		return;
	take_head(viewers, draw, title);
	for (uint32_t row = 0; row < viewers->head.rows; row++)
		take_row(viewers, draw, row);
	for (size_t i = 0; i < VIEWERS_MAX; i++)
		if (viewers->each[i].fd >= 0)
			viewers_send(viewers, &viewers->each[i]);
}

/* ---- packets ---- */

static void append(struct wire_more *more, const void *data, size_t size)
{
	memcpy(more->bytes + more->size, data, size);
	more->size += size;
}

/* The rows from `first` on that it does not have and that fit; returns the one behind the last. */
static uint32_t fill(const struct viewers *viewers, const struct viewer *viewer, uint32_t first,
		     struct wire_more *more)
{
	size_t size = viewers->head.cols * sizeof(struct draw_glyph);
	struct frame_head head = viewers->head;
	uint32_t row;

	head.bell = viewer->rung;
	more->size = sizeof(head);
	for (row = first; row < head.rows; row++) {
		if (!(viewers->stale[row] & bit_of(viewers, viewer)))
			continue;
		if (sizeof(more->bytes) - more->size < sizeof(row) + size)
			break;
		append(more, &row, sizeof(row));
		append(more, viewers->glyphs + (size_t)row * head.cols, size);
		head.count++;
	}
	memcpy(more->bytes, &head, sizeof(head));
	return row;
}

void viewers_send(struct viewers *viewers, struct viewer *viewer)
{
	struct wire_more more;

	/* Behind frames that were not read there may be no room for that now. */
	if (!viewer->told)
		viewer->told = wire_send(viewer->fd, (struct wire_note){ .kind = WIRE_LOOK }, NULL);
	if (!viewer->told)
		return;
	for (uint32_t row = 0, end; is_behind(viewers, viewer); row = end) {
		end = fill(viewers, viewer, row, &more);
		if (!wire_send_more(viewer->fd, (struct wire_note){ .kind = WIRE_FRAME }, &more))
			return;
		viewer->stale = viewer->rung = false;
		for (; row < end; row++)
			viewers->stale[row] &= (uint8_t)~bit_of(viewers, viewer);
	}
}

void viewers_poll(const struct viewers *viewers, struct pollfd fds[static VIEWERS_MAX])
{
	for (size_t i = 0; i < VIEWERS_MAX; i++) {
		const struct viewer *viewer = &viewers->each[i];
		bool behind = viewer->fd >= 0 && is_behind(viewers, viewer);

		fds[i] = (struct pollfd){ .fd = viewer->fd,
					  .events = (short)(POLLIN | (behind ? POLLOUT : 0)) };
	}
}

void viewers_end(struct viewers *viewers, int code, const char *text)
{
	const struct wire_note note = { .kind = WIRE_LEFT, .value = code };

	for (size_t i = 0; i < VIEWERS_MAX; i++) {
		struct viewer *viewer = &viewers->each[i];
		struct wire_more more = { .size = 0 };

		if (viewer->fd < 0)
			continue;
		if (viewer->rung)
			append(&more, "\a", 1);
		append(&more, text, strnlen(text, sizeof(more.bytes) - 1));
		(void)wire_send_more(viewer->fd, note, &more);
		close(viewers_remove(viewers, viewer));
	}
}
