/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaving a deck whose copy runs: it is stopped, or goes on without a terminal, until one comes;
 * more of them look on. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/charset.h"
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
	if (session_copy(app->session).changing)
		return _("The copy is complete; its file systems or identifiers are being changed, "
			 "as you asked. If you leave now, the tool that runs gets to its end, the "
			 "rest is not done, and no report is made.");
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
		       : session_state(app->session) == SESSION_FINISHING
			       ? _("leave: no report is made")
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
	char detach[128], text[512];
	bool stays = app->listener.fd < 0 && app->options->session.practice_dir && !verifying(app);
	const struct popup_choice choices[] = {
		{ 's', ask.choice },
		{ 'd', detach },
		{ 'n', _("new copy: this one goes on, another deck opens here") }
	};
	int count = app->listener.fd >= 0 ? 3 : 1;

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
		snprintf(text, sizeof(text), "%s%s%s", ask.text, stays ? " " : "",
			 stays ? _("Practice disks go with their deck: it cannot be left.") : "");
		popup_ask(app, ask.title, text, choices, count, answer_stop, NULL);
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
	use_descriptors(nothing);
}

static void send_to(struct app *app, struct wire_note note)
{
	if (app->client < 0)
		return;
	(void)wire_send(app->client, note, NULL);
	close(app->client);
	app->client = -1;
}

static void send_away(struct app *app, const char *text)
{
	struct wire_note note = { .kind = WIRE_LEFT, .value = EXIT_ENVIRONMENT };

	text_copy(note.text, sizeof(note.text), text);
	send_to(app, note);
}

/* In the words of the report: the copy may be one that is only read back. */
__attribute__((format(printf, 2, 3))) static void leave_terminal(struct app *app,
								 const char *format, ...)
{
	char text[sizeof(((struct wire_note *)NULL)->text)];

	text_vprint(text, sizeof(text), format);
	popup_close(app);
	let_terminal_go(app);
	send_away(app, text);
	app->leaving = true;
}

void app_detach(struct app *app)
{
	struct wire_note left = wire_left(getpid());

	session_note(app->session, _("The deck was left; the copy goes on without a terminal."));
	leave_terminal(app, "%s", left.text);
}

void app_switch(struct app *app, pid_t deck)
{
	if (app_copying(app) && app->listener.fd < 0) {
		app_message(app, MESSAGE_WARN,
			    app->options->session.practice_dir
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
	const char *text =
		stop ? _("clonedeck: The copy is stopped, as --on-hangup says.\n")
		     : _("clonedeck: The copy goes on without its screen. Ctrl-C or SIGTERM "
			 "stops it.\n");

	term_abandon(app->term);
	app->term = NULL;
	app->leaving = true;
	if (!app_copying(app)) {
		app->quit = true;
		return;
	}
	if (terminfo_takes_output())
		charset_print(stdout, app->utf8, text, strlen(text));
	/* A paused copy could never be continued without a terminal: it is stopped, and can be
	 * resumed from its map. */
	if (stop || (app->has_job && app->snapshot.state == JOB_PAUSED))
		app_stop_now(app);
}

/* The terminal has hung up, or takes nothing: writing to it could block for ever. */
void app_lose_terminal(struct app *app)
{
	bool stop = app->options->stop_on_hangup;

	if (!app->term && (app->client < 0 || app->leaving))
		return;
	session_note(app->session, stop ? _("The terminal is gone; the copy is stopped.")
					: _("The terminal is gone; the copy goes on without it."));
	if (stop || app->listener.fd < 0)
		lose_for_good(app, stop);
	else
		leave_terminal(app,
			       _("clonedeck: The terminal was lost. The copy goes on as "
				 "process %ld; 'clonedeck attach' brings its deck back.\n"),
			       (long)getpid());
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
	(void)wire_send(app->client, note, NULL);
}

/* kill -STOP: it could not say so, as it does for Ctrl-Z. What is typed then is for the shell,
 * and its terminal is not drawn on. When it goes on, it lends the terminal again. */
void app_mind_lender(struct app *app)
{
	if (!app->term || app->client < 0 || !process_is_stopped(app->lender))
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
	app->utf8 = note->facts.utf8;
	use_descriptors(descriptors);
	wire_close(descriptors);
	term_patience_begin(app->null);
	r = term_start(app->options->simple, &note->facts, &app->term, &error);
	lost = term_patience_end();
	if (r < 0) {
		char text[sizeof(note->text)];

		snprintf(text, sizeof(text), "clonedeck: %.500s\n", error.sentence);
		let_terminal_go(app);
		send_away(app, text);
		app->leaving = true;
		app->quit = app->quit || !app_copying(app);
		return;
	}
	app->leaving = false;
	app_redraw(app);
	if (lost)
		app_lose_terminal(app);
}

/* ---- several terminals ---- */

static void send_home(struct app *app, struct viewer *viewer)
{
	int fd = viewers_remove(&app->viewers, viewer);

	(void)wire_send(fd, wire_left(getpid()), NULL);
	close(fd);
}

/* Where there are too many, another one gives its place to the newest. */
static void let_look_on(struct app *app, int fd, pid_t pid)
{
	if (app->viewers.count == VIEWERS_MAX)
		send_home(app, &app->viewers.each[0]);
	if (!viewers_add(&app->viewers, fd, pid))
		close(fd);
	app_redraw(app);
}

/* The deck goes to another terminal; the one that has it, or has only stopped, looks on then. */
static void steer(struct app *app, int fd, const struct wire_note *note,
		  int descriptors[static WIRE_DESCRIPTORS])
{
	int before = app->client;
	pid_t lender = app->lender;

	session_note(app->session, _("The deck was brought to another terminal."));
	app->client = fd;
	/* This gives back the terminal that it was on. */
	app_take_terminal(app, note, descriptors);
	if (before >= 0)
		let_look_on(app, before, lender);
}

/* What it says first comes with it: another program that only connects is not waited for. */
#define FIRST_NOTE_MS 1000

void app_accept_client(struct app *app)
{
	int descriptors[WIRE_DESCRIPTORS], fd = listener_accept(&app->listener);
	struct wire_note note;

	if (fd < 0)
		return;
	if (!wire_terminal(fd, FIRST_NOTE_MS, &note, descriptors)) {
		close(fd);
	} else if (app->term) {
		wire_close(descriptors);
		let_look_on(app, fd, note.pid);
	} else {
		steer(app, fd, &note, descriptors);
	}
}

/* Its terminal is free: it wants to steer, was asked to, or goes on after it had stopped. */
static void on_lent(struct app *app, struct viewer *viewer, const struct wire_note *note,
		    int descriptors[static WIRE_DESCRIPTORS])
{
	if (app->term && !note->value) {
		viewers_again(&app->viewers, viewer);
		return;
	}
	steer(app, viewers_remove(&app->viewers, viewer), note, descriptors);
	/* Those that look on see it, too. */
	app_hint(app, MESSAGE_INFO,
		 _("The copy is now steered from another terminal than before."));
}

static void read_viewer(struct app *app, struct viewer *viewer)
{
	int descriptors[WIRE_DESCRIPTORS], fd = viewer->fd, r = 0;
	struct wire_note note;

	while (viewer->fd == fd && (r = wire_receive(fd, &note, descriptors, NULL)) > 0) {
		if (note.kind == WIRE_TERMINAL && descriptors[WIRE_DESCRIPTORS - 1] >= 0)
			on_lent(app, viewer, &note, descriptors);
		/* A signal that came before it knew that it looks on. */
		else if (note.kind == WIRE_DETACH ||
			 (note.kind == WIRE_SIGNAL && note.value != SIGTSTP))
			send_home(app, viewer);
		wire_close(descriptors);
	}
	if (r < 0 && viewer->fd == fd)
		close(viewers_remove(&app->viewers, viewer));
}

void app_read_viewers(struct app *app, const struct pollfd fds[static VIEWERS_MAX])
{
	for (size_t i = 0; i < VIEWERS_MAX; i++) {
		struct viewer *viewer = &app->viewers.each[i];

		/* Another one may have its place by now. */
		if (viewer->fd < 0 || viewer->fd != fds[i].fd)
			continue;
		if (fds[i].revents & POLLOUT)
			viewers_send(&app->viewers, viewer);
		if (fds[i].revents & ~POLLOUT)
			read_viewer(app, viewer);
	}
}

const char *app_last_words(const struct app *app)
{
	if (app->abandoned && verifying(app))
		return _("clonedeck: Left before all was compared. Nothing was written. If the "
			 "kernel still waits for the disk, this process ends when the disk "
			 "answers.\n");
	if (app->abandoned && session_copy(app->session).changing)
		return _("clonedeck: Left while file systems or identifiers of the complete copy "
			 "were being changed. The tool that runs gets to its end, the rest is not "
			 "done, and no report is made.\n");
	if (app->abandoned && !app->copied)
		return _("clonedeck: Left while the copy was still stopping. Resume continues from "
			 "the map as it was saved last. If the kernel still waits for the disk, "
			 "this process ends when the disk answers.\n");
	return app->report_text ? app->report_text : "";
}

void app_end_viewers(struct app *app)
{
	const char *words = app_last_words(app);
	char said[sizeof(app->message) + 16];

	/* What could not be started has no report. */
	snprintf(said, sizeof(said), "clonedeck: %s\n", app->message);
	viewers_end(&app->viewers, app->exit_code, words[0] ? words : said);
}

void app_mind_viewers(struct app *app)
{
	if (!app->viewers.count)
		return;
	if (!app_copying(app))
		app_end_viewers(app);
	else if (!app->term)
		viewers_ask(&app->viewers);
}
