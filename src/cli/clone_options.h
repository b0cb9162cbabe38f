/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of clone, resume and verify as plain data: one table says which
 * command takes which. Strings are argv's.
 */
#pragma once

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/headless.h"
#include "plan/plan.h"
#include "session/run.h"

/* A bit each: tables name several. */
enum clone_command { COMMAND_CLONE = 1, COMMAND_RESUME = 2, COMMAND_VERIFY = 4 };

struct clone_options {
	enum clone_command command;
	const char *source, *destination; /* NULL: a map or a report names it */
	const char *domain;               /* a map file; NULL: none */
	const char *map;                  /* resume: the map to go on from */
	const char *retry_area;           /* resume: ranges; NULL: all bad areas */
	const char *report;               /* verify: of the copy; NULL: both ends are read */
	const char *ranges, *at;          /* NULL: everything, same place */
	uint32_t source_sector_size;      /* bytes, of an image; 0: as its table says */
	bool used;                        /* `modes` were given, or are the preset's */
	bool used_by_preset; /* if what is used cannot be read, all is copied in its order */
	struct used_modes modes;
	const char *shrink_via; /* a new image; NULL: nothing is shrunk */
	const char *confirm;    /* NULL: not given */
	struct plan_options plan;
	struct session_options session;
	struct cli_allow allow;
	struct headless_options run;
	bool dry_run, help;
};

/* Prints what is wrong. Returns 0, or the exit code to end with. */
int clone_options_parse(int argc, char **argv, enum clone_command command,
			struct clone_options *ret);
/* Prints what the command's --help says; an enum exit_code. */
int clone_options_help(enum clone_command command);
/* Looks for the disks that the options name and makes a plan of them, in a new session; prints what
 * is wrong. An enum exit_code; *ret is to be destroyed in any case. A signal that stops the command
 * ends the program here. */
int clone_look(const struct clone_options *options, struct session **ret);
/* With --shrink-via: makes the image, if a file system has to be shrunk, and makes it the source:
 * *retimage. An enum exit_code. */
int clone_shrink(struct clone_options *options, const char *command, int signal_fd,
		 const char **retimage);
/* Prints the plan; an enum exit_code. */
int clone_dry_run(const struct session *session, const struct clone_options *options);
/* From a plan to a confirmed one; prints the plan where it is not confirmed, or refused, and the
 * warnings that are accepted. An enum exit_code. */
int clone_confirm(struct session *session, const struct clone_options *options,
		  const char *command);
