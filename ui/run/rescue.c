/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/run/rescue.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/i18n.h"
#include "base/units.h"

#include "ui/run/model.h"

#define LABEL_COLS   15
#define BYTES_COLS   20
#define PERCENT_COLS 8
#define RIGHT_COL    46
#define RIGHT_LABEL  16

/* Exact as long as it can be read. */
static const char *bytes_text(uint64_t bytes, char *buffer, size_t size)
{
	char text[UNITS_TEXT_MAX];

	if (bytes < UINT64_C(1000000000000000))
		snprintf(buffer, size, "%s B", units_print_count(bytes, text));
	else
		snprintf(buffer, size, "%s", units_print_long(bytes, UNITS_SI, 0, text));
	return buffer;
}

/* Cut, not rounded: 100 is all of it, and anything at all is more than nothing. */
static void percent_text(uint64_t part, uint64_t all, char *buffer, size_t size)
{
	double percent = all ? floor((double)part / (double)all * 10000) / 100 : 0;

	if (!all)
		snprintf(buffer, size, "-");
	else if (part && percent < 0.01)
		snprintf(buffer, size, "<0.01%%");
	else
		snprintf(buffer, size, "%.2f%%", part < all && percent > 99.99 ? 99.99 : percent);
}

static void put_share(const struct job_snapshot *job, const char *label, uint64_t bytes,
		      struct line *line)
{
	char text[UNITS_TEXT_MAX + 8];

	line_put(line, 1, "");
	line_put(line, LABEL_COLS, label);
	line_put_right(line, BYTES_COLS, bytes_text(bytes, text, sizeof(text)));
	percent_text(bytes, job->total, text, sizeof(text));
	line_put_right(line, PERCENT_COLS, text);
}

static void put_right(struct line *line, const char *label, const char *value)
{
	line_to(line, RIGHT_COL);
	line_put(line, RIGHT_LABEL, label);
	line_add(line, " %s", value);
}

static void put_count(struct line *line, const char *label, uint64_t count)
{
	char text[UNITS_TEXT_MAX];

	put_right(line, label, units_print_count(count, text));
}

static void put_last_good(const struct job_snapshot *job, struct line *line)
{
	char text[UNITS_TEXT_MAX + 32];

	put_right(line, _("last good read"), run_text_last_good(job, text, sizeof(text)));
}

/* Only where the pane is taller than on the smallest screen. */
static bool more_text(const struct job_snapshot *job, int index, struct line *line)
{
	switch (index) {
	case 4:
		line_add(line, _(" m: where they are, and what the disk said"));
		put_count(line, _("retries"), job->retries);
		return true;
	case 5:
		if (job->proof.asked)
			put_share(job, _("verified"), job->proof.verified, line);
		put_count(line, _("slow reads >1 s"), job->slow_reads);
		return true;
	case 6:
		if (job->proof.areas)
			put_share(job, _("MISMATCHES"), job->proof.bytes, line);
		return true;
	default:
		return false;
	}
}

void rescue_title(const struct job_snapshot *job, char *buffer, size_t size)
{
	unsigned count = job->pass_count < JOB_PASSES_MAX ? job->pass_count : JOB_PASSES_MAX;
	const struct job_pass *now = count ? &job->passes[count - 1] : NULL;

	if (!now || (job->pass != PASS_COPY && job->pass != PASS_TRIM && job->pass != PASS_SCRAPE &&
		     job->pass != PASS_RETRY))
		snprintf(buffer, size, "%s", _("Rescue (Tab: CPU and queues)"));
	else
		snprintf(buffer, size, _("Rescue: %s, round %u, %s (Tab: CPU and queues)"),
			 pass_words(now->kind), now->rounds,
			 now->backwards ? _("backwards") : _("forwards"));
}

bool rescue_text(const struct job_snapshot *job, int index, struct line *line)
{
	const struct job_rescue *rescue = &job->rescue;
	char text[UNITS_TEXT_MAX + 8];

	switch (index) {
	case 0:
		put_share(job, _("rescued"), rescue->rescued, line);
		put_count(line, _("read errors"), rescue->read_errors);
		return true;
	case 1:
		put_share(job, _("non-tried"), rescue->non_tried, line);
		put_count(line, _("bad areas"), rescue->bad_areas);
		return true;
	case 2:
		put_share(job, _("non-trimmed"), rescue->non_trimmed, line);
		put_right(line, _("bad sector"),
			  bytes_text(rescue->bad_sector, text, sizeof(text)));
		return true;
	case 3:
		put_share(job, _("non-scraped"), rescue->non_scraped, line);
		put_last_good(job, line);
		return true;
	default:
		return more_text(job, index, line);
	}
}
