/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stick for report and log: a file system on a removable disk that nothing uses, mounted for as
 * long as the files take. Its mount has no place in the tree, so nobody else can be on it when it
 * is to be pulled, and it ends with the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "discover/disk.h"
#include "plan/plan.h"

#define STICKS_MAX   5
#define STICK_FOLDER "clonedeck" /* on it */

struct stick {
	char node[64]; /* of the partition, or of the disk where that has no table */
	char fs[32], label[128], model[128];
	uint64_t size;
	dev_t devno;
	uint64_t diskseq; /* of its disk; 0 unknown */
};

/* Those in the list that are on no disk of the plan. any: also what is not removable, for practice
 * disks. Returns their number. */
size_t stick_list(const struct disk_list *disks, const struct plan *plan, bool any,
		  struct stick ret[static STICKS_MAX]);

struct stick_mount {
	int device, root;
	int folder; /* STICK_FOLDER: files are made in it */
};

/* Waits for the stick. Nothing stays mounted if it fails. */
int stick_mount(const struct stick *stick, struct stick_mount *ret, struct error *reterr);
/* What was written is on the medium, and nobody uses it any more; else why not. In either case it
 * is not mounted any longer. */
int stick_unmount(const struct stick *stick, struct stick_mount *mount, struct error *reterr);
/* In a sentence, why a file could not be saved. */
int stick_refuse(const struct stick *stick, int code, struct error *reterr);
