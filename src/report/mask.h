/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report in which serial numbers and WWNs show only their end: for paper that
 * leaves the house. Masks all texts of the report, whatever their origin.
 */
#pragma once

#include "base/cleanup.h"
#include "report/report.h"

/* A masked copy of the report and of its plan, whose extents are borrowed from the report. */
struct masked_report {
	struct report report;
	struct plan plan;
};

/* *ret is NULL when the report is to be shown as it is; else the copy, for report_unmask(). */
int report_mask(const struct report *report, struct masked_report **ret, struct error *reterr);
/* The same of a plan alone, whose extents stay borrowed, and of one disk. */
void report_mask_plan(const struct plan *plan, struct plan *ret);
void report_mask_identity(struct identity *identity);
void report_unmask(struct masked_report *masked); /* NULL is fine */
DEFINE_CLEANUP(masked, struct masked_report *, report_unmask)
