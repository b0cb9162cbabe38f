/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sum that other programs know (SHA-256 and its like), taken of bytes in
 * their order. libgcrypt computes it, with the instructions that the processor
 * has for it, and libxxhash what it is named after. One thread at a time.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "plan/options.h"

#define CHECKSUM_HEX_MAX 129

struct checksum;

/* -ENOMEM; -EOPNOTSUPP where this machine's policy forbids the algorithm (FIPS mode, MD5). */
int checksum_new(enum checksum_algorithm algorithm, struct checksum **ret, struct error *reterr);
void checksum_add(struct checksum *sum, const void *data, size_t length);
/* The checksum of everything since the beginning, in lower-case hexadecimal digits; the next
 * checksum_add() starts over. */
const char *checksum_take(struct checksum *sum, char hex[static CHECKSUM_HEX_MAX]);
void checksum_destroy(struct checksum *sum); /* NULL is fine */
