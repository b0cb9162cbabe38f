/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks the machine what is needed to judge a plan: where files are, what is mounted,
 * what a map contains, how large a disk claims to be. A dying disk, or a mount whose
 * server is gone, may take minutes to answer, so this has a thread of its own.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "scsi/reach.h"
#include "session/session_private.h"

#define REACH_TIMEOUT (2 * NSEC_PER_SEC) /* of each end */

static void ask_reach(const struct disk_list *disks, const struct endpoint *endpoint,
		      struct guard_reach *ret)
{
	const struct disk *disk =
		endpoint->kind == ENDPOINT_DISK ? endpoint_disk(disks, endpoint) : NULL;
	struct sg_reach reach;

	if (!disk || !disk_ata_node(disk)[0] || session_is_written_to(disk->node))
		return;
	sg_reach_ask(disk_ata_node(disk), REACH_TIMEOUT, &reach);
	*ret = (struct guard_reach){ .open = reach.open, .whole = reach.whole };
}

void session_look_into_images(struct image_store *images, const struct plan *plan,
			      struct guard_facts *facts)
{
	facts->source_contents = image_store_read(images, &plan->source);
	facts->destination_contents = image_store_read(images, &plan->destination);
}

/* After what was held back was wiped, and before any of it is written. */
static uint64_t empty_to(const struct plan *plan, const struct map *map)
{
	const struct map_held *held = map ? map_held(map) : NULL;

	return held && held->wiped.count && !held->arming ? plan_bytes(plan) : 0;
}

static void *check_body(void *argument)
{
	struct check_task *checking = argument;
	const char *map_path = checking->map_path[0] ? checking->map_path : NULL;
	const struct plan *plan = &checking->ends;
	char named[sizeof(checking->map_path)];
	int r = 0;

	if (checking->load) {
		text_copy(named, sizeof(named), checking->map_path);
		(void)file_follow(named, checking->map_path, sizeof(checking->map_path));
		r = session_load_map(map_path, checking->disks, checking->rescue,
				     checking->rescue_given, &checking->plan, &checking->resume,
				     &checking->error);
		plan = checking->plan;
		checking->empty_to = r == 0 ? empty_to(plan, checking->resume) : 0;
	}
	if (r == 0)
		r = facts_gather(plan, checking->disks, checking->log_dir, map_path,
				 &checking->facts, &checking->error);
	if (r == 0) {
		session_look_into_images(checking->images, plan, &checking->facts);
		ask_reach(checking->disks, &plan->source, &checking->facts.source_reach);
		ask_reach(checking->disks, &plan->destination, &checking->facts.destination_reach);
		if (checking->empty_to)
			facts_look_at(&plan->destination, checking->empty_to,
				      checking->facts.shows);
	}
	checking->result = r;
	task_announce(&checking->task);
	return NULL;
}

void session_forget_check(struct session *session)
{
	struct check_task *checking = &session->checking;

	plan_destroy(cleanup_steal(checking->plan));
	map_destroy(cleanup_steal(checking->resume));
}

int session_begin_check(struct session *session, struct error *reterr)
{
	struct check_task *checking = &session->checking;
	const char *map_path = session->options.map_path;
	int r = 0;

	if (session->state == SESSION_CHOOSING || session->state == SESSION_FINISHED)
		session->state = SESSION_CHECKING;
	checking->again = checking->task.running;
	if (checking->again)
		return 0;
	if (session->resumes || session->loads)
		map_path = session->resume_path;
	text_copy(checking->map_path, sizeof(checking->map_path), map_path ? map_path : "");
	text_copy(checking->log_dir, sizeof(checking->log_dir), session->log_dir);
	checking->load = session->loads;
	checking->rescue = session->options.rescue;
	checking->rescue_given = session->options.rescue_given;
	checking->empty_to = 0;
	if (session->plan) {
		checking->ends = *session->plan;
		checking->ends.extents = NULL;
		checking->ends.extent_count = 0;
		checking->empty_to = empty_to(session->plan, session->resume);
	}
	session_forget_check(session);
	checking->error = (struct error){ 0 };
	checking->disks = session->disks;
	checking->images = session->images;
	r = task_start(&checking->task, check_body, checking, reterr);
	if (r < 0)
		checking->disks = NULL;
	return r;
}

void session_recheck(struct session *session)
{
	if (session->state == SESSION_CHECKING || session->state == SESSION_PLANNED ||
	    session->state == SESSION_CONFIRMED)
		session_begin_check(session, NULL);
}

static bool same_verdicts(const struct verdict_list *a, const struct verdict_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (a->items[i].rule != b->items[i].rule || a->items[i].kind != b->items[i].kind ||
		    strcmp(a->items[i].sentence, b->items[i].sentence) != 0)
			return false;
	return true;
}

/* For a plan that was judged before: has anything changed? */
static void take_again(struct session *session, unsigned *changes)
{
	struct verdict_list before = session->verdicts;
	char token[sizeof(session->token)];
	bool same;

	if (session->checking.result < 0)
		return;
	memcpy(token, session->token, sizeof(token));
	session->verdicts = (struct verdict_list){ 0 };
	if (session_take_facts(session, &session->checking.facts, NULL) < 0) {
		session->verdicts = before;
		return;
	}
	same = same_verdicts(&before, &session->verdicts) && strcmp(token, session->token) == 0;
	verdict_list_done(&before);
	if (same)
		return;
	/* The confirmation was for another situation. */
	session->state = SESSION_PLANNED;
	*changes |= SESSION_CHANGE_STATE;
}

static void take_first(struct session *session, unsigned *changes)
{
	struct check_task *checking = &session->checking;
	int r = checking->result;

	*changes |= SESSION_CHANGE_STATE;
	if (r == 0 && checking->load) {
		session_discard_plan(session);
		session->plan = cleanup_steal(checking->plan);
		session_resume_from(session, cleanup_steal(checking->resume));
		text_copy(session->resume_path, sizeof(session->resume_path), checking->map_path);
		r = session_check_files(session, &checking->error);
	}
	if (r == 0)
		r = session_take_facts(session, &checking->facts, &checking->error);
	if (r == 0) {
		session->state = SESSION_PLANNED;
		return;
	}
	session->plan_error = checking->error;
	session_forget_check(session);
	session->loads = false;
	session->state = session->has_report ? SESSION_FINISHED : SESSION_CHOOSING;
	if (!session->has_report)
		session_discard_plan(session);
}

static void check_anew(struct session *session, unsigned *changes)
{
	struct check_task *checking = &session->checking;

	checking->again = false;
	session_forget_check(session);
	if (session->state != SESSION_CHECKING) {
		session_recheck(session);
	} else if (session_begin_check(session, &checking->error) < 0) {
		checking->result = checking->error.code;
		take_first(session, changes);
	}
}

void session_take_check(struct session *session, unsigned *changes)
{
	struct check_task *checking = &session->checking;
	const struct disk_list *disks = checking->disks;

	task_join(&checking->task);
	checking->disks = NULL;
	/* It was for another plan, or another list of disks. */
	if (checking->again)
		check_anew(session, changes);
	else if (session->state == SESSION_CHECKING)
		take_first(session, changes);
	else if (session->state == SESSION_PLANNED || session->state == SESSION_CONFIRMED)
		take_again(session, changes);
	session_drop_disks(session, disks);
}

int session_wait_for_check(struct session *session, struct error *reterr)
{
	unsigned changes = 0;

	while (session->state == SESSION_CHECKING)
		session_take_check(session, &changes);
	if (session->state == SESSION_PLANNED)
		return 0;
	if (reterr)
		*reterr = session->plan_error;
	return session->plan_error.code;
}

const struct error *session_plan_error(const struct session *session)
{
	return &session->plan_error;
}
