/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report and the certificate as files. All of it waits for disks. */
#pragma once

#include "after/report_stick.h"
#include "base/error.h"
#include "base/file.h"
#include "report/report.h"
#include "session/files.h"

/* Saves the report once more, from a copy of it. */
struct saving {
	char path[512];     /* "": where it is already, unless */
	struct stick stick; /* node: on that */
	struct report report;
	struct plan *plan;  /* the report's */
	struct error error; /* code 0: all of it is saved */
};

/* The report and the certificate where the copy's files go, which the report names; those that
 * cannot be saved it names no longer. It says whether one of them was asked for. */
int save_first(struct report *report, const struct files *files, struct log *log,
	       struct file_timeout *timeout, struct error *reterr);
/* Copies all of a report, so that another plan can be made meanwhile. -ENOMEM; then, too,
 * save_done(). */
int save_copy(const struct report *from, struct saving *ret);
/* data: a struct saving. */
void save_run(void *data);
void save_done(struct saving *saving);
