/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/charset.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/i18n.h"
#include "base/process.h"

#include "ui/core/listener.h"
#include "ui/core/terminfo.h"
#include "ui/core/view.h"
#include "ui/core/wire.h"
#include "ui/deck.h"

/* ms that a deck that has said its last word may take to end. */
#define ENDING_MS 3000

struct client {
	int fd, signals, null;
	pid_t deck; /* 0: no child */
	pid_t at;   /* the deck's process where it looks on */
	bool looks; /* on, and draws itself; else the deck does */
	struct view view;
	const struct term_facts *facts;
	bool hung_up;       /* the deck was told; the SIGCONT that follows brings no terminal */
	enum wire_kind end; /* WIRE_LEFT, WIRE_END, WIRE_GO; else it goes on */
	int code;           /* or with WIRE_GO, the process to go to */
};

static void choose_signals(sigset_t *set)
{
	static const int wanted[] = { SIGHUP, SIGTSTP, SIGCONT, SIGWINCH, SIGUSR1, SIGUSR2 };

	signals_that_stop(set);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		sigaddset(set, wanted[i]);
}

static void only(int signal, int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(how, &set, NULL);
}

pid_t client_fork(int *retfd)
{
	int pair[2];
	sigset_t set;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	choose_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid = fork();
	if (pid < 0) {
		pid = -errno;
		close(pair[0]);
		close(pair[1]);
		return pid;
	}
	if (pid == 0)
		setsid();
	close(pair[pid == 0 ? 0 : 1]);
	*retfd = pair[pid == 0 ? 1 : 0];
	return pid;
}

static void tell(const struct client *self, enum wire_kind kind, int value)
{
	/* If the deck is gone, the connection says so next. */
	(void)wire_send(self->fd, (struct wire_note){ .kind = kind, .value = value }, NULL);
}

/* steer: also where another terminal has the deck. */
static void lend_terminal(const struct client *self, bool steer)
{
	static const int standard[WIRE_DESCRIPTORS] = { STDIN_FILENO, STDOUT_FILENO,
							STDERR_FILENO };

	(void)wire_send(
		self->fd,
		(struct wire_note){ .kind = WIRE_TERMINAL, .value = steer, .facts = *self->facts },
		standard);
}

/* In the background, the kernel stops this process here until the shell gives it the terminal. */
static void wait_for_foreground(void)
{
	sigset_t set;

	/* A signal that ends this stopped process is meant; the deck notices its end. */
	only(SIGHUP, SIG_UNBLOCK);
	only(SIGTERM, SIG_UNBLOCK);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	only(SIGTERM, SIG_BLOCK);
	only(SIGHUP, SIG_BLOCK);
	/* The SIGCONT that belongs to this stop has been handled. */
	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	while (sigtimedwait(&set, NULL, &(struct timespec){ 0 }) > 0)
		;
}

/* lost: somebody else draws there now. */
static void stop_looking(struct client *self, bool lost)
{
	if (self->looks)
		view_stop(&self->view, lost);
	self->looks = false;
}

static void come_back(struct client *self)
{
	stop_looking(self, true);
	wait_for_foreground();
	/* Where it was stopped without a word, the deck could not give it back. */
	term_rescue_restore();
	lend_terminal(self, false);
}

/* The whole group, as the terminal's own Ctrl-Z does: a script that has started this one is to stop
 * with it. Not SIGSTOP: where no shell is left that could let the deck go on (an orphaned process
 * group) the kernel lets this one pass. */
static void stop(struct client *self)
{
	kill(0, SIGTSTP);
	only(SIGTSTP, SIG_UNBLOCK);
	only(SIGTSTP, SIG_BLOCK);
	come_back(self);
}

static void say(const struct client *self, const char *text, size_t size)
{
	charset_print(stdout, self->facts->utf8, text, size);
}

static void end(struct client *self, const struct wire_note *note, const struct wire_more *more)
{
	self->end = note->kind;
	self->code = note->value;
	stop_looking(self, false);
	term_rescue_restore();
	say(self, note->text, strlen(note->text));
	say(self, more->bytes, more->size);
}

/* ---- looking on ---- */

/* The deck goes on. */
static void leave(struct client *self)
{
	const struct wire_note note = wire_left(self->at);

	end(self, &note, &(struct wire_more){ .size = 0 });
}

/* Curses has handlers of its own for these, which would stop or end this process in their way. */
static void take_signals_back(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGTSTP, SIG_DFL);
}

static void look_on(struct client *self, pid_t at)
{
	struct error error = { 0 };

	self->at = at;
	if (self->looks)
		return;
	/* The deck gave it back, unless it took nothing. */
	term_rescue_restore();
	if (self->null < 0)
		self->null = standard_null();
	term_patience_begin(self->null);
	self->looks = view_start(self->facts, &self->view, &error) == 0;
	take_signals_back();
	if (!self->looks)
		fprintf(stderr, "clonedeck: %s\n", error.sentence);
	if (term_patience_end() || !self->looks)
		leave(self);
}

static void look(struct client *self)
{
	enum view_wish wish;

	term_patience_begin(self->null);
	wish = view_keys(&self->view);
	view_draw(&self->view);
	if (term_patience_end())
		wish = VIEW_LEAVE;
	switch (wish) {
	case VIEW_STEER:
		stop_looking(self, false);
		lend_terminal(self, true);
		break;
	case VIEW_LEAVE:
		leave(self);
		break;
	case VIEW_STOP:
		stop_looking(self, false);
		stop(self);
		break;
	default:
		break;
	}
}

static void on_signal_looking(struct client *self, int signal)
{
	switch (signal) {
	case SIGWINCH:
		/* Curses reads the size in its handler, and says so as a key. */
		raise(SIGWINCH);
		only(SIGWINCH, SIG_UNBLOCK);
		only(SIGWINCH, SIG_BLOCK);
		look(self);
		break;
	case SIGTSTP:
		stop_looking(self, false);
		stop(self);
		break;
	case SIGCONT:
		come_back(self);
		break;
	case SIGUSR1:
	case SIGUSR2:
		break;
	default:
		leave(self);
	}
}

/* ---- what the deck and the kernel say ---- */

static void on_note(struct client *self, const struct wire_note *note, const struct wire_more *more)
{
	switch (note->kind) {
	case WIRE_STOP:
		term_rescue_restore();
		say(self, note->text, strlen(note->text));
		stop(self);
		break;
	case WIRE_LOOK:
		look_on(self, note->pid);
		break;
	case WIRE_FRAME:
		/* Some may be on their way to one that does not look on any more. */
		if (!self->looks)
			break;
		self->view.dirty = true;
		if (!view_take(&self->view.picture, more->bytes, more->size))
			leave(self);
		break;
	case WIRE_STEER:
		if (!self->looks)
			break;
		stop_looking(self, false);
		lend_terminal(self, false);
		break;
	case WIRE_LEFT:
	case WIRE_END:
	case WIRE_GO:
		end(self, note, more);
		break;
	default:
		break;
	}
}

/* False: the deck will say nothing more. */
static bool read_notes(struct client *self)
{
	int descriptors[WIRE_DESCRIPTORS], r = 0;
	struct wire_more more;
	struct wire_note note;

	while (!self->end && (r = wire_receive(self->fd, &note, descriptors, &more)) > 0) {
		wire_close(descriptors);
		on_note(self, &note, &more);
	}
	return r >= 0;
}

static void on_signal(struct client *self, int signal)
{
	switch (signal) {
	case SIGWINCH:
		tell(self, WIRE_RESIZED, 0);
		break;
	case SIGCONT:
		if (!self->hung_up)
			come_back(self);
		break;
	case SIGHUP:
		self->hung_up = true;
		tell(self, WIRE_SIGNAL, signal);
		break;
	case SIGUSR1:
		/* Progress is on the screen. */
		break;
	case SIGINT:
	case SIGTSTP:
	case SIGUSR2:
		tell(self, WIRE_SIGNAL, signal);
		break;
	default:
		/* To the copy only by way of the process that was the deck from the start: one that
		 * came to look on just goes. */
		if (!self->deck)
			tell(self, WIRE_DETACH, 0);
		else
			tell(self, WIRE_SIGNAL, signal);
	}
}

static void read_signals(struct client *self)
{
	struct signalfd_siginfo info;

	while (!self->end && read(self->signals, &info, sizeof(info)) == sizeof(info)) {
		if (self->looks)
			on_signal_looking(self, (int)info.ssi_signo);
		else
			on_signal(self, (int)info.ssi_signo);
	}
}

enum source { DECK, SIGNALS, KEYS, SCREEN, SOURCE_COUNT };

static void serve(struct client *self)
{
	bool stay = true;

	while (stay && !self->end) {
		bool waits = self->looks && self->view.dirty;
		struct pollfd fds[SOURCE_COUNT] = {
			[DECK] = { .fd = self->fd, .events = POLLIN },
			[SIGNALS] = { .fd = self->signals, .events = POLLIN },
			[KEYS] = { .fd = self->looks ? STDIN_FILENO : -1, .events = POLLIN },
			[SCREEN] = { .fd = waits ? STDOUT_FILENO : -1, .events = POLLOUT },
		};

		if (poll(fds, SOURCE_COUNT, -1) < 0)
			continue;
		if (fds[SIGNALS].revents)
			read_signals(self);
		if (fds[DECK].revents && !self->end)
			stay = read_notes(self);
		if (self->looks)
			look(self);
	}
}

/* The end of the deck's process closes the connection; before, it may still wait for a disk. True:
 * it has ended, with *retstatus. */
static bool wait_for_deck(const struct client *self, int *retstatus)
{
	struct pollfd gone = { .fd = self->fd, .events = 0 };

	if (!self->deck || self->end == WIRE_LEFT || poll(&gone, 1, ENDING_MS) <= 0)
		return false;
	for (int i = 0; i < 100; i++) {
		if (waitpid(self->deck, retstatus, WNOHANG) == self->deck)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return false;
}

/* Of the same signal as the deck, so that the shell tells what happened; one core file is enough.
 */
static void die_of(int signal)
{
	sigset_t all;

	prctl(PR_SET_DUMPABLE, 0);
	sigfillset(&all);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

/* It has said nothing of its end. known: status is that of its process. */
static int without_deck(const struct client *self, bool known, int status)
{
	term_rescue_restore();
	if (!known || !WIFSIGNALED(status)) {
		fputs(_("clonedeck: The deck's process has ended and said nothing. A copy that it "
			"ran resumes from its map, 'clonedeck resume MAP'.\n"),
		      stderr);
		return EXIT_INTERNAL;
	}
	fprintf(stderr,
		_("clonedeck: The deck's process %ld was ended: %s. A copy that it ran resumes "
		  "from its map, 'clonedeck resume MAP'.\n"),
		(long)self->deck, strsignal(WTERMSIG(status)));
	die_of(WTERMSIG(status));
	return EXIT_INTERNAL;
}

/* To the deck that was asked for; if that has ended meanwhile, to a new one that shows what there
 * is. 0: this process is that new one. */
static pid_t go_on(struct client *self, const struct deck_options *options)
{
	struct sockaddr_un address;

	close(self->fd);
	self->fd = -1;
	self->deck = 0;
	self->end = WIRE_TERMINAL;
	if (self->code && options->folder &&
	    listener_address(options->folder, (pid_t)self->code, &address))
		self->fd = listener_connect(&address);
	if (self->fd >= 0)
		return (pid_t)self->code;
	self->deck = client_fork(&self->fd);
	return self->deck;
}

static int no_process(pid_t err)
{
	fprintf(stderr, _("clonedeck: No process could be made for the deck: %s.\n"),
		error_phrase((int)err));
	return EXIT_ENVIRONMENT;
}

int client_run(int fd, pid_t deck, const struct term_facts *facts,
	       const struct deck_options *options, client_deck_fn *be_deck)
{
	struct client self = { .fd = fd, .null = -1, .deck = deck, .facts = facts };
	struct deck_options next = *options;
	bool known;
	int status = 0;
	sigset_t set;

	if (deck < 0)
		return no_process(deck);
	choose_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	self.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (self.signals < 0) {
		close(fd);
		fprintf(stderr, _("clonedeck: Signals cannot be received: %s.\n"),
			error_phrase(errno));
		return EXIT_ENVIRONMENT;
	}
	/* Ignored, it would let this one take the terminal from whoever has it. */
	signal(SIGTTOU, SIG_DFL);
	do {
		lend_terminal(&self, false);
		serve(&self);
		if (self.end != WIRE_GO)
			break;
		next.jobs = self.code != 0;
		deck = go_on(&self, options);
		if (deck == 0)
			close(self.signals);
		if (deck == 0 && self.null >= 0)
			close(self.null);
		if (deck <= 0)
			return deck ? no_process(deck) : be_deck(&next, self.fd);
	} while (true);
	stop_looking(&self, false);
	known = wait_for_deck(&self, &status);
	close(self.fd);
	close(self.signals);
	fd_close(self.null);
	if (known && WIFEXITED(status))
		return WEXITSTATUS(status);
	if (self.end)
		return self.code;
	return without_deck(&self, known, status);
}

int client_look(const struct deck_looks *looks, struct term_facts *ret)
{
	struct error error = { 0 };

	term_look(looks, ret);
	if (terminfo_check(ret->name, &error) < 0) {
		fprintf(stderr, "clonedeck: %s\n", error.sentence);
		return (int)error_exit_code(&error);
	}
	term_rescue_prepare();
	terminfo_done();
	return 0;
}
