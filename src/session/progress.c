/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/units.h"

/* Returns its length. */
static int put_hang(const struct job_hang *hang, char *buffer, size_t size)
{
	if (!hang->count)
		return 0;
	return snprintf(buffer, size,
			hang->write ? _("a write at LBA %llu hangs for %s: ")
				    : _("a read at LBA %llu hangs for %s: "),
			(unsigned long long)hang->lba, UNITS_DURATION(hang->ns / NSEC_PER_SEC));
}

double progress_percent(double fraction)
{
	return floor(fraction * 1000) / 10;
}

static double stage_fraction(uint64_t done, uint64_t total)
{
	return !total ? 0 : done >= total ? 1 : (double)done / (double)total;
}

/* Of a pass only the first word, so that the line fits: "wiping" of "wiping tables". */
static void put_doing(const struct job_snapshot *job, char *buffer, size_t size)
{
	text_copy(buffer, size, job_state_words(job->state));
	if (job->state != JOB_COPYING || job->pass == PASS_NONE)
		return;
	text_copy(buffer, size, pass_words(job->pass));
	buffer[strcspn(buffer, " ")] = '\0';
}

/* left: NULL where it is not known. */
static const char *put_left(const uint64_t *left, const struct job_range *range, char *buffer,
			    size_t size)
{
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];

	if (left)
		return text_copy(buffer, size, units_print_duration(*left, least));
	if (!range->known)
		return text_copy(buffer, size, _("unknown"));
	snprintf(buffer, size, _("%s to %s"), units_print_duration(range->least, least),
		 units_print_duration(range->most, most));
	return buffer;
}

const char *progress_left(const struct job_snapshot *job, char *buffer, size_t size)
{
	return put_left(job->eta.known ? &job->eta.seconds : NULL, &job->left, buffer, size);
}

const char *progress_left_of_record(const struct running *running, char *buffer, size_t size)
{
	const struct job_range range = { .known = running->left_most > 0,
					 .least = (uint64_t)running->left_least,
					 .most = (uint64_t)running->left_most };
	uint64_t left = (uint64_t)running->left;

	return put_left(running->left >= 0 ? &left : NULL, &range, buffer, size);
}

const char *progress_line(const struct job_snapshot *job, char buffer[static PROGRESS_LINE_MAX])
{
	const struct job_pass *pass = job_pass_counted(job);
	uint64_t so_far = pass ? pass->done : job->written, whole = pass ? pass->total : job->total;
	char doing[64], left[96];
	bool flushing = job->state == JOB_FLUSHING; /* its rate is not known */
	int n = put_hang(&job->hang, buffer, PROGRESS_LINE_MAX);

	put_doing(job, doing, sizeof(doing));
	n += snprintf(buffer + n, (size_t)(PROGRESS_LINE_MAX - n),
		      _("%.1f %%  left %s  %s %.1f %%  %s of %s  %s  errors %llu"),
		      progress_percent(job->overall), progress_left(job, left, sizeof(left)), doing,
		      progress_percent(stage_fraction(so_far, whole)),
		      UNITS_LONG(so_far, UNITS_SI, 512), UNITS_LONG(whole, UNITS_SI, 512),
		      UNITS_RATE(flushing ? (double)NAN : job->now_pass),
		      (unsigned long long)job->errors);
	/* Verification during the copy is counted separately. */
	if (job->proof.rolling && job->total && !pass && n > 0 && n < PROGRESS_LINE_MAX)
		snprintf(buffer + n, (size_t)(PROGRESS_LINE_MAX - n), _("  verified %.0f%%"),
			 floor(100.0 * (double)job->proof.verified / (double)job->total));
	return buffer;
}

const char *progress_doing(const struct running *running)
{
	if (strcmp(running->state, RUNNING_SUSPENDED) == 0)
		return _("suspended");
	for (int i = JOB_READY; i <= JOB_WAITING; i++)
		if (i != JOB_COPYING &&
		    strcmp(job_state_name((enum job_state)i), running->state) == 0)
			return job_state_words((enum job_state)i);
	for (int i = PASS_BASELINE; i <= PASS_CLEAR_CHECK; i++)
		if (strcmp(pass_name((enum pass_kind)i), running->stage) == 0)
			return pass_words((enum pass_kind)i);
	return strcmp(running->state, job_state_name(JOB_COPYING)) == 0
		       ? job_state_words(JOB_COPYING)
		       : _("unknown");
}

const char *progress_of_record(const struct running *running, char buffer[static PROGRESS_LINE_MAX])
{
	bool known = running->rate >= 0;
	char left[96];

	snprintf(buffer, PROGRESS_LINE_MAX,
		 _("%.1f %%  left %s  %s  %s  unreadable %s  errors %llu"), running->percent,
		 progress_left_of_record(running, left, sizeof(left)), progress_doing(running),
		 UNITS_RATE(known ? running->rate : (double)NAN),
		 UNITS_SHORT(running->bad, UNITS_SI, 512), (unsigned long long)running->errors);
	return buffer;
}
