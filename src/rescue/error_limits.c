/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rescue/error_limits.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/units.h"

bool rescue_limit_exceeded(const struct plan_options *options, const struct rescue_figures *figures,
			   const char *name, char *why, size_t size)
{
	const struct plan_options *o = options;

	if (o->max_bad_areas && figures->bad_areas > o->max_bad_areas)
		snprintf(why, size, _("%s has %" PRIu64 " bad areas."), name, figures->bad_areas);
	else if (o->max_read_errors && figures->read_errors > o->max_read_errors)
		snprintf(why, size, _("%" PRIu64 " reads of %s failed."), figures->read_errors,
			 name);
	else if (o->max_error_rate && figures->error_rate > (double)o->max_error_rate)
		snprintf(why, size, _("Reads of %s fail at %s."), name,
			 UNITS_RATE(figures->error_rate));
	else if (o->max_no_read && figures->since_good_read > o->max_no_read * NSEC_PER_SEC)
		snprintf(why, size, _("Nothing could be read from %s for %" PRIu64 " s."), name,
			 (uint64_t)(figures->since_good_read / NSEC_PER_SEC));
	else
		return false;
	return true;
}
