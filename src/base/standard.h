/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input, output and error of this process. */
#ifndef CLONEDECK_BASE_STANDARD_H
#define CLONEDECK_BASE_STANDARD_H

/*
 * Whoever starts us without standard output or error would have a disk opened as
 * descriptor 1 or 2, and what is printed written to it. In place of what is missing
 * stands what fails with EBADF. To be called before anything is opened, by the only
 * thread. 0 or a negative errno.
 */
int standard_fill(void);

#endif
