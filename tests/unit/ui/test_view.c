/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a terminal that looks on is sent: taken where it makes sense, and nothing else. */
#include "unit.h"

#include <string.h>

#include "ui/core/view.h"

#define ROWS 3
#define COLS 4

struct packet {
	struct frame_head head;
	struct row {
		uint32_t number;
		struct draw_glyph glyphs[COLS];
	} rows[ROWS];
};

/* All rows, with a letter for each. */
static struct packet whole(void)
{
	struct packet packet;

	memset(&packet, 0, sizeof(packet));
	packet.head = (struct frame_head){ .rows = ROWS, .cols = COLS, .count = ROWS };
	for (uint32_t row = 0; row < ROWS; row++) {
		packet.rows[row].number = row;
		for (int col = 0; col < COLS; col++)
			packet.rows[row].glyphs[col] = (struct draw_glyph){ .code = 'a' + row };
	}
	return packet;
}

static size_t size_of(const struct packet *packet)
{
	return sizeof(packet->head) + packet->head.count * sizeof(packet->rows[0]);
}

TEST(rows_that_changed)
{
	struct view_picture picture = { .glyphs = NULL };
	struct packet packet = whole();

	ck_assert(view_take(&picture, &packet, size_of(&packet)));
	packet.head.count = 1;
	packet.head.bell = 1;
	packet.rows[0].number = 2;
	packet.rows[0].glyphs[3] = (struct draw_glyph){ .code = 0x4e2d, .role = ROLE_BAD };
	ck_assert(view_take(&picture, &packet, size_of(&packet)));
	packet.head.count = packet.head.bell = 0;
	ck_assert(view_take(&picture, &packet, size_of(&packet)));
	ck_assert_uint_eq(picture.glyphs[0].code, 'a');
	ck_assert_uint_eq(picture.glyphs[2 * COLS].code, 'a');
	ck_assert_uint_eq(picture.glyphs[2 * COLS + 3].code, 0x4e2d);
	/* It is rung once the picture is drawn. */
	ck_assert_uint_eq(picture.head.bell, 1);
	view_picture_done(&picture);
}

static void refused(const struct packet *packet, size_t size)
{
	struct view_picture picture = { .glyphs = NULL };
	struct packet good = whole();

	/* Also when there is a picture already. */
	for (int i = 0; i < 2; i++) {
		ck_assert(!view_take(&picture, packet, size));
		ck_assert(view_take(&picture, &good, size_of(&good)));
	}
	view_picture_done(&picture);
}

TEST(sizes_that_make_no_sense)
{
	struct packet good = whole(), packet = good;

	for (size_t size = 0; size < sizeof(good); size++)
		refused(&good, size);
	packet.head.count = UINT32_MAX;
	refused(&packet, sizeof(packet));
	packet = good;
	packet.head.rows = 0;
	refused(&packet, sizeof(packet));
	packet.head.rows = UINT32_MAX;
	refused(&packet, sizeof(packet));
	packet = good;
	packet.head.cols = FRAME_SIDE_MAX + 1;
	refused(&packet, sizeof(packet));
	packet = good;
	packet.head.cursor_col = COLS;
	refused(&packet, sizeof(packet));
	packet = good;
	packet.rows[1].number = ROWS;
	refused(&packet, sizeof(packet));
}

/* Nothing that a terminal would take for a command, and no look that there is not. */
TEST(characters_that_make_no_sense)
{
	static const uint32_t codes[] = { 1, 0x1b, 0x7f, 0x9b, 0x110000, UINT32_MAX };
	struct packet packet = whole();

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		packet.rows[2].glyphs[1].code = codes[i];
		refused(&packet, sizeof(packet));
	}
	packet = whole();
	packet.rows[0].glyphs[0].role = ROLE_COUNT;
	refused(&packet, sizeof(packet));
	packet = whole();
	strcpy(packet.head.title.text, "a\033]0;b");
	refused(&packet, sizeof(packet));
	strcpy(packet.head.title.text, "a\302\233b");
	refused(&packet, sizeof(packet));
	memset(packet.head.title.text, 'a', sizeof(packet.head.title.text));
	refused(&packet, sizeof(packet));
}
