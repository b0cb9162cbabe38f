/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The saver: a thread that flushes the destination and then saves the digests
 * and the map, in this order, so that what the file calls finished is on the medium. Both can
 * take long; the keeper goes on meanwhile. Of files on a disk that does not answer
 * the saver leaves off (base/patience.h), so that it can flush. After a flush that failed no other
 * one counts, and no map is saved any more.
 */
#ifndef CLONEDECK_COPY_SAVER_H
#define CLONEDECK_COPY_SAVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "copy/map.h"
#include "io/io.h"
#include "verify/digests.h"

struct saver;

struct saver_order {
	const struct map *map;       /* does not change until the order is done; NULL: only flush */
	struct map *owned;           /* the map when it is a copy, or NULL: the saver's */
	struct io_handle *flush;     /* NULL: nothing was written since the last time */
	const struct io_end *forget; /* what the page cache holds of it, after the flush */
	/* What was taken of what the map calls finished, saved beside it; the saver's. NULL: none.
	 */
	struct digests *digests;
	const struct plan *plan; /* of the digests */
	const char *path;        /* copied */
	uint64_t patience;       /* ns, for the disk that this is on */
	struct map_state state;  /* of the map file */
};

struct saver_result {
	bool flushed, saved;   /* asked for and done */
	struct map *confirmed; /* the order's copy when it was flushed, else NULL; the taker's */
	/* Negative errno of the flush, of the saving of the map, and of the digests; 0. */
	int flush_code, code, digests_code;
	struct error flush_error, error, digests_error;
};

/* wake: eventfd signalled when an order is done. */
int saver_new(int wake, struct saver **ret, struct error *reterr);
void saver_destroy(struct saver *saver); /* waits for the order under way; NULL is fine */

bool saver_idle(struct saver *saver);
/* Of whoever saves files in its place, while it is idle; ns as in struct patience. */
struct patience *saver_patience(struct saver *saver, uint64_t ns);
/* Only while idle. */
void saver_ask(struct saver *saver, const struct saver_order *order);
/* True once per order, when it is done. */
bool saver_take_result(struct saver *saver, struct saver_result *ret);

#endif
