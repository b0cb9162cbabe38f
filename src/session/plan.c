/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planning and confirming; nothing can be started without both. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "plan/free_places.h"
#include "session/compare.h"
#include "session/session_private.h"

static void find_token(struct session *session)
{
	const struct endpoint *destination = &session->plan->destinations[0];
	char *phrase = session->token_phrase, node[161];
	size_t size = sizeof(session->token_phrase);

	endpoint_token(session->disks, destination, session->token);
	/* Creating a new file loses nothing. */
	if (destination->kind == ENDPOINT_IMAGE && !destination->exists)
		session->token[0] = '\0';
	text_copy(node, sizeof(node),
		  destination->kind == ENDPOINT_IMAGE ? session->token : destination->node);
	if (!session->token[0])
		phrase[0] = '\0';
	else if (destination->kind == ENDPOINT_IMAGE)
		snprintf(phrase, size, _("the path of the image %.160s"), node);
	else if (strcmp(session->token, destination->node) == 0)
		snprintf(phrase, size, _("the full path of the destination, %.160s"), node);
	else if (strlen(session->token) < strlen(destination->identity.serial))
		snprintf(phrase, size, _("the last %zu characters of the serial number of %.160s"),
			 strlen(session->token), node);
	else
		snprintf(phrase, size, _("the serial number of %.160s"), node);
}

void session_resume_from(struct session *session, struct map *map)
{
	if (session->resume != map)
		map_destroy(session->resume);
	session->resume = map;
	session->resumes = map != NULL;
	session->finished_bytes = map ? map_bytes(map, MAP_FINISHED) : 0;
}

/* What follows from plan and disks: the held areas. */
static int find_held(struct session *session, struct error *reterr)
{
	const struct plan *plan = session->plan;
	const struct disk *source = session_contents(session, &plan->source);
	struct held held;

	/* Where its partitions were is known only from what was saved. */
	if (plan->source.gone[0])
		return 0;
	if (held_find(plan, source, session_disk(session, &plan->destinations[0]), &held) < 0)
		return error_nomem(reterr);
	held_done(&session->held);
	session->held = held;
	return 0;
}

static int take_facts(struct session *session, struct guard_facts *facts, struct error *reterr)
{
	struct verdict_list verdicts = { 0 };
	/* If nothing of the earlier copy is finished, the destination is checked as for a new copy.
	 */
	bool goes_on = session->resumes && session->finished_bytes > 0;
	int r;

	facts->whole_known =
		used_say_whole(session_used(session, &session->plan->source), &session->modes,
			       session->plan, facts->whole, sizeof(facts->whole));
	r = rules_check(session->plan, facts, session->allowed, goes_on ? RUN_RESUME : RUN_COPY,
			&verdicts, reterr);

	session->source_writers = facts->source_writers;
	session->known = session->checking.known;
	session->boot = session->checking.boot;
	session->volumes = facts->volumes;
	if (r == 0)
		r = find_held(session, reterr);
	if (r < 0) {
		verdict_list_done(&verdicts);
		return r;
	}
	verdict_list_done(&session->verdicts);
	session->verdicts = verdicts;
	session->log_dir_in_memory = facts->log_dir.in_memory;
	find_token(session);
	return 0;
}

int session_allow(struct session *session, const char *rule, struct error *reterr)
{
	const char *const one[] = { rule, NULL };
	const struct verdict *verdict = verdict_list_liftable(&session->verdicts, rule);
	size_t count = 0;
	int r = rules_check_allow(one, reterr);

	if (r < 0)
		return r;
	while (session->allowed[count])
		count++;
	if (!verdict || count == ALLOWED_MAX || session->state != SESSION_PLANNED)
		return error_set(
			reterr, ERROR_CLASS_USAGE, -EINVAL, "allow", rule,
			_("The rule \"%s\" does not refuse this plan, or cannot be lifted for it."),
			rule);
	session->allowed[count] = verdict->rule;
	/* A rule that was allowed for an earlier plan may still stand behind this one. */
	session->allowed[count + 1] = NULL;
	session_recheck(session);
	return 0;
}

void session_discard_plan(struct session *session)
{
	if (session_refuse_busy(session, "plan", NULL) < 0)
		return;
	session->allowed[session->allowed_always] = NULL;
	session_forget_measure(session);
	session_release_job(session);
	session->compared = false;
	verdict_list_done(&session->verdicts);
	held_done(&session->held);
	plan_destroy(cleanup_steal(session->plan));
	session_resume_from(session, NULL);
	layout_done(&session->offer);
	session->no_offer = (struct error){ 0 };
	session->shrink = (struct layout_shrink){ 0 };
	range_list_done(&session->retry);
	recorded_copy_done(&session->recorded);
	session->from_report = false;
	session->modes = (struct used_modes){ 0 };
	session->token[0] = session->token_phrase[0] = '\0';
	session->errors[SESSION_TASK_START] = (struct error){ 0 };
	session->loads = false;
	session->state = SESSION_CHOOSING;
}

/* No plan came of it. */
static void without_plan(struct session *session)
{
	session->loads = false;
	session->state = session->has_report ? SESSION_FINISHED : SESSION_CHOOSING;
	if (!session->has_report)
		session_discard_plan(session);
}

void session_give_up_plan(struct session *session)
{
	/* Its check may wait for a disk: it is left running, and its result is dropped. */
	if (session->state == SESSION_CHECKING)
		without_plan(session);
}

/* ---- the check, in the background ---- */

/* Of the source, if its health was asked for already. */
static void note_health(const struct session *session, struct check *check)
{
	const struct disk *disk =
		session->plan ? session_disk(session, &session->plan->source) : NULL;
	const struct health *health = NULL;
	bool asking = false;
	int64_t sectors;

	if (disk)
		health = session_health(session, disk, &asking);
	if (!health || asking || !health_is_known(health))
		return;
	check->health_of = disk->identity;
	check->health = health_judge(health, &sectors);
}

static int begin_check(struct session *session, struct error *reterr)
{
	struct check *check = &session->checking;
	struct range_list ranges;

	if (session->state == SESSION_CHOOSING || session->state == SESSION_FINISHED)
		session->state = SESSION_CHECKING;
	session->check_again = session_runs(session, SESSION_TASK_PLAN);
	if (session->check_again)
		return 0;
	if (range_list_copy(&session->wish.ranges, &ranges) < 0)
		return error_nomem(reterr);
	range_list_done(&check->wish.ranges);
	check->wish = session->wish;
	check->wish.ranges = ranges;
	check->options = &session->options;
	check->goes_on = session->resumes && !session->loads;
	text_copy(check->map_path, sizeof(check->map_path), session->resume_path);
	text_copy(check->log_dir, sizeof(check->log_dir), session->files.directory);
	check->first = session->state == SESSION_CHECKING;
	check->load = session->loads;
	if (!session->loads)
		check_take_plan(check, session->plan, session->resume);
	note_health(session, check);
	loaded_done(&check->loaded);
	check->error = (struct error){ 0 };
	check->disks = session->disks;
	check->images = session->images;
	int r = session_begin_task(session, SESSION_TASK_PLAN, check_run, check, reterr);

	if (r < 0)
		check->disks = NULL;
	return r;
}

void session_recheck(struct session *session)
{
	if (session->state == SESSION_CHECKING || session->state == SESSION_PLANNED ||
	    session->state == SESSION_CONFIRMED)
		begin_check(session, NULL);
}

/* A plan was checked again. If the verdicts or the token differ, it must be confirmed again. */
static void take_again(struct session *session, unsigned *changes)
{
	struct verdict_list before = session->verdicts;
	char token[sizeof(session->token)];
	bool same;

	*changes |= SESSION_CHANGE_STATE;
	if (session->checking.result < 0)
		return;
	memcpy(token, session->token, sizeof(token));
	session->verdicts = (struct verdict_list){ 0 };
	if (take_facts(session, &session->checking.facts, NULL) < 0) {
		session->verdicts = before;
		return;
	}
	same = verdict_list_same(&before, &session->verdicts) && strcmp(token, session->token) == 0;
	verdict_list_done(&before);
	/* The confirmation was for another situation. */
	if (!same)
		session->state = SESSION_PLANNED;
}

/* The plan was in a file. */
static void take_loaded(struct session *session)
{
	struct check *check = &session->checking;
	struct loaded *loaded = &check->loaded;
	bool resumes = loaded->resume != NULL;

	session_discard_plan(session);
	session->plan = cleanup_steal(loaded->plan);
	session->held = loaded->held;
	loaded->held = (struct held){ 0 };
	session_resume_from(session, cleanup_steal(loaded->resume));
	session->recorded = loaded->recorded;
	loaded->recorded = (struct recorded_copy){ 0 };
	session->from_report = session->recorded.digests != NULL;
	if (resumes)
		text_copy(session->resume_path, sizeof(session->resume_path), check->map_path);
}

/* The table that the plan writes, or could write. */
static int take_layout(struct session *session)
{
	struct check *check = &session->checking;
	struct layout *layout = &check->layout;

	layout_done(&session->offer);
	session->no_offer = check->no_offer;
	session->table = layout->table;
	if (check->fits)
		return plan_fit(session->plan, layout->extents, layout->extent_count,
				&layout->fitted, &check->error);
	session->offer = *layout;
	*layout = (struct layout){ 0 };
	return 0;
}

static void take_first(struct session *session, unsigned *changes)
{
	struct check *check = &session->checking;
	int r = check->result;

	*changes |= SESSION_CHANGE_STATE;
	if (r == 0 && check->load)
		take_loaded(session);
	if (r == 0)
		r = take_layout(session);
	if (r == 0)
		r = take_facts(session, &check->facts, &check->error);
	if (r == 0) {
		session->files.named = check->named;
		session->state = SESSION_PLANNED;
		return;
	}
	session->errors[SESSION_TASK_PLAN] = check->error;
	loaded_done(&check->loaded);
	without_plan(session);
}

static void check_anew(struct session *session, unsigned *changes)
{
	struct check *check = &session->checking;

	session->check_again = false;
	loaded_done(&check->loaded);
	if (session->state != SESSION_CHECKING) {
		session_recheck(session);
	} else if (begin_check(session, &check->error) < 0) {
		check->result = check->error.code;
		take_first(session, changes);
	}
}

void session_take_check(struct session *session, unsigned *changes)
{
	struct check *check = &session->checking;
	const struct disk_list *disks = check->disks;

	check->disks = NULL;
	/* This check was of another plan, or of another list of disks. */
	if (session->check_again)
		check_anew(session, changes);
	else if (session->state == SESSION_CHECKING)
		take_first(session, changes);
	else if (session->state == SESSION_PLANNED || session->state == SESSION_CONFIRMED)
		take_again(session, changes);
	session_drop_disks(session, &disks);
}

/* ---- a plan ---- */

/* Of a plan that is in a file. Keeps the report until there is another plan. */
static int begin_loading(struct session *session, const struct session_wish *wish,
			 struct error *reterr)
{
	const char *path = wish->map ? wish->map : wish->report ? wish->report : wish->domain;
	struct wish *kept = &session->wish;

	if (!session->has_report)
		session_discard_plan(session);
	if (strlen(path) >= sizeof(kept->map))
		return error_set(reterr, ERROR_CLASS_USAGE, -ENAMETOOLONG, "resume", path,
				 _("The path %s is too long."), path);
	range_list_done(&kept->ranges);
	*kept = (struct wish){ .ends = wish->destination != NULL,
			       .moved = wish->destination_lba,
			       .rescue = session->options.rescue,
			       .given = session->options.rescue_given };
	if (wish->ranges && range_list_copy(wish->ranges, &kept->ranges) < 0)
		return error_nomem(reterr);
	if (wish->source)
		kept->source = *wish->source;
	if (wish->destination)
		kept->destination = *wish->destination;
	if (wish->destination_lba)
		kept->destination_lba = *wish->destination_lba;
	if (wish->options)
		kept->options = *wish->options;
	text_copy(kept->map, sizeof(kept->map), wish->map ? wish->map : "");
	text_copy(kept->report, sizeof(kept->report), wish->report ? wish->report : "");
	text_copy(kept->domain, sizeof(kept->domain), wish->domain ? wish->domain : "");
	session->loads = true;

	enum session_state before = session->state;
	int r = begin_check(session, reterr);

	if (r < 0) {
		session->loads = false;
		session->state = before;
	}
	return r;
}

static int new_plan(const struct session *session, const struct session_wish *wish,
		    struct plan **ret, struct error *reterr)
{
	const struct used *used = wish->used ? session_used(session, wish->source) : NULL;
	struct free_places places = { 0 };
	int r;

	if (wish->used && !used)
		return error_set(reterr, ERROR_CLASS_USAGE, -EAGAIN, "plan", wish->source->node,
				 _("What %s uses has not been read yet."), wish->source->node);
	if (used && used_free(used, wish->used, &places) < 0)
		r = error_nomem(reterr);
	else
		r = plan_new(wish->source, wish->destination,
			     wish->ranges && wish->ranges->count ? wish->ranges : NULL,
			     wish->destination_lba, used ? &places : NULL, wish->options, ret,
			     reterr);
	free_places_done(&places);
	return r;
}

int session_plan(struct session *session, const struct session_wish *wish, struct error *reterr)
{
	CLEANUP(plan) struct plan *plan = NULL;
	int r = session_refuse_busy(session, wish->map ? "resume" : "plan", reterr);

	/* Without a list of disks, the ends that a map or a report names cannot be found. */
	if (r == 0)
		r = session_need_disks(session, "plan", wish->map, reterr);
	if (r < 0)
		return r;
	if (wish->map || wish->report || wish->domain)
		return begin_loading(session, wish, reterr);
	r = new_plan(session, wish, &plan, reterr);
	session_discard_plan(session);
	if (r < 0)
		return r;
	session->plan = cleanup_steal(plan);
	r = begin_check(session, reterr);
	if (r < 0) {
		session_discard_plan(session);
		return r;
	}
	if (wish->used)
		session->modes = *wish->used;
	session_renew_destination(session);
	return 0;
}

struct session_choice session_choice(const struct session *session)
{
	const struct plan *plan = session->plan;
	const struct used *used = plan ? session_used(session, &plan->source) : NULL;

	return (struct session_choice){
		.plan = plan,
		.verdicts = &session->verdicts,
		.held = &session->held,
		.boot = &session->boot,
		.volumes = &session->volumes,
		.offer = session->offer.extent_count ? &session->offer.fitted : NULL,
		.shrink = session->offer.shrink.number ? &session->offer.shrink : NULL,
		.no_offer = session->no_offer.sentence,
		.table = plan && session->table.count ? &session->table : NULL,
		.source = plan ? session_contents(session, &plan->source) : NULL,
		.destination = plan ? session_contents(session, &plan->destinations[0]) : NULL,
		.resumes = plan && session->resumes,
		.finished_bytes = session->finished_bytes,
		.retry = &session->retry,
		.token = session->token,
		.token_phrase = session->token_phrase,
		.used = used,
		.modes = &session->modes,
		.checking = session_runs(session, SESSION_TASK_PLAN),
		.comparable =
			plan && compare_allowed(plan, &session->verdicts, RUN_COMPARE, NULL) == 0,
		.measuring = session_runs(session, SESSION_TASK_MEASURE),
		.measured = session->measured ? &session->measurement.found
			    : plan && session->known.source > 0 && session->known.destination > 0
				    ? &session->known
				    : NULL,
		.log_dir = session->files.directory,
		.log_dir_in_memory = session->log_dir_in_memory,
	};
}

int session_list_finished(const struct session *session, struct range_list *ret)
{
	int r;

	*ret = (struct range_list){ 0 };
	/* From the start on, the map is the copy's. */
	if (!session->resume ||
	    (session->state != SESSION_PLANNED && session->state != SESSION_CONFIRMED))
		return 0;
	r = map_list(session->resume, MAP_FINISHED, 1, ret);
	if (r < 0)
		range_list_done(ret);
	return r;
}

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

static int refuse(const struct session *session, struct error *reterr)
{
	const struct verdict *first = &session->verdicts.items[0];

	return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm",
			 session->plan->destinations[0].node, "%s", first->sentence);
}

/* A name of the device mapper says more than the number of its node, which may be another one
 * after a restart. */
static bool is_mapper_name(const struct endpoint *destination, const char *path)
{
	const char *name = text_after(path, "/dev/mapper/");

	return name && text_after(destination->node, "/dev/dm-") &&
	       strcmp(name, destination->identity.model) == 0;
}

bool session_takes_token(const struct session *session, const char *token)
{
	const struct endpoint *destination = &session->plan->destinations[0];

	if (strcmp(token, session->token) == 0)
		return true;
	/* For an image, its unencoded path is accepted, too: a script has that one. */
	if (destination->kind == ENDPOINT_IMAGE)
		return strcmp(token, destination->node) == 0;
	return strcmp(session->token, destination->node) == 0 && is_mapper_name(destination, token);
}

int session_confirm(struct session *session, const char *token, struct error *reterr)
{
	if (session->state != SESSION_PLANNED && session->state != SESSION_CONFIRMED)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "confirm", NULL,
				 _("There is no plan to confirm."));
	session->state = SESSION_PLANNED;
	if (session_runs(session, SESSION_TASK_PLAN))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EAGAIN, "confirm",
				 session->plan->destinations[0].node,
				 _("Disks came or went, and the plan is being checked again. "
				   "Confirm it once more."));
	if (verdict_list_worst(&session->verdicts) == VERDICT_REFUSE)
		return refuse(session, reterr);
	if (session->token[0] && (!token || !session_takes_token(session, token)))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm",
				 session->plan->destinations[0].node,
				 _("The confirmation is wrong; nothing was written. Expected: %s."),
				 session->token_phrase);
	session->state = SESSION_CONFIRMED;
	return 0;
}
