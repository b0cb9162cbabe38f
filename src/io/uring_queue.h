/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring: making it with the best that the kernel has, telling it the files
 * and buffers, and leaving it. Private to uring.c, which moves requests
 * through it. One thread's, from the first request on.
 */
#ifndef CLONEDECK_IO_URING_QUEUE_H
#define CLONEDECK_IO_URING_QUEUE_H

#include <liburing.h>
#include <stdbool.h>

#include "io/io.h"

#define URING_PAGE (2U << 20) /* one registered buffer, a huge page */

struct uring_op;

struct uring_queue {
	struct io_uring ring;
	unsigned handles; /* that share it */
	bool enabled;     /* the ring belongs to the thread that submits first */
	char *arena;      /* registered buffers, NULL none */
	size_t arena_size;
	unsigned files;           /* registered, of FILES_MAX */
	int event;                /* eventfd, -1 while nobody asked for it */
	struct uring_op *ready;   /* completed while another handle was closed */
	struct uring_op *waiting; /* to be sent again, found the submission queue full */
};

/* 0, or -EOPNOTSUPP with the reason. */
int uring_queue_probe(const char *device, struct error *reterr);
int uring_queue_new(const char *device, const struct io_setup *setup, struct uring_queue **ret,
		    struct error *reterr);
struct uring_queue *uring_queue_ref(struct uring_queue *queue);
void uring_queue_unref(struct uring_queue *queue);

/* The slot of the registered file, -1 where it is not. */
int uring_queue_add_file(struct uring_queue *queue, int fd);
/* By the thread that is going to submit. */
int uring_queue_enable(struct uring_queue *queue);
/* Does the address lie in registered memory? */
bool uring_queue_has(const struct uring_queue *queue, const char *at);
int uring_queue_poll_fd(struct uring_queue *queue);
/* Between two waits on the descriptor, before completions are looked at. */
void uring_queue_clear_event(struct uring_queue *queue);

#endif
