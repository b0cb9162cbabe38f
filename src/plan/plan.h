/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan: everything that will happen, as plain data. It is made from two
 * endpoints and the chosen ranges, shown as it is, checked by the guard, and
 * then obeyed by the copy, which writes nothing outside its extents. No system
 * calls here.
 *
 * Unit: extents are in `sector_size` bytes (the source's logical sector) and
 * relative to the endpoints' nodes (a partition's first sector is 0).
 */
#ifndef CLONEDECK_PLAN_PLAN_H
#define CLONEDECK_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/range.h"
#include "discover/endpoint.h"

struct extent {
	uint64_t source_lba;
	uint64_t destination_lba;
	uint64_t sectors;
};

/* Which backend moves the bytes of one end; AUTO lets the core measure. */
enum backend_choice {
	BACKEND_AUTO,
	BACKEND_URING,
	BACKEND_THREADS,
	BACKEND_BUFFERED,
	BACKEND_IMAGE,
	BACKEND_SG,
	BACKEND_NULL,
};

/* How data travels between our memory and the sg driver. */
enum sg_data {
	SG_DATA_DIRECT,   /* straight, where the driver allows it (allow_dio); it says if not */
	SG_DATA_INDIRECT, /* copied by the driver */
	SG_DATA_MMAP,     /* through buffers of the driver that are mapped here */
};

/* Whether the destination is asked for its real size before the copy. */
enum probe_choice {
	PROBE_AUTO, /* where false sizes are sold: USB, cards, removable media */
	PROBE_YES,
	PROBE_NO,
};

enum on_error { ON_ERROR_STOP, ON_ERROR_MAP };

/* What the destination gets in place of sectors that cannot be read. */
enum fill {
	FILL_ZERO,
	FILL_MARK,  /* a text that names the LBA */
	FILL_LEAVE, /* nothing: it keeps what was there */
};

/* How the copy is proven. */
enum verify_choice {
	VERIFY_DIGEST,  /* read back, compared with digests taken as the source was read */
	VERIFY_ROLLING, /* the same, and what is flushed already while the rest is copied */
	VERIFY_AFTER,   /* the same, and not before all is copied */
	VERIFY_COMPARE, /* both ends read and compared byte for byte, once all is flushed */
	VERIFY_OFF,
};

/* When what is flushed is read back. */
enum rolling_how {
	ROLLING_NO,    /* after the copy */
	ROLLING_SPARE, /* during it, as far as the destination has nothing else to do */
	ROLLING_ASKED, /* during it */
};

/* Limits of what can be asked for; 0 always means "choose". */
#define PLAN_CHUNK_MIN 512U
#define PLAN_CHUNK_MAX (8U << 20)
#define PLAN_DEPTH_MAX 256U
#define PLAN_LANES_MAX 32U
/* A cable that hiccups once should not end a copy of hours. */
#define PLAN_RETRIES_DEFAULT 3U
/* What front ends begin with; all zero means "choose", and stopping at the first error. */
#define PLAN_OPTIONS_DEFAULT                                                                       \
	((struct plan_options){ .retries = PLAN_RETRIES_DEFAULT, .on_error = ON_ERROR_MAP })

struct plan_options {
	uint32_t chunk;       /* bytes, a multiple of both logical sectors; 0: by device kind */
	uint32_t queue_depth; /* per end, 0: by device kind */
	uint32_t lanes;       /* 0: by measurement */
	enum backend_choice source_backend;
	enum backend_choice destination_backend;
	enum sg_data sg_data;         /* of the ends that go through sg */
	bool sg_fua;                  /* every write is on the medium before it is reported done */
	bool sg_dpo;                  /* the disk's cache may forget what was transferred */
	uint64_t rate;                /* bytes per second, 0: no limit */
	enum on_error on_error;       /* of reads */
	enum on_error on_write_error; /* of the destination */
	enum fill fill;               /* with ON_ERROR_MAP */
	/* How often a failed request is tried again at once. A read that failed for the medium's
	 * sake is not where ON_ERROR_MAP is set: passes of their own come back to it. */
	unsigned retries;
	unsigned retry_passes; /* over what is bad in the end, forwards and backwards in turn */
	uint32_t slow_limit;   /* seconds: what takes longer is treated as damage; 0: no limit */
	/* Reasons to stop; 0: none. */
	uint64_t max_bad_areas;   /* more than these */
	uint64_t max_read_errors; /* more than these */
	uint64_t max_error_rate;  /* bytes per second that fail, more than these */
	uint32_t max_no_read;     /* seconds without a good read */
	enum probe_choice probe;
	bool arm_at_once; /* copy tables and superblocks in their turn, not last (held.h) */
	enum verify_choice verify;
	unsigned sums; /* of the whole source: a bit each of enum sum_algorithm (plan/sums.h) */
	bool rewrite;  /* what the proof finds wrong is copied once more, and proven again */
};

struct plan {
	struct endpoint source;
	struct endpoint destination;
	uint32_t sector_size;   /* bytes; unit of all LBAs in the extents */
	struct extent *extents; /* ascending and disjoint on both sides, none empty, adjacent
				 * ones merged where they are adjacent on both sides */
	size_t extent_count;
	uint64_t total_sectors;
	bool whole; /* the complete source, LBA 0 to its end, at destination LBA 0 */
	uint64_t destination_size_after; /* bytes; images to be created: the size they will have */
	struct plan_options options;
};

/*
 * ranges: of the source's logical sectors. NULL: everything. destination_lba
 * NULL: each range at the same LBA as on the source; else the first range
 * starts there and the gaps between ranges are kept. options NULL: all chosen
 * by the core.
 *
 * Fails only for what makes no sense: nothing to copy, sectors that the source
 * does not have, bytes beyond what can be addressed, options out of bounds.
 * That the destination is too small or in use is for the guard to say.
 * -EINVAL, -ERANGE (beyond the source's end), -EOVERFLOW, -ENOMEM; class USAGE or
 * ENVIRONMENT.
 */
int plan_new(const struct endpoint *source, const struct endpoint *destination,
	     const struct range_list *ranges, const uint64_t *destination_lba,
	     const struct plan_options *options, struct plan **ret, struct error *reterr);
/* The same from extents, as a map file names them: every rule of struct plan is
 * checked, adjacent extents are merged. The array is copied. */
int plan_from_extents(const struct endpoint *source, const struct endpoint *destination,
		      const struct extent *extents, size_t count,
		      const struct plan_options *options, struct plan **ret, struct error *reterr);
/* -ENOMEM. */
int plan_copy(const struct plan *plan, struct plan **ret);
void plan_destroy(struct plan *plan); /* NULL is fine */

/* "direct" and so on, in options, maps and JSON. -EINVAL for an unknown name. */
const char *plan_sg_data_name(enum sg_data data);
int plan_sg_data_parse(const char *name, enum sg_data *ret);
/* The same of "digest" and so on. */
const char *plan_verify_name(enum verify_choice verify);
int plan_verify_parse(const char *name, enum verify_choice *ret);

/* With digests, whenever they are read back. */
static inline bool verifies_digests(enum verify_choice verify)
{
	return verify == VERIFY_DIGEST || verify == VERIFY_ROLLING || verify == VERIFY_AFTER;
}

/* -EINVAL with what is wrong and what is allowed. plan_new() asks it too. */
int plan_options_check(const struct plan_options *options, const struct endpoint *source,
		       const struct endpoint *destination, struct error *reterr);

uint64_t plan_bytes(const struct plan *plan);
/* Eight hexadecimal digits over everything that decides which bytes go where
 * (identities, sizes, extents); names the plan in maps, logs and reports. Stays
 * the same over reboots and resumes, on any machine. */
const char *plan_id(const struct plan *plan, char buffer[static 9]);
/* Both ends lie on one disk (whole, partitions, two paths to it) or are one file. */
bool plan_same_disk(const struct plan *plan);
/* Source and destination bytes overlap on one disk or file. */
bool plan_overlaps_itself(const struct plan *plan);
/* A whole disk is written over a whole disk, and nobody asked otherwise: what makes it bootable
 * and mountable is copied last. */
bool plan_arms_last(const struct plan *plan);
/* The destination is asked for its real size first; its disk, NULL where unknown. */
bool plan_probes(const struct plan *plan, const struct disk *destination);
/* Where nobody asked, what is copied is read back meanwhile if that costs no moves of heads and
 * nothing of the reading: the destination, its disk NULL where unknown, is a flash disk, and
 * another one than the source. */
enum rolling_how plan_rolling(const struct plan *plan, const struct disk *destination);
/* Bytes of extent i, from the start of each end's node. */
void plan_extent_bytes(const struct plan *plan, size_t i, uint64_t *retsource,
		       uint64_t *retdestination, uint64_t *retlength);

#endif
