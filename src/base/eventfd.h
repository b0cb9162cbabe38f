/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A descriptor by which threads wake each other: it polls readable from a signal until it is
 * cleared. Any thread. */
#ifndef CLONEDECK_BASE_EVENTFD_H
#define CLONEDECK_BASE_EVENTFD_H

#include "base/error.h"

/* The descriptor, or a negative errno. */
int eventfd_new(struct error *reterr);
void eventfd_signal(int fd);
void eventfd_clear(int fd);

#endif
