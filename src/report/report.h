/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The report: what was done, in full, as plain data; rendered as text (the last
 * screen, standard output) and as JSON (data/schema/report.schema.json). It
 * holds only what was measured or recorded; unknown is null or "unknown".
 */
#ifndef CLONEDECK_REPORT_REPORT_H
#define CLONEDECK_REPORT_REPORT_H

#include <stdio.h>

#include "base/error.h"
#include "copy/job.h"
#include "guard/rules.h"
#include "plan/plan.h"

struct report {
	const struct plan *plan; /* borrowed */
	struct job_snapshot job; /* its last one */
	struct rates rates;
	struct job_event *events; /* owned */
	size_t event_count;
	struct verdict_list verdicts; /* owned: those that warned or were lifted */
	char log_path[512], map_path[512], json_path[512]; /* "" none */
	bool log_dir_in_memory;
	char host[128], kernel[128], version[64];
	char destination_next[512]; /* what to do next, a sentence; "" nothing */
};

void report_done(struct report *report);
enum exit_code report_exit_code(const struct report *report);
/* "COMPLETE", "PARTIAL", "STOPPED", "FAILED": never translated. */
const char *report_result_word(const struct report *report);
/* "PARTIAL - 1 area of the source could not be read": translated. */
const char *report_result_line(const struct report *report, char *buffer, size_t size);
/* Plain text, at most `columns` wide (40 at least); lines end in \n; malloc'd into *ret. */
int report_text(const struct report *report, int columns, char **ret, struct error *reterr);
/* JSON text, malloc'd. */
int report_json(const struct report *report, char **ret, struct error *reterr);
/* Writes the JSON beside, fsyncs, renames. */
int report_save(const struct report *report, const char *path, struct error *reterr);

#endif
