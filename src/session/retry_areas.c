/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading chosen bad areas again, leaving the others alone. */
#include <errno.h>
#include <inttypes.h>

#include "base/i18n.h"
#include "session/session_private.h"

static bool holds_bad(const struct map *map, struct range area, uint32_t sector)
{
	struct map_block block;

	return map_next(map, area.start * sector, MAP_BAD, &block) &&
	       block.start / sector < area.start + area.count;
}

static bool any_bad(const struct session *session, const struct range_list *areas)
{
	for (size_t i = 0; i < areas->count; i++)
		if (holds_bad(session->resume, areas->items[i], session->plan->sector_size))
			return true;
	return false;
}

int session_retry_areas(struct session *session, const struct range_list *areas,
			struct error *reterr)
{
	struct plan_options *options = session->plan ? &session->plan->options : NULL;
	struct range_list chosen;

	if ((session->state != SESSION_PLANNED && session->state != SESSION_CONFIRMED) ||
	    !session->resumes)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "plan", NULL,
				 _("Bad areas are chosen of a copy that goes on from its map."));
	if (options->on_error != ON_ERROR_MAP)
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "plan", session->resume_path,
				 _("This copy stops at the first bad sector, so none can be "
				   "chosen: all that is left is read when it goes on."));
	if (!any_bad(session, areas))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENODATA, "plan", session->resume_path,
				 _("The map %s calls nothing bad in what was chosen."),
				 session->resume_path);
	if (range_list_copy(areas, &chosen) < 0)
		return error_nomem(reterr);
	range_list_done(&session->retry);
	session->retry = chosen;
	if (!options->retry_passes)
		options->retry_passes = 1;
	/* The confirmation was for another plan. */
	session->state = SESSION_PLANNED;
	return 0;
}

const struct range_list *session_retried(const struct session *session)
{
	return &session->retry;
}
