/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of the sg backend, for its files only: sg.c is the queue, sg_slot.c one
 * request in it; sg_open.c opens and closes, sg_flush.c flushes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/io.h"
#include "io/sg.h"
#include "scsi/ask.h"
#include "scsi/commands.h"
#include "scsi/driver.h"

/* A lane waits for both its ends at once. */
#define SG_PORTS_MAX (SG_DRIVER_WAIT / 2)

struct sg_slot {
	struct sg_port *port;
	struct io_request *request; /* NULL: free */
	sg_io_hdr_t header;
	struct scsi_cdb cdb;
	uint8_t sense[SCSI_SENSE_MAX];
	uint32_t wanted;     /* bytes that this command is to transfer */
	uint64_t first_sent; /* monotonic ns */
	uint64_t not_before; /* >0: to be sent again at that time */
	unsigned retries;
	unsigned generation; /* of trust, while on_the_way */
	bool run;            /* sent by run(): the answer is already in the header */
	bool on_the_way;     /* in the driver */
	bool completed;      /* result is set, waits for reap */
};

/* A descriptor with its queue in the driver. A handle has one or, with mapped buffers, one per
 * slot. */
struct sg_port {
	int fd;
	unsigned queued; /* commands in the driver */
	unsigned answers;
	bool eager;   /* the last answers were there without waiting */
	bool ready;   /* has an answer */
	void *buffer; /* mapped, or NULL */
};

/* Counted by the handle's lane, read by anyone (io_stats). */
struct sg_counts {
	uint64_t direct, indirect, mapped, recovered, retried, waited;
	uint64_t in_pieces; /* of the indirect ones: too many memory segments for the adapter */
	struct io_recovered first[IO_RECOVERED_KEPT];
};

struct sg_handle {
	struct io_handle io;
	const struct sg_backend *backend;
	struct sg_port ports[SG_PORTS_MAX];
	unsigned port_count;
	uint32_t mapped; /* bytes of each port's buffer */
	int poll_fd;
	int control_fd;  /* of the claim */
	char driver[16]; /* its version, as in io_stats */
	struct scsi_format format;
	struct scsi_capacity capacity;
	struct sg_trust *trust;
	struct sg_handle *peer; /* each reaps for the other; or NULL */
	unsigned depth;
	unsigned queued; /* of all ports */
	unsigned used;   /* slots in use */
	unsigned sent;   /* requests begun */
	uint32_t most;   /* limit in bytes of a command, if the driver lacks memory; 0: none */
	unsigned inside; /* commands in a row that completed inside send() */
	struct sg_counts counts;
	struct sg_slot slots[SG_DRIVER_QUEUE];
};

/* Puts a request into a free slot and sends its command; `run`: synchronously. -EAGAIN: the driver
 * has no room until another command completes; otherwise the error of the request. */
int sg_slot_begin(struct sg_handle *handle, struct sg_slot *slot, struct io_request *request,
		  bool run);
/* Judges the answer to the slot's command: completes the request, or sends the rest of it, now or
 * later. */
void sg_slot_answered(struct sg_handle *handle, struct sg_slot *slot, const sg_io_hdr_t *header);
/* Sends the rest of the request. */
void sg_slot_resend(struct sg_handle *handle, struct sg_slot *slot);
void sg_slot_complete(struct sg_handle *handle, struct sg_slot *slot, int result);

/* The node that gets the commands, for messages. */
static inline const char *sg_node(const struct io_end *end)
{
	return end->sg && *end->sg ? end->sg : end->name;
}

/* Makes the error for a failed command; returns result->code. */
int sg_explain(const struct io_end *end, const char *operation, const struct sg_result *result,
	       struct error *reterr);

int sg_probe(const struct io_backend *backend, const struct io_end *end, struct error *reterr);
int sg_open(const struct io_backend *backend, const struct io_end *end,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr);
void sg_free(struct sg_handle *handle); /* with nothing in flight */
int sg_flush(struct io_handle *handle, struct error *reterr);
