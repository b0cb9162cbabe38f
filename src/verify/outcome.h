/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verification of a copy has found: plain data, a part of what a job shows of itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

#define JOB_MISMATCHES_SHOWN 16

/* Which end is at fault, according to a second read of both. */
enum mismatch_kind {
	MISMATCH_DESTINATION, /* the source is unchanged, the destination differs from it */
	MISMATCH_UNSTABLE,    /* the destination returns different data each time */
	MISMATCH_SOURCE,      /* the source has changed since it was read */
	MISMATCH_UNKNOWN,     /* they differ, and either could be wrong */
	MISMATCH_UNREADABLE,  /* the destination cannot be read back */
	MISMATCH_NO_SOURCE,   /* the source cannot be read for the comparison */
};

struct job_mismatch {
	enum mismatch_kind kind;
	uint64_t lba, sectors; /* of the source, plan->sector_size */
	uint64_t destination_lba;
	unsigned partition; /* of the source's disk, 0 none or unknown */
	/* It is somewhere in the area: only the digest of all of it is known, or it is
	 * unreadable. */
	bool somewhere;
	/* The first byte that differs, from the start of the area, and its values. */
	bool has_byte;
	uint32_t byte;
	uint8_t at_source, at_destination;
	/* Of the region around it: as read from the source, and as read back. */
	bool has_digests;
	uint64_t region_lba, region_sectors;
	char expected[33], found[33];
	int code; /* of the read that failed */
};

/* Were some areas of the source read again after the copy, to see whether it changed meanwhile? */
enum job_recheck {
	JOB_RECHECK_NOT_ASKED, /* as of a copy without digests */
	JOB_RECHECK_PENDING,   /* the copy did not come so far */
	JOB_RECHECK_DONE,
	/* No, to spare it: */
	JOB_RECHECK_DAMAGED,  /* it could not be read everywhere, or not at once */
	JOB_RECHECK_SLOW,     /* some read of it took more than a second */
	JOB_RECHECK_WAS_GONE, /* for a while */
	JOB_RECHECK_SPARED,   /* the plan says so (plan/preset.h) */
};

/* How the copy was verified. */
struct job_proof {
	bool asked;        /* otherwise the rest is zero, but for what the final look has found */
	bool complete;     /* everything on the destination was read back and is right */
	uint64_t verified; /* bytes of that; of these, `compared` with the source itself */
	uint64_t compared;
	bool rolling;       /* it is read back during the copy */
	uint64_t early;     /* bytes of `verified` that were read back during the copy */
	uint64_t rewritten; /* bytes that were wrong and were written again */
	/* Bytes that an earlier run wrote (all bytes, if this run only verifies), without a digest,
	 * and that can no longer be read from the source: nobody can tell whether they are right.
	 * Their areas are listed with the mismatches, as MISMATCH_NO_SOURCE. */
	uint64_t unknown, unknown_areas;
	struct job_mismatch mismatches[JOB_MISMATCHES_SHOWN];
	size_t shown;
	uint64_t areas, bytes; /* of all remaining mismatches; whole sectors */
	enum job_recheck recheck;
	/* Areas of the source that were read again, and those of them that had changed: each of
	 * these is one of the mismatches; and then there are no others, but of a source that was in
	 * use. */
	unsigned rechecked, changed;
	uint64_t rechecked_bytes;
	bool changed_before; /* that was while the copy was stopped: nothing was written since */
};

/* The final look (final_look.h): what was read from the destination after the last write. */
struct job_look {
	bool asked; /* otherwise the rest is zero: nothing was written */
	bool done;  /* otherwise all but the seed is zero */
	unsigned places;
	uint64_t bytes;                 /* of these; */
	uint64_t held_bytes, end_bytes; /* of the held areas, and of both ends of the rest */
	unsigned sample;                /* places chosen by the seed */
	uint64_t sample_bytes;
	unsigned differing; /* places; of a verified copy, both ends were read there afterwards */
	uint32_t seed;
};

/* What is known of the checksums that were asked for. */
enum job_sums_state {
	JOB_SUMS_PENDING,        /* not yet */
	JOB_SUMS_OF_SOURCE,      /* of the source, as it was read */
	JOB_SUMS_OF_DESTINATION, /* of the destination, as it was read back and verified */
	JOB_SUMS_INCOMPLETE,     /* unknown: the copy is not complete */
	JOB_SUMS_DIFFERS,        /* unknown: the copy is not what the source was */
	JOB_SUMS_NOT_READ_BACK,  /* unknown: neither end was read in one go */
};

struct job_sum {
	enum checksum_algorithm algorithm;
	char hex[129]; /* "": unknown */
};

/* Over all bytes of the plan in the order of the source, several ranges concatenated. */
struct job_sums {
	enum job_sums_state state;
	unsigned count; /* 0: none were asked for */
	struct job_sum items[CHECKSUM_ALGORITHMS];
	uint64_t zeros; /* bytes that could not be read, counted as zeros */
};

static inline bool job_sums_known(const struct job_sums *sums)
{
	return sums->state == JOB_SUMS_OF_SOURCE || sums->state == JOB_SUMS_OF_DESTINATION;
}

/* What is wrong, in a translated phrase. */
const char *job_mismatch_words(enum mismatch_kind kind);
