/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows below Gilbert's table, by his formulas. */
#pragma once

#include <stdint.h>

/* A column: seconds for `amount` bytes with the smallest request, and with that of the shortest and
 * the longest time. */
struct rbuf_column {
	double amount;
	double smallest, best, worst;      /* seconds */
	uint32_t smallest_size, best_size; /* bytes */
};

enum rbuf_row { RBUF_LATENCY, RBUF_AFTER_LATENCY, RBUF_BEST, RBUF_WORST, RBUF_ROWS };

/* Seconds, then bytes per second; negative: cannot be told (noise). */
void rbuf_derive(const struct rbuf_column *column, double ret[static RBUF_ROWS]);
