/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine does not go to sleep while a copy runs. */
#ifndef CLONEDECK_SESSION_AWAKE_H
#define CLONEDECK_SESSION_AWAKE_H

#include <stdbool.h>
#include <sys/types.h>

struct session;

/* Holds off the sleep of the machine; zero-initialised: does not. */
struct awake {
	bool wanted;
	pid_t pid; /* 0: none */
	int pipe;  /* it ends with this */
};

int awake_begin(const char *program, struct awake *awake);
void awake_end(struct awake *awake);
/* As the state of the session asks for it. */
void session_follow_awake(struct session *session);

#endif
