/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The deck's client: the process that the shell knows. The deck is another one, in a session of its
 * own, which draws on the terminal that this one has lent it: so a copy goes on when the terminal,
 * its shell or the line to it are gone, and the shell is free as soon as this one ends. It hands on
 * what the terminal's kernel sends (a new size, a hang-up), stops and goes on as the shell wants,
 * and gives the terminal back if the deck dies.
 *
 * One thread.
 */
#pragma once

#include <sys/types.h>

#include "ui/core/term.h"

/* Is there a terminal for a deck? 0, ready for client_run(); else says what is wrong, and returns
 * an exit code. */
int client_look(const struct deck_looks *looks, struct term_facts *ret);
/* What the deck's process does, from its first screen to its end; returns its exit code. fd: as of
 * client_fork(). */
typedef int client_deck_fn(const struct deck_options *options, int fd);
/*
 * Makes the deck's process. In the deck: 0, and *retfd is the connection to the client, which
 * speaks first (wire.h). In the client: the process number of the deck. Or a negative errno. To
 * be called by the only thread; signals are blocked in both then.
 */
pid_t client_fork(int *retfd);
/*
 * Lends this process's terminal to the deck at the other end until that deck lets it go, then to
 * the one it names, which may be a new one. deck: its process number if it is a child of this one,
 * else 0. Owns fd. Returns an exit code, also in each new deck; texts go to standard output and
 * error.
 */
int client_run(int fd, pid_t deck, const struct term_facts *facts,
	       const struct deck_options *options, client_deck_fn *be_deck);
