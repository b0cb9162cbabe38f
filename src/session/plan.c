/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planning and confirming; nothing can be started without both. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "session/session_private.h"

DEFINE_CLEANUP(plan, struct plan *, plan_destroy)

static void find_token(struct session *session)
{
	const struct endpoint *destination = &session->plan->destination;
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

/* What follows from plan and disks: the areas held back. */
static int find_held(struct session *session, struct error *reterr)
{
	const struct disk *source = session_source_contents(session);
	struct held held;

	if (held_find(session->plan, source, session_destination_disk(session), &held) < 0)
		return error_nomem(reterr);
	held_done(&session->held);
	session->held = held;
	return 0;
}

int session_take_facts(struct session *session, const struct guard_facts *facts,
		       struct error *reterr)
{
	struct verdict_list verdicts = { 0 };
	/* A copy of which nothing is finished begins anew, and so does what it overwrites. */
	bool goes_on = session->resumes && session->finished_bytes > 0;
	int r = rules_check(session->plan, facts, session->allowed, goes_on ? RUN_RESUME : RUN_COPY,
			    &verdicts, reterr);

	session->source_writers = facts->source_writers;
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

int session_busy(const struct session *session, const char *operation, struct error *reterr)
{
	if (session->state != SESSION_STARTING && session->state != SESSION_RUNNING &&
	    session->state != SESSION_WAITING && session->state != SESSION_FINISHING &&
	    session->state != SESSION_VERIFYING)
		return 0;
	return error_set(reterr, ERROR_CLASS_USAGE, -EBUSY, operation, NULL,
			 _("A copy is running. Another one can be planned when it has ended."));
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
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "allow", rule,
				 _("The rule \"%s\" does not refuse this plan, or cannot be "
				   "lifted for it."),
				 rule);
	session->allowed[count] = verdict->rule;
	/* Behind it there may be one of an earlier plan. */
	session->allowed[count + 1] = NULL;
	session_recheck(session);
	return 0;
}

void session_discard_plan(struct session *session)
{
	if (session_busy(session, "plan", NULL) < 0)
		return;
	session->allowed[session->allowed_always] = NULL;
	session_forget_measure(session);
	session_release_job(session);
	session->reverifying.verified = false;
	verdict_list_done(&session->verdicts);
	held_done(&session->held);
	plan_destroy(cleanup_steal(session->plan));
	session_resume_from(session, NULL);
	range_list_done(&session->retry);
	recorded_copy_done(&session->recorded);
	session->token[0] = session->token_phrase[0] = '\0';
	session->start_error = (struct error){ 0 };
	session->loads = false;
	session->state = SESSION_CHOOSING;
}

static int begin_adopting(struct session *session, struct plan *plan, struct map *resume,
			  struct error *reterr)
{
	session_discard_plan(session);
	session->plan = plan;
	session_resume_from(session, resume);
	int r = session_check_files(session, reterr);

	if (r == 0)
		r = session_begin_check(session, reterr);
	if (r < 0)
		session_discard_plan(session);
	return r;
}

int session_adopt_plan(struct session *session, struct plan *plan, struct map *resume,
		       struct error *reterr)
{
	int r = begin_adopting(session, plan, resume, reterr);

	return r < 0 ? r : session_wait_for_check(session, reterr);
}

/* A map is the only way to resume its copy, so it is never replaced by a new one. */
static int check_is_new(const struct plan *plan, const char *map, struct error *reterr)
{
	struct stat st;
	int r = session_check_not_an_end(plan, map, reterr);

	/* Anything but a file is refused elsewhere. */
	if (r < 0 || !map || stat(map, &st) < 0 || !S_ISREG(st.st_mode))
		return r;
	return error_set(reterr, ERROR_CLASS_USAGE, -EEXIST, "plan", map,
			 _("The map %s exists already. Go on with its copy (clonedeck resume %s), "
			   "or name another file."),
			 map, map);
}

int session_begin_plan(struct session *session, const struct endpoint *source,
		       const struct endpoint *destination, const struct range_list *ranges,
		       const uint64_t *destination_lba, const struct plan_options *options,
		       struct error *reterr)
{
	CLEANUP(plan) struct plan *plan = NULL;
	const char *map_path = session->options.map_path;
	int r = session_busy(session, "plan", reterr);

	if (r < 0)
		return r;
	r = plan_new(source, destination, ranges, destination_lba, options, &plan, reterr);
	if (r == 0)
		r = check_is_new(plan, map_path, reterr);
	if (r < 0) {
		session_discard_plan(session);
		return r;
	}
	return begin_adopting(session, cleanup_steal(plan), NULL, reterr);
}

int session_plan(struct session *session, const struct endpoint *source,
		 const struct endpoint *destination, const struct range_list *ranges,
		 const uint64_t *destination_lba, const struct plan_options *options,
		 struct error *reterr)
{
	int r = session_begin_plan(session, source, destination, ranges, destination_lba, options,
				   reterr);

	return r < 0 ? r : session_wait_for_check(session, reterr);
}

bool session_resumes(const struct session *session)
{
	return session->plan && session->resumes;
}

uint64_t session_finished_bytes(const struct session *session)
{
	return session->finished_bytes;
}

int session_list_finished(const struct session *session, struct range_list *ret)
{
	struct map_block block;
	int r = 0;

	*ret = (struct range_list){ 0 };
	/* From the start on, the map is the copy's. */
	if (session->state != SESSION_PLANNED && session->state != SESSION_CONFIRMED)
		return 0;
	for (uint64_t pos = 0;
	     r == 0 && session->resume && map_next(session->resume, pos, MAP_FINISHED, &block);
	     pos = block.start + block.size)
		r = range_list_add(ret, (struct range){ block.start, block.size });
	if (r < 0)
		range_list_done(ret);
	return r;
}

const struct plan *session_current_plan(const struct session *session)
{
	return session->plan;
}

const struct verdict_list *session_verdicts(const struct session *session)
{
	return &session->verdicts;
}

/* While a copy runs, its ends are what they were at its start: a later list may know less of disks
 * that are not looked into, and says of the destination what is no longer true. */
static const struct disk *find_disk(const struct session *session, const struct endpoint *endpoint)
{
	const struct disk_list *lists[] = { session->disks, session->started_disks };
	bool copies = session_busy(session, "plan", NULL) < 0;

	for (int i = 0; i < 2; i++) {
		const struct disk_list *list = lists[copies ? !i : i];
		const struct disk *disk = list ? endpoint_disk(list, endpoint) : NULL;

		if (disk)
			return disk;
	}
	return NULL;
}

const struct held *session_held(const struct session *session)
{
	return &session->held;
}

const struct disk *session_source_disk(const struct session *session)
{
	return session->plan ? find_disk(session, &session->plan->source) : NULL;
}

const struct disk *session_destination_disk(const struct session *session)
{
	return session->plan ? find_disk(session, &session->plan->destination) : NULL;
}

const struct disk *session_image(const struct session *session, const struct endpoint *image)
{
	return image_store_known(session->images, image);
}

const struct disk *session_read_image(const struct session *session, const struct endpoint *image)
{
	return image_store_read(session->images, image);
}

static const struct disk *find_contents(const struct session *session,
					const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_IMAGE ? session_image(session, endpoint)
						: find_disk(session, endpoint);
}

const struct disk *session_source_contents(const struct session *session)
{
	return session->plan ? find_contents(session, &session->plan->source) : NULL;
}

const struct disk *session_destination_contents(const struct session *session)
{
	return session->plan ? find_contents(session, &session->plan->destination) : NULL;
}

const char *session_token(const struct session *session)
{
	return session->token;
}

const char *session_token_phrase(const struct session *session)
{
	return session->token_phrase;
}

static int refuse(const struct session *session, struct error *reterr)
{
	const struct verdict *first = &session->verdicts.items[0];

	return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm",
			 session->plan->destination.node, "%s", first->sentence);
}

/* The path of an image is also taken as it is: a script has no other. */
static bool is_right(const struct session *session, const char *token)
{
	const struct endpoint *destination = &session->plan->destination;

	return strcmp(token, session->token) == 0 ||
	       (destination->kind == ENDPOINT_IMAGE && strcmp(token, destination->node) == 0);
}

int session_confirm(struct session *session, const char *token, struct error *reterr)
{
	if (session->state != SESSION_PLANNED && session->state != SESSION_CONFIRMED)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "confirm", NULL,
				 _("There is no plan to confirm."));
	session->state = SESSION_PLANNED;
	if (session->checking.task.running)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EAGAIN, "confirm",
				 session->plan->destination.node,
				 _("Disks came or went, and the plan is being checked again. "
				   "Confirm it once more."));
	if (verdict_list_worst(&session->verdicts) == VERDICT_REFUSE)
		return refuse(session, reterr);
	if (session->token[0] && (!token || !is_right(session, token)))
		return error_set(reterr, ERROR_CLASS_REFUSED, -EACCES, "confirm",
				 session->plan->destination.node,
				 _("The confirmation is wrong; nothing was written. Expected: %s."),
				 session->token_phrase);
	session->state = SESSION_CONFIRMED;
	return 0;
}
