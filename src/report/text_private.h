/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the report's text, each in the file of its idea; all write to
 * the page.
 */
#ifndef CLONEDECK_REPORT_TEXT_PRIVATE_H
#define CLONEDECK_REPORT_TEXT_PRIVATE_H

#include "report/page.h"
#include "report/report.h"

/* text_ends.c */
void text_put_end(struct page *page, const char *label, const struct endpoint *endpoint,
		  const struct report_disk *disk, bool full);
void text_put_ranges(struct page *page, const struct plan *plan);
/* All of them, one a line; nothing when there is but one. */
void text_put_extents(struct page *page, const struct plan *plan);
void text_put_health(struct page *page, const struct report *report);

/* text_course.c */
/* Throughput over what was copied, and the events. */
void text_put_course(struct page *page, const struct report *report);

/* sums.c */
void text_put_sums(struct page *page, const struct report *report);
/* text_verify.c */
void text_put_verified(struct page *page, const struct report *report);
void text_put_rest(struct page *page, const struct report *report);
void text_put_mismatches(struct page *page, const struct report *report);

/* text_copy.c */
void text_put_when(struct page *page, const struct job_snapshot *job);
void text_put_engine(struct page *page, const struct job_snapshot *job);
void text_put_copied(struct page *page, const struct job_snapshot *job);
void text_put_latency(struct page *page, const char *label, const struct latency_summary *latency);
void text_put_io_stats(struct page *page, const struct job_snapshot *job);

#endif
