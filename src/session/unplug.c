/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a disk of the copy is gone, the claims are released, the map of what the
 * destination has confirmed is kept, and every new list of disks is searched for
 * both ends, by identity and never by name. When both are there, rules, claims and
 * a comparison of what was copied come first, as at any start; then another job
 * continues where the last one ended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/units.h"
#include "session/ends.h"
#include "session/session_private.h"

/* Hot-plug events may be missing, and a disk may have come back before it was ready. */
#define LOOK_EVERY 3 /* seconds */

void session_waiting_done(struct session *session)
{
	struct unplugged *waiting = &session->unplugged;

	job_destroy(cleanup_steal(waiting->job));
	free(cleanup_steal(waiting->told));
	waiting->told_count = 0;
	waiting->shown = (struct session_waiting){ 0 };
	memset(waiting->refused, 0, sizeof(waiting->refused));
	if (waiting->timer_fd >= 0)
		timer_set(waiting->timer_fd, 0);
}

/* ---- messages ---- */

static void name_disk(const struct endpoint *endpoint, char *buffer, size_t size)
{
	const struct identity *identity = &endpoint->identity;
	char node[64];

	/* The name of an image may contain anything. */
	text_show(node, sizeof(node), endpoint->node);
	snprintf(buffer, size, "%.60s%s%.60s%s%.40s", node, identity->model[0] ? ", " : "",
		 identity->model, identity->serial[0] ? _(", serial ") : "", identity->serial);
}

static void say_who(struct session *session)
{
	struct session_waiting *shown = &session->unplugged.shown;
	char source[180], destination[180];

	name_disk(&session->plan->source, source, sizeof(source));
	name_disk(&session->plan->destinations[0], destination, sizeof(destination));
	if (shown->source && shown->destination)
		snprintf(shown->who, sizeof(shown->who), _("Both disks are gone: %.140s; %.140s"),
			 source, destination);
	else if (shown->source)
		snprintf(shown->who, sizeof(shown->who), _("The source is gone: %s"), source);
	else
		snprintf(shown->who, sizeof(shown->who), _("The destination is gone: %s"),
			 destination);
}

/* What is in the place of the missing disk, or in the card reader that has its serial number,
 * wherever that is attached now. */
static const struct disk *find_stranger(const struct disk_list *disks,
					const struct endpoint *missing)
{
	const struct disk *disk = disk_list_find(disks, missing->disk_node);
	const char *serial = missing->identity.serial;

	for (size_t i = 0; !disk && serial[0] && i < disks->count; i++)
		if (strcmp(disks->disks[i].identity.serial, serial) == 0 &&
		    strcmp(disks->disks[i].identity.model, missing->identity.model) == 0)
			disk = &disks->disks[i];
	return disk;
}

/* A different disk in its place: tell the user that it is not touched. */
static void note_stranger(struct session *session, const struct endpoint *missing)
{
	char *note = session->unplugged.shown.note;
	size_t size = sizeof(session->unplugged.shown.note);
	const struct disk *disk = find_stranger(session->disks, missing);
	const struct plan *plan = session->plan;

	/* An empty card reader is no other disk, and the two disks of the copy may have changed
	 * places. */
	if (!disk || !disk->identity.size ||
	    identity_same(&disk->identity, &plan->source.identity) ||
	    identity_same(&disk->identity, &plan->destinations[0].identity))
		return;

	const struct identity *seen = &disk->identity;
	const char *model = seen->model[0] ? seen->model : _("no model");
	const char *serial = seen->serial[0] ? _(", serial ") : "";

	if (seen->size != missing->identity.size)
		snprintf(note, size,
			 _("At %.60s there is a disk of %.30s B now, not of %.30s B "
			   "(%.60s%s%.40s). It is not touched."),
			 disk->node, UNITS_COUNT(seen->size), UNITS_COUNT(missing->identity.size),
			 model, serial, seen->serial);
	else
		snprintf(note, size,
			 _("At %.60s there is another disk now (%.60s%s%.40s). It is not touched."),
			 disk->node, model, serial, seen->serial);
}

/* ---- the end of a part ---- */

static bool keep_told(struct unplugged *waiting)
{
	struct job_event *told = calloc(JOB_EVENTS_MAX, sizeof(*told));

	if (!told)
		return false;
	free(waiting->told);
	waiting->told = told;
	waiting->told_count = job_events(waiting->job, 0, told, JOB_EVENTS_MAX);
	return true;
}

/* Adds an event that does not come from a job. */
static void tell(struct session *session, enum log_level level, const char *text)
{
	struct unplugged *waiting = &session->unplugged;
	struct job_event *told = waiting->told, *event;
	uint64_t last = waiting->told_count ? told[waiting->told_count - 1].number : 0;

	/* Tried repeatedly, reported once. */
	if (last && strcmp(told[waiting->told_count - 1].text, text) == 0)
		return;
	if (waiting->told_count == JOB_EVENTS_MAX)
		memmove(told, told + 1, --waiting->told_count * sizeof(*told));
	event = &told[waiting->told_count++];
	*event = (struct job_event){ .number = last + 1, .time = time(NULL), .level = level };
	text_copy(event->text, sizeof(event->text), text);
	log_line(session->log, level, "session", "%s", text);
}

/* -ENOTCONN and -ESTALE come from network file systems and from FUSE. A local disk that reports
 * them was reset, and is still there. */
static bool is_gone(const struct session *session, const struct error *error, bool destination)
{
	const struct endpoint *end =
		destination ? &session->plan->destinations[0] : &session->plan->source;

	if (error->class != (destination ? ERROR_CLASS_DESTINATION : ERROR_CLASS_SOURCE))
		return false;
	switch (-error->code) {
	case ENODEV:
	case ENXIO:
	case ENOMEDIUM:
		return true;
	case ENOTCONN:
	case ESTALE:
		return end->kind == ENDPOINT_IMAGE;
	default:
		return false;
	}
}

/* Which ends are to be waited for, if any. A file system may fail before the kernel removes its
 * disk; a hub takes both disks with it. */
static struct session_waiting find_missing(const struct session *session)
{
	const struct opened *opened = &session->opened;
	struct session_waiting ret = { 0 };
	struct job_snapshot job;

	job_snapshot(opened->job, &job);
	if (session->options.on_vanish == SESSION_VANISH_STOP || job.result != JOB_RESULT_FAILED)
		return ret;
	ret.source = is_gone(session, &job.error, false) || !opened_present(opened, false);
	ret.destination = is_gone(session, &job.error, true) || !opened_present(opened, true);
	return ret;
}

bool session_will_wait(const struct session *session)
{
	struct session_waiting missing = find_missing(session);

	return missing.source || missing.destination;
}

bool session_begin_waiting(struct session *session)
{
	struct opened *opened = &session->opened;
	struct unplugged *waiting = &session->unplugged;
	struct session_waiting shown = find_missing(session);

	if (!shown.source && !shown.destination)
		return false;
	shown.since = clock_monotonic();
	shown.at = time(NULL);
	job_destroy(waiting->job);
	waiting->job = cleanup_steal(opened->job);
	if (!keep_told(waiting)) {
		opened->job = cleanup_steal(waiting->job);
		return false;
	}
	session_resume_from(session, job_take_confirmed(waiting->job));
	waiting->shown = shown;
	waiting->went[0] = shown.source;
	waiting->went[1] = shown.destination;
	waiting->has_looked = false;
	memset(waiting->refused, 0, sizeof(waiting->refused));
	say_who(session);
	tell(session, LOG_LEVEL_WARNING, waiting->shown.who);
	session->state = SESSION_WAITING;
	timer_set(waiting->timer_fd, LOOK_EVERY);
	/* While the disks are open, the kernel reserves their names. */
	session_begin_release(session);
	return true;
}

void session_take_timer(struct session *session, unsigned *changes)
{
	uint64_t times;

	if (read(session->unplugged.timer_fd, &times, sizeof(times)) < 0)
		return;
	if (session->state == SESSION_WAITING && !session->unplugged.shown.trying)
		session_look_again(session);
}

/* ---- the next part ---- */

static void tell_return(struct session *session, const struct plan *plan)
{
	const struct session_waiting *shown = &session->unplugged.shown;
	const struct endpoint *back = shown->source ? &plan->source : &plan->destinations[0];
	char text[sizeof(((struct job_event *)0)->text)], who[180];

	name_disk(back, who, sizeof(who));
	snprintf(text, sizeof(text),
		 _("It is back: %s. It is claimed, and what was copied is compared."), who);
	tell(session, LOG_LEVEL_INFO, text);
}

static int next_part(struct session *session, const struct endpoint *source,
		     const struct endpoint *destination, struct error *reterr)
{
	const struct plan *before = session->plan;
	struct plan *plan = NULL;
	int r = plan_from_extents(source, destination, before->extents, before->extent_count,
				  before->free_places, &before->options, &plan, reterr);

	if (r < 0)
		return r;
	if (plan_follow(plan, before) < 0) {
		plan_destroy(plan);
		return error_nomem(reterr);
	}
	text_copy(session->resume_path, sizeof(session->resume_path), session->files.at.map);
	/* The held areas stay the same, since both disks are the same. */
	tell_return(session, plan);
	return session_begin(session, plan, true, reterr);
}

void session_went_on(struct session *session, int result, const struct error *error)
{
	struct unplugged *waiting = &session->unplugged;
	uint64_t now = clock_monotonic();
	struct job_snapshot part;

	if (result < 0) {
		/* These are not the disks of the copy: do not try again before they are attached
		 * anew. */
		if (error->code == -EBADMSG || error->code == -ESTALE) {
			waiting->refused[0] = waiting->tried[0];
			waiting->refused[1] = waiting->tried[1];
		}
		waiting->shown.trying = false;
		text_copy(waiting->shown.note, sizeof(waiting->shown.note), error->sentence);
		return;
	}
	job_snapshot(waiting->job, &part);
	session_join_parts(waiting, &part);
	part.elapsed += now - waiting->shown.since;
	waiting->sum = part;
	waiting->parts++;
	waiting->source_gone |= waiting->went[0];
	session_waiting_done(session);
}

/* Ends whatever has begun; it writes nothing more. */
void session_give_up_waiting(struct session *session)
{
	session_end_start(session);
	timer_set(session->unplugged.timer_fd, 0);
}

/* ---- looking ---- */

/* Is the image on the same file system, or has it never been away? */
static enum tristate same_image(const struct session *session, const struct endpoint *recorded,
				bool destination, const struct endpoint *found)
{
	if (!session->unplugged.went[destination] &&
	    identity_same(&recorded->identity, &found->identity))
		return YES;
	return ends_same_file_system(session->started_disks, recorded, session->disks, found);
}

static int find_image(const struct session *session, const struct endpoint *recorded,
		      bool destination, struct endpoint *ret, struct error *reterr)
{
	const struct looked *looked = &session->unplugged.images[destination];

	*ret = looked->found;
	/* If the file has changed as well, this note says what to do. */
	if (ret->kind == ENDPOINT_IMAGE && same_image(session, recorded, destination, ret) == NO)
		return error_set(reterr, ERROR_CLASS_REFUSED, -ESTALE, "resume", recorded->node,
				 _("%s lies on another file system now. It is not touched."),
				 recorded->node);
	*reterr = looked->error;
	return looked->error.code;
}

/* False: it is missing, and the note may say why. */
static bool find_one(struct session *session, const struct endpoint *recorded, bool destination,
		     struct endpoint *ret)
{
	struct session_waiting *shown = &session->unplugged.shown;
	const struct plan *plan = session->plan;
	const struct endpoint *other = destination ? &plan->source : &plan->destinations[0];
	bool image = recorded->kind == ENDPOINT_IMAGE;
	struct error error = { 0 };
	int r;

	/* It is not waited for. */
	if (recorded->gone[0]) {
		*ret = *recorded;
		return true;
	}
	r = image ? find_image(session, recorded, destination, ret, &error)
		  : ends_find(session->disks, recorded, other, destination, ret, &error);

	if (r == 0)
		return true;
	session->unplugged.went[destination] = true;
	note_stranger(session, recorded);
	/* What to do: mount it or, if two could be it, detach one; or that another card with other
	 * partitions is in the reader. */
	if (!shown->note[0] && (image || r == -ENOTUNIQ || r == -ESTALE))
		text_copy(shown->note, sizeof(shown->note), error.sentence);
	return false;
}

static bool find_both(struct session *session, struct endpoint *source,
		      struct endpoint *destination)
{
	struct session_waiting *shown = &session->unplugged.shown;
	const struct plan *plan = session->plan;
	bool no_source, no_destination;

	shown->note[0] = '\0';
	no_source = !find_one(session, &plan->source, false, source);
	no_destination = !find_one(session, &plan->destinations[0], true, destination);
	if (!no_source && !no_destination)
		return true;
	shown->source = no_source;
	shown->destination = no_destination;
	say_who(session);
	return false;
}

static bool was_refused(const struct unplugged *waiting, const struct endpoint *source,
			const struct endpoint *destination)
{
	return waiting->refused[1] && source->identity.diskseq == waiting->refused[0] &&
	       destination->identity.diskseq == waiting->refused[1];
}

/* Why only the user can say whether this is the same disk; NULL: it is, as far as its label and a
 * comparison of what was copied can tell. */
static const char *unsure_of(const struct session *session, bool destination,
			     const struct endpoint *found)
{
	const struct endpoint *recorded =
		destination ? &session->plan->destinations[0] : &session->plan->source;
	bool empty = !session->resume || map_bytes(session->resume, MAP_FINISHED) == 0;

	if (found->gone[0])
		return NULL;
	if (found->kind == ENDPOINT_IMAGE ? same_image(session, recorded, destination, found) != YES
					  : !ends_have_label(session->disks, found))
		return _("It has neither a serial number nor a WWN: only you can say whether it "
			 "is the same disk.");
	if (empty && ends_medium_may_differ(session->disks, recorded, found))
		return _("The serial number may be that of the card reader, and nothing had been "
			 "copied yet that could be compared: only you can say whether it is the "
			 "same medium.");
	return NULL;
}

void session_look_for_ends(struct session *session, unsigned *changes)
{
	struct unplugged *waiting = &session->unplugged;
	struct session_waiting *shown = &waiting->shown;
	struct endpoint source, destination;
	char note[sizeof(shown->note)];
	const char *unsure;

	if (session->state != SESSION_WAITING || shown->trying || !waiting->has_looked)
		return;
	/* They cannot be claimed again before the previous claim is released. */
	if (session_runs(session, SESSION_TASK_FINISH))
		return;
	*changes |= SESSION_CHANGE_STATE;
	text_copy(note, sizeof(note), shown->note);
	shown->back = find_both(session, &source, &destination);
	if (!shown->back)
		return;
	/* The reason for not continuing stays visible. */
	text_copy(shown->note, sizeof(shown->note), note);
	if (was_refused(waiting, &source, &destination))
		return;
	if (session->options.on_vanish == SESSION_VANISH_ASK)
		return;
	unsure = unsure_of(session, false, &source);
	if (!unsure)
		unsure = unsure_of(session, true, &destination);
	if (unsure)
		text_copy(shown->note, sizeof(shown->note), unsure);
	else
		session_go_on(session, NULL);
}

int session_go_on(struct session *session, struct error *reterr)
{
	struct session_waiting *shown = &session->unplugged.shown;
	struct endpoint source, destination;
	struct error error = { 0 };
	int r;

	if (session->state != SESSION_WAITING || shown->trying)
		return error_set(reterr, ERROR_CLASS_INTERNAL, -EINVAL, "start", NULL,
				 _("The copy is not waiting for a disk."));
	/* A list from before the disk disappeared does not count. */
	shown->back = shown->back && !session_runs(session, SESSION_TASK_FINISH) &&
		      find_both(session, &source, &destination);
	if (!shown->back)
		return error_set(reterr, ERROR_CLASS_REFUSED, -EAGAIN, "start", NULL,
				 _("The disk is not there yet."));
	session->unplugged.tried[0] = source.identity.diskseq;
	session->unplugged.tried[1] = destination.identity.diskseq;
	r = next_part(session, &source, &destination, &error);
	shown->trying = r == 0;
	if (r < 0) {
		text_copy(shown->note, sizeof(shown->note), error.sentence);
		if (reterr)
			*reterr = error;
	}
	return r;
}

void session_join_parts(const struct unplugged *earlier, struct job_snapshot *job)
{
	if (earlier->parts)
		job_snapshot_join(&earlier->sum, job);
}
