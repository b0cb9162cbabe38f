/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/compare.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "guard/facts.h"

int compare_allowed(const struct plan *plan, const struct verdict_list *verdicts,
		    enum guard_run run, struct error *reterr)
{
	const struct verdict *refusal = verdict_list_refusal(verdicts, run);

	if (!refusal)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -EBUSY, "verify", plan->destinations[0].node,
			 _("Nothing is verified: %s"), refusal->sentence);
}

/* Reading gives zeros from there to the end of the file's last sector. */
static int check_length(const struct plan *plan, struct error *reterr)
{
	const struct endpoint *destination = &plan->destinations[0];

	if (destination->kind != ENDPOINT_IMAGE ||
	    destination->size >= plan->destination_size_after)
		return 0;
	return error_set(reterr, ERROR_CLASS_REFUSED, -ENOSPC, "verify", destination->node,
			 _("%s is smaller than what it is to be compared with: it cannot be a copy "
			   "of all that."),
			 destination->node);
}

/* If it is mounted, or was changed since the copy, differences are legitimate. */
static int look_around(struct compare *compare)
{
	const struct plan *plan = compare->plan;
	struct error *error = &compare->error;
	struct verdict_list verdicts = { 0 };
	enum guard_run run = compare->recorded.digests ? RUN_DIGESTS : RUN_COMPARE;
	struct guard_facts facts;
	int r;

	facts_gather(plan, compare->disks, compare->log_dir, NULL, &facts);
	r = rules_check(plan, &facts, compare->allowed, run, &verdicts, error);
	if (r == 0)
		r = compare_allowed(plan, &verdicts, run, error);
	verdict_list_done(&verdicts);
	/* The copy itself may have made its image, or made it longer. */
	if (r == 0 && !compare->of_copy)
		r = check_length(plan, error);
	return r;
}

/* Uses the digests of the source; without them, both ends are read completely. */
static int find_digests(struct compare *compare)
{
	const char *list = compare->list;
	int r;

	if (compare->recorded.digests)
		return 0;
	if (!list[0])
		return recorded_map(compare->plan, &(struct range_list){ 0 },
				    &compare->recorded.map, &compare->error);
	r = recorded_copy_load(list, &compare->recorded, &compare->error);
	if (r == 0 && strcmp(compare->recorded.id, PLAN_ID(compare->plan)) != 0)
		r = error_set(
			&compare->error, ERROR_CLASS_USAGE, -EINVAL, "verify", list,
			_("The list of digests %s belongs to another copy than the report %s."),
			list, compare->report);
	return r;
}

/* Of a copy's options, none that writes. */
static struct plan_options options_to_read(const struct compare *compare)
{
	const struct plan_options *planned = &compare->plan->options;
	struct plan_options options = {
		.source_backend =
			endpoint_is_sg_only(&compare->plan->source) ? BACKEND_SG : BACKEND_AUTO,
		.verify = compare->recorded.digests ? VERIFY_DIGEST : VERIFY_COMPARE,
		.retries = compare->of_copy ? PLAN_RETRIES_DEFAULT : planned->retries,
		.rate = compare->rate,
	};

	if (!compare->of_copy)
		options.checksums = planned->checksums;
	return options;
}

static int start(struct compare *compare)
{
	struct opened *opened = &compare->opened;
	int r = opened_to_verify(opened, compare->plan, compare->described, compare->images,
				 compare->recorded.digests, compare->recorded.map, &compare->error);

	if (r < 0)
		return r;
	compare->plan->options = options_to_read(compare);
	/* Findings go to the log of the copy, if there is one that can be written. */
	if (compare->of_copy)
		log_open(compare->log_path, &compare->log, NULL);
	opened->setup.log = compare->log;
	r = job_new(&opened->setup, &opened->job, &compare->error);
	if (r < 0)
		return r;
	compare->recorded.map = NULL; /* the job has it */
	return job_start(opened->job, &compare->error);
}

void compare_start(void *data)
{
	struct compare *compare = data;
	int r = find_digests(compare);

	if (r == 0)
		r = look_around(compare);
	if (r == 0)
		r = start(compare);
	if (r < 0)
		opened_discard(&compare->opened);
	compare->result = r;
}

void compare_done(struct compare *compare)
{
	opened_discard(&compare->opened);
	recorded_copy_done(&compare->recorded);
	plan_destroy(cleanup_steal(compare->plan));
	log_close(cleanup_steal(compare->log));
}
