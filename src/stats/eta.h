/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between rates.c and eta.c only. */
#ifndef CLONEDECK_STATS_ETA_H
#define CLONEDECK_STATS_ETA_H

#include "stats/rates.h"

/* Moves the estimate on; once a second. active: ns since the start without pauses. */
void eta_update(struct rates *rates, uint64_t now, uint64_t active);

/* Bytes written per active second over the newest `seconds` active ones, of samples
 * numbered `since` and later; *retactive: how many there were. */
double rates_recent(const struct rates *rates, uint64_t since, unsigned seconds, double *retactive);

#endif
