/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two disks between which other programs copy for a measurement: the beginning of those that a
 * session has confirmed, or practice disks, loop devices over files made for them, of which the
 * first is full of data that is not zero. The files have no names, and the kernel lets go of them
 * with the last descriptor, so that nothing stays behind, not even after a crash.
 */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "bench/kind.h"
#include "bench/programs.h"

#define PAIR_ARGUMENTS 24
#define PAIR_SIZE      (512U << 20) /* what is copied between practice disks */

struct claim;

enum pair_node { PAIR_BLOCK, PAIR_SG, PAIR_RAW, PAIR_NODES };

struct pair {
	struct bench_run *run;
	char folder[PATH_MAX];   /* made for logs and the like; "": none */
	uint64_t size;           /* bytes that are copied */
	const struct plan *plan; /* as confirmed; NULL: practice disks */
	const char *token;
	struct claim *claim; /* of the destination, while a program copies that makes none */
	struct pair_disk {
		char node[64];
		/* What other programs open: our own descriptors, since a node that they find may be
		 * of another disk by then, and where none is, they make a file. "": there is none.
		 */
		char paths[PAIR_NODES][32];
		uint64_t at,
			sg_at; /* bytes: where the region begins on the node, and on the disk */
		uint32_t sector;
		int file, fds[PAIR_NODES]; /* -1: none */
	} disks[2];
};

/* Practice disks, beneath the folder of the options, or TMPDIR, or /var/tmp. `margin`: the region
 * begins that far from the start of the first, and twice as far from that of the second, and stays
 * as far from their ends; then, for programs that are only to be tried, block nodes stand in for
 * the sg and raw nodes that such disks lack. It may take seconds; bench_stops() ends it. In any
 * case pair_done(). */
int pair_practice(struct bench_run *run, uint64_t size, uint64_t margin, struct pair *ret,
		  struct error *reterr);
/* What the options name: the disks of the confirmed session, or practice disks. */
int pair_open(struct bench_run *run, struct pair *ret, struct error *reterr);
void pair_done(struct pair *pair);

/*
 * The arguments of a program, from words in which '@' and a letter stand for something: names of
 * the disks, for clonedeck, k K; what others open in their place s d, for their sg nodes S D, raw
 * nodes r R; where the region begins on them, in bytes i o, in sectors I O, on the disks of the sg
 * nodes J P; its length in bytes n, in sectors N; b bytes of a sector, t the token, l the folder.
 * false: a node is named that there is not.
 */
struct pair_argv {
	const char *argv[PAIR_ARGUMENTS + 1];
	char texts[PAIR_ARGUMENTS][PATH_MAX];
};
bool pair_expand(const struct pair *pair, const char *const *words, struct pair_argv *ret);
/* Such words: a copy by clonedeck itself, which ends where a disk is pulled. */
#define PAIR_CLONE                                                                                 \
	BESIDE_OWN, "clone", "-s", "@k", "-d", "@K", "--ranges", "@I+@N", "--at", "@O",            \
		"--confirm", "@t", "--no-verify", "--no-probe", "--on-vanish=stop", "--log-dir",   \
		"@l"

/* Claims the destination for a program that does not do that itself. */
int pair_hold(struct pair *pair, struct error *reterr);
void pair_release(struct pair *pair);
/* Waits until the destination has stored all. */
int pair_flush(const struct pair *pair, struct error *reterr);
/* A program has ended, with 0 or this error. Was it one of the disks? Then what is wrong with that,
 * else `code`. (Where a disk was pulled nothing can be read, so programs may find it copied at
 * once.) */
int pair_blame(const struct pair *pair, int code, struct error *reterr);
/* Drops the pages of both disks from the page cache. */
void pair_forget(const struct pair *pair);

/* Writes zeros over the region of the destination, so that an earlier copy cannot pass for one that
 * was made now. */
int pair_clear(struct pair *pair, struct error *reterr);
/* 1: both regions are the same, and beside that of a practice disk nothing was written; 0: no;
 * -ECANCELED, or an error. */
int pair_compare(const struct pair *pair, struct error *reterr);
