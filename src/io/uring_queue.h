/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring: set up with the best that the kernel offers, files and buffers registered,
 * and torn down. Private to uring.c, which moves requests through it. Belongs to one
 * thread from the first request on.
 */
#pragma once

#include <liburing.h>
#include <stdbool.h>

#include "io/io.h"

#define URING_PAGE (2U << 20) /* one registered buffer, a huge page */

struct uring_op;

struct uring_queue {
	struct io_uring ring;
	unsigned handles; /* number of handles that share it */
	bool enabled;     /* the ring belongs to the thread that submits first */
	bool threads;     /* of the kernel do the work, and each answer is waited for */
	bool looks;       /* see look() in uring.c */
	char *arena;      /* registered buffers, NULL none */
	size_t arena_size;
	unsigned files;           /* registered, of FILES_MAX */
	uint64_t calls;           /* io_uring_enter() */
	int event;                /* eventfd; -1 until someone asks for it */
	struct uring_op *ready;   /* completed while another handle was being closed */
	struct uring_op *waiting; /* to be sent again; the submission queue was full */
};

/* 0, or -EOPNOTSUPP with the reason. */
int uring_queue_probe(const char *device, struct error *reterr);
/* For this end first of all; its peer may join. */
int uring_queue_new(const struct io_end *end, const struct io_setup *setup,
		    struct uring_queue **ret, struct error *reterr);
struct uring_queue *uring_queue_ref(struct uring_queue *queue);
void uring_queue_unref(struct uring_queue *queue);

/* Registers a file; returns its slot, or -1. */
int uring_queue_add_file(struct uring_queue *queue, int fd);
/* To be called by the thread that will submit. */
int uring_queue_enable(struct uring_queue *queue);
/* Is the address in registered memory? */
bool uring_queue_has(const struct uring_queue *queue, const char *at);
int uring_queue_poll_fd(struct uring_queue *queue);
/* To be called between two waits on the descriptor, before reaping. */
void uring_queue_clear_event(struct uring_queue *queue);
