/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `clonedeck list`: all disks as a table or as JSON (data/schema/list.schema.json).
 * The command line parses options, calls list_run() and prints a failure with
 * cli_error(). Runs without root and shows what it can. The disks are looked at in
 * a process apart (apart.h).
 */
#ifndef CLONEDECK_CLI_LIST_H
#define CLONEDECK_CLI_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

struct list_options {
	bool all;                 /* --all: also attached loop devices, RAM disks, dm and md */
	bool json;                /* --json */
	bool verbose;             /* --verbose: also what no kernel of today has */
	const char *practice_dir; /* --practice; NULL: the machine's disks */
	int width; /* columns of the table; 0: of the terminal, unlimited elsewhere */
};

int list_run(const struct list_options *options, FILE *out, struct error *reterr);

#endif
