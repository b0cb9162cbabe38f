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
#ifndef CLONEDECK_IO_SG_DRIVER_H
#define CLONEDECK_IO_SG_DRIVER_H

#include <stdint.h>

#include <scsi/sg.h>

#define SG_DRIVER_WAIT  16 /* descriptors that wait() takes */
#define SG_DRIVER_QUEUE 16 /* SG_MAX_QUEUE; the 17th write() answers EDOM */

/* Not in the C library's header: at the tail of the device's queue. The driver's default is
 * the head, which would turn a queued sequential copy around. */
#define SG_DRIVER_Q_AT_TAIL 0x10
/* Nor this: the data lie in the mapped buffer. */
#define SG_DRIVER_MMAP 0x04

struct sg_driver {
	/* A description of its own for the device behind sg_fd, non-blocking; it cannot turn
	 * into another device, because the minor number stays taken while sg_fd is open. */
	int (*reopen)(const struct sg_driver *driver, int sg_fd, int *ret);
	int (*version)(const struct sg_driver *driver, int fd, int *ret);
	/* The kernel's buffer of this descriptor, for indirect IO; it may be made smaller. */
	int (*reserve)(const struct sg_driver *driver, int fd, uint32_t bytes);
	/* Maps that buffer, for SG_DRIVER_MMAP: one command at a time. -ENOSPC with what it is
	 * in *bytes when it could not be made as large as asked for. */
	int (*map)(const struct sg_driver *driver, int fd, uint32_t *bytes, void **ret);
	void (*unmap)(const struct sg_driver *driver, void *buffer, uint32_t bytes);
	/* A descriptor that polls readable when one of these does; closed with close(). */
	int (*group)(const struct sg_driver *driver, const int *fds, unsigned count, int *ret);
	int (*send)(const struct sg_driver *driver, int fd, sg_io_hdr_t *header);
	/* -EAGAIN: nothing has completed. */
	int (*receive)(const struct sg_driver *driver, int fd, sg_io_hdr_t *ret);
	/* Until one of the descriptors, SG_DRIVER_WAIT at most, has something to receive.
	 * Returns those that have as bits, the first is bit 0; 0 when interrupted; -ETIMEDOUT. */
	int (*wait)(const struct sg_driver *driver, const int *fds, unsigned count,
		    uint64_t timeout_ns);
	/* One command from beginning to end (SG_IO). */
	int (*run)(const struct sg_driver *driver, int fd, sg_io_hdr_t *header);
	void (*close)(const struct sg_driver *driver, int fd);
};

extern const struct sg_driver sg_linux_driver;
/* SG_IO on the block node of a SCSI disk, whose descriptor takes the place of the sg node's:
 * send() returns when the command is done, with its answer in the header. It needs neither
 * receive() nor wait(). The disk must be a whole one or a partition of one, nothing stacked. */
extern const struct sg_driver sg_block_driver;

#endif
