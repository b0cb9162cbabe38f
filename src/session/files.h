/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the files of one copy go: log, map, report, certificate, digests and checksum lists. They
 * have one stem in the log directory, DATE-TIME, unless the user names a place of their own. What
 * waits for a disk says so.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "map/map.h"
#include "plan/plan.h"
#include "report/report.h"
#include "session/choose.h"

/* Files that the user named; "": in the directory. */
struct files_named {
	char map[512], report[512], certificate[512];
};

/* The one record of it. */
struct files {
	char directory[512];      /* of the logs */
	struct files_named named; /* since there is a plan */
	struct report_files at;
	/* Of their directories (base/file.h); digests and checksums are beside the report. */
	dev_t map_beneath, report_beneath, certificate_beneath;
};

void files_find_directory(struct files *files, const char *log_dir, const char *practice_dir);
/* Follows links to files that are to be written. What cannot be followed is refused by
 * files_check(). */
void files_follow(const struct session_options *options, struct files_named *ret);
/* Can the files that the user named be written, each of them, and is none of them an end of the
 * plan? Hours later is too late to find out. map: to go on from; NULL: a new one. */
int files_check(const struct files_named *named, const struct plan *plan, const char *map,
		struct error *reterr);
/* -EINVAL if the file `path` ("": none) is one of the ends. */
int files_check_not_an_end(const struct endpoint *source, const struct endpoint *destination,
			   const char *path, struct error *reterr);
/* The same for a map and what is saved beside it: its digests, the tables of the source. */
int files_check_map(const struct endpoint *source, const struct endpoint *destination,
		    const char *map, struct error *reterr);
/* A map is the only way to resume its copy, so it is never replaced by a new one: -EEXIST. Nor is
 * what somebody else has made where something is saved beside it. */
int files_check_new(const char *map, struct error *reterr);
/* The first of what is saved beside that map, if somebody else has made it. */
bool files_has_foreign_beside(const char *map, char *ret, size_t size);
/* -EEXIST if there is one. */
int files_check_beside(const char *map, struct error *reterr);
/* Names them all, and tries whether map and log can be written; ten seconds each at most. The log
 * is there from then on. map: as above. */
int files_make(struct files *files, unsigned checksums, const char *map, struct error *reterr);
/* Makes a path absolute, since it may be used later from another directory. */
void files_absolute(char *to, size_t size, const char *path);
/* Are both in one directory, as spelled? */
bool files_beside(const char *one, const char *other);
/* Replaces the .json, .txt or .html of `path` by `ending`, or appends it; false: too long. */
bool files_name_beside(char *to, size_t size, const char *path, const char *ending);
/* The stem of the checksum lists beside a report; false, with *ret unchanged: there are foreign
 * files of that name. checksums: as in struct plan_options. */
bool files_name_checksums(unsigned checksums, const char *report, char *ret, size_t size);
/* Is something left to do in that map? */
bool files_is_unfinished(const char *path);
/* As far as a map tells; false: it is finished, or none that can be read. Waits for its disk. */
bool files_describe(const char *path, struct session_unfinished *ret);
/* The copy of the newest map in the log directory, if it was not finished; waits a tenth of a
 * second at most. */
bool files_unfinished(const char *directory, struct session_unfinished *ret);

/* ---- map_place.c: another place for the map ---- */

enum place_kind {
	PLACE_AS_IT_IS, /* a file, there or not */
	PLACE_NEW,      /* one that is not there yet, or a directory that has none of that name */
	PLACE_MADE,     /* a directory, which is made where it is not there */
	PLACE_UNTRIED,  /* nothing is written: only the disk and file system are looked up */
};

struct file_place {
	char path[512]; /* "": not known */
	dev_t beneath;  /* its directory (base/file.h) */
};

/* Can a file be written at `path`, in a directory under the last part of `name`? *ret is that
 * file. Waits ten seconds at most: then -ETIMEDOUT. */
int place_try(enum place_kind kind, const char *path, const char *name, struct file_place *ret);

/* The moving thread's while it runs. */
struct move {
	char wanted[512]; /* by the user, or the one fallback */
	bool fallback;    /* a number may be added to its name */
	char from[512];
	struct endpoint source, destination; /* no place is on their disks */
	struct file_place place;             /* that was tried, or taken */
	char stem[512]; /* beside it, for log and report; "": their names are taken there */
	bool in_memory; /* it does not survive a restart */
	/* Of a copy that has ended without one: saved at the new place. NULL: the job saves it. */
	struct map *map;
	bool map_is_lost;   /* could not be saved, and there is none where it was */
	struct error error; /* code 0: it can be kept there, and is */
};

/* wanted NULL: the log directory, or if the map was in it, $TMPDIR or /dev/shm. */
void move_prepare(struct move *move, const struct files *files, const struct plan *plan,
		  const char *wanted);
/* data: a struct move. */
void move_run(void *data);
/* Names what goes along with the map: the log, and what is saved at the end; files named by the
 * user stay where they are. */
void move_rename(const struct move *move, struct files *files);
