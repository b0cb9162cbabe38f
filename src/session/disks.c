/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The session's list of disks: scans, and what hot-plug says. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "discover/answers.h"
#include "session/session_private.h"

DEFINE_CLEANUP(map, struct map *, map_destroy)

int session_disks_init(struct session *session, struct error *reterr)
{
	struct scan_task *scanning = &session->scanning;
	int r, fd;

	/* Without memory for them every disk is read each time. */
	scanning->options = (struct scan_options){
		.all = session->options.all,
		.probe = true,
		.practice_dir = session->options.practice_dir,
		.answers = answers_new(),
	};
	r = scan_new(&scanning->options, &session->scan, reterr);
	if (r < 0)
		return r;
	fd = scan_event_fd(session->scan);
	return fd >= 0 ? session_watch(session, fd, EVENT_HOTPLUG, reterr) : 0;
}

void session_disks_done(struct session *session)
{
	const struct disk_list *checked = session->checking.disks, *found = session->finding.disks;

	session->checking.disks = NULL;
	if (checked)
		session_drop_disks(session, checked);
	session->finding.disks = NULL;
	if (found)
		session_drop_disks(session, found);
	disk_list_destroy(session->scanning.disks);
	range_list_done(&session->scanning.bad);
	scan_destroy(session->scanning.scan);
	scan_destroy(session->scan);
	answers_destroy(session->scanning.options.answers);
	disk_list_destroy(session->disks);
}

void session_drop_disks(struct session *session, const struct disk_list *disks)
{
	if (disks != session->disks && disks != session->started_disks &&
	    disks != session->checking.disks && disks != session->finding.disks &&
	    disks != session->reverifying.disks)
		disk_list_destroy((struct disk_list *)disks);
}

static void replace_disks(struct session *session, struct disk_list *disks)
{
	const struct disk_list *before = session->disks;

	session->disks = disks;
	session_drop_disks(session, before);
}

static void take_list(struct session *session, struct disk_list *disks)
{
	unsigned changes = 0;

	replace_disks(session, disks);
	session_recheck(session);
	while (session->checking.task.running)
		session_take_check(session, &changes);
}

int session_scan(struct session *session, struct error *reterr)
{
	struct disk_list *disks = NULL;
	unsigned changes = 0;
	int r;

	/* What has changed since the last one is read. */
	session_take_hotplug(session, &changes);
	r = scan_run(session->scan, &disks, reterr);
	if (r == 0)
		take_list(session, disks);
	return r;
}

static void look_for_images(struct scan_task *scanning)
{
	for (int destination = 0; destination < 2; destination++) {
		struct looked *looked = &scanning->images[destination];

		looked->error = (struct error){ 0 };
		looked->found = (struct endpoint){ 0 };
		if (looked->recorded.kind == ENDPOINT_IMAGE)
			looked->result =
				session_find_end(scanning->disks, &looked->recorded, NULL,
						 destination, &looked->found, &looked->error);
	}
}

/* A scan belongs to one thread, so the task has its own. */
static void *scan_body(void *argument)
{
	struct scan_task *scanning = argument;
	struct error *error = &scanning->error;
	int r = 0;

	scanning->disks = NULL;
	*error = (struct error){ 0 };
	if (!scanning->scan)
		r = scan_new(&scanning->options, &scanning->scan, error);
	if (r == 0) {
		scan_spare(scanning->scan, scanning->spared);
		/* If memory is short, they are read after all. */
		scan_avoid(scanning->scan, scanning->bad_on, &scanning->bad);
	}
	if (r == 0)
		r = (scanning->patient ? scan_run : scan_glance)(scanning->scan, &scanning->disks,
								 error);
	if (r == 0 && scanning->looks)
		look_for_images(scanning);
	scanning->result = r;
	task_announce(&scanning->task);
	return NULL;
}

/* As far as discovery looks from the ends of a disk or partition. */
#define EDGE (8ULL << 20)

static bool is_at_edge(const struct disk *disk, struct range place, uint64_t start,
		       uint64_t sectors)
{
	uint64_t edge = EDGE / disk->identity.logical_sector_size;
	uint64_t end = start + sectors;

	return place.start < end && place.start + place.count > start &&
	       (place.start < start + edge || place.start + place.count + edge > end);
}

static bool may_be_looked_at(const struct disk *disk, struct range place)
{
	if (!disk || is_at_edge(disk, place, 0, disk_sectors(disk)))
		return true;
	for (size_t i = 0; i < disk->partition_count; i++)
		if (is_at_edge(disk, place, disk->partitions[i].start, disk->partitions[i].sectors))
			return true;
	return false;
}

/* Sectors that a map calls unreadable or not yet scraped, near the places that discovery reads. */
static int list_bad(const struct map *map, const struct disk *disk, const struct endpoint *source,
		    struct range_list *ret)
{
	static const enum map_status statuses[] = { MAP_BAD, MAP_NON_SCRAPED, MAP_NON_TRIMMED };
	uint32_t sector = source->logical_sector_size;
	uint64_t first = source->start / sector;
	struct map_block block;
	int r = 0;

	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		for (uint64_t pos = 0; r == 0 && map_next(map, pos, statuses[i], &block);
		     pos = block.start + block.size) {
			struct range place = { first + block.start / sector,
					       (block.size + sector - 1) / sector };

			if (may_be_looked_at(disk, place))
				r = range_list_add(ret, place);
		}
	if (r < 0)
		range_list_done(ret);
	return r;
}

static void avoid_bad(struct scan *scan, const struct disk_list *disks, const char *map_path,
		      const struct endpoint *source)
{
	CLEANUP(map) struct map *map = NULL;
	struct range_list bad = { 0 };

	/* Problems of the map are reported where it is needed. */
	if (source->kind == ENDPOINT_IMAGE || !source->logical_sector_size ||
	    map_load(map_path, &map, NULL, NULL) < 0 ||
	    list_bad(map, endpoint_disk(disks, source), source, &bad) < 0)
		return;
	scan_avoid(scan, source->identity.devno, &bad);
	range_list_done(&bad);
}

static int find_ends(const struct session_names *names, const struct disk_list *disks,
		     struct endpoint *source, struct endpoint *destination)
{
	int r;

	if (!names->destination)
		return names->map ? session_ends_of_map(disks, names->map, source, destination)
				  : -EINVAL;
	r = endpoint_resolve(disks, names->destination, true, destination, NULL);
	if (r == 0 && names->source)
		r = endpoint_resolve(disks, names->source, false, source, NULL);
	return r;
}

static dev_t disk_number(const struct disk_list *disks, const struct endpoint *endpoint)
{
	const struct disk *disk = endpoint_disk(disks, endpoint);

	return disk ? disk->identity.devno : 0;
}

static void choose_named(void *user, struct scan *scan, const struct disk_list *named)
{
	const struct session_names *names = user;
	struct endpoint source = { 0 }, destination = { 0 };

	/* The message about an end that is not found needs all that can be known. */
	if (find_ends(names, named, &source, &destination) < 0) {
		scan_only(scan, NULL);
		return;
	}

	const dev_t only[2] = { disk_number(named, &source), disk_number(named, &destination) };

	scan_only(scan, only);
	if (names->map)
		avoid_bad(scan, named, names->map, &source);
}

int session_scan_named(struct session *session, const struct session_names *names,
		       struct error *reterr)
{
	struct session_names wanted = *names;
	struct disk_list *disks = NULL;
	int r = scan_run_chosen(session->scan, choose_named, &wanted, &disks, reterr);

	if (r == 0)
		take_list(session, disks);
	return r;
}

/* Reading a disk that is being copied would disturb the copy, or a dying disk. One that came back
 * has another sequence number. */
static void spare_ends(const struct session *session, struct scan_spared ret[2])
{
	bool copies = session->state == SESSION_STARTING || session->state == SESSION_RUNNING ||
		      session->state == SESSION_WAITING || session->state == SESSION_FINISHING ||
		      session->state == SESSION_VERIFYING;
	const struct endpoint *ends[2] = { NULL };

	if (copies && session->plan) {
		ends[0] = &session->plan->source;
		ends[1] = &session->plan->destination;
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

	list_bad(map, session_source_disk(session), &session->plan->source, &session->scanning.bad);
}

/* Both ends are spared while a copy starts, and then its map is the starting thread's. */
static void avoid_what_the_map_has(struct session *session)
{
	struct scan_task *scanning = &session->scanning;
	const struct plan *plan = session->plan;
	struct job *job = session->waiting.job;

	if (!job && !session->starting.task.running)
		job = session->starting.job;
	range_list_done(&scanning->bad);
	if (!plan || plan->source.kind == ENDPOINT_IMAGE)
		return;
	scanning->bad_on = plan->source.identity.devno;
	if (job)
		job_look_at_map(job, list_bad_of_plan, session);
	else if (!session->starting.task.running && session->resume)
		list_bad_of_plan(session->resume, session);
}

static void begin(struct session *session, bool patient)
{
	struct scan_task *scanning = &session->scanning;

	spare_ends(session, scanning->spared);
	avoid_what_the_map_has(session);
	scanning->again = false;
	scanning->patient = patient;
	scanning->looks = session->state == SESSION_WAITING;
	if (scanning->looks) {
		scanning->images[0].recorded = session->plan->source;
		scanning->images[1].recorded = session->plan->destination;
	}
	task_start(&scanning->task, scan_body, scanning, &session->scan_error);
}

/* What is not read again keeps what it told: the ends of a copy are shown by that. */
static void forget_answers(struct session *session)
{
	struct answers *answers = session->scanning.options.answers;
	const struct disk_list *disks = session->disks;
	struct scan_spared spared[2];

	spare_ends(session, spared);
	if (!spared[0].devno && !spared[1].devno) {
		answers_forget(answers, 0);
		return;
	}
	for (size_t i = 0; disks && i < disks->count; i++) {
		dev_t devno = disks->disks[i].identity.devno;

		if (devno != spared[0].devno && devno != spared[1].devno)
			answers_forget(answers, devno);
	}
}

void session_rescan(struct session *session)
{
	forget_answers(session);
	session_look_again(session);
}

void session_look_again(struct session *session)
{
	struct scan_task *scanning = &session->scanning;

	scanning->follows = true;
	if (scanning->task.running)
		scanning->again = true;
	else
		begin(session, false);
}

void session_forget_destination(struct session *session)
{
	const struct endpoint *end = session->plan ? &session->plan->destination : NULL;

	if (end && end->kind != ENDPOINT_IMAGE)
		answers_forget(session->scanning.options.answers, end->identity.devno);
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

void session_take_scan(struct session *session, unsigned *changes)
{
	struct scan_task *scanning = &session->scanning;
	bool unsettled = false;

	task_join(&scanning->task);
	session->scan_error = scanning->error;
	*changes |= SESSION_CHANGE_DISKS;
	if (scanning->result == 0) {
		unsettled = is_silent_now(session->disks, scanning->disks);
		replace_disks(session, scanning->disks);
		scanning->disks = NULL;
		session_recheck(session);
		session_take_looked(session);
		session_look_for_ends(session, changes);
	}
	if (scanning->again)
		session_look_again(session);
	else if (unsettled && !scanning->patient && scanning->follows)
		begin(session, true);
}

void session_take_hotplug(struct session *session, unsigned *changes)
{
	char text[128], stamp[16] = "";
	bool rescan = false, any = false;

	while (scan_next_event(session->scan, text, sizeof(text), &rescan)) {
		time_t now = time(NULL);
		struct tm tm;
		char *line;

		any = any || rescan;
		/* Unlisted disks are not reported. */
		if (!text[0])
			continue;
		line = session->hotplug[session->hotplug_count++ % HOTPLUG_LINES];
		if (localtime_r(&now, &tm))
			strftime(stamp, sizeof(stamp), "%H:%M:%S", &tm);
		snprintf(line, sizeof(session->hotplug[0]), "%s  %s", stamp, text);
		*changes |= SESSION_CHANGE_EVENT;
	}
	if (any && session->scanning.follows)
		session_look_again(session);
}

const struct disk_list *session_disks(const struct session *session)
{
	return session->disks;
}

const char *session_hotplug_line(const struct session *session, unsigned index)
{
	unsigned kept =
		session->hotplug_count < HOTPLUG_LINES ? session->hotplug_count : HOTPLUG_LINES;

	if (index >= kept)
		return NULL;
	return session->hotplug[(session->hotplug_count - 1 - index) % HOTPLUG_LINES];
}

const struct error *session_scan_error(const struct session *session)
{
	return &session->scan_error;
}
