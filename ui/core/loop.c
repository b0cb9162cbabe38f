/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loop: keys, signals, news of the session, the clock. One thread; nothing
 * in here waits for a disk.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/charset.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/process.h"
#include "session/run.h"

#include "ui/core/app_private.h"
#include "ui/core/client.h"
#include "ui/core/term.h"
#include "ui/core/terminfo.h"
#include "ui/core/wire.h"
#include "ui/deck.h"

/* A deck that was left has no screen to ask on. */
static void move_map(struct app *app)
{
	struct error error = { 0 };

	if (session_move_map(app->session, NULL, &error) < 0)
		app_error(app, &error);
}

static void on_signal(struct app *app, unsigned signal)
{
	switch (signal) {
	case SIGINT:
		if (app->term && app->popup.kind != POPUP_NONE && !app_copying(app))
			popup_close(app);
		else if (app->term)
			app_command(app, COMMAND_STOP);
		else
			/* There is no screen to ask on. */
			app_stop_or_leave(app);
		break;
	case SIGTSTP:
		app_suspend(app);
		break;
	case SIGHUP:
		app_lose_terminal(app);
		break;
	case SIGUSR1:
		/* Asks the headless front end for progress; here it is on the screen. */
		break;
	case SIGUSR2:
		move_map(app);
		break;
	default:
		app->leaving = true;
		if (!app_copying(app))
			app->quit = true;
		else if (signal == SIGXCPU)
			/* It comes again with every second of processor time. */
			app_stop_now(app);
		else
			app_stop_or_leave(app);
		break;
	}
}

static void read_signals(struct app *app)
{
	struct signalfd_siginfo info;

	while (read(app->signals, &info, sizeof(info)) == sizeof(info))
		on_signal(app, info.ssi_signo);
}

static void on_note(struct app *app, const struct wire_note *note,
		    int descriptors[static WIRE_DESCRIPTORS])
{
	switch (note->kind) {
	case WIRE_TERMINAL:
		if (descriptors[WIRE_DESCRIPTORS - 1] >= 0)
			app_take_terminal(app, note, descriptors);
		break;
	case WIRE_RESIZED:
		/* Curses reads the size in its handler of this signal. */
		raise(SIGWINCH);
		break;
	case WIRE_SIGNAL:
		on_signal(app, (unsigned)note->value);
		break;
	case WIRE_DETACH:
		if (app->listener.fd >= 0)
			app_detach(app);
		else
			app_lose_terminal(app);
		break;
	default:
		break;
	}
}

static void read_client(struct app *app)
{
	int fd = app->client, descriptors[WIRE_DESCRIPTORS], r = 0;
	struct wire_note note;

	while (fd >= 0 && app->client == fd &&
	       (r = wire_receive(fd, &note, descriptors, NULL)) > 0) {
		on_note(app, &note, descriptors);
		wire_close(descriptors);
	}
	if (r >= 0 || app->client != fd)
		return;
	/* It was killed. */
	app_lose_terminal(app);
	fd_close(app->client);
	app->client = -1;
}

static void read_keys(struct app *app)
{
	while (app->term && !app->quit) {
		int key;

		switch (term_read(app->term, &key)) {
		case TERM_NOTHING:
			return;
		case TERM_LOST:
			app_lose_terminal(app);
			return;
		case TERM_INTERRUPT:
			on_signal(app, SIGINT);
			continue;
		case TERM_SUSPEND:
			app_suspend(app);
			return;
		case TERM_QUIT:
			on_signal(app, SIGQUIT);
			continue;
		default:
			break;
		}
		if (key != SPECIAL_RESIZE) {
			app_key(app, key);
		} else {
			term_resize(app->term);
			app_redraw(app);
		}
	}
}

/* Does anything move by itself? */
static bool moving(const struct app *app)
{
	return (app->has_job && app->snapshot.state != JOB_ENDED) ||
	       (app->measuring && app->current == SCREEN_BENCH) || app->current == SCREEN_JOBS;
}

/* On other screens than that of the copy only its percentage moves. */
static uint64_t interval(const struct app *app)
{
	unsigned ms = app->term->interval;

	if (!app_shown(app)->tick && !layout_too_small(app->term->cols, app->term->rows) &&
	    ms < 1000)
		ms = 1000;
	return ms * NSEC_PER_MSEC;
}

static void tick(struct app *app)
{
	const struct screen_ops *ops;

	/* A new snapshot brings the events of the job with it. */
	app_follow(app, SESSION_CHANGE_JOB);
	app_drop_hint(app, false);
	ops = app_shown(app);
	if (ops->tick)
		ops->tick(app->states[ops->id], app);
}

static void wait_for_news(struct pollfd *fds, nfds_t count, const uint64_t *next_tick)
{
	struct timespec timeout;
	uint64_t now = clock_monotonic(), left;
	sigset_t mask;

	left = next_tick && *next_tick > now ? *next_tick - now : 0;
	timeout.tv_sec = (time_t)(left / NSEC_PER_SEC);
	timeout.tv_nsec = (long)(left % NSEC_PER_SEC);
	/* SIGWINCH is let through only while waiting; otherwise a change of size just before the
	 * wait would be missed. */
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGWINCH);
	if (ppoll(fds, count, next_tick ? &timeout : NULL, &mask) < 0)
		for (nfds_t i = 0; i < count; i++)
			fds[i].revents = 0;
}

/* Reading keys writes, too: of a new size. The end of a copy is not to wait for its terminal. */
static void use_terminal(struct app *app, void (*use)(struct app *app))
{
	bool patient = !app_copying(app);

	if (!patient)
		term_patience_begin(app->null);
	use(app);
	if (!patient && term_patience_end())
		app_lose_terminal(app);
}

/* Only a copy can be come back to; practice disks go with their deck. */
static void mind_listener(struct app *app)
{
	bool wanted = app_copying(app) && !app->options->session.practice_dir;

	if (wanted && app->listener.fd < 0 && !app->listener_tried)
		listener_open(&app->listener, app->options->folder);
	else if (!wanted)
		listener_close(&app->listener);
	app->listener_tried = wanted;
}

enum source {
	KEYS,
	SIGNALS,
	SESSION,
	CLIENT,
	LISTENER,
	VIEWERS,
	SOURCE_COUNT = VIEWERS + VIEWERS_MAX
};

static void loop(struct app *app)
{
	uint64_t next_tick = 0;

	while (!app->quit) {
		mind_listener(app);
		app_mind_viewers(app);
		if (app->term && app->dirty)
			use_terminal(app, app_draw);

		bool ticking = app->term && moving(app);
		struct pollfd fds[SOURCE_COUNT] = {
			[KEYS] = { .fd = app->term ? term_fd(app->term) : -1, .events = POLLIN },
			[SIGNALS] = { .fd = app->signals, .events = POLLIN },
			[SESSION] = { .fd = session_fd(app->session), .events = POLLIN },
			[CLIENT] = { .fd = app->client, .events = POLLIN },
			[LISTENER] = { .fd = app->listener.fd, .events = POLLIN },
		};

		viewers_poll(&app->viewers, &fds[VIEWERS]);
		wait_for_news(fds, SOURCE_COUNT, ticking ? &next_tick : NULL);
		app_mind_lender(app);
		if (fds[KEYS].revents & (POLLHUP | POLLERR | POLLNVAL))
			app_lose_terminal(app);
		if (app->term)
			use_terminal(app, read_keys);
		if (fds[SIGNALS].revents)
			read_signals(app);
		if (fds[CLIENT].revents)
			read_client(app);
		if (fds[LISTENER].revents && app->listener.fd >= 0)
			app_accept_client(app);
		app_read_viewers(app, &fds[VIEWERS]);
		if (fds[SESSION].revents)
			app_follow(app, session_dispatch(app->session));
		if (app->term && moving(app) && clock_monotonic() >= next_tick) {
			tick(app);
			next_tick = clock_monotonic() + interval(app);
		}
	}
	listener_close(&app->listener);
}

/* ---- from the first screen to the last ---- */

#define PATIENCE_MS 3000

/*
 * Blocked before any thread is made, so that no other thread ever gets one of
 * them, and for good: a second hang-up must not spoil the exit code that the
 * copy has earned. SIGWINCH is not for the descriptor: curses takes it, while
 * the loop waits.
 */
static int take_signals(struct error *reterr)
{
	sigset_t wanted, blocked;
	int fd;

	signals_that_stop(&wanted);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGTSTP);
	sigaddset(&wanted, SIGUSR1);
	sigaddset(&wanted, SIGUSR2);
	blocked = wanted;
	sigaddset(&blocked, SIGALRM);
	sigaddset(&blocked, SIGWINCH);
	sigaddset(&blocked, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return error_set(reterr, ERROR_CLASS_ENVIRONMENT, -errno, "open", "",
				 _("Signals cannot be received: %s."), error_phrase(errno));
	return fd;
}

/* What a deck needs that has no app yet. */
struct opening {
	struct session *session;
	struct term *term;
	int signals, client, null;
	pid_t lender;
	bool utf8; /* the last terminal */
};

static int run(const struct deck_options *options, struct opening *opening, bool *retabandoned,
	       struct error *reterr)
{
	struct session *session = opening->session;
	struct app *app;
	int code, err;

	err = app_new(options, session, opening->term, opening->signals, &app, reterr);
	if (err) {
		term_stop(opening->term);
		return (int)error_exit_code(reterr);
	}
	app->client = opening->client;
	app->lender = opening->lender;
	app->null = opening->null;
	session_scan(session, NULL);
	loop(app);
	app_end_viewers(app);
	opening->client = app->client;
	code = app->copied || app->abandoned || app->term ? app->exit_code : EXIT_ENVIRONMENT;
	*retabandoned = app->abandoned;
	term_stop(app->term);
	charset_print(stdout, app->utf8, app_last_words(app), strlen(app_last_words(app)));
	opening->utf8 = app->utf8;
	app_destroy(app);
	return code;
}

/* Gives background work PATIENCE_MS to end. A thread that waits for a disk that never answers ends
 * with the process. */
static void end_session(struct session *session, bool utf8)
{
	const char *text =
		_("clonedeck: A disk or a file system does not answer; clonedeck no longer waits "
		  "for it. If the kernel does, this process ends when it answers.\n");
	bool left_behind = session_copy(session).left_behind;

	if (session_wait(session, -1, PATIENCE_MS)) {
		session_destroy(session);
		if (!left_behind)
			return;
	}
	charset_print(stdout, utf8, text, strlen(text));
}

/* The deck's process, from here to its end. */
static int run_deck(const struct deck_options *options, struct opening *opening,
		    struct error *reterr)
{
	struct session_options wanted = options->session;
	int descriptors[WIRE_DESCRIPTORS], code;
	struct wire_note note;
	bool abandoned = false;

	opening->null = standard_null();
	if (opening->null < 0) {
		error_set(reterr, ERROR_CLASS_ENVIRONMENT, opening->null, "open", "/dev/null",
			  _("%s cannot be opened: %s."), "/dev/null", error_phrase(opening->null));
		return (int)error_exit_code(reterr);
	}
	opening->signals = take_signals(reterr);
	/* The descriptors are those that this process has. */
	if (opening->signals < 0 || !wire_terminal(opening->client, -1, &note, descriptors))
		return EXIT_ENVIRONMENT;
	wire_close(descriptors);
	opening->lender = note.pid;
	if (term_start(options->simple, &note.facts, &opening->term, reterr) < 0)
		return (int)error_exit_code(reterr);
	/* All kinds of disks are asked for; the screen hides RAM, dm and md devices. */
	wanted.all = true;
	if (session_new(&wanted, &opening->session, reterr) < 0) {
		term_stop(opening->term);
		return (int)error_exit_code(reterr);
	}
	code = run(options, opening, &abandoned, reterr);
	if (!abandoned)
		end_session(opening->session, opening->utf8);
	return code;
}

static int be_deck(const struct deck_options *options, int client)
{
	struct opening opening = { .signals = -1, .null = -1, .client = client };
	struct error error = { 0 };
	int code = run_deck(options, &opening, &error);

	if (error.code)
		fprintf(stderr, "clonedeck: %s\n", error.sentence);
	if (opening.client >= 0)
		(void)wire_send(opening.client,
				(struct wire_note){ .kind = WIRE_END, .value = code }, NULL);
	fd_close(opening.signals);
	fd_close(opening.null);
	/* Closed last, with the process: the client waits for that. */
	return code;
}

int deck_run(const struct deck_options *options)
{
	struct term_facts facts;
	int fd = -1, code = client_look(&options->looks, &facts);
	pid_t deck;

	if (code)
		return code;
	deck = client_fork(&fd);
	return deck == 0 ? be_deck(options, fd) : client_run(fd, deck, &facts, options, be_deck);
}

int deck_attach(const struct deck_options *options, long pid, int *retfound)
{
	struct sockaddr_un address;
	struct term_facts facts;
	int fd = -ENAMETOOLONG, code;

	if (listener_address(options->folder, (pid_t)pid, &address))
		fd = listener_connect(&address);
	*retfound = fd < 0 ? fd : 0;
	if (fd < 0)
		return EXIT_ENVIRONMENT;
	/* Only who has a terminal takes the deck from the one that has it. */
	code = client_look(&options->looks, &facts);
	if (code == 0)
		return client_run(fd, 0, &facts, options, be_deck);
	close(fd);
	return code;
}
