/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backend interface: how bytes get off and onto one end of a copy.
 *
 * One const table per backend, one file each (uring.c, threads.c, buffered.c,
 * image.c, null.c). A backend opens a *handle* per lane and end on descriptors
 * that the caller owns; calls on one handle come from one thread only, so
 * there are no locks and no callbacks: completions are reaped by that lane.
 *
 * Units: byte offsets from the start of the end's node. Offsets and lengths of
 * requests are multiples of the logical sector size; buffers come from
 * buffers.h and so satisfy every alignment.
 */
#ifndef CLONEDECK_IO_IO_H
#define CLONEDECK_IO_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "discover/disk.h"

struct io_buffers;

/* One end as the copy sees it. Plain data; fd and strings are borrowed and outlive all handles. */
struct io_end {
	int fd;      /* of the claim */
	bool direct; /* O_DIRECT is set on fd */
	bool regular_file;
	bool writable;
	bool from_medium; /* reads are to come from the medium, past caches of the device as well,
			   * where it knows how */
	const char *name; /* for errors: "/dev/sdb" */
	uint64_t size;    /* bytes that may be addressed */
	uint32_t logical_sector_size;  /* bytes */
	uint32_t physical_sector_size; /* bytes */
	uint32_t dma_alignment;        /* bytes; 0 unknown */
	uint32_t max_transfer;         /* bytes of a request of the block layer; 0 unknown */
	uint32_t max_command;          /* bytes of a command past it, if more; 0 unknown */
	uint32_t queue_depth;          /* of the device; 0 unknown */
	enum disk_kind kind;
	enum tristate rotational;
	char spindle[256]; /* sysfs path of the physical device, "" unknown: same text, same one */
	char transport[16];
	char driver[32];
	/* For backends that address the whole disk by SCSI commands; sg NULL or "": no sg node. */
	const char *sg; /* "/dev/sg1" */
	int sg_fd;      /* the claim's descriptor of it, valid only with sg */
	uint64_t start; /* bytes from the start of the disk to this end's first byte */
};

enum io_direction { IO_READ, IO_WRITE };

/* Owned by the lane; from submit to reap only the backend touches it. */
struct io_request {
	enum io_direction direction;
	uint64_t offset;
	uint32_t length;
	void *buffer;
	void *user;         /* the lane's */
	uint64_t submitted; /* monotonic ns: when the request goes out. By the lane where it has
			     * just looked at the clock; 0: the backend looks */
	uint64_t completed; /* monotonic ns */
	int result;         /* 0: all of it, or negative errno */
	uint32_t done;      /* bytes from the start that are known to be done */
	struct sense sense; /* where the backend reports it */
	void *backend;      /* backend's own per-request state while queued */
};

enum io_answer {
	IO_DONE,   /* already completed: result is set, it will not be reaped */
	IO_QUEUED, /* will come out of reap */
	IO_BUSY,   /* no room, reap first */
};

enum io_trait {
	IO_ASYNC = 1 << 0,     /* submit queues; otherwise it completes in the call */
	IO_DIRECT = 1 << 1,    /* bypasses the page cache */
	IO_SENSE = 1 << 2,     /* fills request.sense */
	IO_CAN_SHARE = 1 << 3, /* two handles of a lane may share one queue (peer) */
	IO_WIDE = 1 << 4,      /* requests larger than the lane's buffers cost no more */
};

struct io_setup {
	unsigned depth;             /* most requests in flight on this handle */
	struct io_buffers *buffers; /* the lane's arena, may be registered with the kernel */
	struct io_handle *peer;     /* the lane's other handle of the same backend, or NULL */
	struct io_handle *sibling;  /* another lane's on this very end, open meanwhile, or NULL */
};

#define IO_RECOVERED_KEPT 4

/* A block that the device gave, or took, after trouble of its own. */
struct io_recovered {
	uint64_t lba; /* of the end, in its logical sectors; unknown: the first of the request */
	struct sense sense;
};

/* What the device and its driver really did on one handle, where the backend can tell. */
struct io_truth {
	bool known;
	char driver[16];           /* its version, "3.5.36"; "" unknown */
	uint64_t direct, indirect; /* requests whose data went straight, or was copied */
	uint64_t mapped;           /* or went through buffers of the driver that are mapped */
	uint64_t recovered;        /* done after trouble of the device's own */
	uint64_t retried;          /* sent again at once */
	uint64_t waited;           /* sent again later: not ready, busy */
	bool from_medium;          /* reads ask for the medium itself (FUA) */
	const char *advice;        /* a sentence: why it is slower than was asked for; or NULL */
	/* The first of `recovered`, at most IO_RECOVERED_KEPT; they last as long as the handle. */
	const struct io_recovered *first;
};

/* Each backend embeds this as the first member of its own handle. */
struct io_handle {
	const struct io_backend *backend;
	const struct io_end *end;
};

struct io_backend {
	const char *name; /* "uring" */
	unsigned traits;
	uint32_t queue_most; /* requests that a handle takes at once; 0: whatever is asked for */
	/* Can it drive that end here and now (kernel, sysctl, kind of node)?
	 * 0, or -EOPNOTSUPP with the reason in a sentence. */
	int (*probe)(const struct io_backend *backend, const struct io_end *end,
		     struct error *reterr);
	/* May come from another thread than the calls that follow. `backend` is the table
	 * itself, so that a wrapper (tests/fake/fault.h) finds what it wraps. */
	int (*open)(const struct io_backend *backend, const struct io_end *end,
		    const struct io_setup *setup, struct io_handle **ret, struct error *reterr);
	/* Short transfers are continued inside the backend; end of device is -EIO. */
	enum io_answer (*submit)(struct io_handle *handle, struct io_request *request);
	/* Sends what submit has queued, waits until at least `min` requests of this handle
	 * or its peers completed or `timeout_ns` passed, returns up to `max` of them. With
	 * min 0 it never blocks. Returns their number, or negative errno (queue broken).
	 * Handles that share a queue reap for each other. */
	int (*reap)(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
		    struct io_request **ret);
	/* Descriptor that polls readable when reap would return something; -1 for synchronous
	 * ones. To be waited on (or put into an epoll set) from the first request on. */
	int (*poll_fd)(struct io_handle *handle);
	/* Counts since open. Thread-safe beside other calls, close excepted. Optional. */
	void (*truth)(const struct io_handle *handle, struct io_truth *ret);
	/* Everything completed before the call is on the medium when it returns 0. Thread-safe
	 * beside other calls on the same end. */
	int (*flush)(struct io_handle *handle, struct error *reterr);
	/* Asks for queued requests to come back early (with -ECANCELED or their result); they
	 * still come out of reap. Optional. */
	void (*cancel)(struct io_handle *handle);
	/* Waits for what is in flight, then frees. By the thread that submitted, or by any when
	 * nothing was submitted; otherwise the device may look open for a moment longer. */
	void (*close)(struct io_handle *handle);
};

static inline int io_open(const struct io_backend *backend, const struct io_end *end,
			  const struct io_setup *setup, struct io_handle **ret,
			  struct error *reterr)
{
	return backend->open(backend, end, setup, ret, reterr);
}

/* 512 where the device does not say: what Linux counts in. */
static inline uint32_t io_sector_size(const struct io_end *end)
{
	return end->logical_sector_size ? end->logical_sector_size : 512;
}

/* NULL is fine. */
static inline void io_close(struct io_handle *handle)
{
	if (handle)
		handle->backend->close(handle);
}

/* An error object for a failed request: which device, LBA, errno in words, sense. */
int io_explain(const struct io_handle *handle, const struct io_request *request,
	       struct error *reterr);

/* What the kernel's caches hold of the end is dropped, so that it is read from the device.
 * Advice where the kernel does not let us: direct reads do not ask them anyway. */
void io_forget(const struct io_end *end);
/* It is a file that has no name any more: nobody will find what was written to it. */
bool io_is_removed(const struct io_end *end);
/* It is a file, and smaller than the end. */
bool io_is_shortened(const struct io_end *end);

extern const struct io_backend io_uring_backend;
extern const struct io_backend io_threads_backend;
extern const struct io_backend io_buffered_backend;
extern const struct io_backend io_image_backend;
extern const struct io_backend io_null_backend;

#endif
