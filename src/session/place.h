/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can a file be kept at some place? */
#ifndef CLONEDECK_SESSION_PLACE_H
#define CLONEDECK_SESSION_PLACE_H

enum place_kind {
	PLACE_AS_IT_IS,  /* a file, there or not */
	PLACE_NEW,       /* one that is not there yet, or a directory that has none of that name */
	PLACE_DIRECTORY, /* the latter only */
	PLACE_MADE,      /* a directory, which is made where it is not there */
};

/* Can a file be written at `path`, in a directory under the last part of `name`? *ret is that
 * file, "" not known. Waits ten seconds at most: then -ETIMEDOUT. */
int session_try_place(enum place_kind kind, const char *path, const char *name,
		      char ret[static 512]);

#endif
