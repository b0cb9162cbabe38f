/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/screen.h"

#include <string.h>
#include <time.h>

#include "base/text.h"

#include "ui/core/line.h"
#include "ui/plan/model.h"
#include "ui/run/model.h"

void run_spoken_follow(struct run_spoken *spoken, const struct job_snapshot *job, bool due)
{
	const char *last = spoken->count ? spoken->lines[spoken->count - 1] : "";
	struct line line;

	if (!due && spoken->count && job->state == spoken->state && job->pass == spoken->pass)
		return;
	spoken->state = job->state;
	spoken->pass = job->pass;
	line_start(&line, SPOKEN_COLS);
	run_text_spoken(job, (int64_t)time(NULL), &line);
	if (strcmp(line.text, last) == 0)
		return;
	if (spoken->count == SPOKEN_LINES)
		spoken->count = 0;
	text_copy(spoken->lines[spoken->count++], sizeof(*spoken->lines), line.text);
	spoken->fresh = true;
}

/* False when the lines do not all fit. A single one is cut instead. */
static bool draw_page(struct run_spoken *spoken, struct draw *draw, struct rect area)
{
	int row = 0, last = 0;

	for (size_t i = 0; i < spoken->count; i++) {
		if (i && row + line_rows(spoken->lines[i], area.cols - 1) > area.rows)
			return false;
		last = row;
		row += draw_wrapped(draw, area, row, 1, area.rows - row, ROLE_NORMAL,
				    spoken->lines[i]);
	}
	draw_cursor(draw, area, last, 1);
	for (; spoken->fresh && last < row; last++)
		draw_anew(area, last);
	spoken->fresh = false;
	return true;
}

void run_spoken_draw(struct run_spoken *spoken, const struct plan *plan, struct draw *draw,
		     struct rect body)
{
	struct line line;

	line_start(&line, body.cols);
	plan_text_source(plan, &line);
	draw_text(draw, rect_cut_top(&body, 1), 0, 0, ROLE_SOURCE, line.text);
	line_start(&line, body.cols);
	plan_text_destination(plan, false, &line);
	draw_text(draw, rect_cut_top(&body, 2), 0, 0, ROLE_DESTINATION, line.text);
	if (draw_page(spoken, draw, body))
		return;
	draw_clear(draw, body);
	memmove(spoken->lines[0], spoken->lines[spoken->count - 1], sizeof(*spoken->lines));
	spoken->count = 1;
	draw_page(spoken, draw, body);
}
