/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy or a verification without the deck: starts it, prints progress, obeys signals, ends with
 * the report. One thread; the job's own threads never wait for its output.
 */
#pragma once

#include <stdio.h>

#include "session/run.h"

struct headless_options {
	bool json;           /* progress and report as JSON lines */
	uint32_t wait;       /* seconds at most for a disk that is gone; 0: for ever */
	bool stop_on_hangup; /* else a copy goes on without its terminal */
};

/* Blocks the signals that the copy obeys; before any thread is started. Returns a
 * descriptor that reads them, or -1 after saying why there is none. */
int headless_block_signals(void);
/* From a confirmed session to its report; returns an enum exit_code. *retabandoned: a second
 * signal came while the copy was stopping for long; the session's threads may wait for a disk
 * for ever and are not to be waited for. */
int headless_run(struct session *session, int signal_fd, const struct headless_options *options,
		 bool *retabandoned);
/* From a planned session to session_copy().verified; 0, or the exit code if there is nothing of it.
 */
int headless_verify(struct session *session, int signal_fd, const struct headless_options *options,
		    bool *retabandoned);
/* Columns of the terminal on standard output, 80 where there is none. */
int headless_columns(void);
/* Writes a line of progress over the one before, as much as fits. */
void headless_put(FILE *out, const char *line);
