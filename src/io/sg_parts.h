/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of the sg backend, for its files alone: sg.c is the queue,
 * sg_slot.c one request in it, sg_command.c a command that is waited for,
 * sg_open.c and sg_flush.c what their names say.
 */
#ifndef CLONEDECK_IO_SG_PARTS_H
#define CLONEDECK_IO_SG_PARTS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/scsi.h"
#include "io/io.h"
#include "io/sg.h"
#include "io/sg_driver.h"
#include "io/sg_trust.h"

/* Both ends of a lane are waited for at once. */
#define SG_PORTS_MAX (SG_DRIVER_WAIT / 2)

struct sg_slot {
	struct sg_port *port;
	struct io_request *request; /* NULL: free */
	sg_io_hdr_t header;
	struct scsi_cdb cdb;
	uint8_t sense[SCSI_SENSE_MAX];
	uint32_t wanted;     /* bytes that this command asked for */
	uint64_t first_sent; /* monotonic ns */
	uint64_t not_before; /* >0: waits with nothing on the wire until then */
	unsigned retries;
	unsigned generation; /* of trust, while on_the_way */
	bool run;            /* sent from beginning to end: the answer is in the header */
	bool on_the_way;     /* the driver holds it */
	bool completed;      /* result is set, waits for reap */
};

/* A descriptor with its queue in the driver: a handle has one, or with mapped buffers one for
 * each of its slots. */
struct sg_port {
	int fd;
	unsigned queued; /* commands that the driver holds */
	unsigned answers;
	bool eager;   /* the last answers were there before anybody waited for them */
	bool ready;   /* has an answer */
	void *buffer; /* mapped, or NULL */
};

/* What was really done on one handle; counted by its lane, read by anyone (io_truth). */
struct sg_counts {
	uint64_t direct, indirect, mapped, recovered, retried, waited;
	uint64_t in_pieces; /* of the indirect ones: more pieces of memory than the adapter takes */
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
	char driver[16]; /* its version, as in io_truth */
	struct scsi_format format;
	struct scsi_capacity capacity;
	struct sg_trust *trust;
	struct sg_handle *peer; /* reaps for us and we for it, or NULL */
	unsigned depth;
	unsigned queued; /* of all ports */
	unsigned used;   /* slots in use */
	unsigned sent;   /* requests begun */
	uint32_t most;   /* bytes of a command, for want of memory in the driver; 0: any */
	unsigned inside; /* answers in a row that were there when send() returned */
	struct sg_counts counts;
	struct sg_slot slots[SG_DRIVER_QUEUE];
};

/* Takes a request into a free slot and sends its command; `run`: from beginning to end. -EAGAIN: no
 * room in the driver before something comes back; otherwise the negative errno that the request
 * failed with. */
int sg_slot_begin(struct sg_handle *handle, struct sg_slot *slot, struct io_request *request,
		  bool run);
/* The driver has given the slot's command back: its request is completed, or what is missing of
 * it is sent, now or later. */
void sg_slot_answered(struct sg_handle *handle, struct sg_slot *slot, const sg_io_hdr_t *header);
/* Sends what is missing of the request. */
void sg_slot_resend(struct sg_handle *handle, struct sg_slot *slot);
void sg_slot_complete(struct sg_handle *handle, struct sg_slot *slot, int result);

/* The driver has no room now; what comes back from it makes some. */
static inline bool sg_is_full(int code)
{
	return code == -EDOM || code == -EAGAIN || code == -EBUSY || code == -ENOMEM;
}

/* The node that takes the commands, for sentences. */
static inline const char *sg_node(const struct io_end *end)
{
	return end->sg && *end->sg ? end->sg : end->name;
}

/* How a command that was run from beginning to end came out. */
struct sg_result {
	enum scsi_outcome outcome;
	int code;             /* 0 or negative errno; the driver's own, or as it was judged */
	uint32_t transferred; /* bytes */
	struct sense sense;
};

/* Runs one command that moves at most `length` bytes to us, and again as long as its answer asks
 * for that. A reset and the like end it: what they mean is the caller's to say. Returns code. */
int sg_run(const struct sg_driver *driver, int fd, const struct scsi_cdb *cdb, void *data,
	   uint32_t length, unsigned timeout_ms, struct sg_result *ret);
/* MODE SENSE, the caching page. */
int sg_read_caching(const struct sg_driver *driver, int fd, struct scsi_caching *ret);
/* The error for a command that failed so; returns result->code. */
int sg_explain(const struct io_end *end, const char *operation, const struct sg_result *result,
	       struct error *reterr);

int sg_probe(const struct io_backend *backend, const struct io_end *end, struct error *reterr);
int sg_open(const struct io_backend *backend, const struct io_end *end,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr);
void sg_free(struct sg_handle *handle); /* with nothing in flight */
int sg_flush(struct io_handle *handle, struct error *reterr);

#endif
