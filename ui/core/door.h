/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where another terminal comes in: a socket of a deck that copies, PID.socket beside the record of
 * its copy (discover/running.h). Only for the same user and root. One thread.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

struct door {
	int fd; /* to be polled; -1: closed */
	struct sockaddr_un address;
};

/* The name of the socket of a process; false: it is too long. */
bool door_name(const char *folder, pid_t pid, struct sockaddr_un *ret);
/* Opens that of this process. It stays closed if that fails: the copy does not need it. */
void door_open(struct door *door, const char *folder);
/* Takes the name away. One that is closed is fine. */
void door_close(struct door *door);
/* A connection of wire.h to the process that comes in; -1: there is none, or it may not. */
int door_answer(const struct door *door);
/* From the other side: a connection, or a negative errno. */
int door_knock(const struct sockaddr_un *address);
