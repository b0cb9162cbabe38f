/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/title.h"

#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"
#include "discover/disk.h"

static enum title_progress progress_of(const struct job_snapshot *job)
{
	switch (job->state) {
	case JOB_ENDED:
		/* Whoever looks at the icon has to see that it did not end well. */
		return job->result == JOB_RESULT_COMPLETE ? TITLE_NONE : TITLE_FAILED;
	case JOB_PAUSED:
	case JOB_WAITING:
		return TITLE_PAUSED;
	case JOB_COPYING:
	case JOB_VERIFYING:
		return TITLE_RUNNING;
	default:
		return TITLE_UNKNOWN;
	}
}

unsigned title_percent(const struct job_snapshot *job)
{
	return job->overall >= 1 ? 100 : (unsigned)(job->overall * 100);
}

void title_of(const struct job_snapshot *job, const char *source, const char *destination,
	      struct title *ret)
{
	char from[40], to[40], left[UNITS_TEXT_MAX];

	*ret = (struct title){ .progress = TITLE_NONE };
	if (!job)
		return;
	ret->progress = progress_of(job);
	ret->percent = title_percent(job);
	text_show(from, sizeof(from), node_short(source));
	text_show(to, sizeof(to), node_short(destination));
	if (job->state == JOB_ENDED)
		snprintf(ret->text, sizeof(ret->text), _("ended: %s -> %s"), from, to);
	else if (job->eta.known)
		snprintf(ret->text, sizeof(ret->text), _("%u%% %s -> %s, %s left"), ret->percent,
			 from, to, units_print_duration(job->eta.seconds, left));
	else
		snprintf(ret->text, sizeof(ret->text), "%u%% %s -> %s", ret->percent, from, to);
}

const char *title_sequence(const struct title *last, const struct title *now,
			   char buffer[static TITLE_BYTES_MAX])
{
	size_t used = 0;

	buffer[0] = '\0';
	/* XTWINOPS 22 and 23: the terminal keeps its own title meanwhile. */
	if (!last->text[0] && now->text[0])
		used += (size_t)snprintf(buffer, TITLE_BYTES_MAX, "\033[22;0t");
	else if (last->text[0] && !now->text[0])
		used += (size_t)snprintf(buffer, TITLE_BYTES_MAX, "\033[23;0t");
	if (now->text[0] && strcmp(last->text, now->text) != 0)
		used += (size_t)snprintf(buffer + used, TITLE_BYTES_MAX - used, "\033]0;%s\a",
					 now->text);
	if (last->progress != now->progress ||
	    (now->progress != TITLE_NONE && last->percent != now->percent))
		snprintf(buffer + used, TITLE_BYTES_MAX - used, "\033]9;4;%d;%u\a",
			 (int)now->progress, now->progress == TITLE_NONE ? 0 : now->percent);
	return buffer;
}
