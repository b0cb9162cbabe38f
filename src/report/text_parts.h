/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the report's text, each in the file of its idea; all write to
 * the page.
 */
#ifndef CLONEDECK_REPORT_TEXT_PARTS_H
#define CLONEDECK_REPORT_TEXT_PARTS_H

#include "report/page.h"
#include "report/report.h"

/* text_ends.c */
void text_put_endpoint(struct page *page, const char *label, const struct endpoint *endpoint);
void text_put_ranges(struct page *page, const struct plan *plan);

/* text_copy.c */
void text_put_copied(struct page *page, const struct job_snapshot *job);
void text_put_flushed(struct page *page, const struct job_snapshot *job);
void text_put_latency(struct page *page, const char *label, const struct latency_summary *latency);
void text_put_truths(struct page *page, const struct job_snapshot *job);

#endif
