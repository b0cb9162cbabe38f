/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cleanup attributes: a variable marked with one of these is released when it
 * goes out of scope. Steal with cleanup_steal() to hand ownership on.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFINE_CLEANUP(name, type, release)                                                        \
	static inline void cleanup_##name(type *p)                                                 \
	{                                                                                          \
		if (*p)                                                                            \
			release(*p);                                                               \
	}

DEFINE_CLEANUP(fclose, FILE *, fclose)

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

/* Unless it is negative: there is none. */
static inline void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

static inline void cleanup_close(int *fd)
{
	fd_close(*fd);
}

#define CLEANUP(name) __attribute__((cleanup(cleanup_##name)))

/* Takes the pointer out of *p, so that its cleanup finds NULL. */
#define cleanup_steal(p)                                                                           \
	({                                                                                         \
		__typeof__(p) stolen_ = (p);                                                       \
		(p) = NULL;                                                                        \
		stolen_;                                                                           \
	})

static inline int cleanup_steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}
