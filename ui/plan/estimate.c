/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plan/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/units.h"

#include "ui/plan/model.h"
#include "ui/run/model.h"

void estimate_make(const struct plan *plan, enum rolling_how rolling,
		   const struct session_measured *measured, struct estimate *ret)
{
	double bytes = (double)plan_bytes(plan);
	double writes = measured->writes > 0 ? measured->writes : measured->destination;
	double slower = fmin(measured->source, writes);
	double limit = plan->options.rate ? (double)plan->options.rate : INFINITY;
	bool meanwhile = plan_verifies_meanwhile(&plan->options, rolling);

	*ret = (struct estimate){ .known = slower > 0 && measured->destination > 0 };
	if (!ret->known)
		return;
	ret->copy = (uint64_t)ceil(bytes / fmin(slower, meanwhile ? limit / 2 : limit));
	if (plan->options.verify == VERIFY_COMPARE)
		ret->verify = (uint64_t)ceil(
			bytes / fmin(fmin(measured->source, measured->destination), limit));
	else if (plan->options.verify != VERIFY_OFF && !meanwhile)
		ret->verify = (uint64_t)ceil(bytes / fmin(measured->destination, limit));
}

/* "sdb" for "/dev/sdb". */
static void text_rate(const struct endpoint *end, double rate, struct line *line)
{
	line_add(line, _(" %s reads %s"), node_short(end->node),
		 rate > 0 ? UNITS_RATE(rate) : _("unknown"));
}

static void text_span(const char *word, uint64_t seconds, struct line *line)
{
	line_add(line, " %s", word);
	line_to(line, 9);
	line_add(line, _("about %s"), UNITS_DURATION(seconds));
}

/* What is left out need not be read, but may have to be written over with zeros. */
static bool text_saved(const struct plan *plan, const struct session_measured *measured,
		       char duration[static UNITS_TEXT_MAX])
{
	double to = measured->writes > 0 ? measured->writes : measured->destination;
	double slower = fmin(measured->source, to);
	uint64_t bytes = plan_free_bytes(plan);

	if (!plan_left_out(plan) || !bytes || !(slower > 0))
		return false;
	units_print_duration((uint64_t)((double)bytes / slower), duration);
	return true;
}

static void finish_text(const struct estimate *estimate, int64_t now, char *buffer, size_t size)
{
	uint64_t seconds = estimate->copy + estimate->verify;
	char at[64];

	run_text_clock(now + (int64_t)seconds, now, at, sizeof(at));
	snprintf(buffer, size, _("%s, ends %s"), UNITS_DURATION(seconds), at);
}

bool estimate_text(const struct plan *plan, const struct session_measured *measured,
		   const struct estimate *estimate, int64_t now, int index, struct line *line)
{
	char finish[96], saved[UNITS_TEXT_MAX];

	switch (index) {
	case 0:
		text_rate(&plan->source, measured->source, line);
		return true;
	case 1:
		text_rate(&plan->destinations[0], measured->destination, line);
		return true;
	case 2:
		if (!estimate->known) {
			line_add(line, _(" how long it takes is not known"));
		} else if (text_saved(plan, measured, saved)) {
			/* There is no room for "about", too. */
			line_add(line, " %s", _("copy"));
			line_to(line, 9);
			line_add(line, "%s", UNITS_DURATION(estimate->copy));
			line_add(line, _(" (up to %s saved)"), saved);
		} else {
			text_span(_("copy"), estimate->copy, line);
		}
		return true;
	case 3:
		if (!estimate->known)
			return false;
		if (estimate->verify)
			text_span(_("verify"), estimate->verify, line);
		else
			line_add(line, plan->options.verify == VERIFY_OFF
					       ? _(" not read back")
					       : _(" verified meanwhile"));
		return true;
	case 4:
		finish_text(estimate, now, finish, sizeof(finish));
		line_add(line, " %s", _("in all"));
		line_to(line, 9);
		line_add(line, _("about %s"), finish);
		return true;
	case 5:
		if (measured->writes > 0)
			line_add(line, _(" %s writes %s"), node_short(plan->destinations[0].node),
				 units_print_rate(measured->writes, finish));
		else
			line_add(line, _(" if %s writes as fast as it reads"),
				 node_short(plan->destinations[0].node));
		return true;
	default:
		return false;
	}
}

void estimate_sentence(const struct plan *plan, const struct session_measured *measured,
		       const struct estimate *estimate, int64_t now, char *buffer, size_t size)
{
	char finish[96];

	if (!estimate->known) {
		snprintf(
			buffer, size, "%s",
			_("How long it takes is not known: an end cannot be read past the cache."));
		return;
	}
	finish_text(estimate, now, finish, sizeof(finish));
	if (measured->writes > 0)
		snprintf(buffer, size, _("In all about %s."), finish);
	else
		snprintf(buffer, size, _("In all about %s, if %s writes as fast as it reads."),
			 finish, node_short(plan->destinations[0].node));
}
