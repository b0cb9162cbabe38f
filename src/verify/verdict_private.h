/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a proof, for verdict.c, verdict_judge.c, rolling.c and recheck.c only. */
#pragma once

enum region_state {
	REGION_OPEN,
	REGION_GOOD,
	REGION_SUSPECT, /* the digests differ: both ends must be read */
	REGION_WRONG,
	REGION_UNKNOWN, /* no digest of it, and its source can no longer be read */
};

/* There may be some 60,000, so they are packed. */
struct region_proof {
	uint64_t proven; /* sectors, as of when it was found good */
	uint64_t wrong_bytes;
	uint32_t wrong_areas;
	int code; /* why it could not be read */
	enum region_state state : 8;
	enum mismatch_kind kind : 8; /* of REGION_WRONG */
	bool asked;                  /* to be read by the current pass */
	bool unread;                 /* part of it could not be read in this pass */
	bool unread_source;
	bool compared; /* found good by reading both ends */
	bool early;    /* found good while the copy still ran */
};

struct proof {
	struct digests *expected; /* as the source was read */
	struct digests *found;    /* as the destination was read back */
	/* While both ends are read: the previous `found`, and the source read again. */
	struct digests *before, *again;
	struct region_proof *regions;
	size_t count;
	bool rewrites_left; /* asked for, not done yet */
	uint64_t rewritten; /* bytes */
	struct job_mismatch mismatches[JOB_MISMATCHES_SHOWN];
	size_t region_of[JOB_MISMATCHES_SHOWN];
	bool told[JOB_MISMATCHES_SHOWN];
	size_t shown;
	unsigned events;
	struct job_proof sums; /* totals as of the last pass */
};

/* The source's sectors of a region. */
struct range proof_sectors(const struct verification *v, size_t region);
/* How many of them this map calls finished. */
uint64_t proof_finished(const struct verification *v, const struct map *map, size_t region);
/* Marks a region to be read back by the current pass, with nothing found yet. */
void proof_ask(struct verification *v, size_t region);
/* What was proven counts no more; only_early: what was before the end of writing. */
void proof_forget(struct proof *proof, bool only_early);
