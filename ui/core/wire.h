/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a deck and its client, the process on the terminal, say to each other, over a
 * SOCK_SEQPACKET socket: one struct wire_note a packet, and some bytes more where that is said.
 * Both are the same program on the same machine. One thread on each side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ui/core/term.h"

enum wire_kind {
	/* from the client */
	WIRE_TERMINAL, /* draw here, all of it: with its three descriptors, and facts. Where another
			* terminal has the deck, only if value is 1 */
	WIRE_RESIZED,
	WIRE_SIGNAL, /* value: the client was sent it */
	WIRE_DETACH, /* the client wants to go */
	/* from the deck, which has given the terminal back before */
	WIRE_STOP, /* stop as Ctrl-Z stops a program; text is printed before */
	WIRE_LEFT, /* end with the exit code in value; the deck goes on. text is printed before, and
		    * the bytes behind it */
	WIRE_END,  /* the same, but the deck ends, too */
	WIRE_GO,   /* to the deck of the process in value; 0: to a new one. This one goes on or ends
		    */
	WIRE_LOOK, /* another terminal has the deck: this one looks on */
	WIRE_FRAME, /* to one that looks on, with a packet of viewers.h */
	WIRE_STEER, /* to one that looks on: nobody has the deck, send a WIRE_TERMINAL */
};

struct wire_note {
	uint32_t version;
	uint32_t kind;
	int32_t value;
	int32_t pid; /* of who says so */
	struct term_facts facts;
	char text[512]; /* translated; "" none */
};

#define WIRE_DESCRIPTORS 3

/* The bytes behind a note. */
struct wire_more {
	size_t size;
	char bytes[32768];
};

/* For who leaves a deck whose copy goes on. */
struct wire_note wire_left(pid_t deck);
/* descriptors NULL: none are sent. False: the other end is closed. */
bool wire_send(int fd, struct wire_note note, const int *descriptors);
/* False: the other end is closed, or has too much to read already. */
bool wire_send_more(int fd, struct wire_note note, const struct wire_more *more);
/* Takes the next note. descriptors get those that came with it, close-on-exec, or -1 each; they
 * are the caller's. retmore NULL: nothing may stand behind it. Returns 1, 0 when there is none yet,
 * -1 when the other end is closed, or what came makes no sense. */
int wire_receive(int fd, struct wire_note *ret, int descriptors[static WIRE_DESCRIPTORS],
		 struct wire_more *retmore);
/* Waits at most ms, -1: as long as it takes, for a WIRE_TERMINAL. */
bool wire_terminal(int fd, int ms, struct wire_note *ret, int descriptors[static WIRE_DESCRIPTORS]);
/* Closes those that came. */
void wire_close(int descriptors[static WIRE_DESCRIPTORS]);
