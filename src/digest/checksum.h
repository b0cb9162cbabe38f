/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sum that other programs know (SHA-256 and its like), taken of bytes in
 * their order. libgcrypt computes it, with the instructions that the processor
 * has for it, and libxxhash what it is named after. One thread at a time.
 */
#ifndef CLONEDECK_VERIFY_SUM_H
#define CLONEDECK_VERIFY_SUM_H

#include <stddef.h>

#include "base/error.h"
#include "plan/sums.h"

#define SUM_HEX_MAX 129

struct sum;

/* -ENOMEM; -EOPNOTSUPP where this machine's policy forbids the algorithm (FIPS mode, MD5). */
int sum_new(enum sum_algorithm algorithm, struct sum **ret, struct error *reterr);
void sum_add(struct sum *sum, const void *data, size_t length);
/* The checksum of everything since the beginning, in lower-case hexadecimal digits; the next
 * sum_add() starts over. */
const char *sum_take(struct sum *sum, char hex[static SUM_HEX_MAX]);
void sum_destroy(struct sum *sum); /* NULL is fine */

#endif
