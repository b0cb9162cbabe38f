/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can a file be kept at some place? */
#ifndef CLONEDECK_SESSION_PLACE_H
#define CLONEDECK_SESSION_PLACE_H

#include <sys/types.h>

enum place_kind {
	PLACE_AS_IT_IS,  /* a file, there or not */
	PLACE_NEW,       /* one that is not there yet, or a directory that has none of that name */
	PLACE_DIRECTORY, /* the latter only */
	PLACE_MADE,      /* a directory, which is made where it is not there */
	PLACE_UNTRIED,   /* as it is, and nothing is written: only what is beneath is asked for */
};

struct found_place {
	char path[512]; /* "": not known */
	dev_t beneath;  /* its directory (base/file.h) */
};

/* Can a file be written at `path`, in a directory under the last part of `name`? *ret is that
 * file. Waits ten seconds at most: then -ETIMEDOUT. */
int session_try_place(enum place_kind kind, const char *path, const char *name,
		      struct found_place *ret);

#endif
