/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of the copies that run on this machine, so that others can say whose a
 * busy disk is. Each copy keeps a small file, PID.job, with lines "key value", in
 * a folder that is gone after a restart. It is locked as long as its process lives
 * and trusted only then: a record that a crash left behind says nothing, and a
 * new process with the same number does not make it valid again. The record of a copy that has
 * ended normally stays for at least ten minutes and says how it ended.
 *
 * A reader skips keys that it does not know, so later versions may add some.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "discover/disk.h"

#define RUNNING_MAX 64 /* copies that are told of */
/* For root's records. */
#define RUNNING_ROOT_FOLDER "/run/clonedeck"

/* The state of one whose process is stopped (SIGSTOP), which cannot write so into its record. */
#define RUNNING_SUSPENDED "suspended"

struct running_end {
	char node[64];    /* of the disk or partition; "": an image file */
	char file[512];   /* path of the image file; "": a disk or partition, or unknown */
	dev_t devno;      /* of the whole disk; 0: an image file, or nothing is held now */
	uint64_t diskseq; /* 0 unknown */
	char serial[128];
};

struct running {
	pid_t pid;
	int64_t started; /* unix seconds */
	double percent;  /* of all that is to be done, 0 to 100 */
	int64_t left;    /* seconds; -1 unknown */
	/* While it is unknown because of bad areas that are read again: seconds; most 0: unknown.
	 */
	int64_t left_least, left_most;
	char state[16]; /* "copying", as in the JSON of a progress line; RUNNING_SUSPENDED; ""
			 * unknown */
	char stage[16]; /* the pass under way: pass_name() of job/snapshot.h; "" none or unknown */
	double rate;    /* bytes per second, over the last minute; negative: unknown */
	uint64_t bad, errors; /* bytes that could not be read; requests that failed */
	struct running_end source, destination;
	char map[512];
	/* of one that has ended */
	int exit_code;
	char report[512]; /* "": none was written */
	/* when listed */
	bool by_root;  /* its record is root's */
	bool has_deck; /* that a terminal can be brought to (ui/core/listener.h) */
	bool own;      /* this process's */
};

struct running_record;

/* The folder for records of this user: RUNNING_ROOT_FOLDER for root, else in $XDG_RUNTIME_DIR; made
 * if need be. False: there is none. */
bool running_folder(char *buffer, size_t size);
/* Makes the record of this process in `folder` and locks it; negative errno. Takes those away that
 * were left behind there. */
int running_new(const char *folder, const struct running *running, struct running_record **ret);
void running_update(struct running_record *record, const struct running *running);
/* The copy has ended; exit_code and report are told to those who ask. Owns the record; NULL is
 * fine.
 */
void running_ended(struct running_record *record, struct running *running);
/* Removes it. NULL is fine. */
void running_destroy(struct running_record *record);

/* The copies of other processes that run now, at most RUNNING_MAX, the oldest first; folder NULL:
 * root's and this user's. Returns their number. */
size_t running_list(const char *folder, struct running *ret);
/* The same, and that of this process. */
size_t running_list_all(const char *folder, struct running *ret);
/* The same of those that have ended in order and whose records are still there. */
size_t running_list_ended(const char *folder, struct running *ret);
/* Another process that copies, and could not write what, since its folder has no room; folder as
 * above; 0: there is none. */
pid_t running_unwritten(const char *folder);
/* "Process 4711 runs a copy, which ...": translated. */
const char *running_unwritten_words(pid_t pid, char *buffer, size_t size);
/* The copy of that process, if it has ended in order; however many others have. */
bool running_find_ended(const char *folder, pid_t pid, struct running *ret);
/* Is this end of a running copy on that disk? */
bool running_is_on(const struct running_end *end, const struct identity *disk);
/* The copy of another process that has locked the file with this inode, an image or a node. writes:
 * it copies to that. */
bool running_find_lock(uint64_t inode, struct running *ret, bool *retwrites);
/* "clonedeck, process 1944, is copying to it: 32 %"; translated. */
const char *running_words(const struct running *running, bool destination, char *buffer,
			  size_t size);
