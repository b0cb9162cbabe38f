/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the passes over damaged areas do (struct pass, in job/pass.h). */
#ifndef CLONEDECK_RESCUE_PASSES_H
#define CLONEDECK_RESCUE_PASSES_H

struct job;

int trim_prepare(struct job *job, unsigned round);
void trim_end(struct job *job);
int scrape_prepare(struct job *job, unsigned round);
int retry_prepare(struct job *job, unsigned round);
unsigned retry_number(const struct job *job);

#endif
