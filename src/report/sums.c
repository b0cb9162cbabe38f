/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sums of the whole source as lists that sha256sum and its like check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/i18n.h"
#include "report/mask.h"
#include "report/report.h"

bool report_sum_path(const struct report *report, enum checksum_algorithm algorithm, char *buffer,
		     size_t size)
{
	return report->files.checksums[0] && job_sums_known(&report->job.sums) &&
	       (size_t)snprintf(buffer, size, "%s.%s", report->files.checksums,
				checksum_name(algorithm)) < size;
}

/* As in sha256sum: characters that cannot be in a line are escaped. */
static void put_line(FILE *file, const char *hex, const char *name)
{
	if (strpbrk(name, "\\\n\r"))
		putc('\\', file);
	fprintf(file, "%s  ", hex);
	for (; *name; name++)
		if (*name == '\\')
			fputs("\\\\", file);
		else if (*name == '\n')
			fputs("\\n", file);
		else if (*name == '\r')
			fputs("\\r", file);
		else
			putc(*name, file);
	putc('\n', file);
}

/* All of the source went into the sum, and nothing else. */
static bool is_source(const struct report *report)
{
	return report->plan->whole && !report->job.sums.zeros;
}

/* The destination holds that, and nothing else. */
static bool is_destination(const struct report *report)
{
	const struct plan *plan = report->plan;
	enum exit_code code = report_exit_code(report);
	uint64_t size = plan->destinations[0].kind == ENDPOINT_IMAGE ? plan->destination_size_after
								     : plan->destinations[0].size;

	return plan->whole && size == plan_bytes(plan) &&
	       (code == EXIT_COMPLETE ||
		(code == EXIT_BAD_AREAS && plan->options.fill == FILL_ZERO));
}

struct list {
	const struct report *report;
	const struct job_sum *sum;
};

static void fill(FILE *file, const void *user)
{
	const struct list *list = user;
	const struct report *report = list->report;
	const char *hex = list->sum->hex;
	char id[9];

	/* xxh128sum takes a comment for a line that is broken. */
	if (list->sum->algorithm != CHECKSUM_XXH3)
		fprintf(file, "# %s of the %s, plan %s, clonedeck %s\n",
			checksum_title(list->sum->algorithm),
			report->job.sums.state == JOB_SUMS_OF_SOURCE
				? "source as it was read"
				: "copy as it was read back and proven",
			report_plan_id(report, id), report->version);
	if (is_source(report))
		put_line(file, hex, report->plan->source.node);
	if (is_destination(report))
		put_line(file, hex, report->plan->destinations[0].node);
	/* For piping the same bytes into it. */
	if (!is_source(report) && !is_destination(report))
		put_line(file, hex, "-");
}

int report_save_sums(const struct report *report, struct file_timeout *timeout,
		     struct error *reterr)
{
	CLEANUP(masked) struct masked_report *masked = NULL;
	struct list list = { .report = report };
	char path[512];
	int r = report_mask(report, &masked, reterr);

	if (masked)
		list.report = &masked->report;
	for (unsigned i = 0; r == 0 && i < report->job.sums.count; i++) {
		list.sum = &report->job.sums.items[i];
		if (!report_sum_path(report, list.sum->algorithm, path, sizeof(path)))
			continue;
		r = file_replace(timeout, path, 0600, fill, &list);
		if (r < 0)
			error_set(reterr, ERROR_CLASS_ENVIRONMENT, r, "save", path,
				  _("The sum could not be saved as %s: %s."), path, file_phrase(r));
	}
	return r;
}
