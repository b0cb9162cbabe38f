/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/core/stand_in.h"

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

#include "base/error.h"
#include "base/i18n.h"

#include "ui/core/door.h"
#include "ui/core/terminfo.h"
#include "ui/core/wire.h"
#include "ui/deck.h"

/* ms that a deck that has said its last word may take to end. */
#define ENDING_MS 3000

struct stand_in {
	int fd, signals;
	pid_t deck; /* 0: no child */
	const struct term_facts *facts;
	bool hung_up;       /* the deck was told; the SIGCONT that follows brings no terminal */
	enum wire_kind end; /* WIRE_LEFT, WIRE_END, WIRE_GO; else it goes on */
	int code;           /* or with WIRE_GO, the process to go to */
};

static void choose_signals(sigset_t *set)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH,
				      /* Progress is on the screen. */
				      SIGUSR1 };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		sigaddset(set, wanted[i]);
}

static void only(int signal, int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(how, &set, NULL);
}

pid_t stand_in_fork(int *retfd)
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

static void tell(const struct stand_in *self, enum wire_kind kind, int value)
{
	/* If the deck is gone, the connection says so next. */
	(void)wire_send(self->fd, (struct wire_note){ .kind = kind, .value = value }, NULL);
}

static void lend_terminal(const struct stand_in *self)
{
	static const int standard[WIRE_DESCRIPTORS] = { STDIN_FILENO, STDOUT_FILENO,
							STDERR_FILENO };

	(void)wire_send(self->fd,
			(struct wire_note){ .kind = WIRE_TERMINAL, .facts = *self->facts },
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

static void come_back(const struct stand_in *self)
{
	wait_for_foreground();
	/* Where it was stopped without a word, the deck could not give it back. */
	term_rescue_restore();
	lend_terminal(self);
}

/* The whole group, as the terminal's own Ctrl-Z does: a script that has started this one is to stop
 * with it. Not SIGSTOP: where no shell is left that could let the deck go on (an orphaned process
 * group) the kernel lets this one pass. */
static void stop(const struct stand_in *self)
{
	kill(0, SIGTSTP);
	only(SIGTSTP, SIG_UNBLOCK);
	only(SIGTSTP, SIG_BLOCK);
	come_back(self);
}

static void say(const char *text)
{
	if (!text[0])
		return;
	fputs(text, stdout);
	fflush(stdout);
}

static void on_note(struct stand_in *self, const struct wire_note *note)
{
	switch (note->kind) {
	case WIRE_STOP:
		term_rescue_restore();
		say(note->text);
		stop(self);
		break;
	case WIRE_LEFT:
	case WIRE_END:
	case WIRE_GO:
		self->end = note->kind;
		self->code = note->value;
		term_rescue_restore();
		say(note->text);
		break;
	default:
		break;
	}
}

/* False: the deck will say nothing more. */
static bool read_notes(struct stand_in *self)
{
	int descriptors[WIRE_DESCRIPTORS], r;
	struct wire_note note;

	while ((r = wire_receive(self->fd, &note, descriptors)) > 0) {
		wire_close(descriptors);
		on_note(self, &note);
	}
	return r == 0;
}

static void on_signal(struct stand_in *self, int signal)
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
		break;
	case SIGTERM:
	case SIGQUIT:
		/* To the copy only by way of the process that was the deck from the start: one that
		 * came to look on just goes. */
		if (!self->deck)
			tell(self, WIRE_DETACH, 0);
		else
			tell(self, WIRE_SIGNAL, signal);
		break;
	default:
		tell(self, WIRE_SIGNAL, signal);
	}
}

static void read_signals(struct stand_in *self)
{
	struct signalfd_siginfo info;

	while (read(self->signals, &info, sizeof(info)) == sizeof(info))
		on_signal(self, (int)info.ssi_signo);
}

static void serve(struct stand_in *self)
{
	struct pollfd fds[2] = { { .fd = self->fd, .events = POLLIN },
				 { .fd = self->signals, .events = POLLIN } };
	bool stay = true;

	while (stay && !self->end) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			read_signals(self);
		if (fds[0].revents)
			stay = read_notes(self);
	}
}

/* The end of the deck's process closes the connection; before, it may still wait for a disk. True:
 * it has ended, with *retstatus. */
static bool wait_for_deck(const struct stand_in *self, int *retstatus)
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
static int without_deck(const struct stand_in *self, bool known, int status)
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
static pid_t go_on(struct stand_in *self, const struct deck_options *options)
{
	struct sockaddr_un address;

	close(self->fd);
	self->fd = -1;
	self->deck = 0;
	self->end = WIRE_TERMINAL;
	if (self->code && options->folder &&
	    door_name(options->folder, (pid_t)self->code, &address))
		self->fd = door_knock(&address);
	if (self->fd >= 0)
		return (pid_t)self->code;
	self->deck = stand_in_fork(&self->fd);
	return self->deck;
}

static int no_process(pid_t err)
{
	fprintf(stderr, _("clonedeck: No process could be made for the deck: %s.\n"),
		error_phrase((int)err));
	return EXIT_ENVIRONMENT;
}

int stand_in_run(int fd, pid_t deck, const struct term_facts *facts,
		 const struct deck_options *options, stand_in_deck_fn *be_deck)
{
	struct stand_in self = { .fd = fd, .deck = deck, .facts = facts };
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
		lend_terminal(&self);
		serve(&self);
		if (self.end != WIRE_GO)
			break;
		next.jobs = self.code != 0;
		deck = go_on(&self, options);
		if (deck == 0)
			close(self.signals);
		if (deck <= 0)
			return deck ? no_process(deck) : be_deck(&next, self.fd);
	} while (true);
	known = wait_for_deck(&self, &status);
	close(self.fd);
	close(self.signals);
	if (known && WIFEXITED(status))
		return WEXITSTATUS(status);
	if (self.end)
		return self.code;
	return without_deck(&self, known, status);
}

int stand_in_look(const struct deck_looks *looks, struct term_facts *ret)
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
