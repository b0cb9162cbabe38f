/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaving a deck whose copy runs: it is stopped, or goes on without a terminal, until one comes;
 * more of them look on. */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "base/text.h"

#include "ui/core/app_private.h"
#include "ui/core/terminfo.h"
#include "ui/core/wire.h"

/* Without a terminal nobody can be asked: a second signal, this long after the first one, leaves at
 * once. */
#define LEAVE_AFTER (5 * NSEC_PER_SEC)

static bool verifying(const struct app *app)
{
	return session_state(app->session) == SESSION_VERIFYING;
}

void app_stop_now(struct app *app)
{
	const struct session_waiting *waiting = session_copy(app->session).waiting;

	if (!app->stop_wanted)
		app->stop_since = clock_monotonic();
	app->stop_wanted = true;
	if (!app_copying(app))
		return;
	/* A disk that is being claimed again cannot be let go in the middle of it. */
	if (waiting && !waiting->trying) {
		app_finish(app);
		return;
	}
	session_stop(app->session);
	app_say(app, verifying(app) ? _("Stopping: requests in flight are finished.")
				    : _("Stopping: requests in flight are finished, flushed and "
					"recorded in the map."));
}

static void give_up(struct app *app)
{
	app->abandoned = true;
	/* Where a copy is read back once more, its own result has been told and stays. */
	if (!verifying(app) || !session_copy(app->session).report)
		app->exit_code = EXIT_STOPPED;
	app->quit = true;
}

void app_stop_or_leave(struct app *app)
{
	if (app->stop_wanted && clock_monotonic() - app->stop_since >= LEAVE_AFTER)
		give_up(app);
	else
		app_stop_now(app);
}

static void answer_leave(void *user, struct app *app, int choice)
{
	if (choice == 0 && app_copying(app))
		give_up(app);
}

static const char *why_still_stopping(const struct app *app)
{
	if (verifying(app) && !session_copy(app->session).report)
		return _("Reads are in flight. A disk that hangs may take minutes, or never "
			 "answer. Nothing was written.");
	if (verifying(app))
		return _("Reads are in flight. A disk that hangs may take minutes, or never "
			 "answer. The copy and its report stay as they are.");
	if (session_state(app->session) == SESSION_FINISHING)
		return _("The copy has ended; its disks are being released and its report saved. A "
			 "disk that hangs may take minutes, or never answer.");
	return _("Requests are in flight, or the destination is flushing. A disk that hangs may "
		 "take minutes, or never answer. If you leave now, the copy resumes from the map "
		 "as it was saved last.");
}

/* Asked a second time: a disk that hangs may keep the first stop from ever ending. */
static void ask_leave(struct app *app)
{
	const struct popup_choice choices[] = {
		{ 'l', verifying(app) ? _("leave")
				      : _("leave: what was not flushed is copied again later") }
	};

	popup_ask(app, _("Still stopping"), why_still_stopping(app), choices, 1, answer_leave,
		  NULL);
}

static void answer_stop(void *user, struct app *app, int choice)
{
	if (choice == 0)
		app_stop_now(app);
	else if (choice == 1)
		app_detach(app);
	else if (choice == 2)
		app_switch(app, 0);
	else
		app_say(app, verifying(app) ? _("Verifying goes on.") : _("The copy goes on."));
}

struct question {
	const char *title, *text, *choice;
};

static struct question question(const struct app *app)
{
	if (verifying(app) && app_compares(app))
		return (struct question){ _("Stop verifying?"),
					  _("Both disks are being compared; nothing is written. "
					    "Ctrl-C again stops too."),
					  _("stop: report on what was compared") };
	if (verifying(app))
		return (struct question){ _("Stop verifying?"),
					  _("The copy is being read back once more; nothing is "
					    "written. Ctrl-C again stops too."),
					  _("stop: the report stays as it is") };
	return (struct question){
		_("Stop the copy?"),
		app->has_job && app->snapshot.state == JOB_PAUSED
			? _("The copy stays paused while you think. A stopped copy can be resumed "
			    "from its map. Ctrl-C again stops too.")
			: _("The copy goes on while you think. A stopped copy can be resumed from "
			    "its map. Ctrl-C again stops too."),
		_("stop: flush, save the map, report")
	};
}

void app_ask_stop(struct app *app)
{
	enum session_state state = session_state(app->session);
	const struct question ask = question(app);
	char detach[128];
	const struct popup_choice choices[] = {
		{ 's', ask.choice },
		{ 'd', detach },
		{ 'n', _("new copy: this one goes on, another deck opens here") }
	};
	int count = app->door.fd >= 0 ? 3 : 1;

	if (app->steers) {
		app_send_home(app);
		return;
	}
	snprintf(detach, sizeof(detach), _("detach: it goes on; 'clonedeck attach %ld' comes back"),
		 (long)getpid());

	if (!app_copying(app) && app->measuring && app->current == SCREEN_BENCH) {
		app_command(app, COMMAND_HALT);
	} else if (!app_copying(app)) {
		app->quit = true;
	} else if (state == SESSION_FINISHING || (app->stop_wanted && state != SESSION_WAITING)) {
		ask_leave(app);
	} else if (popup_is_open(app, ask.title)) {
		popup_close(app);
		app_stop_now(app);
	} else if (state == SESSION_WAITING) {
		app_show_waiting(app);
	} else {
		popup_ask(app, ask.title, ask.text, choices, count, answer_stop, NULL);
	}
}

/* ---- the terminal goes and comes ---- */

static void use_descriptors(const int descriptors[static WIRE_DESCRIPTORS])
{
	for (int i = 0; i < WIRE_DESCRIPTORS; i++)
		dup2(descriptors[i], i);
}

/* Nothing may hold the terminal any more, or a login on it would not end. */
static void let_terminal_go(struct app *app)
{
	const int nothing[WIRE_DESCRIPTORS] = { app->null, app->null, app->null };

	term_abandon(app->term);
	app->term = NULL;
	if (!app->steers)
		use_descriptors(nothing);
}

static void send_to(struct app *app, struct wire_note note)
{
	if (app->stand_in < 0)
		return;
	(void)wire_send(app->stand_in, note, NULL);
	close(app->stand_in);
	app->stand_in = -1;
}

void app_send_away(struct app *app, const char *text, int code)
{
	struct wire_note note = { .kind = WIRE_LEFT, .value = code };

	text_copy(note.text, sizeof(note.text), text);
	let_terminal_go(app);
	send_to(app, note);
	app->leaving = true;
	/* Nobody looks on without a terminal. */
	app->quit = app->quit || app->steers;
}

void app_send_home(struct app *app)
{
	char text[sizeof(((struct wire_note *)NULL)->text)];

	snprintf(text, sizeof(text),
		 _("clonedeck: The copy goes on as process %ld. 'clonedeck attach' "
		   "brings its deck to a terminal.\n"),
		 (long)getpid());
	popup_close(app);
	app_send_away(app, text, EXIT_ENVIRONMENT);
}

void app_detach(struct app *app)
{
	session_note(app->session, _("The deck was left; the copy goes on without a terminal."));
	app_send_home(app);
}

void app_switch(struct app *app, pid_t deck)
{
	if (app_copying(app) && app->door.fd < 0) {
		app_message(app, MESSAGE_WARN,
			    app->options->practice_dir
				    ? _("Practice disks go with their deck: the copy ends first.")
				    : _("Nobody could come back to this copy: another one needs "
					"another terminal."));
		return;
	}
	popup_close(app);
	/* A user who comes back wants to see the copy. */
	if (app_reached(app, SCREEN_RUN))
		app_go(app, SCREEN_RUN);
	let_terminal_go(app);
	send_to(app, (struct wire_note){ .kind = WIRE_GO, .value = (int32_t)deck });
	app->leaving = true;
	app->quit = !app_copying(app);
}

/* Nobody can come back to it. */
static void lose_for_good(struct app *app, bool stop)
{
	term_abandon(app->term);
	app->term = NULL;
	app->leaving = true;
	if (!app_copying(app)) {
		app->quit = true;
		return;
	}
	if (terminfo_takes_output(STDOUT_FILENO)) {
		fputs(stop ? _("clonedeck: The copy is stopped, as --on-hangup says.\n")
			   : _("clonedeck: The copy goes on without its screen. Ctrl-C or SIGTERM "
			       "stops it.\n"),
		      stdout);
		fflush(stdout);
	}
	/* A paused copy could never be continued without a terminal: it is stopped, and can be
	 * resumed from its map. */
	if (stop || (app->has_job && app->snapshot.state == JOB_PAUSED))
		app_stop_now(app);
}

/* The terminal has hung up, or takes nothing: writing to it could block for ever. */
void app_lose_terminal(struct app *app)
{
	bool stop = app->options->stop_on_hangup;
	char text[sizeof(((struct wire_note *)NULL)->text)];

	if (!app->term && (app->stand_in < 0 || app->leaving))
		return;
	if (app->steers) {
		app_send_home(app);
		return;
	}
	session_note(app->session, stop ? _("The terminal is gone; the copy is stopped.")
					: _("The terminal is gone; the copy goes on without it."));
	if (stop || app->door.fd < 0) {
		lose_for_good(app, stop);
		return;
	}
	snprintf(text, sizeof(text),
		 _("clonedeck: The terminal was lost. The copy goes on as process %ld; 'clonedeck "
		   "attach' brings its deck back.\n"),
		 (long)getpid());
	popup_close(app);
	app_send_away(app, text, EXIT_ENVIRONMENT);
}

/* It stops; the deck only has no terminal until then, and a copy goes on. */
void app_suspend(struct app *app)
{
	struct wire_note note = { .kind = WIRE_STOP };

	if (!app->term)
		return;
	term_abandon(app->term);
	app->term = NULL;
	if (app_copying(app))
		text_copy(note.text, sizeof(note.text),
			  _("clonedeck: The copy goes on; 'fg' brings its deck back.\n"));
	(void)wire_send(app->stand_in, note, NULL);
}

/* kill -STOP: it could not say so, as it does for Ctrl-Z. What is typed then is for the shell,
 * and its terminal is not drawn on. When it goes on, it lends the terminal again. */
void app_mind_lender(struct app *app)
{
	if (!app->term || app->stand_in < 0 || !process_is_stopped(app->lender))
		return;
	term_drop(app->term);
	app->term = NULL;
}

void app_take_terminal(struct app *app, const struct wire_note *note,
		       int descriptors[static WIRE_DESCRIPTORS])
{
	struct error error = { 0 };
	bool lost;
	int r;

	term_abandon(app->term);
	app->term = NULL;
	app->lender = note->pid;
	app->stuck_since = 0;
	if (!app->steers)
		use_descriptors(descriptors);
	term_patience_begin(app->null, app->steers ? descriptors[0] : STDIN_FILENO,
			    app->steers ? descriptors[1] : STDOUT_FILENO);
	r = term_start(app->options->simple, &note->facts, app->steers ? descriptors : NULL,
		       &app->term, &error);
	lost = term_patience_end();
	wire_close(descriptors);
	if (r < 0) {
		char text[sizeof(note->text)];

		snprintf(text, sizeof(text), "clonedeck: %.500s\n", error.sentence);
		app_send_away(app, text, EXIT_ENVIRONMENT);
		app->quit = app->quit || !app_copying(app);
		return;
	}
	app->leaving = false;
	app_redraw(app);
	if (lost)
		app_lose_terminal(app);
}

/* What it says first comes with it: another program that only connects is not waited for. */
#define FIRST_NOTE_MS 1000

/* Another terminal: it looks on, or has the deck where nobody else has. */
void app_open_door(struct app *app)
{
	int descriptors[WIRE_DESCRIPTORS], fd = door_answer(&app->door);
	struct wire_note note;
	char text[sizeof(note.text)];

	if (fd < 0)
		return;
	if (!wire_terminal(fd, FIRST_NOTE_MS, &note, descriptors)) {
		close(fd);
		return;
	}
	if (app->term) {
		app_look_on(app, fd, &note, descriptors);
		return;
	}
	session_note(app->session, _("The deck was brought to another terminal."));
	snprintf(text, sizeof(text),
		 _("clonedeck: The deck is on another terminal now: process %ld has brought it "
		   "there.\n"),
		 (long)note.pid);
	app_send_away(app, text, EXIT_ENVIRONMENT);
	app->stand_in = fd;
	app_take_terminal(app, &note, descriptors);
}

/* ---- several terminals: one steers, the others look on, each with an app of its own and the
 * session of the one that steers ---- */

const char *app_look_text(void)
{
	return _("LOOKING ON: T steers, q leaves");
}

bool app_look_may(enum command command)
{
	switch (command) {
	case COMMAND_SCREEN_4:
	case COMMAND_LOG:
	case COMMAND_MAP:
	case COMMAND_GRAPH:
	case COMMAND_WHERE:
	case COMMAND_TABLES:
	case COMMAND_ZOOM_IN:
	case COMMAND_ZOOM_OUT:
		return true;
	default:
		return (command >= COMMAND_UP && command <= COMMAND_PREVIOUS_FIELD) ||
		       (command >= COMMAND_UNITS && command <= COMMAND_FIND_PREVIOUS) ||
		       command == COMMAND_QUIT;
	}
}

/* Of its screens only that of the copy follows: the others plan and choose. */
void app_look_see(struct app *looker, unsigned changes)
{
	app_redraw(looker);
	app_take_snapshot(looker);
	scr_run.changed(looker->states[SCREEN_RUN], looker, changes);
}

static void forget(struct app *app, size_t at)
{
	app_destroy(app->lookers[at]);
	app->lookers[at] = app->lookers[--app->looker_count];
}

void app_look_reap(struct app *app)
{
	for (size_t i = app->looker_count; i-- > 0;)
		if (app->lookers[i]->quit)
			forget(app, i);
}

/* The newest comes in; the oldest goes where there are too many. */
static void make_room(struct app *app)
{
	if (app->looker_count < LOOKERS_MAX)
		return;
	app_send_home(app->lookers[0]);
	forget(app, 0);
}

void app_look_on(struct app *app, int fd, const struct wire_note *note, int descriptors[static 3])
{
	struct error error = { 0 };
	struct app *looker;

	make_room(app);
	if (app_new(app->options, app->session, NULL, -1, &looker, &error) < 0) {
		wire_close(descriptors);
		close(fd);
		return;
	}
	looker->steers = app;
	looker->stand_in = fd;
	looker->null = app->null;
	looker->choice.source = app->choice.source;
	looker->choice.destination = app->choice.destination;
	looker->reached = ON(SCREEN_RUN);
	app->lookers[app->looker_count++] = looker;
	app_take_terminal(looker, note, descriptors);
	app_look_see(looker, SESSION_CHANGE_STATE | SESSION_CHANGE_JOB);
	app_go(looker, SCREEN_RUN);
}

/* The terminal of an app, ready for another one. False: it has none now, or one that is stuck,
 * which it has lost then. */
static bool lend(struct app *app, struct wire_note *note, int descriptors[static WIRE_DESCRIPTORS])
{
	if (!app->term || !terminfo_takes_output(fileno(app->term->out))) {
		app_send_home(app);
		return false;
	}
	*note = (struct wire_note){ .pid = app->lender, .facts = app->term->facts };
	descriptors[0] = descriptor_copy(fileno(app->term->in));
	descriptors[1] = descriptor_copy(fileno(app->term->out));
	descriptors[2] = descriptor_copy(fileno(app->term->out));
	term_abandon(app->term);
	app->term = NULL;
	return true;
}

void app_look_steer(struct app *looker)
{
	struct app *app = looker->steers;
	int here[WIRE_DESCRIPTORS], there[WIRE_DESCRIPTORS], fd;
	struct wire_note this, that;
	bool other;

	popup_close(app);
	if (!lend(looker, &this, here))
		return;
	other = lend(app, &that, there);
	fd = app->stand_in;
	session_note(app->session, _("The deck was brought to another terminal."));
	app->stand_in = looker->stand_in;
	looker->stand_in = fd;
	app_take_terminal(app, &this, here);
	app_go(app, SCREEN_RUN);
	if (other)
		app_take_terminal(looker, &that, there);
	else
		app_send_home(looker);
}

void app_look_follow(struct app *app, unsigned changes)
{
	for (size_t i = 0; i < app->looker_count; i++)
		app_look_see(app->lookers[i], changes);
}

/* The report stays where the copy was looked at. */
static void print_report(const struct app *app, int fd)
{
	if (!app->report_text || !terminfo_takes_output(fd))
		return;
	term_patience_begin(app->null, fd, fd);
	dprintf(fd, "%s", app->report_text);
	term_patience_end();
}

void app_look_end(struct app *app)
{
	for (size_t i = 0; i < app->looker_count; i++) {
		struct app *looker = app->lookers[i];
		int fd = looker->term ? descriptor_copy(fileno(looker->term->out)) : -1;

		term_abandon(looker->term);
		looker->term = NULL;
		if (fd >= 0) {
			print_report(app, fd);
			close(fd);
		}
		app_send_away(looker, "", app->exit_code);
	}
}
