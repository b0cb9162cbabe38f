/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backend interface: how one end of a copy is read and written.
 *
 * One const table per backend (uring.c, threads.c, buffered.c, image.c, null.c, sg.c). A backend
 * opens a handle per lane and end, on descriptors that the caller owns. All calls on a handle come
 * from one thread, and that thread reaps the completions, so there are no locks and no callbacks.
 *
 * Units: byte offsets from the start of the end's node. Offsets and lengths of
 * requests are multiples of the logical sector size; buffers come from buffers.h,
 * which satisfies every alignment.
 */
#pragma once

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
	bool from_medium; /* reads bypass the device's cache, too, if it supports that */
	const char *name; /* for errors: "/dev/sdb" */
	uint64_t size;    /* bytes that may be addressed */
	uint32_t logical_sector_size;      /* bytes */
	uint32_t physical_sector_size;     /* bytes */
	uint32_t max_transfer;             /* bytes of a request of the block layer; 0 unknown */
	uint32_t max_command;              /* bytes of a passed-through command; 0 unknown */
	uint32_t queue_depth;              /* of the device; 0 unknown */
	uint32_t best_request, best_depth; /* bytes, and in flight: as measured; 0: not known */
	enum disk_kind kind;
	enum tristate rotational;
	enum tristate zeroes; /* it writes zeros by itself */
	bool host_managed;    /* zones; never written to */
	dev_t devno;          /* of the whole disk; 0 unknown */
	uint64_t medium;   /* the kernel's number of it, where it can be taken out; otherwise 0 */
	char spindle[256]; /* sysfs path of the physical device, "" unknown */
	char transport[16];
	char driver[32];
	/* For backends that send SCSI commands to the whole disk; sg NULL or "": no sg node. */
	const char *sg; /* "/dev/sg1" */
	int sg_fd;      /* the claim's descriptor of it */
	uint64_t start; /* bytes from the start of the disk to this end's first byte */
};

enum io_direction { IO_READ, IO_WRITE };

/* The lane's; from submit to reap only the backend may touch it. */
struct io_request {
	enum io_direction direction;
	uint64_t offset;
	uint32_t length;
	void *buffer;
	void *user;         /* the lane's */
	uint64_t submitted; /* monotonic ns. Set by the lane if it knows the time, otherwise (0)
			     * by the backend */
	uint64_t completed; /* monotonic ns */
	int result;         /* 0: all of it, or negative errno */
	uint32_t done;      /* bytes, from the start, known to be transferred */
	struct sense sense; /* where the backend reports it */
	void *backend;      /* backend's own per-request state while queued */
};

enum io_answer {
	IO_DONE,   /* completed: result is set, and the request will not be reaped */
	IO_QUEUED, /* will come out of reap */
	IO_BUSY,   /* no room, reap first */
};

enum io_trait {
	IO_ASYNC = 1 << 0,     /* submit may queue; otherwise it completes in the call */
	IO_DIRECT = 1 << 1,    /* bypasses the page cache */
	IO_SENSE = 1 << 2,     /* fills request.sense */
	IO_CAN_SHARE = 1 << 3, /* two handles of a lane may share one queue (peer) */
	IO_WIDE = 1 << 4,      /* accepts requests larger than one buffer at no extra cost */
	IO_CLEARS = 1 << 5,    /* writes to the end's own node, on which io_clear() works */
};

struct io_setup {
	unsigned depth;             /* most requests in flight on this handle */
	struct io_buffers *buffers; /* the lane's arena, to be registered with the kernel */
	struct io_handle *peer;     /* the lane's other handle of the same backend, or NULL */
	struct io_handle *sibling;  /* another lane's open handle of the same end, or NULL */
	/* The lane's handle of the source, for the destination, or NULL: one disk may tell either
	 * of a reset, and both must know. */
	struct io_handle *source;
	/* To compare ways of reading; a copy wants none of them. */
	bool singly; /* io_uring: each answer is waited for, not several at once */
	bool plain;  /* io_uring: nothing is registered with the kernel */
	bool polled; /* io_uring: completions are polled for; the device's queue must allow it */
};

#define IO_RECOVERED_KEPT 4

/* A block that the device read or wrote with a recovered error. */
struct io_recovered {
	uint64_t lba; /* of the end, in its logical sectors; if unknown, the first of the request */
	struct sense sense;
};

/* What the device and its driver really did on one handle, if the backend can tell. */
struct io_stats {
	bool known;
	char driver[16];           /* its version, "3.5.36"; "" unknown */
	uint64_t direct, indirect; /* requests whose data was moved directly, or copied */
	uint64_t mapped;           /* requests through mapped buffers of the driver */
	uint64_t recovered;        /* requests done with a recovered error */
	uint64_t retried;          /* sent again at once */
	uint64_t waited;           /* sent again later: not ready, busy */
	bool from_medium;          /* reads bypass the device's cache (FUA) */
	bool registered;           /* the kernel holds buffers and file for good */
	const char *advice;        /* a sentence: what is worse than asked for, and why; or NULL */
	/* The first of `recovered`, at most IO_RECOVERED_KEPT; valid as long as the handle. */
	const struct io_recovered *first;
};

/* Adds what was counted; driver, advice and `first` stay. */
void io_stats_add(struct io_stats *sum, const struct io_stats *more);

/* Each backend embeds this as the first member of its handle. */
struct io_handle {
	const struct io_backend *backend;
	const struct io_end *end;
	uint64_t calls; /* system calls so far for requests; of all that share the queue. The
			 * lane's */
};

struct io_backend {
	const char *name; /* "uring" */
	unsigned traits;
	uint32_t queue_most; /* most requests that a handle accepts; 0: no limit */
	/* Can it drive this end here and now (kernel, sysctl, kind of node)?
	 * 0, or -EOPNOTSUPP with the reason in a sentence. */
	int (*probe)(const struct io_backend *backend, const struct io_end *end,
		     struct error *reterr);
	/* May be called by another thread than the following. `backend` is the table itself, so
	 * that a wrapper (tests/fake/fault.h) finds what it wraps. */
	int (*open)(const struct io_backend *backend, const struct io_end *end,
		    const struct io_setup *setup, struct io_handle **ret, struct error *reterr);
	/* The backend continues short transfers; the end of the device is -EIO. */
	enum io_answer (*submit)(struct io_handle *handle, struct io_request *request);
	/* Sends what is queued, waits until at least `min` requests of this handle or its peer
	 * have completed, or for `timeout_ns`, and returns up to `max` of them. Never blocks if
	 * min is 0. Returns their number, or a negative errno: the queue is broken. Handles
	 * that share a queue reap for each other. */
	int (*reap)(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
		    struct io_request **ret);
	/* A descriptor that polls readable when reap would return something, or -1 for
	 * synchronous backends. To be called before the first request. */
	int (*poll_fd)(struct io_handle *handle);
	/* Counts since open. Any thread, at any time before close. Optional. */
	void (*stats)(const struct io_handle *handle, struct io_stats *ret);
	/* 0: everything that completed before the call is on the medium. Any thread, concurrently
	 * with other calls on the same end. */
	int (*flush)(struct io_handle *handle, struct error *reterr);
	/* Asks for queued requests to complete early, with -ECANCELED or their result; they are
	 * still reaped. Optional. */
	void (*cancel)(struct io_handle *handle);
	/* Waits for requests in flight, then frees the handle. To be called by the thread that
	 * submitted, if any did; otherwise the device may stay open for a moment longer. */
	void (*close)(struct io_handle *handle);
};

/* First extends a destination file to the size of its end, whatever the backend: it may end in a
 * hole, and its size shows whether another program truncates it. */
int io_open(const struct io_backend *backend, const struct io_end *end,
	    const struct io_setup *setup, struct io_handle **ret, struct error *reterr);

/* The backend's submit(). Writes to a file that another program has truncated fail with -EBADFD:
 * after its new end they would leave a hole where something was copied. */
enum io_answer io_submit(struct io_handle *handle, struct io_request *request);

/* 512 if the device does not say, as Linux counts. */
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

/* Has a device or a file zero, or discard, this part by itself. Blocks for as long as that takes.
 * -EOPNOTSUPP: it cannot; any other negative errno: it did not. */
int io_clear(const struct io_end *end, bool discard, uint64_t offset, uint64_t length);

/* Drops the end from the kernel's caches, so that it is read from the device. Only advice if the
 * kernel does not allow that; direct reads bypass the caches anyway. */
void io_forget(const struct io_end *end);
/* Does the name of a file still lead to it? For a device: IO_NAME_KEPT. */
enum io_name {
	IO_NAME_KEPT,
	IO_NAME_MOVED, /* no: *ret is the name that it has now, or "" where that is not known */
	IO_NAME_GONE,  /* it has none, so its contents will be lost */
};
enum io_name io_find_name(const struct io_end *end, char *ret, size_t size);
/* Is it a file that is now smaller than the end? */
bool io_is_shortened(const struct io_end *end);

extern const struct io_backend io_uring_backend;
extern const struct io_backend io_threads_backend;
extern const struct io_backend io_buffered_backend;
extern const struct io_backend io_image_backend;
extern const struct io_backend io_null_backend;
extern const struct io_backend io_gone_backend; /* in place of a source that is not there */
