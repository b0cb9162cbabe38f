/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The temperature of a SCSI disk during a copy, from its log page, through a
 * descriptor of its own of the sg node. Never waits: it sends a command, and
 * collects the answer whenever that is there.
 *
 * The answer may bring news for the copy, such as a reset, which no other command
 * will get; it is passed on through the trust.
 *
 * One thread.
 */
#ifndef CLONEDECK_IO_SG_GAUGE_H
#define CLONEDECK_IO_SG_GAUGE_H

#include <stdbool.h>

#include "io/io.h"
#include "io/sg_driver.h"
#include "io/sg_trust.h"

struct sg_gauge;

/* `node`: of sg_health_node(); "" or NULL: no gauge. `handle`: one of the copy's on that end. *ret
 * is NULL if there is nothing to ask, or no memory: a copy can do without. */
void sg_gauge_open(const char *node, const struct io_handle *handle, struct sg_gauge **ret);
/* Takes over the descriptor. `trust` may be NULL if nothing writes by sg commands. */
struct sg_gauge *sg_gauge_new(const struct sg_driver *driver, int fd, struct sg_trust *trust);
void sg_gauge_destroy(struct sg_gauge *gauge); /* NULL is fine */

/* Asks, unless an answer is pending or the disk does not know. */
void sg_gauge_ask(struct sg_gauge *gauge);
/* Degrees Celsius of the last answer; false while there is none. */
bool sg_gauge_read(struct sg_gauge *gauge, int *ret);

#endif
