/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The saver: a thread that first flushes the destination and then saves the digests
 * and the map, so that what the map file calls finished is on the medium. Both can
 * take long; the coordinator goes on meanwhile. If the disk of the files does not answer,
 * the saver abandons them (base/file.h) and can still flush. After a failed
 * flush no later one counts, and no map is saved any more.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "digest/digests.h"
#include "io/io.h"
#include "job/snapshot.h"
#include "map/map.h"
#include "map/saved_tables.h"

/* As the kernel calls it, to be found in documents. */
#define JOB_RESET_EVENT "POWER_ON_RESET_OCCURRED"
#define RESET_NAME_MAX  600

struct saver;

/* Where a file is saved. */
struct place {
	char path[PATH_MAX]; /* "" nowhere */
	dev_t beneath;       /* base/file.h */
};

struct saver_order {
	const struct map *map;   /* constant until the order is done; NULL: only flush */
	struct map *owned;       /* if the map is a copy: the same, now the saver's */
	struct io_handle *flush; /* NULL: nothing was written since the last flush */
	/* A disk that was reset has lost what it had not flushed, and confirms the flush all the
	 * same. NULL: nobody knows. */
	unsigned (*resets)(void *user, bool destination);
	void *resets_user;
	bool verified; /* what is lost is found later: a reset does not fail the flush */
	const struct io_end *forget; /* dropped from the page cache after the flush; or NULL */
	/* Digests of what the map calls finished, saved beside it; now the saver's. Or NULL. */
	struct digests *digests;
	const struct saved_tables *tables; /* saved beside it, constant meanwhile; or NULL */
	const struct plan *plan;           /* of the digests and tables */
	struct place place;
	uint64_t timeout;       /* ns, for the disk that holds the file */
	struct map_state state; /* of the map file */
};

struct saver_result {
	bool flushed, saved;   /* asked for and done */
	struct map *confirmed; /* the order's copy, if it was flushed; the caller's. Or NULL */
	unsigned resets[JOB_ENDS_MAX]; /* of source and destination so far, after a flush */
	/* 0 or negative errno of flushing, and of saving the map, the digests and the tables. */
	int flush_code, code, digests_code, tables_code;
	struct error flush_error, error, digests_error, tables_error;
};

/* Who was reset: the end, or "A disk below" it where the hardware is one of those, translated. */
const char *saver_reset_name(const struct io_end *end, char *buffer, size_t size);

/* wake: an eventfd that is signalled when an order is done. */
int saver_new(int wake, struct saver **ret, struct error *reterr);
void saver_destroy(struct saver *saver); /* waits for the current order; NULL is fine */

bool saver_idle(struct saver *saver);
/* For a caller that saves a file itself, while the saver is idle; the rest as in struct
 * file_timeout.
 */
struct file_timeout *saver_timeout(struct saver *saver, uint64_t ns, dev_t beneath);
/* Only while idle. */
void saver_ask(struct saver *saver, const struct saver_order *order);
/* True once per finished order. */
bool saver_take_result(struct saver *saver, struct saver_result *ret);
