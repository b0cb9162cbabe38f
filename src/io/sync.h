/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Common to the backends that complete inside submit: whole transfers by pread and
 * pwrite, and operations that are trivial for them.
 */
#pragma once

#include "io/io.h"

/* How often a transfer is tried again after EAGAIN or EINTR. */
#define IO_AGAIN_MAX 100

/* Transfers bytes [from, to) of the request and adds them to request->done. A short transfer is
 * continued at a multiple of `alignment`; calls are counted in the handle. 0 or negative errno. */
int sync_transfer(struct io_handle *handle, int fd, struct io_request *request, uint32_t from,
		  uint32_t to, uint32_t alignment);
/* A handle and nothing else. */
int sync_open(const struct io_backend *backend, const struct io_end *end,
	      const struct io_setup *setup, struct io_handle **ret, struct error *reterr);
/* Around a transfer: set times and result. */
void sync_begin(struct io_request *request);
enum io_answer sync_end(struct io_request *request, int result);

/* fsync() and bridge_flush(); does nothing for an end that is not writable. Any thread. */
int sync_flush(struct io_handle *handle, struct error *reterr);

int sync_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
	      struct io_request **ret);
int sync_poll_fd(struct io_handle *handle);
void sync_close(struct io_handle *handle);

/* Opens the end once more, without O_DIRECT; a descriptor or negative errno. It must not be shared:
 * the kernel reports a write-back error only once per open file description. */
int sync_open_plain(const struct io_end *end);
/* The same for reading past the page cache; -EINVAL if the device does not allow that. */
int sync_open_direct(const struct io_end *end);
/* Writes the range back to the device and drops it from the page cache. 0 or negative errno. */
int sync_write_back(int fd, uint64_t offset, uint64_t length);
