/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verifies an earlier clone, whatever made it: opens both ends for reading, writes nothing, and
 * needs no confirmation. */
#include <errno.h>
#include <string.h>

#include "base/i18n.h"
#include "report/mask.h"
#include "session/session_private.h"

int session_check_readable(const struct plan *plan, const struct verdict_list *verdicts,
			   enum guard_run run, struct error *reterr)
{
	const struct verdict *refusal = verdict_list_refusal(verdicts, run);

	if (!refusal)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "verify", plan->destination.node,
			 _("Nothing is verified: %s"), refusal->sentence);
}

int session_check_compare(const struct session *session, struct error *reterr)
{
	return session_check_readable(session->plan, &session->verdicts, RUN_COMPARE, reterr);
}

/* Of a masked identity, only what it shows can be compared. */
static bool same_disk(const struct recorded_copy *recorded, const struct endpoint *destination)
{
	const struct endpoint *was = &recorded->plan->destination;
	struct identity identity = destination->identity;

	if (recorded->masked)
		report_mask_identity(&identity);
	return was->kind == destination->kind && was->size == destination->size &&
	       was->start == destination->start && was->identity.nsid == identity.nsid &&
	       strcmp(was->identity.serial, identity.serial) == 0 &&
	       strcmp(was->identity.model, identity.model) == 0 &&
	       strcmp(was->identity.wwn, identity.wwn) == 0;
}

static int check_destination(const struct recorded_copy *recorded,
			     const struct endpoint *destination, const char *path,
			     struct error *reterr)
{
	const struct endpoint *was = &recorded->plan->destination;
	bool image = was->kind == ENDPOINT_IMAGE || destination->kind == ENDPOINT_IMAGE;
	const struct extent *last = &recorded->plan->extents[recorded->plan->extent_count - 1];
	uint64_t end = (last->destination_lba + last->sectors) * recorded->plan->sector_size;

	if (destination->size < end)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ENOSPC, "verify", destination->node,
				 _("%s is smaller than the copy in %s: it cannot be that copy."),
				 destination->node, path);
	if (!image && !same_disk(recorded, destination))
		return error_set(reterr, ERROR_CLASS_REFUSED, -ENXIO, "verify", destination->node,
				 _("%s is not the disk of %s: that was %s, serial number %s."),
				 destination->node, path, was->node,
				 was->identity.serial[0] ? was->identity.serial : _("none"));
	return 0;
}

int session_plan_from_report(struct session *session, const char *path,
			     const struct endpoint *destination, unsigned sums,
			     struct error *reterr)
{
	struct report_reference reference;
	struct plan *plan = NULL;
	struct recorded_copy recorded;
	int r = report_reference(path, &reference, reterr);

	if (r < 0)
		return r;
	r = recorded_copy_load(reference.list, &recorded, reterr);
	if (r < 0)
		return r;
	if (strcmp(recorded.id, reference.plan_id) != 0)
		r = error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "verify", reference.list,
			      _("The list of digests %s belongs to another copy than the report "
				"%s."),
			      reference.list, path);
	if (r == 0)
		r = check_destination(&recorded, destination, path, reterr);
	if (r == 0) {
		struct plan_options options = { .retries = PLAN_RETRIES_DEFAULT, .sums = sums };

		r = plan_from_extents(&recorded.plan->source, destination, recorded.plan->extents,
				      recorded.plan->extent_count, &options, &plan, reterr);
	}
	if (r == 0)
		r = session_adopt_plan(session, plan, NULL, reterr);
	if (r < 0) {
		recorded_copy_done(&recorded);
		return r;
	}
	session->recorded = recorded;
	return 0;
}

int session_map_of_all(const struct plan *plan, struct map **ret, struct error *reterr)
{
	int r = map_new(plan, ret, reterr);

	for (size_t i = 0; r == 0 && i < plan->extent_count; i++) {
		uint64_t source, destination, length;

		plan_extent_bytes(plan, i, &source, &destination, &length);
		if (map_set(*ret, source, length, MAP_FINISHED) < 0)
			r = error_nomem(reterr);
	}
	return r;
}

/* Reading gives zeros from there to the end of the file's last sector. */
int session_check_length(const struct plan *plan, struct error *reterr)
{
	const struct endpoint *destination = &plan->destination;

	if (destination->kind != ENDPOINT_IMAGE ||
	    destination->size >= plan->destination_size_after)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -ENOSPC, "verify", destination->node,
			 _("%s is smaller than what it is to be compared with: it cannot be a copy "
			   "of all that."),
			 destination->node);
}

int session_verify(struct session *session, struct job **ret, struct error *reterr)
{
	struct start_task *starting = &session->starting;
	struct recorded_copy *recorded = &session->recorded;
	int r;

	if (session->state != SESSION_PLANNED)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "verify", NULL,
				 _("There is nothing to verify."));
	r = session_check_readable(session->plan, &session->verdicts,
				   recorded->digests ? RUN_DIGESTS : RUN_COMPARE, reterr);
	if (r == 0)
		r = session_check_length(session->plan, reterr);
	if (r == 0 && !recorded->map)
		r = session_map_of_all(session->plan, &recorded->map, reterr);
	session->started_disks = session->disks;
	if (r == 0)
		r = session_open_to_verify(starting, session->plan, session->disks, session->images,
					   recorded->digests, recorded->map, reterr);
	if (r == 0)
		r = job_new(&starting->setup, &starting->job, reterr);
	if (r == 0) {
		recorded->map = NULL; /* the job has it */
		r = job_start(starting->job, reterr);
	}
	if (r < 0)
		session_release_job(session);
	else
		*ret = starting->job;
	return r;
}
