/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's disks: the list of them, from scans and hot-plug; and what the front end asks of
 * some, in the background: an end that was typed, their health, what they use, how fast they read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "discover/cache.h"
#include "session/session_private.h"

int session_disks_init(struct session *session, struct error *reterr)
{
	struct scanning *scanning = &session->scanning;
	int r, fd;

	/* Without memory for them every disk is read each time. */
	scanning->options = (struct scan_options){
		.all = session->options.all,
		.probe = true,
		.practice_dir = session->options.practice_dir,
		.cache = cache_new(),
	};
	r = scan_new(&scanning->options, &session->scan, reterr);
	if (r < 0)
		return r;
	fd = scan_event_fd(session->scan);
	return fd >= 0 ? session_watch(session, fd, EVENT_HOTPLUG, reterr) : 0;
}

void session_disks_done(struct session *session)
{
	session_drop_disks(session, &session->checking.disks);
	session_drop_disks(session, &session->finding.disks);
	disk_list_destroy(session->scanning.disks);
	range_list_done(&session->scanning.bad);
	scan_destroy(session->scanning.scan);
	scan_destroy(session->scan);
	cache_destroy(session->scanning.options.cache);
	disk_list_destroy(session->disks);
}

void session_drop_disks(struct session *session, const struct disk_list **held)
{
	const struct disk_list *disks = cleanup_steal(*held);

	if (disks != session->disks && disks != session->started_disks &&
	    disks != session->checking.disks && disks != session->finding.disks &&
	    disks != session->compare.disks)
		disk_list_destroy((struct disk_list *)disks);
}

/* Reading a disk that is being copied would disturb the copy, or a dying disk. One that came back
 * has another sequence number. */
static void spare_ends(const struct session *session, struct scan_spared ret[2])
{
	const struct endpoint *ends[2] = { NULL };

	if (session_is_busy(session) && session->plan) {
		ends[0] = &session->plan->source;
		ends[1] = &session->plan->destinations[0];
	}
	for (int i = 0; i < 2; i++) {
		bool disk = ends[i] && ends[i]->kind != ENDPOINT_IMAGE;

		ret[i].devno = disk ? ends[i]->identity.devno : 0;
		ret[i].diskseq = disk ? ends[i]->identity.diskseq : 0;
	}
}

static void list_bad_of_plan(const struct map *map, void *user)
{
	struct session *session = user;

	const struct endpoint *source = &session->plan->source;

	load_bad(map, session_disk(session, source), source, &session->scanning.bad);
}

/* Both ends are spared while a copy starts, and then its map is the starting thread's. */
static void avoid_what_the_map_has(struct session *session)
{
	struct scanning *scanning = &session->scanning;
	const struct plan *plan = session->plan;
	bool starts = session_runs(session, SESSION_TASK_START);
	struct job *job = session->unplugged.job;

	if (!job && !starts)
		job = session->opened.job;
	range_list_done(&scanning->bad);
	if (!plan || plan->source.kind == ENDPOINT_IMAGE)
		return;
	scanning->bad_on = plan->source.identity.devno;
	if (job)
		job_look_at_map(job, list_bad_of_plan, session);
	else if (!starts && session->resume)
		list_bad_of_plan(session->resume, session);
}

static void begin(struct session *session, bool patient, const struct session_names *names)
{
	struct scanning *scanning = &session->scanning;

	spare_ends(session, scanning->spared);
	avoid_what_the_map_has(session);
	scanning->again = false;
	scanning->patient = patient;
	scanning->named = names != NULL;
	if (names)
		scanning->names = *names;
	scanning->looks = session->state == SESSION_WAITING;
	if (scanning->looks) {
		scanning->images[0].recorded = session->plan->source;
		scanning->images[1].recorded = session->plan->destinations[0];
	}
	session_begin_task(session, SESSION_TASK_SCAN, scanning_run, scanning,
			   &session->errors[SESSION_TASK_SCAN]);
}

/* The ends of a copy are not read again: they are shown by what they told before. */
static void forget_read(struct session *session)
{
	struct cache *cache = session->scanning.options.cache;
	const struct disk_list *disks = session->disks;
	struct scan_spared spared[2];

	spare_ends(session, spared);
	if (!spared[0].devno && !spared[1].devno) {
		cache_forget(cache, 0);
		return;
	}
	for (size_t i = 0; disks && i < disks->count; i++) {
		dev_t devno = disks->disks[i].identity.devno;

		if (devno != spared[0].devno && devno != spared[1].devno)
			cache_forget(cache, devno);
	}
}

void session_scan(struct session *session, const struct session_names *names)
{
	if (!names) {
		forget_read(session);
		session_look_again(session);
	} else if (!session_runs(session, SESSION_TASK_SCAN)) {
		begin(session, true, names);
	}
}

void session_look_again(struct session *session)
{
	struct scanning *scanning = &session->scanning;

	scanning->follows = true;
	if (session_runs(session, SESSION_TASK_SCAN))
		scanning->again = true;
	else
		begin(session, false, NULL);
}

void session_forget_destination(struct session *session)
{
	const struct endpoint *end = session->plan ? &session->plan->destinations[0] : NULL;

	if (end && end->kind != ENDPOINT_IMAGE)
		cache_forget(session->scanning.options.cache, end->identity.devno);
}

void session_renew_destination(struct session *session)
{
	/* A list that was read for one run is as new as its plan. */
	if (!session->scanning.follows || scan_hears_writes(session->scan))
		return;
	session_forget_destination(session);
	session_look_again(session);
}

/* Show the other disks without waiting for a slow one, which is seen later. */
static bool is_silent_now(const struct disk_list *before, const struct disk_list *now)
{
	for (size_t i = 0; i < now->count; i++) {
		const struct disk *disk = &now->disks[i];
		const struct disk *then = before ? disk_list_find(before, disk->node) : NULL;

		if (disk->silent && (!then || !then->silent))
			return true;
	}
	return false;
}

/* The same disks in both, at the same places. */
static bool are_same(const struct disk_list *before, const struct disk_list *now)
{
	if (!before || before->count != now->count)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (strcmp(before->disks[i].node, now->disks[i].node) != 0 ||
		    !identity_same(&before->disks[i].identity, &now->disks[i].identity))
			return false;
	return true;
}

static void take_looked(struct session *session)
{
	const struct scanning *scanning = &session->scanning;

	if (!scanning->looks)
		return;
	memcpy(session->unplugged.images, scanning->images, sizeof(scanning->images));
	session->unplugged.has_looked = true;
}

void session_take_scan(struct session *session, unsigned *changes)
{
	struct scanning *scanning = &session->scanning;
	bool found = !scanning->error.code;
	bool unsettled = found && !scanning->patient && scanning->follows &&
			 is_silent_now(session->disks, scanning->disks);

	session->errors[SESSION_TASK_SCAN] = scanning->error;
	/* A disk that always answers late must not appear as silent after each scan. */
	if (unsettled && !scanning->looks && are_same(session->disks, scanning->disks)) {
		disk_list_destroy(cleanup_steal(scanning->disks));
		begin(session, true, NULL);
		return;
	}
	*changes |= SESSION_CHANGE_DISKS;
	if (found) {
		const struct disk_list *before = session->disks;

		session->disks = cleanup_steal(scanning->disks);
		session_drop_disks(session, &before);
		session_recheck(session);
		take_looked(session);
		session_look_for_ends(session, changes);
	}
	/* A patient scan also finds what has changed meanwhile. Without it, a slow disk would never
	 * be waited for on a machine where disks come and go all the time. */
	if (unsettled)
		begin(session, true, NULL);
	else if (scanning->again)
		session_look_again(session);
}

void session_take_hotplug(struct session *session, unsigned *changes)
{
	char text[128], stamp[16];
	bool rescan = false, any = false;

	while (scan_next_event(session->scan, text, sizeof(text), &rescan)) {
		char *line;

		any = any || rescan;
		/* Unlisted disks are not reported. */
		if (!text[0])
			continue;
		line = session->hotplug[session->hotplug_count++ % HOTPLUG_LINES];
		snprintf(line, sizeof(session->hotplug[0]), "%s  %s",
			 clock_print(time(NULL), "%H:%M:%S", stamp, sizeof(stamp)), text);
		*changes |= SESSION_CHANGE_EVENT;
	}
	if (any && session->scanning.follows)
		session_look_again(session);
}

const struct disk_list *session_disks(const struct session *session)
{
	return session->disks;
}

int session_need_disks(const struct session *session, const char *operation, const char *object,
		       struct error *reterr)
{
	const struct error *failed = &session->errors[SESSION_TASK_SCAN];

	if (session->disks)
		return 0;
	if (!failed->code)
		return error_set(reterr, ERROR_CLASS_USAGE, -EAGAIN, operation, object,
				 _("The disks are still being looked for."));
	if (reterr)
		*reterr = *failed;
	return failed->code;
}

const char *session_hotplug_line(const struct session *session, unsigned index)
{
	unsigned kept =
		session->hotplug_count < HOTPLUG_LINES ? session->hotplug_count : HOTPLUG_LINES;

	if (index >= kept)
		return NULL;
	return session->hotplug[(session->hotplug_count - 1 - index) % HOTPLUG_LINES];
}

/* ---- an end that the user typed ---- */

/* A path may lead to a file system that does not answer. */
static void find_body(void *data)
{
	struct finding *finding = data;

	finding->error = (struct error){ 0 };
	/* The front end shows what an image holds without waiting for it. */
	if (endpoint_resolve(finding->disks, finding->text, finding->destination,
			     &finding->endpoint, &finding->error) == 0)
		image_store_read(finding->images, &finding->endpoint);
}

static int begin_find(struct session *session, struct error *reterr)
{
	struct finding *finding = &session->finding;
	int r;

	finding->again = false;
	text_copy(finding->text, sizeof(finding->text), finding->wanted);
	finding->destination = finding->wanted_destination;
	finding->disks = session->disks;
	finding->images = session->images;
	r = session_begin_task(session, SESSION_TASK_FIND, find_body, finding, reterr);
	if (r < 0)
		finding->disks = NULL;
	return r;
}

int session_find(struct session *session, const char *text, bool destination, struct error *reterr)
{
	struct finding *finding = &session->finding;
	int r = session_need_disks(session, "open", text, reterr);

	if (r < 0)
		return r;
	text_copy(finding->wanted, sizeof(finding->wanted), text);
	finding->wanted_destination = destination;
	finding->again = session_runs(session, SESSION_TASK_FIND);
	return finding->again ? 0 : begin_find(session, reterr);
}

void session_take_find(struct session *session, unsigned *changes)
{
	struct finding *finding = &session->finding;

	session_drop_disks(session, &finding->disks);
	if (finding->again) {
		struct error error = { 0 };

		/* While it runs, all of this belongs to the thread. */
		if (begin_find(session, &error) < 0)
			finding->error = error;
	}
	if (!session_runs(session, SESSION_TASK_FIND))
		*changes |= SESSION_CHANGE_FOUND;
}

int session_found(const struct session *session, struct endpoint *ret, struct error *reterr)
{
	const struct finding *finding = &session->finding;

	if (!finding->error.code)
		*ret = finding->endpoint;
	else if (reterr)
		*reterr = finding->error;
	return finding->error.code;
}

const struct disk *session_image(const struct session *session, const struct endpoint *image)
{
	return image_store_known(session->images, image);
}

/* While a copy runs, its ends are shown as they were at its start: they are not read again, so a
 * later list may know less of them. */
const struct disk *session_disk(const struct session *session, const struct endpoint *endpoint)
{
	const struct disk_list *lists[] = { session->disks, session->started_disks };
	bool copies = session_is_busy(session);

	for (int i = 0; i < 2; i++) {
		const struct disk_list *list = lists[copies ? !i : i];
		const struct disk *disk = list ? endpoint_disk(list, endpoint) : NULL;

		if (disk)
			return disk;
	}
	return NULL;
}

const struct disk *session_contents(const struct session *session, const struct endpoint *endpoint)
{
	return endpoint->kind == ENDPOINT_IMAGE ? session_image(session, endpoint)
						: session_disk(session, endpoint);
}

/* ---- the health of disks that the user looks at ---- */

static struct checkup *find_checkup(const struct session *session, const struct identity *identity)
{
	const struct checkups *task = &session->checkups;

	for (unsigned i = 0; i < task->count; i++)
		if (identity_same(&task->items[i].identity, identity))
			return (struct checkup *)&task->items[i];
	return NULL;
}

static void ask_body(void *data)
{
	struct checkups *task = data;

	health_ask(&task->asked, &task->answer);
}

static void ask_next(struct session *session)
{
	struct checkups *task = &session->checkups;

	for (unsigned i = 0; i < task->count && !session_runs(session, SESSION_TASK_HEALTH); i++) {
		struct checkup *item = &task->items[i];

		if (!item->wanted)
			continue;
		item->wanted = false;
		/* Its turn comes while a copy runs. */
		if (session_is_busy(session))
			continue;
		task->at = i;
		task->asked = item->end;
		session_begin_task(session, SESSION_TASK_HEALTH, ask_body, task, NULL);
	}
}

void session_ask_health(struct session *session, const struct disk *disk)
{
	struct checkups *task = &session->checkups;
	struct checkup *item = find_checkup(session, &disk->identity);

	/* A disk that is being written to must not be disturbed. */
	if (session_is_busy(session))
		return;
	if (!item) {
		if (task->count == CHECKUPS_MAX && session_runs(session, SESSION_TASK_HEALTH))
			return;
		/* The list is full: the oldest answer is dropped. */
		if (task->count == CHECKUPS_MAX)
			memmove(&task->items[0], &task->items[1],
				--task->count * sizeof(task->items[0]));
		item = &task->items[task->count++];
		*item = (struct checkup){ .identity = disk->identity };
		health_clear(&item->health, NULL);
	}
	health_address(disk, &item->end);
	item->wanted = item->end.node[0];
	ask_next(session);
}

void session_take_checkup(struct session *session, unsigned *changes)
{
	struct checkups *task = &session->checkups;

	task->items[task->at].health = task->answer;
	*changes |= SESSION_CHANGE_HEALTH;
	ask_next(session);
}

const struct health *session_health(const struct session *session, const struct disk *disk,
				    bool *retasking)
{
	const struct checkups *task = &session->checkups;
	const struct checkup *item = find_checkup(session, &disk->identity);

	*retasking = item && (item->wanted || (session_runs(session, SESSION_TASK_HEALTH) &&
					       item == &task->items[task->at]));
	return item && item->end.node[0] ? &item->health : NULL;
}

/* ---- what a source uses ---- */

static int begin_reading(struct session *session, struct error *reterr)
{
	struct used_reading *task = &session->using;

	used_done(&task->used);
	task->known = false;
	task->source = task->wanted;
	task->error = (struct error){ 0 };
	task->again = false;
	atomic_store(&task->cancel, false);
	if (endpoint_is_sg_only(&task->source))
		return error_set(reterr, ERROR_CLASS_USAGE, -EINVAL, "read", task->source.node,
				 _("What is used cannot be read of a disk without a block node: %s "
				   "is copied whole."),
				 task->source.node);
	if (used_list(&task->source, session_contents(session, &task->source), &task->used) < 0)
		return error_nomem(reterr);
	return session_begin_task(session, SESSION_TASK_USED, used_run, task, reterr);
}

int session_read_used(struct session *session, const struct endpoint *source, struct error *reterr)
{
	struct used_reading *task = &session->using;
	int r = session_refuse_busy(session, "read", reterr);

	if (r < 0)
		return r;
	if (session_used(session, source))
		return 0;
	task->wanted = *source;
	if (!session_runs(session, SESSION_TASK_USED))
		return begin_reading(session, reterr);
	task->again = !used_same_source(&task->source, source);
	atomic_store(&task->cancel, task->again);
	return 0;
}

const struct used *session_used(const struct session *session, const struct endpoint *source)
{
	const struct used_reading *task = &session->using;

	return task->known && !session_runs(session, SESSION_TASK_USED) &&
			       used_same_source(&task->source, source)
		       ? &task->used
		       : NULL;
}

void session_take_used(struct session *session, unsigned *changes)
{
	struct used_reading *task = &session->using;

	/* It may be through before it notices that it is out of date. */
	task->known = task->result == 0 && !atomic_load(&task->cancel);
	session->errors[SESSION_TASK_USED] = task->error;
	if (task->again && begin_reading(session, &session->errors[SESSION_TASK_USED]) == 0)
		return;
	*changes |= SESSION_CHANGE_USED;
}

void session_forget_used(struct session *session)
{
	atomic_store(&session->using.cancel, true);
	session->using.again = session->using.known = false;
}

/* ---- how fast both ends of a plan read ---- */

int session_measure(struct session *session, struct error *reterr)
{
	if (session->state != SESSION_PLANNED || session->plan->source.gone[0] ||
	    session_runs(session, SESSION_TASK_MEASURE))
		return error_set(reterr, ERROR_CLASS_USAGE, -EAGAIN, "measure", NULL,
				 _("There is no plan to be measured now."));
	session->measured = false;
	measure_prepare(&session->measurement, session->plan);
	return session_begin_task(session, SESSION_TASK_MEASURE, measure_run, &session->measurement,
				  reterr);
}

void session_take_measure(struct session *session, unsigned *changes)
{
	struct measurement *measurement = &session->measurement;
	const struct session_measured *known = &session->known;

	/* A profile of the whole disk is better than a measurement at three places. */
	if (known->source > 0)
		measurement->found.source = known->source;
	if (known->destination > 0)
		measurement->found.destination = known->destination;
	measurement->found.writes = known->writes;
	session->errors[SESSION_TASK_MEASURE] = measurement->error;
	session->measured = !atomic_load(&measurement->cancel) && !measurement->error.code;
	*changes |= SESSION_CHANGE_MEASURED;
}

void session_forget_measure(struct session *session)
{
	atomic_store(&session->measurement.cancel, true);
	session->measured = false;
}

void session_leave_disks(struct session *session)
{
	session_forget_measure(session);
	/* What is known already may be of the plan. */
	if (session_runs(session, SESSION_TASK_USED))
		session_forget_used(session);
}
