/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The socket on which a deck that copies waits for the clients of other terminals: PID.socket
 * beside the record of its copy (discover/running.h). Only for the same user and root. One thread.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

struct listener {
	int fd; /* to be polled; -1: closed */
	struct sockaddr_un address;
};

/* The name of the socket of a process; false: it is too long. */
bool listener_address(const char *folder, pid_t pid, struct sockaddr_un *ret);
/* Opens that of this process. It stays closed if that fails: the copy does not need it. */
void listener_open(struct listener *listener, const char *folder);
/* Takes the name away. One that is closed is fine. */
void listener_close(struct listener *listener);
/* A connection of wire.h to the next client; -1: there is none, or it may not. */
int listener_accept(const struct listener *listener);
/* The client's side: a connection, or a negative errno. */
int listener_connect(const struct sockaddr_un *address);
