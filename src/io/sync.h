/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the backends that work inside submit have in common: whole transfers
 * with pread and pwrite, and the operations that are trivial for them.
 */
#ifndef CLONEDECK_IO_SYNC_H
#define CLONEDECK_IO_SYNC_H

#include "io/io.h"

/* How often a transfer that the kernel asks to try again (EAGAIN, EINTR) is tried. */
#define IO_AGAIN_MAX 100

/* Moves bytes [from, to) of the request through fd until all are done, and adds them to
 * request->done. Transfers cut short go on at a multiple of `alignment`. 0 or negative errno. */
int sync_transfer(int fd, struct io_request *request, uint32_t from, uint32_t to,
		  uint32_t alignment);
/* Stamps the times and the result around a transfer. */
void sync_begin(struct io_request *request);
enum io_answer sync_end(struct io_request *request, int result);

/* fsync of the descriptor, and bridge_flush(); nothing to do on one that cannot be written. Any
 * thread. */
int sync_flush(struct io_handle *handle, struct error *reterr);

int sync_reap(struct io_handle *handle, unsigned min, unsigned max, uint64_t timeout_ns,
	      struct io_request **ret);
int sync_poll_fd(struct io_handle *handle);
void sync_close(struct io_handle *handle);

/* Another description of that end without O_DIRECT; a descriptor or negative errno. Of an error
 * in writing back the kernel tells every description once: who shares one takes it from others. */
int sync_open_plain(const struct io_end *end);
/* Writes the cached bytes of the range to the device, waits for that, and drops them from the
 * page cache. 0 or negative errno. */
int sync_write_back(int fd, uint64_t offset, uint64_t length);

#endif
