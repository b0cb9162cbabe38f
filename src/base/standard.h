/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input, output and error of this process. */
#ifndef CLONEDECK_BASE_STANDARD_H
#define CLONEDECK_BASE_STANDARD_H

/*
 * If the program is started without standard output or error, a disk could be
 * opened as descriptor 1 or 2, and output be written to it. Replaces missing
 * descriptors by ones that fail with EBADF. To be called before anything is
 * opened, by the only thread. 0 or a negative errno.
 */
int standard_fill(void);

#endif
