/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Screen 4: the copy while it runs. What it shows is one snapshot, taken by the
 * app; nothing here waits for the job, and what is not visible is not made.
 */
#include "ui/run/screen.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/i18n.h"
#include "base/text.h"
#include "stats/cpu.h"

#include "ui/core/screen.h"
#include "ui/plan/options.h"
#include "ui/widgets/popup.h"

/* A first look at a zoomed map: one sixteenth of the disk. */
#define ZOOM_FIRST 4

static void init(void *state, struct app *app)
{
	struct run_screen *screen = state;

	screen->cores = cpu_count();
}

/* ---- another place for a map that cannot be saved where it was to be ---- */

static const char *place_typed(void *user, struct app *app, const char *text)
{
	struct error error = { 0 };

	if (!text || !text[0])
		return NULL;
	app_begun(app, session_move_map(app_session(app), text, &error), &error,
		  _("The map is being saved there."));
	return NULL;
}

static void place_ask(struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	char text[640];

	snprintf(text, sizeof(text),
		 job->map_failed ? _("%.400s cannot be written. The copy goes on with the map in "
				     "memory; without it the copy cannot be resumed. A folder, or "
				     "a file that is not there yet:")
				 : _("It is kept as %.400s. Another folder, or a file that is not "
				     "there yet:"),
		 session_copy(app_session(app)).map_path);
	popup_prompt(app, job->map_failed ? _("The map cannot be saved") : _("Place of the map"),
		     text, "/tmp", place_typed, NULL);
}

static void say_moved(struct app *app)
{
	const struct session *session = app_session(app);
	const char *map = session_copy(session).map_path;

	if (session_copy(session).map_in_memory)
		app_message(app, MESSAGE_WARN,
			    _("The map is kept as %s from now on, in memory: copy it to a disk "
			      "before this machine restarts."),
			    map);
	else if (session_copy(session).log_moved)
		app_say(app, _("The map is kept as %s from now on; log and report go there, too."),
			map);
	else
		app_say(app, _("The map is kept as %s from now on."), map);
}

static void place_follow(struct run_screen *screen, struct app *app, unsigned changes)
{
	const struct job_snapshot *job = app_job(app);
	const struct error *error = session_error(app_session(app), SESSION_TASK_MOVE);

	if (changes & SESSION_CHANGE_MAP && error->code < 0)
		app_error(app, error);
	else if (changes & SESSION_CHANGE_MAP)
		say_moved(app);
	/* The question comes by itself once; s asks again. */
	if (job->map_failed && popup_is_typed(app))
		return;
	if (job->map_failed && !screen->map_failed && job->state != JOB_ENDED) {
		app_bell(app);
		place_ask(app);
	}
	screen->map_failed = job->map_failed;
}

/* ---- following the job ---- */

static void take_events(struct run_screen *screen, struct job *job)
{
	size_t room = RUN_EVENTS - screen->event_count;
	uint64_t last = screen->event_count ? screen->events[screen->event_count - 1].number : 0;

	if (room < RUN_EVENTS / 2) {
		size_t keep = RUN_EVENTS / 2;

		memmove(screen->events, screen->events + screen->event_count - keep,
			keep * sizeof(*screen->events));
		screen->event_count = keep;
		room = RUN_EVENTS - keep;
	}
	screen->event_count += job_events(job, last, screen->events + screen->event_count, room);
}

static bool look_at_events(struct run_screen *screen, struct job *job,
			   const struct job_snapshot *now)
{
	if (screen->events_seen == now->events)
		return false;
	take_events(screen, job);
	screen->events_seen = now->events;
	return true;
}

/* A warning goes to the message line at once, on every screen, even if later events came with it.
 * While it stands there, later events replace it. */
static void tell_events(struct run_screen *screen, struct app *app)
{
	const struct job_event *end = screen->events + screen->event_count, *told = end;

	if (!screen->event_count || end[-1].number <= screen->events_told)
		return;
	while (told > screen->events && told[-1].number > screen->events_told) {
		told--;
		if (told->level <= LOG_LEVEL_WARNING)
			break;
	}
	screen->events_told = end[-1].number;
	if (screen->rang)
		return;
	if (told->level <= LOG_LEVEL_WARNING) {
		text_copy(screen->warned, sizeof(screen->warned), told->text);
		app_notice(app, told->level == LOG_LEVEL_ERROR ? MESSAGE_ERROR : MESSAGE_WARN,
			   told->text);
	} else if (screen->warned[0] && strcmp(app_said(app), screen->warned) == 0) {
		screen->warned[0] = '\0';
		app_notice(app, MESSAGE_INFO, end[-1].text);
	}
}

static void show_log(struct run_screen *screen, struct app *app)
{
	CLEANUP(free) char *text = run_text_log(screen->events, screen->event_count, "");

	if (text)
		popup_text(app, _("Log, newest first"), text);
}

static void show_lanes(struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	const struct plan *plan = session_choice(app_session(app)).plan;
	CLEANUP(free) char *text = job && plan ? run_text_lanes(plan, job) : NULL;

	if (text)
		popup_text(app, _("Threads"), text);
}

static void tick(void *state, struct app *app)
{
	struct run_screen *screen = state;
	struct job *job = session_copy(app_session(app)).job;

	if (!job)
		return;
	if (app_job(app) && app_simple(app))
		run_spoken_follow(&screen->spoken, app_job(app), true);
	job_rates(job, &screen->rates);
	if (app_job(app) && look_at_events(screen, job, app_job(app)) &&
	    popup_is_open(app, _("Log, newest first")))
		show_log(screen, app);
	if (popup_is_open(app, _("Threads")))
		show_lanes(app);
}

static void forget(struct run_screen *screen)
{
	screen->event_count = 0;
	screen->events_seen = screen->events_told = 0;
	screen->warned[0] = '\0';
	screen->rang = false;
	screen->map = (struct map_pane){ 0 };
	memset(&screen->spoken, 0, sizeof(screen->spoken));
	screen->rescue = screen->rescue_told = false;
	screen->where = screen->where_told = false;
	memset(&screen->rates, 0, sizeof(screen->rates));
}

static const char pausing[] = N_("Pausing when the requests in flight are done. p continues.");

/* The requests that p waited for are done. */
static void tell_paused(struct app *app)
{
	if (strcmp(app_said(app), _(pausing)) == 0)
		app_say(app, _("Paused: p goes on, Ctrl-C stops and keeps the map."));
}

static void changed(void *state, struct app *app, unsigned changes)
{
	struct run_screen *screen = state;
	const struct job_snapshot *job = app_job(app);
	struct job *running = session_copy(app_session(app)).job;

	/* Another job: drops what was kept of the old one. */
	if (!job || job->started_at != screen->started_at) {
		forget(screen);
		screen->started_at = job ? job->started_at : 0;
		screen->events_told = job ? job->events : 0;
		/* A copy that had ended before this screen was entered does not ring the bell
		 * again. */
		screen->rang = job && job->state == JOB_ENDED;
	}
	if (!job || job->state != JOB_PAUSED) {
		screen->paused_since = 0;
	} else if (!screen->paused_since) {
		screen->paused_since = (int64_t)time(NULL);
		tell_paused(app);
	}
	if (job && app_simple(app))
		run_spoken_follow(&screen->spoken, job, false);
	if (!job || !running)
		return;
	if (changes & SESSION_CHANGE_JOB) {
		look_at_events(screen, running, job);
		tell_events(screen, app);
	}
	/* The rescue pane opens by itself at the first error; Tab brings the CPU back. */
	if ((job->errors || job->rescue.trouble) && !screen->rescue_told)
		screen->rescue = screen->rescue_told = true;
	if (job->zones.slowest.weak && !screen->where_told)
		screen->where = screen->where_told = true;
	place_follow(screen, app, changes);
	if (job->state == JOB_ENDED && !screen->rang) {
		screen->rang = true;
		if (screen->bell)
			app_bell(app);
	}
}

/* ---- keys ---- */

static void pause_or_go_on(struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	bool again = session_state(app_session(app)) == SESSION_VERIFYING;
	bool pause = job->state != JOB_PAUSED;

	if (job->state == JOB_WAITING) {
		app_show_waiting(app);
		return;
	}
	job_pause(session_copy(app_session(app)).job, pause);
	app_say(app, pause ? _(pausing) : again ? _("Verifying goes on.") : _("The copy goes on."));
}

static const char *rate_typed(void *user, struct app *app, const char *text)
{
	struct job *job = session_copy(app_session(app)).job;
	char rate[UNITS_TEXT_MAX];
	uint64_t limit;

	if (!text || !text[0] || !job)
		return NULL;
	if (!options_read_rate(text, &limit))
		return _("That is not a rate: enter none, or at least 64K per second, such as 50M "
			 "or 20MB.");
	job_set_rate(job, limit);
	if (limit)
		app_say(app, _("The rate is limited to %s."),
			units_print_rate((double)limit, rate));
	else
		app_say(app, _("The rate is not limited any more."));
	return NULL;
}

static void ask_rate(struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	char now[32] = "";

	if (job->rate_limit)
		options_print_size(job->rate_limit, now, sizeof(now));
	popup_prompt(app, _("Rate limit"),
		     _("Bytes per second: 50M, 20MB, or none. It holds from the next request on."),
		     now, rate_typed, NULL);
}

struct map_scene run_screen_scene(struct app *app)
{
	struct session *session = app_session(app);

	return (struct map_scene){
		.job = session_copy(session).job,
		.snapshot = app_job(app),
		.plan = session_choice(session).plan,
		.disk = session_choice(session).source,
	};
}

/* The map takes keys while it is open; + opens it where the copy is. */
static bool map_command(struct run_screen *screen, struct app *app, enum command command)
{
	struct map_scene scene = run_screen_scene(app);

	if (!scene.job || !scene.snapshot || !scene.plan)
		return false;
	if (command == COMMAND_ZOOM_IN && !screen->map.open) {
		map_pane_command(&screen->map, &scene, COMMAND_MAP);
		map_view_zoom(&screen->map.view, ZOOM_FIRST);
		return true;
	}
	return map_pane_command(&screen->map, &scene, command);
}

static void change_graph(struct run_screen *screen, struct app *app)
{
	static const char *const said[RUN_SPANS] = {
		N_("The graph shows a second in each step."),
		N_("The graph shows the last ten minutes."),
		N_("The graph shows all since the start."),
	};

	screen->span = (enum run_span)((screen->span + 1) % RUN_SPANS);
	app_say(app, "%s", _(said[screen->span]));
}

/* Graph and latency, CPU and queues, the rescue: where there is room, the first two are shown
 * anyway.
 */
static void next_panes(struct run_screen *screen, struct app *app)
{
	const struct job_snapshot *job = app_job(app);
	bool trouble = job && job->rescue.trouble;

	screen->rescue_told = true;
	if (!screen->one_pair || (screen->middle && screen->rescue == trouble)) {
		screen->rescue = !screen->rescue;
	} else {
		screen->middle = !screen->middle;
		screen->rescue = screen->middle ? trouble : screen->rescue;
	}
}

static bool command(void *state, struct app *app, enum command command)
{
	struct run_screen *screen = state;

	if (map_command(screen, app, command))
		return true;
	switch (command) {
	case COMMAND_PAUSE:
		pause_or_go_on(app);
		return true;
	case COMMAND_RATE:
		ask_rate(app);
		return true;
	case COMMAND_SAVE:
		place_ask(app);
		return true;
	case COMMAND_LOG:
		show_log(screen, app);
		return true;
	case COMMAND_TABLES:
		show_lanes(app);
		return true;
	case COMMAND_NEXT_FIELD:
	case COMMAND_PREVIOUS_FIELD:
		next_panes(screen, app);
		return true;
	case COMMAND_GRAPH:
		change_graph(screen, app);
		return true;
	case COMMAND_WHERE:
		screen->where = !screen->where;
		screen->where_told = true;
		return true;
	case COMMAND_BELL:
		screen->bell = !screen->bell;
		app_say(app, screen->bell ? _("The bell rings when the copy has ended.")
					  : _("The bell stays silent."));
		return true;
	default:
		return false;
	}
}

static const char *unavailable(void *state, struct app *app, enum command command)
{
	const struct run_screen *screen = state;
	const struct job_snapshot *job = app_job(app);

	if (app_simple(app) && !screen->map.open &&
	    (command == COMMAND_GRAPH || command == COMMAND_WHERE || command == COMMAND_NEXT_FIELD))
		return _("There are no panes with --simple: l, m and t tell more.");
	switch (command) {
	case COMMAND_PAUSE:
		if (job && (job->state == JOB_STOPPING || job->state == JOB_FLUSHING))
			return _("The copying is over: there is nothing to pause.");
		/* It shows the question then. */
		if (job && job->state == JOB_WAITING)
			return "";
		break;
	case COMMAND_RATE:
	case COMMAND_SAVE:
	case COMMAND_BELL:
		if (command == COMMAND_SAVE && session_state(app_session(app)) == SESSION_VERIFYING)
			return _("No copy runs, so there is no map to be moved.");
		if (command != COMMAND_BELL && job && job->state == JOB_WAITING)
			return _("No copy runs.");
		break;
	case COMMAND_LOG:
	case COMMAND_TABLES:
	case COMMAND_MAP:
	case COMMAND_ZOOM_IN:
	case COMMAND_ZOOM_OUT:
		return job ? NULL : _("No copy runs.");
	default:
		return NULL;
	}
	return job && job->state != JOB_ENDED ? NULL : _("No copy runs.");
}

static const char *word(void *state, struct app *app, enum command command)
{
	const struct job_snapshot *job = app_job(app);

	(void)state;
	return command == COMMAND_PAUSE && job && job->state == JOB_PAUSED ? _("go on") : NULL;
}

static const char *const notes[] = {
	N_("LEFT  is how long all stages take, verifying included. A range is the best and the "
	   "worst "
	   "case of bad areas; unknown: nothing moves, or nothing was measured yet."),
	N_("BAR  the upper one is of all stages by the time they take, the lower one of the stage "
	   "that "
	   "is under way. flush waits until the destination has stored all of it."),
	N_("MAP  shades or, with M, ddrescue's letters: + copied  ? not read yet  * / to try  - "
	   "bad  "
	   "> here"),
	N_("finish  Tables, boot sectors and superblocks are written at the end; until then the "
	   "map "
	   "shows them as not read yet."),
	N_("errors  are failed reads, tries again included; to try are sectors that are read again "
	   "one "
	   "by one; bad are those that were given up."),
	N_("Wait  time of one request in milliseconds, of the last ten seconds and of all; 99%: 99 "
	   "of "
	   "100 were faster. The bars are shares of all requests."),
	N_("w  the same of reads by place, from the start of the source to its end, slower higher. "
	   "WEAK?: that place takes several times as long as the rest, though nothing failed "
	   "there."),
	N_("CPU  u user, s system, i waiting for disks; threads are shares of one core."),
	N_("attach  'clonedeck attach' on another terminal looks on here; T there takes the keys "
	   "over."),
	NULL,
};

const struct screen_ops scr_run = {
	.id = SCREEN_RUN,
	.title = N_("Run"),
	.state_size = sizeof(struct run_screen),
	.init = init,
	.enter = tick,
	.draw = run_screen_draw,
	.command = command,
	.unavailable = unavailable,
	.word = word,
	.changed = changed,
	.tick = tick,
	.notes = notes,
};
