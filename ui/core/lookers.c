/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/lookers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

#include "ui/core/wire.h"

void lookers_init(struct lookers *lookers)
{
	*lookers = (struct lookers){ .count = 0 };
	for (size_t i = 0; i < LOOKERS_MAX; i++)
		lookers->each[i].fd = -1;
}

/* Of the row's bits. */
static uint8_t bit_of(const struct lookers *lookers, const struct looker *looker)
{
	return (uint8_t)(1u << (looker - lookers->each));
}

/* It has nothing of the frame. */
static void forget_sent(struct lookers *lookers, struct looker *looker)
{
	looker->stale = true;
	for (uint32_t row = 0; row < lookers->head.rows; row++)
		lookers->stale[row] |= bit_of(lookers, looker);
}

void lookers_again(struct lookers *lookers, struct looker *looker)
{
	if (lookers->asked == looker->pid)
		lookers->asked = 0;
	looker->told = false;
	forget_sent(lookers, looker);
	lookers_send(lookers, looker);
}

bool lookers_add(struct lookers *lookers, int fd, pid_t pid)
{
	for (size_t i = 0; i < LOOKERS_MAX; i++) {
		if (lookers->each[i].fd >= 0)
			continue;
		lookers->each[i] = (struct looker){ .fd = fd, .pid = pid };
		lookers->count++;
		lookers_again(lookers, &lookers->each[i]);
		return true;
	}
	return false;
}

static void forget_frame(struct lookers *lookers)
{
	free(lookers->glyphs);
	free(lookers->roles);
	free(lookers->stale);
	lookers->glyphs = NULL;
	lookers->roles = lookers->stale = NULL;
	lookers->head = (struct look_head){ 0 };
}

int lookers_remove(struct lookers *lookers, struct looker *looker)
{
	int fd = looker->fd;

	if (lookers->asked == looker->pid)
		lookers->asked = 0;
	looker->fd = -1;
	if (--lookers->count == 0)
		forget_frame(lookers);
	return fd;
}

static bool is_behind(const struct lookers *lookers, const struct looker *looker)
{
	if (!looker->told || (looker->stale && lookers->head.rows))
		return true;
	for (uint32_t row = 0; row < lookers->head.rows; row++)
		if (lookers->stale[row] & bit_of(lookers, looker))
			return true;
	return false;
}

static void ask(struct lookers *lookers, const struct looker *looker)
{
	if (wire_send(looker->fd, (struct wire_note){ .kind = WIRE_STEER }, NULL))
		lookers->asked = looker->pid;
}

void lookers_ask(struct lookers *lookers)
{
	/* One that is stuck would not answer, but there may be no other. */
	for (int any = 0; any < 2 && !lookers->asked; any++) {
		for (size_t i = 0; i < LOOKERS_MAX && !lookers->asked; i++) {
			struct looker *looker = &lookers->each[i];

			if (looker->fd >= 0 && (any || (!is_behind(lookers, looker) &&
							!process_is_stopped(looker->pid))))
				ask(lookers, looker);
		}
	}
}

/* ---- frames ---- */

static uint32_t side(int length)
{
	return length < 1 ? 1 : length > LOOK_SIDE_MAX ? LOOK_SIDE_MAX : (uint32_t)length;
}

static bool take_size(struct lookers *lookers, uint32_t rows, uint32_t cols, size_t roles)
{
	forget_frame(lookers);
	lookers->glyphs = calloc((size_t)rows * cols, sizeof(*lookers->glyphs));
	lookers->roles = calloc(roles, 1);
	lookers->stale = calloc(rows, 1);
	if (!lookers->glyphs || !lookers->roles || !lookers->stale) {
		forget_frame(lookers);
		return false;
	}
	lookers->head.rows = rows;
	lookers->head.cols = cols;
	for (size_t i = 0; i < LOOKERS_MAX; i++)
		if (lookers->each[i].fd >= 0)
			forget_sent(lookers, &lookers->each[i]);
	return true;
}

uint8_t *lookers_roles(struct lookers *lookers, const struct term *term)
{
	uint32_t rows = side(term->rows), cols = side(term->cols);
	size_t roles = (size_t)term->rows * (size_t)term->cols;

	if (!lookers->count)
		return NULL;
	/* Where the terminal is larger than what is sent, its size may change and this not. */
	if ((rows != lookers->head.rows || cols != lookers->head.cols || rows == LOOK_SIDE_MAX ||
	     cols == LOOK_SIDE_MAX) &&
	    !take_size(lookers, rows, cols, roles))
		return NULL;
	return lookers->roles;
}

void lookers_bell(struct lookers *lookers)
{
	for (size_t i = 0; i < LOOKERS_MAX; i++)
		lookers->each[i].rung = lookers->each[i].stale = true;
}

static void take_head(struct lookers *lookers, const struct draw *draw, const struct title *title)
{
	struct look_head head = lookers->head;

	head.cursor_row = (uint32_t)draw->cursor_row % head.rows;
	head.cursor_col = (uint32_t)draw->cursor_col % head.cols;
	head.title = *title;
	if (head.cursor_row == lookers->head.cursor_row &&
	    head.cursor_col == lookers->head.cursor_col &&
	    head.title.progress == lookers->head.title.progress &&
	    head.title.percent == lookers->head.title.percent &&
	    !strcmp(head.title.text, lookers->head.title.text))
		return;
	lookers->head = head;
	for (size_t i = 0; i < LOOKERS_MAX; i++)
		lookers->each[i].stale = true;
}

static void take_row(struct lookers *lookers, const struct draw *draw, uint32_t row)
{
	struct draw_glyph *glyphs = lookers->glyphs + (size_t)row * lookers->head.cols;
	bool changed = false;

	for (uint32_t col = 0; col < lookers->head.cols; col++) {
		struct draw_glyph glyph = draw_read(draw, (int)row, (int)col);

		if (memcmp(&glyph, &glyphs[col], sizeof(glyph)) == 0)
			continue;
		glyphs[col] = glyph;
		changed = true;
	}
	if (changed)
		lookers->stale[row] = UINT8_MAX;
}

void lookers_frame(struct lookers *lookers, const struct draw *draw, const struct title *title)
{
	if (!draw->roles)
		return;
	take_head(lookers, draw, title);
	for (uint32_t row = 0; row < lookers->head.rows; row++)
		take_row(lookers, draw, row);
	for (size_t i = 0; i < LOOKERS_MAX; i++)
		if (lookers->each[i].fd >= 0)
			lookers_send(lookers, &lookers->each[i]);
}

/* ---- packets ---- */

static void append(struct wire_more *more, const void *data, size_t size)
{
	memcpy(more->bytes + more->size, data, size);
	more->size += size;
}

/* The rows from `first` on that it does not have and that fit; returns the one behind the last. */
static uint32_t fill(const struct lookers *lookers, const struct looker *looker, uint32_t first,
		     struct wire_more *more)
{
	size_t size = lookers->head.cols * sizeof(struct draw_glyph);
	struct look_head head = lookers->head;
	uint32_t row;

	head.bell = looker->rung;
	more->size = sizeof(head);
	for (row = first; row < head.rows; row++) {
		if (!(lookers->stale[row] & bit_of(lookers, looker)))
			continue;
		if (sizeof(more->bytes) - more->size < sizeof(row) + size)
			break;
		append(more, &row, sizeof(row));
		append(more, lookers->glyphs + (size_t)row * head.cols, size);
		head.count++;
	}
	memcpy(more->bytes, &head, sizeof(head));
	return row;
}

void lookers_send(struct lookers *lookers, struct looker *looker)
{
	struct wire_more more;

	/* Behind frames that were not read there may be no room for that now. */
	if (!looker->told)
		looker->told = wire_send(looker->fd, (struct wire_note){ .kind = WIRE_LOOK }, NULL);
	if (!looker->told)
		return;
	for (uint32_t row = 0, end; is_behind(lookers, looker); row = end) {
		end = fill(lookers, looker, row, &more);
		if (!wire_send_more(looker->fd, (struct wire_note){ .kind = WIRE_FRAME }, &more))
			return;
		looker->stale = looker->rung = false;
		for (; row < end; row++)
			lookers->stale[row] &= (uint8_t)~bit_of(lookers, looker);
	}
}

void lookers_poll(const struct lookers *lookers, struct pollfd fds[static LOOKERS_MAX])
{
	for (size_t i = 0; i < LOOKERS_MAX; i++) {
		const struct looker *looker = &lookers->each[i];
		bool behind = looker->fd >= 0 && is_behind(lookers, looker);

		fds[i] = (struct pollfd){ .fd = looker->fd,
					  .events = (short)(POLLIN | (behind ? POLLOUT : 0)) };
	}
}

void lookers_end(struct lookers *lookers, int code, const char *text)
{
	const struct wire_note note = { .kind = WIRE_LEFT, .value = code };

	for (size_t i = 0; i < LOOKERS_MAX; i++) {
		struct looker *looker = &lookers->each[i];
		struct wire_more more = { .size = 0 };

		if (looker->fd < 0)
			continue;
		if (looker->rung)
			append(&more, "\a", 1);
		append(&more, text, strnlen(text, sizeof(more.bytes) - 1));
		(void)wire_send_more(looker->fd, note, &more);
		close(lookers_remove(lookers, looker));
	}
}
