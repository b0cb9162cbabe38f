/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The temperature of a SCSI disk while a copy runs on it, by its log page,
 * through a description of its own of the sg node. Never waits: a question is
 * sent, and its answer collected when it is there, however long that takes.
 *
 * A command may be told what concerns the copy, a reset for instance, and then
 * no other command is told: a copy by sg commands hears of it through its trust.
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

/* `node`: of sg_health_node(), "" or NULL gives no gauge; `handle`: one that drives the end. *ret
 * is NULL where there is nothing to ask or no memory: a copy can do without. */
void sg_gauge_open(const char *node, const struct io_handle *handle, struct sg_gauge **ret);
/* Takes over the descriptor; `trust` may be NULL: nobody writes by sg commands. */
struct sg_gauge *sg_gauge_new(const struct sg_driver *driver, int fd, struct sg_trust *trust);
void sg_gauge_destroy(struct sg_gauge *gauge); /* NULL is fine */

/* Asks, unless an answer is outstanding or the disk does not tell. */
void sg_gauge_ask(struct sg_gauge *gauge);
/* Degrees Celsius as of the last answer; false while there is none. */
bool sg_gauge_read(struct sg_gauge *gauge, int *ret);

#endif
