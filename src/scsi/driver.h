/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sg driver as a table of calls, so that tests can put a scripted device in
 * its place. The interface is version 3 (sg_io_hdr) of the Linux driver: queued
 * by write(), collected by read(), at most 16 commands a descriptor.
 * Source: the kernel's drivers/scsi/sg.c (3.5.36) and include/scsi/sg.h.
 *
 * All calls return 0 or a negative errno and keep to one thread a descriptor,
 * run() excepted, which any thread may use.
 */
#pragma once

#include <stdint.h>

#include <scsi/sg.h>

#define SG_DRIVER_WAIT  16 /* descriptors that wait() takes */
#define SG_DRIVER_QUEUE 16 /* SG_MAX_QUEUE; the 17th write() answers EDOM */

/* Not in the C library's header: queue at the tail. The driver's default is the head, which would
 * reverse a queued sequential copy. */
#define SG_DRIVER_Q_AT_TAIL 0x10
/* Nor is this: the data is in the mapped buffer. */
#define SG_DRIVER_MMAP 0x04

struct sg_driver {
	/* Opens the device of sg_fd once more, non-blocking. It cannot be another device, because
	 * the minor number stays in use while sg_fd is open. */
	int (*reopen)(const struct sg_driver *driver, int sg_fd, int *ret);
	int (*version)(const struct sg_driver *driver, int fd, int *ret);
	/* Sets the size of the driver's buffer for indirect I/O; the driver may make it smaller. */
	int (*reserve)(const struct sg_driver *driver, int fd, uint32_t bytes);
	/* Maps that buffer, for SG_DRIVER_MMAP: one command at a time. -ENOSPC, with the real
	 * size in *bytes, if it could not be made that large. */
	int (*map)(const struct sg_driver *driver, int fd, uint32_t *bytes, void **ret);
	void (*unmap)(const struct sg_driver *driver, void *buffer, uint32_t bytes);
	/* A descriptor that polls readable when one of these does; closed with close(). */
	int (*group)(const struct sg_driver *driver, const int *fds, unsigned count, int *ret);
	int (*send)(const struct sg_driver *driver, int fd, sg_io_hdr_t *header);
	/* -EAGAIN: nothing has completed. */
	int (*receive)(const struct sg_driver *driver, int fd, sg_io_hdr_t *ret);
	/* Waits until one of the descriptors, SG_DRIVER_WAIT at most, has something to receive.
	 * Returns a bit set of them, the first as bit 0; 0 if interrupted; -ETIMEDOUT. */
	int (*wait)(const struct sg_driver *driver, const int *fds, unsigned count,
		    uint64_t timeout_ns);
	/* One synchronous command (SG_IO). */
	int (*run)(const struct sg_driver *driver, int fd, sg_io_hdr_t *header);
	void (*close)(const struct sg_driver *driver, int fd);
};

extern const struct sg_driver sg_linux_driver;
/* SG_IO on the block node of a SCSI disk, with its descriptor in place of the sg node's: send()
 * returns when the command is done, with the answer in the header, so receive() and wait() are not
 * needed. For whole disks and partitions, nothing stacked. */
extern const struct sg_driver sg_block_driver;
